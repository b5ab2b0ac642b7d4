package document_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/document"
)

// TestReadDifferently: files that YAML and people read differently are errors, and none of their text is
// sent.
func TestReadDifferently(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, src, want string }{
		{"line separator", "a.md", "---\nwhen: always\u2028id: evil\n---\nx",
			"2:13: error[R0402]: U+2028 ends a line"},
		{"paragraph separator", "a.yaml", "when: always\u2029id: evil\ncontent: x", "1:13: error[R0402]: U+2029"},
		{"next line", "a.yaml", "content: x\u0085when: never", "1:11: error[R0402]: U+0085"},
		{"in a comment", "a.yaml", "content: x # fine\u2028when: never", "1:18: error[R0402]: U+2028"},
		{"in a block", "a.yaml", "content: |\n  say \"x\u2028id: evil\n  \"\nwhen: never",
			"2:9: error[R0402]: U+2028"},
		{"not YAML", "a.yaml", "content: x\u2028  - : [", "1:11: error[R0402]: U+2028"},
		{"carriage returns alone", "a.md", "---\rwhen: never\r---\rx", "1:4: error[R0402]: a carriage return"},
		{"one in a text", "a.md", "Be kind.\rBe evil.\n", "1:9: error[R0402]: a carriage return"},
		{"one in YAML", "a.yaml", "when: always\rid: evil\ncontent: x", "1:13: error[R0402]: a carriage return"},
		{"at the end", "a.md", "x\r", "1:2: error[R0402]: a carriage return"},
		{"four dashes", "a.md", "----\nwhen: never\n----\nx", "1:1: error[R0404]: the first line"},
		{"two dashes", "a.md", "--\nwhen: never\n--\nx", "1:1: error[R0404]: the first line"},
		{"long dashes", "a.md", "———\nwhen: never\n———\nx", "1:1: error[R0404]: the first line"},
		{"dashes and a word", "a.md", "---yaml\nwhen: never\n---\nx", "1:1: error[R0404]: the first line"},
		{"a comment between", "a.md", "----\n# mine\n\nid: a\n----\nx", "1:1: error[R0404]: the first line"},
		{"a hidden character", "a.md", "\u200b---\nwhen: never\n---\nx", "1:1: error[R0404]: the first line"},
		{"a blank of another kind", "a.md", "\u00a0---\nwhen: never\n---\nx", "1:1: error[R0404]: the first line"},
		{"TOML", "a.md", "+++\nwhen = \"never\"\n+++\nx", "1:1: error[R0404]: a front matter in TOML"},
		{"two marks", "a.md", "\ufeff\ufeff---\nwhen: never\n---\nx",
			"1:2: error[R0402]: a second byte order mark"},
		{"two marks in YAML", "a.yaml", "\ufeff\ufeffcontent: x", "1:2: error[R0402]: a second byte order mark"},
		{"a second block", "a.md", "---\nwhen: never\n---\nx\n\n---\nwhen: always\n---\ny",
			"6:1: error[R0408]: a second"},
		{"at once", "a.md", "---\nwhen: never\n---\n---\nid: b\n---\ny", "4:1: error[R0408]: a second"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rs, ds := document.Read(c.file, []byte(c.src))
			if len(ds) != 1 || !strings.HasPrefix(ds[0].String(), c.file+":"+c.want) {
				t.Errorf("got %v, want %s", ds, c.want)
			}
			for _, r := range rs {
				if !r.Faulty {
					t.Errorf("loaded: %+v", r.Reminder)
				}
			}
			if len(ds) == 1 && ds[0].Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

// TestReadAlike: what people and YAML read alike stays what it is.
func TestReadAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, src, want string }{
		{"quoted", "a.yaml", "content: \"a\u2028b\"", ""},
		{"an escape", "a.yaml", `content: "a\u2028b"`, "a\u2028b"},
		{"in a body", "a.md", "---\nwhen: never\n---\na\u2028b", "a\u2028b"},
		{"CRLF", "a.md", "---\r\nwhen: never\r\n---\r\nx\r\n", "x"},
		{"a rule between paragraphs", "a.md", "---\nwhen: never\n---\na\n\n---\n\nb", "a\n\n---\n\nb"},
		{"two rules", "a.md", "---\nwhen: never\n---\na\n---\nb\n---\nc", "a\n---\nb\n---\nc"},
		{"about rule files", "a.md", "---\nwhen: never\n---\nWrite:\n```\n---\nwhen: always\n---\n```\n",
			"Write:\n```\n---\nwhen: always\n---\n```"},
		{"a line of dashes", "a.md", "-----\nBe kind.\n", "-----\nBe kind."},
		{"a heading", "a.md", "=====\nNote: be kind\n", "=====\nNote: be kind"},
		{"one mark", "a.md", "\ufeff---\nwhen: never\n---\nx", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rs, ds := document.Read(c.file, []byte(c.src))
			if len(ds) > 0 || len(rs) != 1 || c.want != "" && rs[0].Text != c.want {
				t.Errorf("%v, %+v", ds, rs)
			}
		})
	}
}
