package grammar_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/grammar"
)

func TestRender(t *testing.T) {
	t.Parallel()
	at := func(line, column, endLine, endColumn int) grammar.Range {
		return grammar.Range{Start: grammar.Position{Line: line, Column: column},
			End: grammar.Position{Line: endLine, Column: endColumn}}
	}
	for _, c := range []struct {
		name, src string
		d         grammar.Diagnostic
		want      string
	}{
		{
			"as in the style guide", "---\nid: edit\n\nwhen: context_usage > 75\n---\n",
			grammar.Diagnostic{Code: "R0204", File: "reminders/edit.md", Range: at(4, 23, 4, 25),
				Message: "a ratio cannot be above 100%", Hint: "did you mean 75%?"},
			"reminders/edit.md:4:23: error[R0204]: a ratio cannot be above 100%\n" +
				"  4 | when: context_usage > 75\n" +
				"    |                       ^^ did you mean 75%?",
		},
		{
			"a warning without a file and a hint", "abc",
			grammar.Diagnostic{Code: "R0300", Severity: grammar.Warning, Range: at(1, 2, 1, 3), Message: "m"},
			"1:2: warning[R0300]: m\n  1 | abc\n    |  ^",
		},
		{
			"at the end of the line", "abc",
			grammar.Diagnostic{Code: "R0101", Range: at(1, 4, 1, 4), Message: "m", Hint: "h"},
			"1:4: error[R0101]: m\n  1 | abc\n    |    ^ h",
		},
		{
			"tabs before are kept", "\tx:\tabc\r\nrest",
			grammar.Diagnostic{Code: "R0101", Range: at(1, 5, 1, 8), Message: "m", Hint: "h"},
			"1:5: error[R0101]: m\n  1 | \tx:\tabc\n    | \t  \t^^^ h",
		},
		{
			"wide and combining characters", "日本 e\u0301 日本",
			grammar.Diagnostic{Code: "R0101", Range: at(1, 7, 1, 9), Message: "m", Hint: "h"},
			"1:7: error[R0101]: m\n  1 | 日本 e\u0301 日本\n    |        ^^^^ h",
		},
		{
			"several lines: the first", "a (b\nc) d",
			grammar.Diagnostic{Code: "R0101", Range: at(1, 3, 2, 3), Message: "m", Hint: "h"},
			"1:3: error[R0101]: m\n  1 | a (b\n    |   ^^ h",
		},
		{
			"a line number of four digits", strings.Repeat("\n", 1233) + "abc",
			grammar.Diagnostic{Code: "R0101", Range: at(1234, 1, 1234, 2), Message: "m"},
			"1234:1: error[R0101]: m\n1234 | abc\n     | ^",
		},
		{
			"nothing writes to the terminal", "a\x1b[31m\x00\u202eb\xff",
			grammar.Diagnostic{Code: "R0101", Range: at(1, 2, 1, 3), Message: "m"},
			"1:2: error[R0101]: m\n  1 | a␛[31m␀\ufffdb\ufffd\n    |  ^",
		},
		{
			"no such line", "abc",
			grammar.Diagnostic{Code: "R0101", File: "f", Range: at(3, 1, 3, 1), Message: "m", Hint: "h"},
			"f:3:1: error[R0101]: m (h)",
		},
		{
			"a long line", strings.Repeat("x", 500) + "y" + strings.Repeat("z", 500),
			grammar.Diagnostic{Code: "R0101", Range: at(1, 501, 1, 502), Message: "m"},
			"1:501: error[R0101]: m\n  1 | …" + strings.Repeat("x", 80) + "y" + strings.Repeat("z", 79) + "…\n    | " +
				strings.Repeat(" ", 81) + "^",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, c.d.Render([]byte(c.src))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
