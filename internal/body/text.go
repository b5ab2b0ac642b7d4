package body

import (
	"bytes"
	"cmp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/jsonscan"
)

// decoded is a JSON string, decoded, that can tell where in the body each of its bytes comes from.
type decoded struct {
	s    string // decoded
	from int    // where the inside of the string begins in the body
	raw  []byte // the inside as it stands in the body; nil: the same as s
	i    int    // where offset stopped the last time: a byte of s,
	at   int    // and the byte of raw it comes from
}

// offset returns where in the body byte i of s comes from. A byte that comes from an escape comes from the
// beginning of the escape. Calls with growing i are quick, because each goes on from the last.
func (t *decoded) offset(i int) int {
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

// decode decodes the string whose inside is at. Bytes that are not UTF-8 are kept. Half of a surrogate pair
// becomes U+FFFD. An unknown escape stands for the character behind the backslash.
func decode(b []byte, at Span) decoded {
	raw := at.Of(b)
	if bytes.IndexByte(raw, '\\') < 0 {
		return decoded{s: string(raw), from: at.From}
	}
	return decoded{s: string(unescapeAll(make([]byte, 0, len(raw)), raw)), from: at.From, raw: raw}
}

// unescape appends the character of the escape at raw[i] to out, and returns where the escape ends.
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
	default:
		return append(out, cmp.Or(escapes[c], c)), i + 2
	}
}

// escapes are the characters of which an escape has a letter of its own, by that letter.
var escapes = [256]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex4 reads the four hexadecimal digits of a \u escape; ok is false where there are none.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}

// escape appends s as the inside of a JSON string, with tags as they are. Bytes that are not UTF-8 become
// U+FFFD.
func escape(dst []byte, s string) []byte {
	b, _ := jsonscan.Encode(s) // which a string always can
	return append(dst, b[1:len(b)-1]...)
}

// quote appends s as a JSON string.
func quote(dst []byte, s string) []byte {
	return append(escape(append(dst, '"'), s), '"')
}

// unescapeAll decodes the JSON string whose inside is raw, and appends it to dst.
func unescapeAll(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 {
			return append(dst, raw[i:]...)
		}
		dst = append(dst, raw[i:i+n]...)
		dst, i = unescape(dst, raw, i+n)
	}
	return dst
}
