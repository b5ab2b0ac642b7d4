package wire

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// text is a JSON string, decoded, with the way back.
type text struct {
	s    string
	from int    // where in the body it begins, behind the quote
	raw  []byte // what stands there; nil: the same as s
	i    int    // a byte of s,
	at   int    // and where in raw it comes from
}

// offset returns where in the body byte i of the text is from; of the bytes of one escape, where that begins. It is quick for
// each one behind the last.
func (t *text) offset(i int) int {
	if t.raw == nil {
		return t.from + i
	}
	if i < t.i {
		t.i, t.at = 0, 0
	}
	for t.i < i {
		plain := bytes.IndexByte(t.raw[t.at:min(t.at+i-t.i, len(t.raw))], '\\')
		if plain < 0 {
			t.i, t.at = i, t.at+i-t.i
			break
		}
		t.i, t.at = t.i+plain, t.at+plain
		var one [utf8.UTFMax]byte
		out, next := unescape(one[:0], t.raw, t.at)
		if t.i+len(out) > i {
			break
		}
		t.i, t.at = t.i+len(out), next
	}
	return t.from + t.at
}

// decode decodes the string whose inside is at. Bytes that are not UTF-8 are kept, halves of surrogate pairs become U+FFFD,
// and an escape that there is none of stands for what is behind the backslash.
func decode(b []byte, at span) text {
	raw := at.of(b)
	if bytes.IndexByte(raw, '\\') < 0 {
		return text{s: string(raw), from: at.from}
	}
	return text{s: string(unescapeAll(make([]byte, 0, len(raw)), raw)), from: at.from, raw: raw}
}

// unescape appends what the escape at raw[i] stands for, and returns where it ends.
func unescape(out, raw []byte, i int) ([]byte, int) {
	if i+1 == len(raw) {
		return append(out, '\\'), i + 1
	}
	switch c := raw[i+1]; c {
	case 'u':
		r, ok := hex4(raw[i+2:])
		if !ok {
			return append(out, c), i + 2
		}
		i += 6
		if utf16.IsSurrogate(r) && len(raw)-i >= 6 && raw[i] == '\\' && raw[i+1] == 'u' {
			low, _ := hex4(raw[i+2:])
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return utf8.AppendRune(out, both), i + 6
			}
		}
		return utf8.AppendRune(out, r), i
	case 'b':
		return append(out, '\b'), i + 2
	case 'f':
		return append(out, '\f'), i + 2
	case 'n':
		return append(out, '\n'), i + 2
	case 'r':
		return append(out, '\r'), i + 2
	case 't':
		return append(out, '\t'), i + 2
	default:
		return append(out, c), i + 2
	}
}

// hex4 reads the four digits of an escape; false where they are none.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		d, ok := nibble(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | d
	}
	return r, true
}

// escape appends s as the inside of a JSON string: what must be escaped is, all else stays readable. Bytes that are not
// UTF-8 become U+FFFD.
func escape(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = slices.Grow(dst, len(s)+len(s)/8+16) // most need no more, with what goes around it
	from := 0                                  // what stands from here to i goes as it is
	for i := 0; i < len(s); {
		c, size, with := s[i], 1, ""
		switch {
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				with = "\ufffd"
			}
		case c == '"':
			with = `\"`
		case c == '\\':
			with = `\\`
		case c == '\n':
			with = `\n`
		case c == '\r':
			with = `\r`
		case c == '\t':
			with = `\t`
		case c < 0x20:
			with = `\u00` + digits[c>>4:c>>4+1] + digits[c&15:c&15+1]
		}
		if with != "" {
			dst = append(append(dst, s[from:i]...), with...)
			from = i + size
		}
		i += size
	}
	return append(dst, s[from:]...)
}

// quote appends s as a JSON string.
func quote(dst []byte, s string) []byte {
	return append(escape(append(dst, '"'), s), '"')
}

// is reports whether the inside of a JSON string says s.
func is(b []byte, at span, s string) bool {
	raw := at.of(b)
	if string(raw) == s {
		return true
	}
	// with escapes it is longer
	return len(raw) > len(s) && (raw[0] == s[0] || raw[0] == '\\') && bytes.IndexByte(raw, '\\') >= 0 && decode(b, at).s == s
}

// mayBeginWrapped reports whether a JSON string can begin as a wrapped text does, so that it is worth decoding.
func mayBeginWrapped(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '<' || raw[0] == '[' || raw[0] == '\\')
}

// mayContainWrapped reports whether a JSON string can hold a wrapped text anywhere, so that it is worth decoding: the name of the tag or of the
// prefix, or an escape for a letter of it.
func mayContainWrapped(raw []byte) bool {
	return bytes.Contains(raw, []byte("-reminder")) || bytes.Contains(raw, []byte(" REMINDER")) || bytes.Contains(raw, []byte(`\u00`))
}
