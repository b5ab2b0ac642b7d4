package tightjson

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Member appends the name of a member, and the comma before it where it is not the first of its object.
func Member(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, `":`...)
}

// Item appends the comma before an item of a list, where it is not the first one.
func Item(b []byte) []byte {
	if b[len(b)-1] != '[' {
		b = append(b, ',')
	}
	return b
}

// MemberInt appends a member.
func MemberInt(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(Member(b, name), n, 10)
}

// MemberText appends a member.
func MemberText(b []byte, name, text string) []byte { return Text(Member(b, name), text) }

// SomeInt appends a member unless it is 0, as omitempty has it.
func SomeInt(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return MemberInt(b, name, n)
}

// SomeTrue appends a member, unless it is false.
func SomeTrue(b []byte, name string, is bool) []byte {
	if !is {
		return b
	}
	return append(Member(b, name), "true"...)
}

// SomeText appends a member, unless it is empty.
func SomeText(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return MemberText(b, name, text)
}

// SomeTexts appends a member, unless it is empty.
func SomeTexts[T ~string](b []byte, name string, texts []T) []byte {
	if len(texts) == 0 {
		return b
	}
	return Texts(Member(b, name), texts)
}

// Texts appends a list of strings.
func Texts[T ~string](b []byte, texts []T) []byte {
	b = append(b, '[')
	for _, t := range texts {
		b = Text(Item(b), string(t))
	}
	return append(b, ']')
}

// Text appends a string, as encoding/json does that does not escape for HTML: what is no UTF-8 becomes U+FFFD.
func Text(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				b = append(append(b, s[from:i]...), `\ufffd`...)
				from = i + 1
			case r == '\u2028', r == '\u2029': // which JavaScript takes for the end of a line
				b = append(append(b, s[from:i]...), `\u202`...)
				b = append(b, hex[r&0xf])
				from = i + size
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(append(b, s[from:i]...), '\\')
		switch c {
		case '"', '\\':
			b = append(b, c)
		case '\b':
			b = append(b, 'b')
		case '\f':
			b = append(b, 'f')
		case '\n':
			b = append(b, 'n')
		case '\r':
			b = append(b, 'r')
		case '\t':
			b = append(b, 't')
		default:
			b = append(b, 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// Float appends a number, which must be finite.
func Float(b []byte, n float64) []byte {
	form := byte('f')
	if abs := math.Abs(n); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	b = strconv.AppendFloat(b, n, form, -1, 64)
	if end := len(b); form == 'e' && b[end-4] == 'e' && b[end-3] == '-' && b[end-2] == '0' { // e-09 is e-9
		b[end-2] = b[end-1]
		b = b[:end-1]
	}
	return b
}
