package analysis_test

import (
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/analysis"
)

// TestExpect: an expectation that can never come true, one that always does, and a part without effect.
func TestExpect(t *testing.T) {
	t.Parallel()
	for expect, want := range map[string]string{
		"turn_count > 10 and turn_count < 5":   "R0913",
		"never":                                "R0913",
		"after_tool:Edit and not after_tool:*": "R0913",
		`used("Bash(go test*)") and tool_count("Bash(go test*)") < 1`: "R0913",
		"always":                            "R0914",
		"turn_count >= 0":                   "R0914",
		"turn_count > 5 or turn_count < 10": "R0914",
		"after_tool:Edit and (turn_count > 5 or turn_count > 3)": "R0904",
		"after_tool:Edit": "",
		"after_tool:Bash(go test*) and not last_tool_call_failed": "",
	} {
		set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: "user_message", Expect: expect, Text: "x"}},
			compile.Options{})
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		got := ""
		for _, d := range analysis.Check(set, nil) {
			got = string(d.Code)
			if d.Hint == "" || d.Range.End.Offset > len(expect) {
				t.Errorf("%s: %+v", expect, d)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", expect, got, want)
		}
	}
}
