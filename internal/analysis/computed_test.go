package analysis_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/analysis"
)

// TestComputed: what is said of triggers that compute, and of expressions over texts and calls. A code says
// what is found first, "" nothing.
func TestComputed(t *testing.T) {
	t.Parallel()
	for src, code := range map[string]string{
		"elapsed - idle > 5m and elapsed < 1m":                                 "R0901",
		"elapsed - idle > 5m and elapsed < 6m":                                 "",
		"turn_count - 1 > 10 and turn_count < 5":                               "R0901",
		"turn_count - 1 > 10 and turn_count < 13":                              "",
		"turn_count - 1 > 10 and turn_count < 12":                              "R0901",
		"2 * turn_count > 9 and turn_count < 5":                                "R0901",
		"2 * turn_count > 9 and turn_count < 6":                                "",
		"0.5 * turn_count > 2 and 0.5 * turn_count < 3":                        "",
		"0.5 * turn_count > 2 and 0.5 * turn_count < 2.5":                      "R0901",
		"5 - turn_count > 2 and turn_count > 1":                                "",
		"5 - turn_count > 2 and turn_count > 2":                                "R0901",
		"2 * turn_count > 7 and turn_count > 3":                                "R0904",
		"context_usage + 10% > 90% and context_usage < 75%":                    "R0901",
		"context_usage + 10% > 90% and context_usage < 85%":                    "",
		"elapsed > 2 * idle and elapsed < 1m and idle > 30s":                   "R0901",
		"elapsed > 2 * idle and elapsed < 1m and idle > 29s":                   "",
		`tool_count("Bash") - tool_count("*") > 0`:                             "R0901",
		`tool_count("Bash") + 2 > tool_count("*") and tool_count("Bash") > 50`: "",
		"message_count - turn_count > 3 and turn_count - message_count > 0":    "R0901",
		"turn_count % 5 == 0 and turn_count % 10 == 0":                         "",
		"context_tokens * turn_count > 5 and turn_count < 0":                   "R0901",
		`prompt contains "ab" and not (prompt contains "a")`:                   "R0901",
		`prompt == "deploy" and not (prompt startsWith "dep")`:                 "R0901",
		`lower(prompt) contains "Deploy"`:                                      "", // package lint says it
		`lower(prompt) contains "deploy" and prompt contains "Deploy"`:         "",
		`any(calls, .failed) and not last_tool_call_failed`:                    "R0901",
		`any(calls, .tool == "Bash") and not after_tool:Bash`:                  "R0901",
		`all(calls, .failed) and any(calls, not .failed)`:                      "R0901",
		`none(tool_used, # startsWith "mcp__") and after_tool:mcp__a`:          "R0901",
		`any(calls, .tool == "Bash" and .failed) and not any(calls, .failed)`:  "R0901",
		`any(calls, .failed) and not after_tool:Bash`:                          "",
		`any(path, # endsWith ".go") and not (path endsWith ".go")`:            "R0901",
	} {
		set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: src, Text: "x", Mode: reminder.While}},
			compile.Options{})
		if ds.HasErrors() {
			t.Errorf("%s: %v", src, ds)
			continue
		}
		got, message := "", ""
		if found := analysis.Check(set, nil); len(found) > 0 {
			got, message = string(found[0].Code), found[0].Message
		}
		if got != code {
			t.Errorf("%s: %s %s, want %q", src, got, message, code)
		}
		ex, ok := analysis.Witness(set.Trigger(0))
		opaque := strings.Contains(src, "%") || src == `lower(prompt) contains "Deploy"` // not looked into
		if ok == (code == "R0901") && !opaque || ok && set.Trigger(0).Eval(ex.Frame) != fact.True {
			t.Errorf("%s: an example %v: %s", src, ok, ex.Text)
		}
		if strings.Contains(message, "%!") {
			t.Error(message)
		}
	}
}

// TestLinks: of each link what it excludes, and what it does not.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{ // never true, and sometimes
		{"failures_in_row >= 1 and not last_tool_call_failed", "failures_in_row >= 1 and last_tool_call_failed"},
		{"failures_in_row == 0 and tool_failed:Bash", "failures_in_row == 1 and tool_failed:Bash"},
		{"started and every 2 turns", "started and every 1 turn"},
		{`tool_count("A") == 0 and turns_since_tool("A") > 2`, `tool_count("A") == 1 and turns_since_tool("A") > 2`},
		{`tool_count("A") == 0 and after_tool:A`, `tool_count("A") == 1 and after_tool:A`},
		{`tool_count("A*") < 2 and tool_count("Ab") > 2`, `tool_count("A*") > 2 and tool_count("Ab") < 2`},
		{`turns_since_tool("A") > 1 and after_tool:A`, `turns_since_tool("A") > 1 and not after_tool:A`},
		{`turns_since_tool("A") == 1 and not after_tool:A`, `turns_since_tool("A") == 1 and after_tool:A`},
		{`turns_since_tool("A*") > 3 and turns_since_tool("Ab") < 3`,
			`turns_since_tool("A*") < 3 and turns_since_tool("Ab") > 3`},
		{`not called_since("A", "B") and tool_count("B") == 0`, `called_since("A", "B") and tool_count("B") == 0`},
		{`called_since("A", "B") and used("B") and not used("A")`, `called_since("A", "B") and used("B") and used("A")`},
		{`called_since("A", "A") and used("A")`, `called_since("A", "A") and not used("A")`},
		{"after_tool:@edit(*.go) and not after_tool:@edit", "after_tool:@edit and not after_tool:@edit(*.go)"},
		{"before_tool:@read and before_tool:@shell", "before_tool:@edit and before_tool:@shell"},
	} {
		for i, src := range c {
			p, ds := compiled.Compile(src, nil)
			if p == nil {
				t.Fatal(ds)
			}
			if ex, ok := analysis.Witness(p); ok != (i == 1) {
				t.Errorf("%s: an example %v: %s", src, ok, ex.Text)
			}
		}
	}
}

// TestNewTexts: a part that is true of every text may still be there to fire for each one.
func TestNewTexts(t *testing.T) {
	t.Parallel()
	for src, code := range map[string]string{
		`prompt contains "" and user_message`:                                "R0906",
		`prompt contains "" and context_usage > 50%`:                         "",
		`prompt contains ""`:                                                 "R0902",
		`prompt contains "x" and prompt != "y"`:                              "R0904",
		`prompt != "x" or context_usage > 50% and prompt != "x"`:             "R0904",
		`response contains "x" and (prompt != "y" or prompt == "y")`:         "R0906",
		`context_usage > 50% and (prompt startsWith "" or response == "no")`: "",
	} {
		set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: src, Text: "x"}}, compile.Options{})
		if ds.HasErrors() {
			t.Fatalf("%s: %v", src, ds)
		}
		got, message := "", ""
		if found := analysis.Check(set, nil); len(found) > 0 {
			got, message = string(found[0].Code), found[0].Message
		}
		if got != code {
			t.Errorf("%s: %s %s, want %q", src, got, message, code)
		}
	}
}
