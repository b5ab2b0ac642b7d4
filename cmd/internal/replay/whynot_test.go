package replay_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// TestNever holds the words in which the summary says why a reminder did not fire. The recording has two
// turns, the tools Read (which failed) and Bash, 82,000 of 200,000 tokens, no times.
func TestNever(t *testing.T) {
	t.Parallel()
	const recording = `{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"go"}}
{"parentUuid":null,"isSidechain":false,"sessionId":"s","message":{"model":"claude-opus-4-6","id":"a","role":"assistant","content":[{"type":"tool_use","id":"1","name":"Read","input":{}},{"type":"tool_use","id":"2","name":"Bash","input":{}}],"usage":{"input_tokens":82000}},"type":"assistant"}
{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true},{"type":"tool_result","tool_use_id":"2"}]}}
{"parentUuid":null,"isSidechain":false,"sessionId":"s","message":{"model":"claude-opus-4-6","id":"b","role":"assistant","content":[]},"type":"assistant"}
`
	for trigger, want := range map[string]string{
		"context_usage > 75%":                "context_usage never above 41%",
		"context_tokens >= 100k":             "context_tokens never above 82000",
		"turn_count < 1":                     "turn_count never below 1",
		"turn_count == 9":                    "turn_count was always between 1 and 2",
		"turn_gt:20":                         "turn_count never above 2",
		"user_turn_gt:4":                     "user_turn_count never above 1",
		"after_tool:Edit":                    "needs tool Edit, which was never used",
		"after_tool:Edit,Write":              "needs one of the tools Edit or Write, and none was used",
		"tool_used == mcp__*":                "needs tool mcp__*, which was never used",
		"tool_failed:Bash":                   "no call of Bash failed",
		"tool_failed:Edit":                   "needs tool Edit, which was never used",
		`turns_since_tool("TodoWrite") > 15`: "needs tool TodoWrite, which was never used",
		`tool_count ( "Edit" )>=3`:           "needs tool Edit, which was never used",
		`used("A") or turns_since_tool("B") > 5 or after_tool:C,D`: "needs one of the tools A, B, C or D, and " +
			"none was used",
		`tool_count("Bash") > 5`:          `tool_count("Bash") > 5 was never true`,
		"repeated_tool_chain:Edit>Bash|4": "Edit>Bash never came 4 times in a row",
		"after_tool:@edit":                "needs tool @edit, which was never used",
		"tool_failed:@shell":              "no call of @shell failed",
		`turns_since_tool("@shell") > 5`:  `turns_since_tool("@shell") > 5 was never true`,
		"after_tool:Bash(git push*)":      "no call matched its trigger",
		"before_tool:@shell(rm*)":         "no call matched its trigger",
		`stopping and used("Edit")`:       "needs tool Edit, which was never used",
		"manual":                          "manual: fires by name only",
		"never":                           "never: fires by name only",
		"last_response_tokens > 100": "fact last_response_tokens is unknown in " +
			"this session",
		"idle > 1h":   "fact idle is unknown in this session",
		"compacted":   "compacted was never true",
		"thread:plan": "thread_type was never plan, only root",
		"thread_type in [plan, learn]": "thread_type was never plan or " +
			"learn, only root",
		"context_usage > 75% and after_tool:Bash": "context_usage never above 41%",
		"user_message and after_tool:Bash":        "its parts were never all true on one turn",
		"after_tool:Edit or compacted": "needs tool Edit, which was never used, and " +
			"compacted was never true",
		"len(tool_used) > 5":                       "len(tool_used) > 5 was never true",
		`response matches "x" and output_tokens>1`: "fact output_tokens is unknown in this session",
	} {
		t.Run(trigger, func(t *testing.T) {
			t.Parallel()
			set := compiled(t, reminder.Reminder{ID: "r", Trigger: trigger, Text: "x"})
			if got := never(t, recording, set); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	t.Run("held back", func(t *testing.T) {
		t.Parallel()
		set := compiled(t, reminder.Reminder{ID: "r", Mode: reminder.While, Trigger: "after_tool:Bash",
			Text: "{{.output_tokens}}"})
		if got := never(t, recording, set); !strings.HasPrefix(got, "its text could not be rendered: ") {
			t.Errorf("%q", got)
		}
	})
	t.Run("a condition in Go", func(t *testing.T) {
		t.Parallel()
		set := compiled(t, reminder.Reminder{ID: "r", Predicate: func(*fact.Frame) fact.Truth { return fact.False },
			Text: "x"})
		if got := never(t, recording, set); got != "its condition was never true" {
			t.Errorf("%q", got)
		}
	})
	t.Run("no turn", func(t *testing.T) {
		t.Parallel()
		if got := never(t, "", compiled(t, reminder.Reminder{ID: "r", Trigger: "compacted",
			Text: "x"})); got != "there was no turn" {
			t.Errorf("%q", got)
		}
	})
}

func never(t *testing.T, recording string, set *compile.Set) string {
	t.Helper()
	out, _, err := run(t, replay.Options{Files: fstest.MapFS{"s.jsonl": {Data: []byte(recording)}},
		Paths: []string{"s.jsonl"}, Set: set, JSON: true})
	if err != nil {
		t.Fatal(err)
	}
	_, sum := decode(t, out)
	return sum.Summary.Reminders[0].Never
}
