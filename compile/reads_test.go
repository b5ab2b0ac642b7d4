package compile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// TestReads: a set says whether it reads a fact, the subjects of calls, and other moments than the turn.
func TestReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		trigger, text        string
		calls, cost, stopped bool
	}{
		{"after_tool:Bash", "x", false, false, false},
		{"after_tool:@read and turn_count > 3", "x", false, false, false},
		{"after_tool:@edit and turn_count > 3", "x", true, false, false}, // a command may change files
		{"last_tool_call_failed or tool_failed:Bash", "x", false, false, false},
		{`used("Bash")`, "x", false, false, false},
		{"after_tool:Bash(git push*)", "x", true, false, false},
		{"not tool_failed:@edit(*.go)", "x", true, false, false},
		{`tool_used == "Bash(ls)"`, "x", true, false, false},
		{`tool_count("Bash(ls)") > 2`, "x", true, false, false},
		{`turn_count > 3 and (len(prompt) > tool_count("Bash(ls)") + 1)`, "x", true, false, false},
		{`command contains "ls"`, "x", true, false, false},
		{`any(calls, .failed)`, "x", true, false, false},
		{`output contains "FAIL"`, "x", true, false, false},
		{"always", "{{.path}}", true, false, false},
		{"always", "the path", false, false, false},
		{"always", "the path of {{.cwd}}", false, false, false},
		{"always", `{{index .tool_used 0}}{{if eq (len .command) 1}}x{{end}}`, true, false, false},
		{"always", `{{if known "output"}}x{{end}}`, true, false, false},
		{"cost > $5", "x", false, true, false},
		{"always", `{{if known "cost"}}x{{end}}`, false, true, false},
		{"before_tool:Bash(ls)", "x", false, false, false},
		{"stopping", "x", false, false, true},
	} {
		r := reminder.Reminder{ID: "r", Trigger: c.trigger, Text: c.text}
		set, diags := compile.New([]reminder.Reminder{r}, compile.Options{})
		if diags.HasErrors() {
			t.Fatalf("%s: %v", c.trigger, diags)
		}
		if got := compile.ReadsOf(set); (got.Subjects || got.Outputs) != c.calls {
			t.Errorf("%s, %q: CallReads is %+v", c.trigger, c.text, got)
		}
		if got := compile.ReadsOf(set).Before; got != strings.HasPrefix(c.trigger, "before_tool") {
			t.Errorf("%s: CallReads.Before is %t", c.trigger, got)
		}
		if got := slices.Contains(set.Facts(), fact.Cost); got != c.cost {
			t.Errorf("%s, %q: reads cost is %t", c.trigger, c.text, got)
		}
		if got := compile.ReadsAt(set, fact.Stopping); got != c.stopped {
			t.Errorf("%s: ReadsAt stopping is %t", c.trigger, got)
		}
	}
}

// TestReadsSubject: a set says of which tools it reads the subjects.
func TestReadsSubject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		trigger     string
		read, other string // a tool whose subject is read, and one whose subject is not; "" for none
	}{
		{"after_tool:Edit", "", "Edit"},
		{"after_tool:Edit(*.go),Bash", "Edit", "Bash"},
		{"tool_failed:mcp__*(x)", "mcp__a", "Bash"},
		{"after_tool:@edit(*.go)", "Edit", "Bash"},
		{`used("Bash(ls)")`, "Bash", "Edit"},
		{`tool_used == "Bash(ls)"`, "Bash", "Edit"},
		{`turn_count > 3 and (len(prompt) > tool_count("Bash(ls)") + 1)`, "Bash", "Edit"},
		{"before_tool:Bash(ls)", "Bash", "Edit"},
		{"before_tool:Bash", "Bash", "Edit"}, // it may pause
		{`path endsWith ".go"`, "Edit", ""},
		{`any(calls, .failed)`, "Edit", ""},
		{`output contains "FAIL"`, "", "Bash"},
	} {
		set, diags := compile.New([]reminder.Reminder{{ID: "r", Trigger: c.trigger, Text: "x"}}, compile.Options{})
		if diags.HasErrors() {
			t.Fatalf("%s: %v", c.trigger, diags)
		}
		reads := compile.ReadsOf(set)
		class := func(tool string) fact.Class {
			if tool == "Edit" {
				return fact.Edit
			}
			return fact.NoClass
		}
		if c.read != "" && !reads.Subject(c.read, class(c.read)) {
			t.Errorf("%s: the subject of %s is not read", c.trigger, c.read)
		}
		if c.other != "" && reads.Subject(c.other, class(c.other)) {
			t.Errorf("%s: the subject of %s is read", c.trigger, c.other)
		}
	}
}
