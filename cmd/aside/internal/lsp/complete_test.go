package lsp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/lsp"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

type item struct {
	Label            string
	Kind             int
	Detail           string
	InsertTextFormat int
	TextEdit         edit
	Documentation    *struct{ Kind, Value string }
	SortText         string
}

// marked is a text without its mark ¦, and where that was, in UTF-16.
func marked(t testing.TB, text string) (string, spot) {
	t.Helper()
	before, after, ok := strings.Cut(text, "¦")
	if !ok {
		t.Fatalf("no mark in %q", text)
	}
	p := spot{Line: strings.Count(before, "\n")}
	for _, r := range before[strings.LastIndexByte(before, '\n')+1:] {
		if p.Character++; r >= 0x10000 {
			p.Character++
		}
	}
	return before + after, p
}

// complete asks for the words that could stand at the mark of a text, in the order in which an editor shows
// it.
func (e *editor) complete(name, text string) (src string, items []item) {
	e.t.Helper()
	src, at := marked(e.t, text)
	u := e.show(name, src)
	var list struct{ Items []item }
	e.ask("textDocument/completion", m{"textDocument": m{"uri": u}, "position": at}, &list)
	e.hide(u)
	slices.SortStableFunc(list.Items, func(a, b item) int { return strings.Compare(a.SortText, b.SortText) })
	return src, list.Items
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	e := open(t, settings(m{"vars": m{"todos": "int", "branch": "string"}}))
	e.write(".aside/reminders/run-tests.md",
		"---\ndescription: tests\nwhen: after_tool:Edit,MyTool\n---\nrun them")
	e.write(".aside/reminders/off.md", "---\nenabled: false\nwhile: turn_count > 3\n---\nx")
	const md, yaml, test = ".aside/reminders/a.md", ".aside/reminders/a.yaml", ".aside/reminders/a_test.yaml"
	front := func(s string) string { return "---\n" + s + "\n---\ntext" }
	for _, c := range []struct {
		name, file, text string
		want             string // labels that are offered
		not              string // labels that are not
		becomes          string // the text with the first of want taken
	}{
		{"keys", md, front("wh¦"), "when while rearm for keep cooldown", "content name", "when: "},
		{"keys that are there", md, front("id: a\nwhen: x\n¦"), "rearm keep", "id when while trigger schedule", ""},
		{"a key with its value", md, front("ke¦: turn"), "keep", "", "keep: turn"},
		{"keys of YAML", yaml, "¦", "when id content", "", ""},
		{"keys of an item", yaml, "reminders:\n  - id: a\n    ¦", "when content", "id reminders", ""},
		{"the key of a list", yaml, "¦", "reminders", "", "reminders:\n  - id: "},
		{"keys of a schedule", md, front("schedule:\n  ¦"), "kind turn_interval interval condition", "when", ""},
		{"kinds", md, front("schedule:\n  kind: t¦"), "turn timer oneshot", "", "kind: "},
		{"a trigger of a schedule", md, front("schedule:\n  kind: condition\n  condition: ¦"),
			"context_usage", "", ""},
		{"tiers", md, front("tier: ¦"), "guidance correctness safety", "tail", "tier: guidance"},
		{"attach", md, front("attach: u¦"), "user_turn", "", ""},
		{"spans", md, front("cooldown: ¦"), "10m", "", ""},
		{"facts", md, front("when: con¦"),
			"context_usage context_tokens after_tool used not every always vars.todos", "and", "when: context_usage"},
		{"facts in the middle", md, front("when: turn_count > 3 and ¦"), "context_usage not", "always and", ""},
		{"facts in parentheses", md, front("when: not (¦)"), "compacted", "and", ""},
		{"facts in quotes", md, front("when: \"con¦\""), "context_usage", "", "\"context_usage\""},
		{"facts over lines", md, front("when: >\n  turn_count > 3\n  and con¦"), "context_usage", "", ""},
		{"functions in double quotes", md, front("when: \"us¦\""), "used", "",
			`"used(\\"${1:Bash}\\")"`}, // a snippet, whose own backslashes are doubled
		{"operators in double quotes", md, front("when: \"prompt mat¦\""), "matches", "", `matches \\"$1\\""`},
		{"operators of numbers", md, front("when: turn_count ¦"), "> < >= ==", "in matches and", "turn_count > "},
		{"operators of texts", md, front("when: prompt ¦"), "== in matches contains", "<", ""},
		{"operators of sets", md, front("when: tool_used ¦"), "== != in", "<", ""},
		{"behind a yes or no", md, front("when: compacted ¦"), "and or", ">", "compacted and"},
		{"behind a condition", md, front("when: turn_count > 3 ¦"), "and or", "context_usage", ""},
		{"behind a function", md, front("when: tool_count(\"Bash\") ¦"), "> >=", "and", ""},
		{"behind used", md, front("when: used(\"Bash\") ¦"), "and or", ">", ""},
		{"behind a list", md, front("when: thread_type in [a, b] ¦"), "and or", "", ""},
		{"behind a shorthand", md, front("when: after_tool:Edit ¦"), "and or", "", ""},
		{"facts behind a sign", md, front("when: turn_count - ¦ > 3"), "idle", "and >", ""},
		{"shares", md, front("when: context_usage > ¦"), "75%", "Edit", ""},
		{"tools", md, front("when: tool_used == ¦"), "MyTool Bash", "root", ""},
		{"tools of a list", md, front("when: tool_used in [Edit, ¦]"), "Bash", "root", ""},
		{"tools of a shorthand", md, front("when: after_tool:Edit,Ba¦"), "Bash", "root", "after_tool:Edit,Bash"},
		{"tools of a function", md, front("when: used(\"Ba¦\")"), "Bash", "root", ""},
		{"tools of a chain", md, front("when: tool_chain_repeats(\"Read>¦\") > 2"), "Bash", "", ""},
		{"tools of a chain's shorthand", md, front("when: repeated_tool_chain:Read>E¦"), "Bash", "", ""},
		{"tools of a shorthand not begun", md, front("when: after_tool:¦\npriority: 3"), "Bash @shell MyTool",
			"priority: priority context_usage", "after_tool:Bash"},
		{"tools of a shorthand in a flow", yaml, "reminders: [{id: a, when: 'after_tool:¦', priority: 3}]",
			"Bash", "priority: priority", ""},
		{"tools of a moment", md, front("when: before_tool:B¦"), "Bash @edit", "root", ""},
		{"classes", md, front("when: after_tool:@¦"), "@shell @edit @task", "context_usage", "after_tool:@shell"},
		{"classes behind a subject", md, front("when: after_tool:Bash(a, b),@¦"), "@edit", "context_usage",
			"after_tool:Bash(a, b),@edit"},
		{"classes of a function", md, front("when: 'used(\"@¦\")'"), "@shell", "root", "used(\"@shell\")"},
		{"classes of a comparison", md, front("when: tool_used == ¦"), "@shell", "", `tool_used == "@shell"`},
		{"subjects", md, front("when: after_tool:Bash(¦)"), "git_push*", "Bash *.env",
			"after_tool:Bash(git push*)"},
		{"subjects of a class", md, front("when: after_tool:@edit(¦"), "*.env", "git_push*", "@edit(*.env"},
		{"subjects of a function", md, front("when: 'used(\"@shell(g¦')"), "git_push*", "Bash", ""},
		{"subjects of a second pattern", md, front("when: called_since(\"Bash(go test*)\", \"@edit(¦"),
			"*.env", "git_push*", ""},
		{"behind a subject", md, front("when: after_tool:Bash(git push*) ¦"), "and or", "Bash", ""},
		{"behind a moment", md, front("when: stopping ¦"), "and or", ">", ""},
		{"behind not in", md, front("when: thread_type not in [¦"), "plan", "compacted", ""},
		{"operators of texts in sets", md, front("when: command ¦"), "contains matches not_in", "<", ""},
		{"words of other languages", md, front("when: compacted and price over 3¦"), "cost_>_$3", "",
			"compacted and cost > $3"},
		{"dollars", md, front("when: cost > ¦"), "$5", "75%", "cost > $5"},
		{"days of the week", md, front("when: weekday == ¦"), "mon fri", "root", ""},
		{"lists of calls", md, front("when: any(¦"), "calls command", "turn_count", ""},
		{"keys of the second edition", md, front("when: before_tool:Bash\n¦"),
			"pause expect within holdout max_ignored", "when", ""},
		{"keeps", md, front("keep: ¦"), "user_turn 1_turn conversation", "call turn", "keep: user turn"},
		{"cooldowns", md, front("cooldown: ¦"), "2_user_turns", "", ""},
		{"pauses", md, front("when: before_tool:Bash\npause: ¦"), "true false", "", "pause: true"},
		{"facts of what is expected", md, front("when: turn_count > 3\nexpect: ¦"), "after_tool used", "", ""},
		{"threads", md, front("when: thread_type == ¦"), "root plan learn", "Bash", ""},
		{"threads of a shorthand", md, front("when: thread:root,¦"), "plan", "Bash", ""},
		{"ids", md, front("when: turns_since(\"¦\") > 3"), "run-tests off", "", ""},
		{"ids in quotes", md, front("when: 'turns_since(\"ru¦\") > 3'"), "run-tests", "",
			"when: 'turns_since(\"run-tests\") > 3'"},
		{"ids in double quotes", md, front("when: \"turns_since(\\\"ru¦\\\") > 3\""), "run-tests", "", ""},
		{"units", md, front("when: every 10 ¦"), "turns", "minutes", ""},
		{"sets", md, front("when: any(¦"), "tool_used", "turn_count", ""},
		{"yes or no", md, front("when: compacted == ¦"), "true false", "", ""},
		{"nothing in a text", md, front("when: prompt == \"con¦\""), "", "context_usage", ""},
		{"nothing in a number", md, front("when: turn_count > 1¦"), "", "context_usage", ""},
		{"fields", md, "---\nid: a\n---\nis {{.con¦ full", ".context_usage .turn_count .vars.branch",
			"percent", ""},
		{"actions", md, "---\nid: a\n---\nis {{¦}} full", ".context_usage now percent if known", "", ""},
		{"behind a bar", md, "---\nid: a\n---\nis {{.context_usage | p¦}} full", "percent", "", ""},
		{"facts that are known", md, "---\nid: a\n---\nis {{if known \"¦\"}} full", "context_usage",
			".context_usage", ""},
		{"nothing in the body", md, "---\nid: a\n---\nte¦xt", "", "context_usage when", ""},
		{"fields of YAML", yaml, "id: a\ncontent: is {{.m¦}}", ".model", "", ""},
		{"a comment", md, front("# a¦"), "# aside: allow", "", "# aside: allow"},
		{"codes", md, front("# aside: allow ¦\nwhen: context_usage > 75%"), "R1002", "R0204", ""},
		{"keys of a rule test", test, "tests:\n  - name: x\n    steps: []\n¦", "reminders", "when tests", ""},
		{"keys of a test", test, "tests:\n  - name: x\n    steps: []\n    ¦", "reminders fires_at",
			"name steps when", ""},
		{"keys of a step", test, "tests:\n  - steps:\n      - facts: {}\n        ¦", "fires due remind",
			"facts", ""},
		{"moments of a step", test, "tests:\n  - steps:\n      - ¦",
			"before stopping more outcomes paused", "", ""},
		{"keys of a call", test, "tests:\n  - steps:\n      - facts: {calls: [{¦}]}",
			"tool command path output failed class", "tools", ""},
		{"keys of a call to come", test, "tests:\n  - steps:\n      - before: {tool: Bash, ¦}", "command path",
			"tool", ""},
		{"ids of outcomes", test, "reminders: [{id: own, content: x}]\ntests:\n  - steps:\n      - outcomes: {¦}",
			"own", "", ""},
		{"facts of a step", test, "vars: {todos: int}\ntests:\n  - steps:\n      - facts: {con¦}",
			"context_usage tools failed vars.todos", "tool_used", ""},
		{"ids of a step", test, "reminders: [run-tests.md, {id: own, content: x}]\ntests:\n  - steps:\n      - " +
			"fires: [¦]", "own run-tests", "", ""},
		{"keys of a test's reminder", test, "tests:\n  - reminders: [{id: r, wh¦}]\n    steps: []",
			"when while", "id", ""},
		{"a test's trigger", test, "tests:\n  - reminders: [{id: r, when: con¦}]\n    steps: []",
			"context_usage", "", ""},
		{"rule files of a test", test, "reminders: [ru¦]\ntests:\n  - steps: []", "run-tests.md", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, items := e.complete(c.file, c.text)
			var labels []string
			for _, it := range items {
				labels = append(labels, it.Label)
				if line := strings.Split(src,
					"\n")[it.TextEdit.Range.Start.Line]; it.TextEdit.Range.Start.Line != it.TextEdit.Range.End.Line ||
					it.TextEdit.Range.End.Character > len(line) {
					t.Errorf("%s: %v", it.Label, it.TextEdit)
				}
			}
			first := 0
			for i, w := range strings.Split(strings.ReplaceAll(c.want, "# aside: allow", "#_aside:_allow"), " ") {
				w = strings.ReplaceAll(w, "_aside:_", " aside: ")
				if !slices.Contains(labels, w) && slices.Contains(labels, strings.ReplaceAll(w, "_", " ")) {
					w = strings.ReplaceAll(w, "_", " ") // a label with blanks
				}
				k := slices.Index(labels, w)
				if k < 0 && w != "" {
					t.Fatalf("%q is not offered, but %q", w, labels)
				}
				if i == 0 {
					first = k
				}
			}
			for _, w := range strings.Fields(c.not) {
				if slices.Contains(labels, strings.ReplaceAll(w, "git_", "git ")) {
					t.Errorf("%q is offered: %q", w, labels)
				}
			}
			if c.becomes != "" {
				if got := edited(t, src, []edit{items[first].TextEdit}, true); !strings.Contains(got, c.becomes) {
					t.Errorf("%q taken: %q", items[first].Label, got)
				}
			}
		})
	}
}

// TestPlainCompletion: an editor that knows no snippets is offered none.
func TestPlainCompletion(t *testing.T) {
	t.Parallel()
	e := open(t, with{params: func(p m) {
		p["capabilities"].(m)["textDocument"].(m)["completion"] = m{}
	}})
	for _, text := range []string{"---\nwhen: ¦\n---\nx", "---\n¦\n---\nx", "---\nwhen: prompt ¦\n---\nx",
		"---\n---\n{{¦}}"} {
		_, items := e.complete(".aside/reminders/a.md", text)
		for _, it := range items {
			if it.InsertTextFormat != 0 || strings.ContainsAny(it.TextEdit.NewText, "$") {
				t.Errorf("%+v", it)
			}
		}
		if len(items) == 0 {
			t.Errorf("nothing at %q", text)
		}
	}
}

// TestWords: everything that can be written is documented, and the snippets of completion compile.
func TestWords(t *testing.T) {
	t.Parallel()
	if got, want := lsp.Facts(), fact.Builtin().Names(); !slices.Equal(got, want) {
		t.Errorf("facts: got %v, want %v", got, want)
	}
	same := func(what string, got, want []string) {
		t.Helper()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	same("shorthands", lsp.Shorthands(), listed(t, "zzzzzz:x", "R0210", "there are "))
	keys, schedule, kinds := lsp.Keys()
	same("keys", keys, document.Keys())
	same("keys of a schedule", schedule, document.ScheduleKeys())
	same("kinds", kinds, document.ScheduleKinds())
	triggers, actions := lsp.Written()
	for _, src := range triggers {
		for _, way := range []string{src, src + ` == "x"`} { // lower and upper make texts
			if _, ds := trigger.Compile(way, nil); ds.HasErrors() && way != src {
				t.Errorf("%q: %v", src, ds)
			} else if !ds.HasErrors() {
				break
			}
		}
	}
	for _, action := range actions {
		_, ds := compile.New([]reminder.Reminder{{ID: "a", Text: "{{" + action + "}}"}}, compile.Options{})
		if ds.HasErrors() {
			t.Errorf("%q: %v", action, ds)
		}
	}
}

// listed are the words that a hint lists.
func listed(t *testing.T, src, code, before string) []string {
	t.Helper()
	_, ds := trigger.Compile(src, nil)
	i := slices.IndexFunc(ds, func(d grammar.Diagnostic) bool { return string(d.Code) == code })
	if i < 0 {
		t.Fatalf("%q: %v", src, ds)
	}
	list, ok := strings.CutPrefix(ds[i].Hint, before)
	if !ok {
		t.Fatalf("%q: %v", src, ds)
	}
	return strings.Split(list, ", ")
}
