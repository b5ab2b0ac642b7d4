package compile_test

import (
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

func TestCallReads(t *testing.T) {
	t.Parallel()
	none, subjects := compile.CallReads{}, compile.CallReads{Subjects: true}
	outputs, all := compile.CallReads{Outputs: true}, compile.CallReads{Subjects: true, Outputs: true}
	for _, c := range []struct {
		reminder.Reminder
		want compile.CallReads
	}{
		{reminder.Reminder{Trigger: "turn_count > 3 and after_tool:Bash,@edit"}, none},
		{reminder.Reminder{Trigger: `tool_failed:@shell and used("mcp__*")`, Text: "{{.tool_used}}"}, none},
		{reminder.Reminder{Trigger: "after_tool:Bash(git push*)"}, subjects},
		{reminder.Reminder{Trigger: "not (after_tool:Bash and tool_failed:@edit(*.env))"}, subjects},
		{reminder.Reminder{Trigger: `tool_count("@read(*.md)") > 2`}, subjects},
		{reminder.Reminder{Trigger: `tool_used == "Bash(ls*)"`}, subjects},
		{reminder.Reminder{Trigger: `called_since("@edit(*.go)", "Bash")`}, subjects},
		{reminder.Reminder{Trigger: `command contains "rm"`}, subjects},
		{reminder.Reminder{Trigger: `path endsWith ".sql"`}, subjects},
		{reminder.Reminder{Trigger: `output contains "FAIL"`}, outputs},
		{reminder.Reminder{Trigger: `any(calls, .failed)`}, all},
		{reminder.Reminder{Trigger: "always", Rearm: `after_tool:@edit(*.go)`}, subjects},
		{reminder.Reminder{Trigger: "always", Expect: `output contains "ok"`}, outputs},
		{reminder.Reminder{Trigger: "always", Text: `{{with .path}}{{join . ","}}{{end}}`}, subjects},
		{reminder.Reminder{Trigger: "always", Text: `{{if known "output"}}x{{end}}`}, outputs},
		{reminder.Reminder{Trigger: "always", Text: "say which command and path it was"}, none},
		{reminder.Reminder{Predicate: func(*fact.Frame) fact.Truth { return fact.True }}, all},
	} {
		c.ID = "r"
		if c.Text == "" {
			c.Text = "x"
		}
		set, diags := compile.New([]reminder.Reminder{c.Reminder}, compile.Options{})
		if set.Len() != 1 {
			t.Fatal(diags)
		}
		if got := set.CallReads(); got != c.want {
			t.Errorf("%q rearm %q expect %q text %q: %+v, want %+v", c.Trigger, c.Rearm, c.Expect, c.Text, got, c.want)
		}
	}
}
