package lsp_test

import (
	"strings"
	"testing"
)

type hover struct {
	Contents struct{ Kind, Value string }
	Range    *span
}

func (e *editor) hover(name, text string) (h hover, src string) {
	e.t.Helper()
	src, at := marked(e.t, text)
	u := e.show(name, src)
	e.ask("textDocument/hover", m{"textDocument": m{"uri": u}, "position": at}, &h)
	e.hide(u)
	return h, src
}

func TestHover(t *testing.T) {
	t.Parallel()
	e := open(t, trusting(&gate{}))
	e.write(".aside/reminders/run-tests.md",
		"---\ndescription: te*sts*\nwhen: after_tool:Edit\ncooldown: 3 turns\n---\nrun <b>them")
	e.write("~/.aside/reminders/full.md", "---\nwhen: turn_count > 3\n---\nx")
	const md, test = ".aside/reminders/a.md", ".aside/reminders/a_test.yaml"
	front := func(s string) string { return "---\n" + s + "\n---\ntext" }
	for _, c := range []struct {
		name, file, text string
		want             string // parts of the hover, with | between them
		word             string // the word that is explained
	}{
		{"a fact", md, front("when: con¦text_usage > 75%"),
			"ratio, gauge|How full the context window is|Where the host does not report it", "context_usage"},
		{"a fact at its end", md, front("when: context_usage¦ > 75%"), "ratio, gauge", "context_usage"},
		{"a function", md, front("when: tool_co¦unt(\"Bash\") > 3"), "tool_count(\"PATTERN\")|How many",
			"tool_count"},
		{"a moment", md, front("when: stop¦ping"), "about to end its work", "stopping"},
		{"a shorthand of a moment", md, front("when: bef¦ore_tool:Bash\npause: true"),
			"about to be executed", "before_tool"},
		{"a function of two patterns", md, front("when: called_si¦nce(\"Bash\", \"@edit\")"),
			"came after the latest call", "called_since"},
		{"a class", md, front("when: after_tool:@sh¦ell(git push*)"),
			"each simple command|`Bash` (claude-code", "@shell"},
		{"the tool of a subject", md, front("when: after_tool:Bash(git pu¦sh*)"),
			"`Bash` is one of `@shell`", "Bash"},
		{"dollars", md, front("when: co¦st > $5"), "dollars, counter|price table", "cost"},
		{"an event", md, front("when: star¦ted"), "bool, event|over before the next one", "started"},
		{"pause", md, front("when: before_tool:Bash\npau¦se: true"), "holds the call back once", "pause"},
		{"expect", md, front("when: turn_count > 3\nexp¦ect: compacted"), "**heeded**", "expect"},
		{"holdout", md, front("when: turn_count > 3\nholdo¦ut: 20%"), "share of runs", "holdout"},
		{"max_ignored", md, front("when: turn_count > 3\nexpect: compacted\nmax_ign¦ored: 2"),
			"silent for the rest of the run", "max_ignored"},
		{"within", md, front("when: turn_count > 3\nexpect: compacted\nwit¦hin: 2 turns"),
			"How many turns the model has", "within"},
		{"a shorthand", md, front("when: aft¦er_tool:Edit"), "A call that matches", "after_tool"},
		{"a constant", md, front("when: man¦ual"), "Never by itself", "manual"},
		{"a cadence", md, front("when: ev¦ery 10 turns"), "so much has passed", "every"},
		{"an operator of words", md, front("when: prompt mat¦ches \"x\""), "regular expression", "matches"},
		{"a key", md, front("wh¦en: turn_count > 3"), "Fires **once**", "when"},
		{"a key of a schedule", md, front("schedule:\n  ki¦nd: turn"), "Which kind", "kind"},
		{"a word", md, front("tier: saf¦ety"), "Never dropped", "safety"},
		{"the witness", md, front("while: turn_count > 1¦0\nmax_fires: 2"), "turn\\_count is 11", ""},
		{"the witness of the key", md, front("wh¦ile: turn_count > 10\nmax_fires: 2"),
			"turn\\_count is 11", "while"},
		{"a code", md, front("# aside: allow R10¦02\nwhen: turn_count > 3"), "R1002", "R1002"},
		{"what is wrong", md, front("while: context_usage > 7¦5\nmax_fires: 2"), "R0204", ""},
		{"an id", md, front("when: turns_since(\"run-¦tests\") > 3"),
			"**run-tests** – te\\*sts\\*|when: after_tool:Edit|> run \\<b\\>them", "run-tests"},
		{"a field", md, "---\nid: a\n---\nis {{.cont¦ext_usage | percent}}", "How full", ".context_usage"},
		{"an action", md, "---\nid: a\n---\nis {{.context_usage | perc¦ent}}", "whole percents", "percent"},
		{"a fact that is known", md, "---\nid: a\n---\nis {{if known \"mod¦el\"}}{{end}}", "by the name", "model"},
		{"what is overridden", ".aside/reminders/full.md", front("id: fu¦ll"),
			"It overrides ~/.aside/reminders/full.md", "full"},
		{"what overrides", "~/.aside/reminders/run-tests.md", front("id: run-¦tests"),
			"It is overridden by .aside/reminders/run-tests.md", "run-tests"},
		{"a fact of a test", test, "tests:\n  - steps:\n      - facts: {too¦ls: [a]}",
			"The tools that were called", "tools"},
		{"an id of a test", test, "reminders: [run-tests.md]\ntests:\n  - steps:\n      - fires: [run-¦tests]",
			"after_tool:Edit", "run-tests"},
		{"a moment of a test", test, "tests:\n  - steps:\n      - {bef¦ore: {tool: Bash}}",
			"The moment before", "before"},
		{"a key of a call", test, "tests:\n  - steps:\n      - {facts: {calls: [{to¦ol: Bash}]}}",
			"The tool's name", "tool"},
		{"a key of a test", test, "tests:\n  - st¦eps: []", "The turns", "steps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, src := e.hover(c.file, c.text)
			for part := range strings.SplitSeq(c.want, "|") {
				if !strings.Contains(strings.ReplaceAll(h.Contents.Value, "\\~", "~"), part) &&
					!strings.Contains(h.Contents.Value, part) {
					t.Errorf("%q is not said, but %q", part, h.Contents.Value)
				}
			}
			if h.Contents.Kind != "markdown" {
				t.Errorf("kind %q", h.Contents.Kind)
			}
			if c.word == "" {
				return
			}
			if h.Range == nil {
				t.Fatal("of no word")
			}
			line := strings.Split(src, "\n")[h.Range.Start.Line]
			if word := line[h.Range.Start.Character:h.Range.End.Character]; word != c.word {
				t.Errorf("it is said of %q", word)
			}
		})
	}
	for _, text := range []string{"---\nwhen: turn_count > 3\n---\nte¦xt", "-¦--\nwhen: compacted\n---\nx"} {
		if h, _ := e.hover(md, text); h.Contents.Value != "" {
			t.Errorf("%q: %q", text, h.Contents.Value)
		}
	}
}
