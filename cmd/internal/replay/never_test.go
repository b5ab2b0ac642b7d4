package replay_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
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
		"context_usage > 75%":                "context_usage > 75% (never above 41%)",
		"context_tokens >= 100k":             "context_tokens >= 100k (never above 82000)",
		"turn_count < 1":                     "turn_count < 1 (never below 1)",
		"turn_count == 9":                    "turn_count == 9 (always between 1 and 2)",
		"context_window == 1M":               "context_window == 1M (always 200000)",
		"turn_gt:20":                         "turn_gt:20 (never above 2)",
		"user_turn_gt:4":                     "user_turn_gt:4 (never above 1)",
		"not (turn_count >= 1)":              "turn_count < 1 (never below 1)",
		"after_tool:Edit":                    "after_tool:Edit (never used)",
		"after_tool:Edit,Write":              "after_tool:Edit,Write (never used)",
		"tool_used == mcp__*":                "tool_used == mcp__* (never used)",
		"tool_failed:Bash":                   "tool_failed:Bash (never failed)",
		"tool_failed:Edit":                   "tool_failed:Edit (never used)",
		`turns_since_tool("TodoWrite") > 15`: `turns_since_tool("TodoWrite") > 15 (never used)`,
		`tool_count ( "Edit" )>=3`:           `tool_count("Edit") >= 3 (never used)`,
		`used("A") or turns_since_tool("B") > 5 or after_tool:C,D`: `used("A") (never used) or ` +
			`turns_since_tool("B") > 5 (never used) or after_tool:C,D (never used)`,
		`tool_count("Bash") > 5`:          `tool_count("Bash") > 5 (never above 1)`,
		"repeated_tool_chain:Edit>Bash|4": "repeated_tool_chain:Edit>Bash|4 (never above 0)",
		"after_tool:@edit":                "after_tool:@edit (never used)",
		"tool_failed:@shell":              "tool_failed:@shell (never failed)",
		`turns_since_tool("@shell") > 5`:  `turns_since_tool("@shell") > 5 (never above 1)`,
		"after_tool:Bash(git push*)":      "after_tool:Bash(git push*) (no call matched)",
		"before_tool:@shell(rm*)": "before_tool:@shell(rm*) (needs what the call was about, which this " +
			"host has not told)",
		"before_tool:Edit and compacted": "before_tool:Edit (never used)",
		// at the calls of the first turn nothing is known of the context yet
		"before_tool:Bash and context_usage > 75%": "such a call was about to run once; context_usage > 75% " +
			"(needs context_usage, which this host has not told)",
		`stopping and used("Edit")`:        `the end came once; used("Edit") (never used)`,
		`stopping and not used("Bash")`:    `the end came once; used("Bash") (true each time)`,
		"stopping and context_usage > 75%": "the end came once; context_usage > 75% (never above 41%)",
		"manual":                           "manual (fires by name only)",
		"never":                            "never (fires by name only)",
		"last_response_tokens > 100": "last_response_tokens > 100 (needs last_response_tokens, which this " +
			"host has not told)",
		"idle > 1h":                    "idle > 1h (needs idle, which this host has not told)",
		"compacted":                    "compacted (never true)",
		"not (turn_gt:0)":              "turn_count <= 0 (never below 1)",
		"thread:plan":                  "thread:plan (only root)",
		"thread_type in [plan, learn]": "thread_type in [plan, learn] (only root)",
		"context_usage > 75% and after_tool:Bash": "context_usage > 75% (never above 41%)",
		"user_message and after_tool:Bash":        "user_message and after_tool:Bash (never at once)",
		"not (turn_gt:1 or user_message)":         "not (turn_gt:1 or user_message) (never at once)",
		"after_tool:Edit or compacted":            "after_tool:Edit (never used) or compacted (never true)",
		"len(tool_used) > 5":                      "len(tool_used) > 5 (never above 2)",
		`response matches "x" and output_tokens>1`: `response matches "x" (never true) and output_tokens > 1 ` +
			"(needs output_tokens, which this host has not told)",
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
