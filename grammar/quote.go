package grammar

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unquote returns what a quoted text means. The lexer has made sure that it is closed and its escapes are right.
// (Participle's own Unquote is quadratic.)
func unquote(s string) string {
	if body, ok := unquoteLike(s); ok {
		return body
	}
	s = s[1 : len(s)-1]
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		plain := strings.IndexByte(s, '\\')
		if plain < 0 {
			plain = len(s)
		}
		b.WriteString(s[:plain])
		s = s[plain:]
		if s == "" {
			break
		}
		n := escapeLen(s)
		if n == 0 {
			n = 1
			b.WriteByte('\\')
		} else {
			writeEscape(&b, s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func writeEscape(b *strings.Builder, s string) {
	if s[1] == '"' || s[1] == '\'' {
		b.WriteByte(s[1])
		return
	}
	r, multibyte, _, _ := strconv.UnquoteChar(s, 0)
	if multibyte || r < utf8.RuneSelf {
		b.WriteRune(r)
	} else {
		b.WriteByte(byte(r))
	}
}

// escapeLen returns how long the escape is that s begins with, 0 if it is none. They are Go's, and either quote.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] == '"' || s[1] == '\'' {
		return 2
	}
	_, _, rest, err := strconv.UnquoteChar(s[:min(len(s), len(`\U0010ffff`))], 0)
	if err != nil {
		return 0
	}
	return min(len(s), len(`\U0010ffff`)) - len(rest)
}

// quote is the canonical form of a text in quotes; unquote reads it back to the same bytes.
func quote(s string) string { return strconv.Quote(s) }
