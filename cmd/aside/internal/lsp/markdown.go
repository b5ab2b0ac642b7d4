package lsp

import (
	"strings"
	"unicode"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
)

// plainMarkdown returns Markdown that shows s as it is.
func plainMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|~&!", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteRune(r)
		default:
			b.WriteRune(shown(r))
		}
	}
	return b.String()
}

// shown returns r in a form that is safe to show: a control character as its picture, any other character that a terminal would obey as
// the replacement character.
func shown(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7f:
		return 0x2421
	case terminal.Obeys(r):
		return unicode.ReplacementChar
	}
	return r
}

func oneLine(s string) string { return strings.Map(shown, strings.Join(strings.Fields(s), " ")) }

// quoted returns the beginning of a text as a Markdown quotation.
func quoted(s string) string {
	const most = 400
	cut := false
	if len(s) > most {
		s, cut = strings.ToValidUTF8(s[:most], ""), true
	}
	lines := strings.Split(plainMarkdown(s), "\n")
	if cut {
		lines[len(lines)-1] += " …"
	}
	return "> " + strings.Join(lines, "\n> ")
}

func mapped(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}
