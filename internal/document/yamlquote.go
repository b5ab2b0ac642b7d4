package document

import (
	"fmt"
	"strings"
)

// writeScalar writes a value on one line in a style (' " or 0 for plain) or, where it cannot be, in quotes that can hold it.
func writeScalar(value string, style byte, flow bool) string {
	switch {
	case style == '"':
		return doubleQuoted(value)
	case style == 0 && plain(value, flow):
		return value
	}
	return quoteYAML(value)
}

// plain reports whether YAML reads s without quotes as the text s. It says no to some that YAML would read so.
func plain(s string, flow bool) bool {
	switch strings.ToLower(s) {
	case "", "~", "null", "true", "false":
		return false
	}
	return strings.IndexByte("-?:,[]{}#&*!|>'\"%@`=<", s[0]) < 0 && s == strings.Trim(s, blanks) && !odd(s) &&
		!strings.Contains(s, ": ") && !strings.HasSuffix(s, ":") && !strings.Contains(s, " #") &&
		(!flow || !strings.ContainsAny(s, ",[]{}") && !strings.Contains(s, ":'") && !strings.Contains(s, ":\""))
}

// odd reports whether s holds characters that YAML takes only as escapes.
func odd(s string) bool { return strings.IndexFunc(s, oddRune) >= 0 }

func oddRune(r rune) bool {
	return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff
}

// quoteYAML writes s as a quoted scalar on one line: in single quotes, or in double ones if it holds what these cannot.
func quoteYAML(s string) string {
	if odd(s) {
		return doubleQuoted(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case oddRune(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
