package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// TestFollowKeepsMeaning: a fix that is done without asking changes no rule that can be used as it is; what
// would change it is offered, marked as unsafe.
func TestFollowKeepsMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, src, want string }{
		{"a number hit by chance", "---\nwhen: elapsed == 10m\n---\nx\n", ""},
		{"a server for its tools", "---\nwhen: after_tool:mcp__web\n---\nx\n", ""},
		{"a part without effect", "---\nwhen: turn_count > 5 and turn_count > 3\n---\nx\n", ""},
		{"a flapping edge", "---\nwhen: context_usage > 75%\n---\nx\n", ""},
		{"a doubtful pattern", "---\nwhen: after_tool:WebFetch(domain:a.org)\n---\nx\n", ""},
		{"another template language", "---\nwhen: turn_count > 5\n---\n${turn_count}\n", ""},
		{"an error", "---\nwhen: turn_count = 10\n---\nx\n", "---\nwhen: turn_count == 10\n---\nx\n"},
		{"an unknown key", "---\nwehn: compacted\n---\nx\n", "---\nwhen: compacted\n---\nx\n"},
		{"an invisible character", "---\nwhen: compacted\n---\na\u200bb\n", "---\nwhen: compacted\n---\nab\n"},
	} {
		rs, ds := document.Read("r.md", []byte(c.src))
		set, more := compile.FromFiles(rs, compile.Options{})
		ds = lint.Run(set, append(ds, more...), map[string][]byte{"r.md": []byte(c.src)}, lint.Options{})
		if c.want == "" {
			c.want = c.src
		}
		if got, _ := lint.Follow([]byte(c.src), ds); string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		offered := false
		for _, d := range ds {
			offered = offered || d.Fix != nil && d.Fix.Unsafe
		}
		if offered == (c.want != c.src) {
			t.Errorf("%s: offered: %t, %v", c.name, offered, ds)
		}
	}
}

// TestHiddenInValue: characters that a file holds as escapes are found where a model reads them.
func TestHiddenInValue(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`content: "a \u202e b"`:                                  "U+202E changes the order",
		`content: "a \u200b b"`:                                  "U+200B cannot be seen",
		`content: "a \e[31m b"`:                                  "U+001B is obeyed by a terminal",
		`content: "a \x9b31m b"`:                                 "U+009B is obeyed by a terminal",
		`content: "a \0 b"`:                                      "U+0000 is obeyed",
		`content: "a \U000e0041 b"`:                              "U+E0041 cannot be seen",
		"content: x\ndescription: \"a \\u2066 b\"":               "U+2066 changes the order",
		"content: x\nwhen: \"prompt contains \\\"\\u200bx\\\"\"": "U+200B cannot be seen",
		`content: "a \u202e b \u202e c \u200b d"`: "U+202E changes the order|U+202E " +
			"changes|U+200B cannot",
		`content: '{{"\u200b"}} {{"\u202e"}}'`:               "U+200B cannot be seen|U+202E changes",
		`content: "` + strings.Repeat(`\u200b`, 5_000) + `"`: strings.Repeat("U+200B|", 100),
		`content: "fine\n\ttext é 👩‍👩‍👧"`:                    "",
	} {
		rs, ds := document.Read("r.yaml", []byte(src))
		set, _ := compile.FromFiles(rs, compile.Options{})
		var got []string
		for _, d := range lint.Run(set, ds, map[string][]byte{"r.yaml": []byte(src)}, lint.Options{}) {
			if d.Code == "R1007" {
				got = append(got, d.Message)
				if d.Range.Start.Line == 0 {
					t.Errorf("%s: no place", src)
				}
			}
		}
		wants := strings.FieldsFunc(want, func(r rune) bool { return r == '|' })
		if !slices.EqualFunc(got, wants, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", src, got, wants)
		}
	}
}
