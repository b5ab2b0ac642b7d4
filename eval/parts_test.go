package eval_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
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
	want := compile.Part{
		Text:  `prompt matches "deploy" and tool_count("Edit") == 1`,
		Truth: fact.True,
		Parts: []compile.Part{
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
		} else if diff := cmp.Diff(compile.Part{}, part); diff != "" || ok {
			t.Errorf("%s: %v %s", r, ok, diff)
		}
	}
}
