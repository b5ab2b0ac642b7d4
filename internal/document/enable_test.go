package document_test

import (
	"testing"

	"github.com/aside-go/aside/internal/document"
)

// What is switched off and on again is what it was, to the byte, and nothing but the key is written.
func TestEnable(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ name, file, on, off string }{
		{"front matter", "r.md", "---\nwhen: compacted # why\n---\nText\n",
			"---\nenabled: false\nwhen: compacted # why\n---\nText\n"},
		{"carriage returns", "r.md", "---\r\nwhen: compacted\r\n---\r\nText\r\n",
			"---\r\nenabled: false\r\nwhen: compacted\r\n---\r\nText\r\n"},
		{"byte order mark", "r.md", "\ufeff---\nwhen: compacted\n---\nText",
			"\ufeff---\nenabled: false\nwhen: compacted\n---\nText"},
		{"comments first", "r.md", "---\n# one\n\n# two\nwhen: compacted\n---\nText\n",
			"---\n# one\n\n# two\nenabled: false\nwhen: compacted\n---\nText\n"},
		{"no front matter", "r.md", "Text\n", "---\nenabled: false\n---\nText\n"},
		{"YAML", "r.yaml", "when: compacted\ncontent: |\n  Text\n",
			"enabled: false\nwhen: compacted\ncontent: |\n  Text\n"},
		{"a list", "rs.yml", "reminders:\n  - id: a\n    content: A\n  # of r\n  - id: r\n    content: R\n",
			"reminders:\n  - id: a\n    content: A\n  # of r\n  - enabled: false\n    id: r\n    content: R\n"},
		{"a list without indent", "rs.yml", "reminders:\n- id: r\n  content: R\n",
			"reminders:\n- enabled: false\n  id: r\n  content: R\n"},
	} {
		got, ok := document.Enable(x.file, []byte(x.on), "r", false)
		if !ok || string(got) != x.off {
			t.Errorf("%s: off is %t, %q, not %q", x.name, ok, got, x.off)
		}
		if same, ok := document.Enable(x.file, got, "r", false); !ok || string(same) != x.off {
			t.Errorf("%s: off once more is %t, %q", x.name, ok, same)
		}
		if back, ok := document.Enable(x.file, got, "r", true); !ok || string(back) != x.on {
			t.Errorf("%s: on again is %t, %q, not %q", x.name, ok, back, x.on)
		}
	}
	for _, x := range []struct {
		name, file, src, want string
		on                    bool
	}{
		{"the key is there", "r.md", "---\nenabled: true # still\nwhen: compacted\n---\nText",
			"---\nenabled: false # still\nwhen: compacted\n---\nText", false},
		{"with a comment", "r.md", "---\nenabled: false # for now\nwhen: compacted\n---\nText",
			"---\nenabled: true # for now\nwhen: compacted\n---\nText", true},
		{"in braces", "rs.yaml", "reminders: [{id: r, content: R}, {id: b, content: B}]\n",
			"reminders: [{enabled: false, id: r, content: R}, {id: b, content: B}]\n", false},
		{"in braces, on", "rs.yaml", "reminders: [{enabled: false, id: r, content: R}]\n",
			"reminders: [{enabled: true, id: r, content: R}]\n", true},
		{"an empty front matter", "r.md", "---\n---\nText", "---\nenabled: false\n---\nText", false},
	} {
		if got, ok := document.Enable(x.file, []byte(x.src), "r", x.on); !ok || string(got) != x.want {
			t.Errorf("%s: %t, %q, not %q", x.name, ok, got, x.want)
		}
	}
	for _, src := range []string{"---\nwhen: compacted\n", "---\nid: other\n---\nText"} {
		if got, ok := document.Enable("r.md", []byte(src), "r", false); ok || string(got) != src {
			t.Errorf("%q became %t, %q", src, ok, got)
		}
	}
}

// TestInsertedLineEnds: a line that is put into a file ends as those of the file do.
func TestInsertedLineEnds(t *testing.T) {
	t.Parallel()
	src := []byte("---\r\nwhen: compacted\r\n---\r\ntext\r\n")
	_, ds := document.Read("my rule.md", src)
	if len(ds) != 1 || ds[0].Fix == nil || ds[0].Fix.Text != "id: my-rule\r\n" {
		t.Errorf("got %+v", ds)
	}
	if e := document.InsertComment("a.md", src, 2, "# x"); e == nil || e.Text != "# x\r\n" {
		t.Errorf("got %+v", e)
	}
}
