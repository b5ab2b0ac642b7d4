package lint_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/lint"
	"github.com/google/go-cmp/cmp"
)

// TestAllow holds which findings a comment silences.
func TestAllow(t *testing.T) {
	t.Parallel()
	const list = `# aside: allow R1003
reminders:
  - id: a
    # aside: allow R1012 because it is so
    when: not after_tool:Edit
    content: A
  # aside: allow R1012
  - id: b
    when: not after_tool:Edit
    content: B
  - id: c
    when: not after_tool:Edit
    content: |
      # aside: allow R1012
  - id: d
    while: always
    content: D
`
	for _, c := range []struct{ name, file, src, want string }{
		{"beside", "r.md", page("# aside: allow R1012\nwhen: not after_tool:Edit", "x"), ""},
		{"behind the trigger", "r.md", page("when: not after_tool:Edit # aside: allow R1012", "x"), ""},
		{"above", "r.yaml", "# aside: allow R1012\nid: r\nwhen: not after_tool:Edit\ncontent: x\n", ""},
		{"several", "r.md", page("# aside: allow R1002,R1018 , R0521 since they are meant\nwhen: context_usage > "+
			"5%", "STOP at {{.context_usage}}."), ""},
		{"two comments", "r.md", page("#aside: allow R1002\n#   aside: allow R1018\nwhen: context_usage > 5%",
			"{{.context_usage}}"), ""},
		{"another code", "r.md", page("# aside: allow R1002\nwhen: not after_tool:Edit", "x"), "R1011 R1012"},
		{"in the text", "r.md", page("when: not after_tool:Edit", "# aside: allow R1012"), "R1012"},
		{"in a quoted value", "r.md", page("description: '# aside: allow R1012'\nwhen: not after_tool:Edit",
			"x"), "R1012"},
		{"an error", "r.md", page("# aside: allow R0204\nwhen: context_usage > 75", "x"), "R0204"},
		{"an idle one of its own", "r.md", page("# aside: allow R1011\nwhen: compacted", "x"), "R1011"},
		{"small letters", "r.md", page("# aside: allow r1001\nwhen: not after_tool:Edit", "x"), "R1011 R1012"},
		{"something else", "r.md", page("# aside: allowed R1012\n# aside allow R1012\nwhen: not after_tool:Edit",
			"x"), "R1012"},
		{"switched off", "r.md", page("# aside: allow R1012\nwhen: not after_tool:Edit\nenabled: false", "x"), ""},
		{"a list", "r.yaml", list, "R1012"},
		{"the item before", "r.yaml",
			"reminders:\n- {id: a, when: not after_tool:Edit, content: x}\n# aside: allow R1012\n- {id: b, when: " +
				"not after_tool:Edit, content: y}\n", "R1012"},
		{"CRLF", "r.md", strings.ReplaceAll(page("# aside: allow R1012\nwhen: not after_tool:Edit", "x"), "\n",
			"\r\n"), ""},
		{"a byte order mark", "r.md", "\ufeff" + page("# aside: allow R1012\nwhen: not after_tool:Edit", "x"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if ds := run(t, c.file, c.src, lint.Options{}); codes(ds) != c.want {
				t.Errorf("%q, want %q\n%v", codes(ds), c.want, ds)
			}
		})
	}
}

// TestAllowEdit: the edit that silences a finding does, and changes nothing else.
func TestAllowEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, src string }{
		{"r.md", page("when: not after_tool:Edit", "x")},
		{"r.md", "\ufeff" + page("when: not after_tool:Edit", "x")},
		{"r.md", "{{.context_usage}}\n"},
		{"r.yaml", "id: r\nwhen: not after_tool:Edit\ncontent: x\n"},
		{"r.yaml", "reminders:\n  - id: a\n    when: compacted\n    content: x\n  - id: b\n    when: " +
			"not after_tool:Edit\n    content: x\n"},
		{"r.yaml", "reminders:\n- when: not after_tool:Edit\n  id: b\n  content: x\n- {id: c, when: compacted, " +
			"content: x}\n"},
	} {
		before := run(t, c.file, c.src, lint.Options{})
		d := before[0]
		e := lint.Allow(c.file, []byte(c.src), d.Range, d.Code)
		if e == nil {
			t.Errorf("%q: no edit", c.src)
			continue
		}
		after := c.src[:e.Range.Start.Offset] + e.Text + c.src[e.Range.End.Offset:]
		var want, got []string
		for _, d := range before[1:] {
			want = append(want, string(d.Code)+d.Message)
		}
		for _, d := range run(t, c.file, after, lint.Options{}) {
			got = append(got, string(d.Code)+d.Message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q\n%s\n%s", c.src, after, diff)
		}
	}
}
