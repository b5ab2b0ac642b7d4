package manual

import (
	"fmt"
	"io"

	"github.com/aside-go/aside/cmd/internal/terminal"
)

// rows are the rows of a table, each an example with its explanation.
type rows [][2]string

// part is a table with its heading.
type part struct {
	title string
	rows  rows
}

// triggerForms are the forms of triggers. TestTriggers checks that they compile.
var triggerForms = []part{
	{"Compare a fact", rows{
		{`context_usage > 75%`, "== != < <= > >=; 75%, 4k, $5, 10m, 2d"},
		{`thread_type in [plan, learn]`, "one of several; also: not in"},
		{`cost > $5`, "the cost of the run in US dollars"},
		{`user_message`, "a fact of type bool needs no comparison"},
		{`command contains "--force"`, "a set: one of its members does; also startsWith, endsWith"},
		{`prompt matches "(?i)\bdeploy\b"`, "a regular expression (RE2) with its own backslashes"},
	}},
	{"Calls of tools", rows{
		{`after_tool:Edit,Write`, "one of these tools was called in the previous turn"},
		{`after_tool:Bash(git push*)`, "a call pattern: the tool and its subject"},
		{`after_tool:@edit(*.env)`, "a class of tools: @shell @edit @read @search @web @todo @task"},
		{`tool_failed:Bash`, "such a call was made, and failed"},
		{`used("TodoWrite")`, "such a call was made in this run"},
		{`tool_count("Bash") > 5`, "the number of such calls in this run"},
		{`turns_since_tool("@todo") > 15`, "turns since the latest one; unknown before the first"},
		{`called_since("@shell(go test*)", "@edit")`, "the tests ran after the latest edit"},
		{`repeated_tool_chain:Read>Edit|3`, "the last calls are Read, Edit three times in a row"},
		{`any(calls, .failed and .output contains "timeout")`,
			"the calls with .tool .class .command .path .output .failed"},
	}},
	{"Time and count", rows{
		{`every 10 turns`, "on turns 10, 20, 30, counted from the last firing"},
		{`every 15m`, "the same by the clock; also: every 3 user turns"},
		{`started or every 10 turns`, "at the start as well"},
		{`turn_gt:20`, "turn_count > 20; user_turn_gt counts messages of a person"},
		{`turns_since("run-tests") > 8`, "since that reminder last fired"},
		{`output_tokens_since("run-tests") > 4000`, "the same in tokens written"},
		{`hour >= 22 or weekday in [sat, sun]`, "in the local time of the host"},
	}},
	{"Two other moments", rows{
		{`before_tool:Bash(rm -rf*)`, "before such a call is executed; with pause: true it is held back once"},
		{`stopping`, "before the agent ends its work"},
	}},
	{"Join them", rows{
		{`user_message and not (compacted or resumed)`, "and, or, not and parentheses"},
		{`thread:plan`, "the same as thread_type in [plan]"},
		{`always`, "also: never, manual (only by name)"},
	}},
}

// fileKeys are the keys of a rule file. TestTriggers checks that they are read, and that none is missing.
var fileKeys = rows{
	{"when: TRIGGER", "fires each time that the trigger becomes true; events are over between turns"},
	{"while: TRIGGER", "fires on every turn on which the trigger is true"},
	{"trigger: TRIGGER", "the same as when"},
	{"rearm: TRIGGER", "when it may fire again; by default when its trigger is false"},
	{"for: 3 turns", "how long the trigger must have been true: three turns in a row, or a time"},
	{"cooldown: 10m", "least distance between two firings: 5 turns, 2 user turns, or a time"},
	{"max_fires: 3", "most firings in one run"},
	{"keep: user turn", "how long the text stays: 1 turn, 3 turns, user turn, 2 user turns, conversation"},
	{"priority: 10", "a higher one stands nearer the end of the context"},
	{"tier: guidance", "safety, correctness, guidance: who is dropped last"},
	{"attach: tail", "the place of the text: tail, user_turn, run_start"},
	{"pause: true", "with before_tool: hold the call back once"},
	{"expect: TRIGGER", "what the model should do after the reminder"},
	{"within: 5 turns", "how long it has for that"},
	{"holdout: 20%", "the share of runs without the text, to compare with"},
	{"max_ignored: 3", "silent for the rest of the run after so many ignored firings in a row"},
	{"id: my-rule", "by default the name of the file"},
	{"description: TEXT", "one line, for listings"},
	{"enabled: false", "switches it off, and the one that it overrides"},
	{"content: TEXT", "the text, in YAML files; in Markdown it is the body"},
	{"schedule: {kind: turn}", "the trigger as other tools write it, in place of when and while"},
}

// triggers prints a page about triggers and rule files. bold styles a heading.
func triggers(w io.Writer, bold func(string) string) error {
	fmt.Fprint(w, `A rule file is Markdown with its trigger in front:

    ---
    when: context_usage > 75%
    rearm: context_usage < 60%
    ---
    The context window is {{.context_usage | percent}} full.

A turn is one model call. A user turn is one message of a person and all that follows from it.
`)
	err := tables(w, bold, append(append([]part{}, triggerForms...), part{"Keys of a rule file", fileKeys},
		part{"Facts", factRows()})...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w, `
A fact that the host does not report is unknown; a trigger that is unknown neither fires nor re-arms.
vars.NAME is a fact of your own: aside help configuration. aside check FILE finds mistakes.
More: aside help facts, keys, calls, moments, effect, tests.
`)
	return err
}

// tables prints tables, each below its heading.
func tables(w io.Writer, bold func(string) string, parts ...part) error {
	for _, p := range parts {
		fmt.Fprintf(w, "\n%s\n", bold(p.title))
		cells := make([][]string, len(p.rows))
		for i, r := range p.rows {
			cells[i] = []string{"  " + r[0], r[1]}
		}
		if err := terminal.Table(w, cells, 0); err != nil {
			return err
		}
	}
	return nil
}
