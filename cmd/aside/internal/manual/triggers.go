package manual

import (
	"fmt"
	"io"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/compile/fact"
)

// triggerForms are the forms of triggers, each as an example with an explanation. TestTriggers checks that
// they compile.
var triggerForms = [][2]string{
	{`context_usage > 75%`, "a fact and a limit: == != < <= > >=, in; 75%, 4k, 10m"},
	{`thread_type in [plan, learn]`, "one of several"},
	{`tool_used == mcp__*`, "one of the tools of the previous turn; * is a wildcard"},
	{`after_tool:Edit,Write`, "one of these tools was called in the previous turn"},
	{`tool_failed:Bash`, "it was called, and failed"},
	{`turn_gt:20`, "turn_count > 20; user_turn_gt counts what a person says"},
	{`thread:plan`, "the same as thread_type in [plan]"},
	{`repeated_tool_chain:Read>Edit|3`, "the last calls are Read, Edit three times over"},
	{`every 10 turns`, "at first, and when so much has passed since it fired"},
	{`every 15m`, "the same by the clock; also: every 3 user turns"},
	{`used("Bash")`, "ever in this run"},
	{`tool_count("Bash") > 5`, "how often in this run"},
	{`turns_since_tool("TodoWrite") > 15`, "unknown until it was used once"},
	{`turns_since("run-tests") > 8`, "since that reminder last fired"},
	{`output_tokens_since("run-tests") > 4000`, "the same in tokens written"},
	{`tool_chain_repeats("Read>Edit") >= 3`, "repeated_tool_chain as a number"},
	{`prompt matches "(?i)deploy"`, "any other condition over facts, as in expr-lang.org"},
	{`user_message and not (compacted or resumed)`, "and, or, not and parentheses join them"},
	{`always`, "also: never, manual (only by name)"},
}

// fileKeys are the keys of a rule file, each as an example with an explanation. TestTriggers checks that they
// are read.
var fileKeys = [][2]string{
	{"when: TRIGGER", "fires once, when it becomes true"},
	{"while: TRIGGER", "fires on every turn on which it is true"},
	{"rearm: TRIGGER", "when it may fire again; by default when its trigger is false"},
	{"for: 3 turns", "so many turns in a row the trigger must be true"},
	{"cooldown: 10m", "least distance between two firings, in turns or time"},
	{"max_fires: 3", "in one run"},
	{"keep: user turn", "how long it stays: 2 turns, user turn, conversation"},
	{"priority: 10", "higher stands nearer the end"},
	{"tier: guidance", "safety, correctness, guidance: who is dropped last"},
	{"attach: tail", "tail, user_turn, run_start: where it is put"},
	{"id: my-rule", "by default the file's name"},
	{"description: TEXT", "one line, for listings"},
	{"enabled: false", "switches it off, and the one it overrides"},
}

// triggers prints a page about triggers and rule files. bold styles a heading.
func triggers(w io.Writer, bold func(string) string) error {
	head := func(s string) { fmt.Fprintf(w, "\n%s\n", bold(s)) }
	fmt.Fprint(w, `A rule file is Markdown with its trigger in front:

    ---
    when: context_usage > 75%
    rearm: context_usage < 60%
    ---
    The context window is {{.context_usage | percent}} full.
`)
	for _, part := range []struct {
		title string
		rows  [][2]string
	}{{"Triggers", triggerForms}, {"Keys of a rule file", fileKeys}, {"Facts", facts()}} {
		head(part.title)
		rows := make([][]string, len(part.rows))
		for i, r := range part.rows {
			rows[i] = []string{"  " + r[0], r[1]}
		}
		if err := terminal.Table(w, rows, 0); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(w, `
A fact that the host does not report is unknown; a trigger that is unknown neither fires nor re-arms.
vars.NAME is a fact of your own, declared with --var NAME:TYPE. aside check FILE says what is wrong.
`)
	return err
}

// facts returns the built-in facts, each with its type and documentation.
func facts() [][2]string {
	s := fact.Builtin()
	rows := make([][2]string, s.Len())
	for i := range rows {
		f := s.Fact(fact.ID(i))
		rows[i] = [2]string{f.Name, fmt.Sprintf("%s: %s", f.Type, f.Doc)}
	}
	return rows
}
