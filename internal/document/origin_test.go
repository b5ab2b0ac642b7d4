package document_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
)

// TestOriginPlacesInScalars compiles a trigger with one wrong word and finds that word in the file, however
// YAML has it written.
func TestOriginPlacesInScalars(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, src, want string }{
		{"plain", "when: turn_count > abc\n", "abc"},
		{"plain, behind blanks", "when:   turn_count > abc   \n", "abc"},
		{"plain, before a comment", "when: turn_count > abc # x\n", "abc"},
		{"plain, on the next line", "when:\n  turn_count > abc\n", "abc"},
		{"plain, over lines", "when: compacted or\n  turn_count\n   > abc\n", "abc"},
		{"plain, over lines with a blank one", "when: compacted or\n\n  turn_count > abc\n", "abc"},
		{"plain, over CRLF lines", "when: compacted or\r\n  turn_count > abc\r\n", "abc"},
		{"single", "when: 'turn_count > abc'\n", "abc"},
		{"single with quotes", "when: 'prompt == ''é'' or turn_count > abc'\n", "abc"},
		{"single over lines", "when: 'compacted\n  or turn_count > abc'\n", "abc"},
		{"double", "when: \"turn_count > abc\"\n", "abc"},
		{"double with escapes", "when: \"prompt == \\\"\\u00e9\\x41\\U0001F600\\\" or turn_count > abc\"\n", "abc"},
		{"double with the word escaped", "when: \"turn_count > a\\x62c\"\n", "a\\x62c"},
		{"double with the word's ends escaped", "when: \"turn_count > \\x61b\\u0063 or compacted\"\n",
			"\\x61b\\u0063"},
		{"double with a line end escaped", "when: \"compacted or \\\n  turn_count > abc\"\n", "abc"},
		{"double over lines", "when: \"compacted or\n\n  turn_count > abc\"\n", "abc"},
		{"double with a tab", "when: \"compacted\\tor turn_count > abc\"\n", "abc"},
		{"literal", "when: |\n  compacted\n  or turn_count > abc\n", "abc"},
		{"literal, stripped", "when: |-\n    compacted or\n      turn_count > abc\n", "abc"},
		{"literal, kept, with a comment", "when: |+ # why\n  turn_count > abc\n\n", "abc"},
		{"literal behind empty lines", "when: |\n\n\n  turn_count > abc\n", "abc"},
		{"literal, indent given", "when: |2\n    turn_count > abc\n", "abc"},
		{"literal with CRLF", "when: |\r\n  compacted\r\n  or turn_count > abc\r\n", "abc"},
		{"folded", "when: >\n  compacted\n  or turn_count > abc\n", "abc"},
		{"folded with empty lines", "when: >-\n  compacted or\n\n\n  turn_count > abc\n", "abc"},
		{"folded with deeper lines", "when: >\n  compacted or\n    turn_count\n  > abc\n", "abc"},
		{"folded, indent given, behind blanks", "when: >2\n  \n   \n    turn_count > abc\n    \n", "abc"},
		{"behind wide characters", "{description: \"日本🎉\", when: turn_count > abc}\n", "abc"},
		{"quoted in a flow mapping", "{when: 'turn_count > abc', tier: safety}\n", "abc"},
		{"alias key", "trigger: turn_count > abc\n", "abc"},
		{"rearm", "when: compacted\nrearm: turn_count > abc\n", "abc"},
		{"condition", "schedule:\n  kind: condition\n  condition: turn_count > abc\n", "abc"},
		{"odd line ends", "description: \"a\u2028b\"\nwhen: 'turn_count\u0085> abc'\n", "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"a.yaml": "\ufeff" + c.src + "content: x\n", "a.md": "---\n" +
				c.src + "---\nx\n"}
			if strings.HasPrefix(c.src, "{") {
				files["a.yaml"] = strings.Replace(c.src, "{", "{content: x, ", 1)
			}
			for file, src := range files {
				rs, ds := document.Read(file, []byte(src))
				if ds.HasErrors() || len(rs) != 1 {
					t.Fatalf("%s: %v", file, ds)
				}
				_, ds = compile.FromFiles(rs, compile.Options{})
				if len(ds) != 1 {
					t.Fatalf("%s: %v", file, ds)
				}
				inText(t, src, ds[0].Range)
				if got := src[ds[0].Range.Start.Offset:ds[0].Range.End.Offset]; got != c.want || ds[0].File != file {
					t.Errorf("%s: %v is at %q", file, ds[0], got)
				}
			}
		})
	}
}

func TestOriginPlacesInTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, src string }{
		{"a.md", "one {{.nothing_such}}\n"},
		{"a.md", "---\r\n---\r\n\r\none\r\né two {{.nothing_such}}\r\n"},
		{"a.yaml", "content: |\n\n  one\n  é {{.nothing_such}}\n"},
		{"a.yaml", "content: \"\\n\\n one \\u00e9 {{.nothing_such}}\"\n"},
		{"a.yaml", "content: >\n  one\n  two {{.nothing_such}}\n"},
	} {
		rs, ds := document.Read(c.file, []byte(c.src))
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		_, ds = compile.FromFiles(rs, compile.Options{})
		if len(ds) == 0 {
			t.Fatalf("%q compiles", c.src)
		}
		inText(t, c.src, ds[0].Range)
		if got := c.src[ds[0].Range.Start.Offset:ds[0].Range.End.Offset]; !strings.Contains(got, "nothing_such") ||
			strings.Contains(got, "one") {
			t.Errorf("%q: %v is at %q", c.src, ds[0], got)
		}
	}
}

// TestOriginFixes follows the fixes of triggers, in the quotes they stand in.
func TestOriginFixes(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"when: turn_count = 10\n", "when: 'turn_count = 10'\n", "when: \"turn_count = " +
			"10\"\n", "when: |\n  turn_count = 10\n", "{when: turn_count = 10}\n",
		"when: \"context_usage > \\x37\\x35\"\n", "when: \"model == 5x\"\n", "when: model == 5x\n",
		"when: 'model == 5x'\n", "when: 'context_usage > 75'\n",
		"when:\n  compacted or\n  turn_count = 10\n",
	} {
		file, src := "a.md", "---\n"+src+"---\nx\n"
		rs, _ := document.Read(file, []byte(src))
		_, ds := compile.FromFiles(rs, compile.Options{})
		if len(ds) != 1 || ds[0].Fix == nil {
			t.Fatalf("%q: %v", src, ds)
		}
		inText(t, src, ds[0].Fix.Range)
		fixed := src[:ds[0].Fix.Range.Start.Offset] + ds[0].Fix.Text + src[ds[0].Fix.Range.End.Offset:]
		rs, ds = document.Read(file, []byte(fixed))
		if _, more := compile.FromFiles(rs, compile.Options{}); len(ds)+len(more) > 0 || len(rs) != 1 {
			t.Errorf("%q: %v %v", fixed, ds, more)
		}
	}
}

// TestOriginFixesOfComments quotes as much as belongs to the trigger.
func TestOriginFixesOfComments(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"when: turn_count > 3 # late":              "when: 'turn_count > 3' # late",
		"when: any(tool_used, # startsWith 'mcp')": "when: 'any(tool_used, # startsWith ''mcp'')'",
	} {
		src, want = "---\n"+src+"\n---\nx\n", "---\n"+want+"\n---\nx\n"
		_, ds := document.Read("a.md", []byte(src))
		if len(ds) != 1 || ds[0].Fix == nil {
			t.Fatal(ds)
		}
		if got := src[:ds[0].Fix.Range.Start.Offset] + ds[0].Fix.Text +
			src[ds[0].Fix.Range.End.Offset:]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		rs, ds := document.Read("a.md", []byte(want))
		if _, more := compile.FromFiles(rs, compile.Options{}); len(ds)+len(more) > 0 {
			t.Errorf("%q: %v %v", want, ds, more)
		}
	}
}

func TestReminderPlace(t *testing.T) {
	t.Parallel()
	const src = "---\n# about\nid: x\nschedule: {kind: turn, turn_interval: 3}\npriority: 5\n---\n\nthe text\n"
	rs, ds := document.Read("a.md", []byte(src))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	for field, want := range map[string]string{"id": "x", "trigger": "3", "priority": "5", "text": "the text",
		"rearm": "id", "no such": "id"} {
		r := rs[0].Place(field)
		inText(t, src, r)
		if got := src[r.Start.Offset:r.End.Offset]; got != want {
			t.Errorf("%s is at %q, want %q", field, got, want)
		}
	}
	var code compile.Source
	if r := code.Place("trigger"); r.Start.Line != 0 {
		t.Errorf("a reminder in code has a place: %v", r)
	}
}
