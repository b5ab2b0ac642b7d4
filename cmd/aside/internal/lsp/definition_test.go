package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/document"
)

type place struct {
	URI   string
	Range span
}

// places are the stretches of files that places name, as "FILE: TEXT".
func (e *editor) places(list []place, open map[string]string) (out []string) {
	e.t.Helper()
	for _, l := range list {
		src, ok := open[l.URI]
		path := strings.TrimPrefix(l.URI, "file://")
		if !ok {
			b, err := os.ReadFile(path)
			if err != nil {
				e.t.Fatal(err)
			}
			src = string(b)
		}
		name, ok := strings.CutPrefix(path, e.root+"/")
		if !ok {
			name = "~" + strings.TrimPrefix(path, e.home)
		}
		line := strings.Split(src, "\n")[l.Range.Start.Line]
		end := l.Range.End.Character
		if l.Range.End.Line > l.Range.Start.Line {
			end = len(line)
		}
		out = append(out, name+": "+line[l.Range.Start.Character:end])
	}
	return out
}

// TestDefinition: the places of a reminder, and of those that it overrides.
func TestDefinition(t *testing.T) {
	t.Parallel()
	e := open(t, trusting(&gate{}))
	e.write("~/.aside/reminders/full.md", "---\nid: full\nwhen: turn_count > 3\n---\nlow")
	e.write(".agents/reminders/full.yaml", "when: turn_count > 4\ncontent: in between")
	e.write(".aside/reminders/full.md", "---\nid: full\nwhen: turn_count > 5\n---\ntop")
	for _, c := range []struct{ name, file, text, def string }{
		{"a trigger", ".aside/reminders/a.md", "---\nwhen: turns_since(\"fu¦ll\") > 3\n---\nx",
			".aside/reminders/full.md: full|.agents/reminders/full.yaml: when|~/.aside/reminders/full.md: full"},
		{"itself, on top", ".aside/reminders/full.md", "---\nid: fu¦ll\nwhen: turn_count > 5\n---\ntop",
			".agents/reminders/full.yaml: when|~/.aside/reminders/full.md: full"},
		{"itself, overridden", "~/.aside/reminders/full.md", "---\nid: full¦\nwhen: turn_count > 3\n---\nlow",
			".aside/reminders/full.md: full|.agents/reminders/full.yaml: when"},
		{"the key", ".agents/reminders/full.yaml", "wh¦en: turn_count > 4\ncontent: in between",
			".aside/reminders/full.md: full|~/.aside/reminders/full.md: full"},
		{"a test", ".aside/reminders/b_test.yaml",
			"reminders: [full.md]\ntests:\n  - steps:\n      - fires: " +
				"[fu¦ll]\n", ".aside/reminders/full.md: full"},
		{"a test's own", ".aside/reminders/b_test.yaml",
			"reminders: [{id: full, when: always}]\ntests:\n  - steps:\n      - fires: " +
				"[fu¦ll]\n", ".aside/reminders/b_test.yaml: full"},
		{"nobody", ".aside/reminders/a.md", "---\nwhen: turns_since(\"nob¦ody\") > 3\n---\nx", ""},
		{"a fact", ".aside/reminders/a.md", "---\nwhen: turn_c¦ount > 3\n---\nx", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, at := marked(t, c.text)
			u := e.show(c.file, src)
			defer e.hide(u)
			var list []place
			e.ask("textDocument/definition", m{"textDocument": m{"uri": u}, "position": at}, &list)
			if got := strings.Join(e.places(list, map[string]string{u: src}), "|"); got != c.def {
				t.Errorf("got  %s\nwant %s", got, c.def)
			}
		})
	}
}

// TestFormatting: an editor formats as `aside fmt` does, and leaves a file with a mistake as it is.
func TestFormatting(t *testing.T) {
	t.Parallel()
	e := open(t)
	changed := 0
	for _, f := range slices.Concat(corpus(t, "faulty"), corpus(t, "good"), []corpusFile{
		{name: "crlf.md", src: "---\r\nwhen: turn_count>3&&not compacted # é🪟\r\nrearm: " +
			"'!(compacted)'\r\n---\r\nx"},
		{name: "more.yaml", src: "reminders:\n  - id: a\n    when: \"turn_count>3\"\n    content: x\n  - " +
			"id: b\n    " +
			"while: (turn_count>4)\n    content: x\n"},
	}) {
		if !readable(f) {
			continue
		}
		u := e.show(".aside/reminders/"+f.name, f.src)
		var edits []edit
		e.ask("textDocument/formatting", m{"textDocument": m{"uri": u}, "options": m{}}, &edits)
		want, ds := document.Format(filepath.Join(e.root, f.name), []byte(f.src))
		if ds.HasErrors() && len(edits) > 0 {
			t.Errorf("%s: edits of a file with a mistake", f.name)
		}
		got := edited(t, f.src, edits, true)
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", f.name, got, want)
		}
		if got != f.src {
			changed++
			e.retype(u, 2, got)
			edits = nil
			e.ask("textDocument/formatting", m{"textDocument": m{"uri": u}, "options": m{}}, &edits)
			if len(edits) > 0 {
				t.Errorf("%s: formatted twice: %v", f.name, edits)
			}
		}
		e.hide(u)
	}
	if changed < 3 {
		t.Errorf("only %d were not in canonical form", changed)
	}
}

// TestSymbols lists the symbols of a file.
func TestSymbols(t *testing.T) {
	t.Parallel()
	type symbol struct {
		Name, Detail          string
		Range, SelectionRange span
	}
	e := open(t)
	for _, c := range []struct{ file, text, want string }{
		{".aside/reminders/a.md", "---\nid: x\nwhile: turn_count > 3\n---\ntext", "x|while: turn_count > 3"},
		{".aside/reminders/a.md", "text", "a|when: always"},
		{".aside/reminders/a.yaml",
			"reminders:\n  - id: a\n    when: always\n    content: x\n  - id: b\n    content: " +
				"x\n", "a|when: always|b|when: always"},
		{".aside/reminders/a_test.yaml", "tests:\n  - name: one\n    steps: []\n  - {name: two, steps: []}\n",
			"one||two|"},
		{".aside/reminders/a.md", "---\nwhen: [\n---\n", ""},
	} {
		u := e.show(c.file, c.text)
		var list []symbol
		e.ask("textDocument/documentSymbol", m{"textDocument": m{"uri": u}}, &list)
		var got []string
		for _, s := range list {
			got = append(got, s.Name, s.Detail)
			before := func(a, b spot) bool { return a.Line < b.Line || a.Line == b.Line && a.Character <= b.Character }
			if !before(s.Range.Start, s.SelectionRange.Start) || !before(s.SelectionRange.End, s.Range.End) {
				t.Errorf("%s: the name is not within: %+v", c.text, s)
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
		e.hide(u)
	}
}

// TestRuleTest: the mistakes of a rule test, and the expectations that do not hold, stand beside it.
func TestRuleTest(t *testing.T) {
	t.Parallel()
	e := open(t)
	e.write("rules/r.md", "---\nwhen: turn_count > 3\n---\nx")
	u := e.show("tests/r_test.yaml",
		"reminders: [../rules/r.md]\ntests:\n  - name: wrong\n    steps:\n      - facts: {turn_count: 4}\n      - "+
			"{facts: {turn_count: 5}, fires: [r]}\n")
	ws := e.wrong(u, 1)
	if len(ws) != 2 || ws[0].Range.Start != (spot{4, 8}) || ws[1].Range.Start.Line != 5 ||
		!strings.Contains(ws[0].Message, "expected nothing, got r") {
		t.Errorf("got %v", ws)
	}
	e.retype(u, 2, "reminders: [../rules/r.md]\ntests:\n  - name: right\n    steps:\n      - {facts: "+
		"{turn_count: 4}, fires: [r]}\n")
	if ws := e.wrong(u, 2); len(ws) != 0 {
		t.Errorf("got %v", ws)
	}
	e.retype(u, 3, "reminders: [../rules/r.md]\ntests:\n  - name: right\n    steps:\n      - {fact: "+
		"{turn_count: 4}}\n")
	if ws := e.wrong(u, 3); len(ws) != 1 || !strings.HasPrefix(ws[0].Code, "R07") {
		t.Errorf("got %v", ws)
	}
}
