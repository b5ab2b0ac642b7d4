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

// TestReferences: the places of a reminder, of those that it overrides, and of its mentions.
func TestReferences(t *testing.T) {
	t.Parallel()
	e := open(t, trusting(&gate{}))
	e.write("~/.aside/reminders/full.md", "---\nid: full\nwhen: turn_count > 3\n---\nlow")
	e.write(".agents/reminders/full.yaml", "when: turn_count > 4\ncontent: in between")
	e.write(".aside/reminders/full.md", "---\nid: full\nwhen: turn_count > 5\n---\ntop")
	e.write(".aside/reminders/twice.md",
		"---\nwhen: \"turns_since(\\\"full\\\") > 3 and turn_count > 10\"\nrearm: output_tokens_since(\"full\") > "+
			"3\n---\nfull full")
	e.write(".aside/reminders/full_test.yaml",
		"reminders: [full.md]\ntests:\n  - name: full\n    steps:\n      - {facts: {turn_count: 6}, "+
			"fires: [full], "+
			"text: {full: top}}\n      - remind: [full, \"full\"]\n")
	for _, c := range []struct{ name, file, text, def, refs string }{
		{"a trigger", ".aside/reminders/a.md", "---\nwhen: turns_since(\"fu¦ll\") > 3\n---\nx",
			".aside/reminders/full.md: full|.agents/reminders/full.yaml: when|~/.aside/reminders/full.md: full",
			".aside/reminders/a.md: full|.aside/reminders/full_test.yaml: full|.aside/reminders/full_test.yaml: " +
				"full|.aside/reminders/full_test.yaml: full|" +
				".aside/reminders/full_test.yaml: full|.aside/reminders/twice.md: full|.aside/reminders/twice.md: full"},
		{"itself, on top", ".aside/reminders/full.md", "---\nid: fu¦ll\nwhen: turn_count > 5\n---\ntop",
			".agents/reminders/full.yaml: when|~/.aside/reminders/full.md: full", "-"},
		{"itself, overridden", "~/.aside/reminders/full.md", "---\nid: full¦\nwhen: turn_count > 3\n---\nlow",
			".aside/reminders/full.md: full|.agents/reminders/full.yaml: when", "-"},
		{"the key", ".agents/reminders/full.yaml", "wh¦en: turn_count > 4\ncontent: in between",
			".aside/reminders/full.md: full|~/.aside/reminders/full.md: full", "-"},
		{"a test", ".aside/reminders/b_test.yaml",
			"reminders: [full.md]\ntests:\n  - steps:\n      - fires: " +
				"[fu¦ll]\n", ".aside/reminders/full.md: full", "-"},
		{"a test's own", ".aside/reminders/b_test.yaml",
			"reminders: [{id: full, when: always}]\ntests:\n  - steps:\n      - fires: " +
				"[fu¦ll]\n", ".aside/reminders/b_test.yaml: full", "-"},
		{"nobody", ".aside/reminders/a.md", "---\nwhen: turns_since(\"nob¦ody\") > 3\n---\nx", "", ""},
		{"a fact", ".aside/reminders/a.md", "---\nwhen: turn_c¦ount > 3\n---\nx", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, at := marked(t, c.text)
			u := e.show(c.file, src)
			defer e.hide(u)
			var list []place
			where := m{"textDocument": m{"uri": u}, "position": at}
			e.ask("textDocument/definition", where, &list)
			if got := strings.Join(e.places(list, map[string]string{u: src}), "|"); got != c.def &&
				c.name != "a fact" {
				t.Errorf("definition: got  %s\nwant %s", got, c.def)
			}
			if c.refs == "-" {
				return
			}
			list = nil
			where["context"] = m{"includeDeclaration": false}
			e.ask("textDocument/references", where, &list)
			got := e.places(list, map[string]string{u: src})
			slices.Sort(got)
			if got := strings.Join(got, "|"); c.name != "a fact" && c.name != "nobody" && got != c.refs {
				t.Errorf("references: got  %s\nwant %s", got, c.refs)
			}
		})
	}
}

// TestRename: a reminder is renamed wherever it is named, and then all of it means what it meant.
func TestRename(t *testing.T) {
	t.Parallel()
	e := open(t)
	names := []string{".aside/reminders/a.md", ".aside/reminders/b.md", ".aside/reminders/named.md"}
	texts := map[string]string{
		names[0]: "---\nid: named\nwhen: user_turn_count > 3\n---\nnamed",
		names[1]: "---\n# named\nwhen: turns_since(\"named\") > 3\ncooldown: 3 turns\n---\nnamed",
		names[2]: "---\nid: other\nwhen: user_turn_count > 40\n---\nx",
	}
	uris := map[string]string{}
	for _, name := range names {
		uris[name] = e.show(name, texts[name])
	}
	try := func(name string, at spot, to string) (changes []struct {
		TextDocument struct{ URI string }
		Edits        []edit
	}, err error) {
		var r struct {
			DocumentChanges []struct {
				TextDocument struct{ URI string }
				Edits        []edit
			}
		}
		err = e.try("textDocument/rename", m{"textDocument": m{"uri": uris[name]}, "position": at,
			"newName": to}, &r)
		return r.DocumentChanges, err
	}
	for _, bad := range []string{"", "a b", "other", "-x"} {
		if _, err := try(names[0], spot{1, 5}, bad); rpcCode(err) != -32803 {
			t.Errorf("%q: %v", bad, err)
		}
	}
	changes, err := try(names[1], spot{2, 21}, "new.name")
	if err != nil || len(changes) != 2 {
		t.Fatal(changes, err)
	}
	for _, c := range changes {
		i := slices.IndexFunc(names, func(n string) bool { return uris[n] == c.TextDocument.URI })
		texts[names[i]] = edited(t, texts[names[i]], c.Edits, true)
		e.retype(c.TextDocument.URI, 2, texts[names[i]])
	}
	if want := "---\nid: new.name\nwhen: user_turn_count > 3\n---\nnamed"; texts[names[0]] != want {
		t.Errorf("got %q", texts[names[0]])
	}
	want := "---\n# named\nwhen: turns_since(\"new.name\") > 3\ncooldown: 3 turns\n---\nnamed"
	if texts[names[1]] != want {
		t.Errorf("got %q", texts[names[1]])
	}
	if ws := e.wrong(uris[names[1]], 2); len(ws) != 0 {
		t.Errorf("got %v", ws)
	}
	// One that has its id from its file's name is given a key.
	u := e.show(".aside/reminders/plain.md", "---\nwhen: user_turn_count > 50\n---\nx")
	uris["plain"] = u
	changes, err = try("plain", spot{1, 2}, "better")
	if err != nil || len(changes) != 1 || changes[0].Edits[0].NewText != "id: better\n" {
		t.Errorf("got %v, %v", changes, err)
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

// TestTokens: the kinds of the words of a trigger.
func TestTokens(t *testing.T) {
	t.Parallel()
	e := open(t)
	src := "---\n# 🪟\nwhen: 'not (context_usage > 75% or thread_type in [plan, \"x 🪟\"]) and " +
		"after_tool:Edit and " +
		"used(\"B\") and every 10 turns' # and\n" +
		"rearm: |\n  compacted and\n  len(tool_used) == 2\n" +
		"expect: after_tool:@shell(go test*) and cost > $5 and any(calls, .failed)\n---\nx and y"
	u := e.show(".aside/reminders/a.md", src)
	var r struct{ Data []int }
	e.ask("textDocument/semanticTokens/full", m{"textDocument": m{"uri": u}}, &r)
	types := []string{"keyword", "variable", "function", "macro", "string", "number", "operator", "enumMember"}
	var got []string
	at := spot{}
	for i := 0; i+4 < len(r.Data); i += 5 {
		if r.Data[i] > 0 {
			at.Character = 0
		}
		at.Line, at.Character = at.Line+r.Data[i], at.Character+r.Data[i+1]
		units := []rune{}
		for _, c := range strings.Split(src, "\n")[at.Line] {
			if units = append(units, c); c >= 0x10000 {
				units = append(units, -1)
			}
		}
		word := slices.DeleteFunc(slices.Clone(units[at.Character:at.Character+r.Data[i+2]]),
			func(c rune) bool { return c < 0 })
		got = append(got, string(word)+" "+types[r.Data[i+3]])
	}
	want := []string{"not keyword", "context_usage variable", "> operator", "75% number", "or keyword",
		"thread_type variable", "in operator", "plan enumMember",
		"\"x 🪟\" string", "and keyword", "after_tool macro", "Edit enumMember", "and keyword", "used function",
		"\"B\" string", "and keyword", "every keyword", "10 number", "turns keyword",
		"compacted variable", "and keyword", "len keyword", "tool_used variable", "== operator", "2 number",
		"after_tool macro", "@shell(go test*) enumMember", "and keyword", "cost variable", "> operator",
		"$5 number", "and keyword", "any keyword", "calls variable", ".failed enumMember"}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] && strings.TrimSuffix(got[i],
			" function") != strings.TrimSuffix(want[i],
			" keyword") {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
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
