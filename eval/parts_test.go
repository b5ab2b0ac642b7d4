package eval_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/eval"
)

// TestPart holds that a decision explains each firing by the parts of its trigger, with texts that no state
// keeps, and explains no reminder that was fired by name or held.
func TestPart(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("asked", `prompt matches "deploy" and tool_count("Edit") == 1`),
		when("other", "turn_gt:9"), when("named", "manual"))
	d := decide(t, ev, eval.Turn{Facts: facts{"prompt": "deploy", "tool_used": []string{"Edit"}},
		Remind: []string{"named"}})
	want := trigger.Part{
		Text:  `prompt matches "deploy" and tool_count("Edit") == 1`,
		Truth: fact.True,
		Parts: []trigger.Part{
			{Text: `prompt matches "deploy"`, Truth: fact.True, Value: "prompt is 6 bytes long"},
			{Text: `tool_count("Edit") == 1`, Truth: fact.True, Value: `tool_count("Edit") is 1`},
		},
	}
	for _, r := range ev.Names() {
		part, ok := d.Part(r)
		if r == "asked" {
			if diff := cmp.Diff(want, part); diff != "" || !ok {
				t.Error(ok, diff)
			}
		} else if diff := cmp.Diff(trigger.Part{}, part); diff != "" || ok {
			t.Errorf("%s: %v %s", r, ok, diff)
		}
	}
}

// TestTurnInParts holds what earlier parts of a turn told: a compaction re-arms and a failed call counts,
// also where a later part tells of none; and the end of the work reads the calls of its user turn alone.
func TestTurnInParts(t *testing.T) {
	t.Parallel()
	rearmed := when("rearmed", "message_count > 5")
	rearmed.Rearm = "never"
	ev := evaluator(t, rearmed, when("failed", "failures_in_row == 1 and compacted"),
		when("quiet", `stopping and not any(calls, .failed)`))
	call := []fact.Call{{Tool: "Bash", Class: fact.Shell, Command: "ls", Told: true, Failed: fact.True}}
	for i, c := range []struct {
		turn eval.Turn
		want string
	}{
		{eval.Turn{Facts: facts{"message_count": 6}}, "rearmed"},
		{eval.Turn{Facts: facts{"last_tool_call_failed": true, "message_count": 1}}, ""},
		{eval.Turn{Facts: facts{"last_tool_call_failed": false, "compacted": true}, More: true}, "failed"},
		{eval.Turn{Facts: facts{"compacted": false, "message_count": 6}, More: true}, "rearmed"},
		{eval.Turn{Facts: facts{"calls": call}}, ""},
		{eval.Turn{Moment: fact.Stopping}, ""},
		{eval.Turn{Facts: facts{"user_message": true}}, ""},
		{eval.Turn{Moment: fact.Stopping}, "quiet"},
	} {
		var got []string
		for _, f := range decide(t, ev, c.turn).Fired {
			got = append(got, f.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("step %d: %v fired, want %q", i, got, c.want)
		}
	}
}
