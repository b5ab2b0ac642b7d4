package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
)

// visible returns s in a form that a page may show: control, format, separator and private-use characters are written out, such as
// [U+202E], and bytes that are no UTF-8 become U+FFFD. Line ends and tabs stay. Joiners stay where they join: between letters of scripts
// that have joined forms, and in emoji.
func visible(s string) string {
	i := strings.IndexFunc(s, suspect)
	if i < 0 {
		return s
	}
	var b strings.Builder
	before := rune(0)
	for at, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[at:], "\r\n"):
		case !suspect(r), r == '\n', r == '\t', joins(r) && before >= joined && after(s[at:], r) >= joined:
			b.WriteRune(r)
		case r == utf8.RuneError:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
		before = r
	}
	return b.String()
}

// suspect reports whether r may not be shown as it is, wherever it stands.
func suspect(r rune) bool {
	return r == utf8.RuneError || terminal.Obeys(r) || unicode.Is(unicode.Co, r)
}

// joined is the first rune that a joiner may join: letters before it, of Latin and similar scripts, have no joined forms.
const joined = 0x0590

func joins(r rune) bool { return r == '\u200c' || r == '\u200d' }

// after returns the rune that follows r at the beginning of s, 0 if none does.
func after(s string, r rune) rune {
	next, size := utf8.DecodeRuneInString(s[utf8.RuneLen(r):])
	if size == 0 {
		return 0
	}
	return next
}

// cut returns the first n characters of s; where there are more, it adds how many.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	seen := 0
	for at := range s {
		if seen == n {
			return fmt.Sprintf("%s … (%d more characters)", s[:at], utf8.RuneCountInString(s[at:]))
		}
		seen++
	}
	return s
}
