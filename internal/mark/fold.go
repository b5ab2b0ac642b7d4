package mark

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// How a character reads, under the fold of Neutralise: NFKC, what cannot be seen and blanks dropped, dashes
// alike, any case. A reading is a string of ASCII letters and signs, with these two besides.
const (
	otherSign  = '\x7f' // a character that is part of no tag
	softHyphen = '\x01' // seen as a dash or not at all
)

// reads holds the reading of each ASCII character; "" is a blank or cannot be seen.
var reads = func() (t [utf8.RuneSelf]string) {
	for r := range t {
		if r > ' ' && r < 0x7f {
			t[r] = string(unicode.ToLower(rune(r)))
		}
	}
	return t
}()

// reading returns how the character at the beginning of text reads, and its size in bytes.
func reading(text string) (string, int) {
	if c := text[0]; c < utf8.RuneSelf {
		return reads[c], 1
	}
	r, size := utf8.DecodeRuneInString(text)
	d := norm.NFKD.PropertiesString(text[:size]).Decomposition()
	if d == nil {
		return readRune(r), size
	}
	out := make([]byte, 0, 4)
	for len(d) > 0 {
		r, n := utf8.DecodeRune(d)
		out = append(out, readRune(r)...)
		d = d[n:]
	}
	return string(out), size
}

// readRune returns the reading of a character that does not decompose.
func readRune(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return reads[r]
	case r == 0x00ad:
		return string(softHyphen)
	case unseen(r):
		return ""
	case dash(r):
		return "-"
	case r == 'ı', r == 'İ':
		return "i"
	case unicode.Is(unicode.Pc, r): // underscores of all kinds
		return "_"
	}
	if l := unicode.ToLower(r); l < utf8.RuneSelf {
		return reads[l]
	}
	return string(otherSign)
}

// unseen reports whether r is a blank, or not to be seen, or only a mark upon another character. U+FFFD
// stands for bytes that are no character: some readers drop them.
func unseen(r rune) bool {
	switch {
	case r < 0x0300:
		return r <= ' ' || r >= 0x7f && r <= 0xa0
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0: // fillers
		return true
	case r == 0x2800, r == 0x1d159: // braille blank, null note head
		return true
	case r >= 0xfff0 && r <= 0xfffd, r == 0x2065, r >= 0xe0000 && r <= 0xe0fff: // default ignorable
		return true
	case r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe: // no characters
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Z)
}

// dash reports whether r looks like a dash.
func dash(r rune) bool {
	switch r {
	case 0x02d7, 0x2043, 0x2212, 0x23af, 0x2500, 0x2501, 0x2574, 0x2576, 0x2578,
		0x257a, 0x2796, 0x30fc, 0x3161, 0x31d0:
		return true
	}
	return unicode.Is(unicode.Pd, r)
}

// Blank reports whether nothing of text can be seen.
func Blank(text string) bool {
	for len(text) > 0 {
		s, size := reading(text)
		if s != "" && s != string(softHyphen) {
			return false
		}
		text = text[size:]
	}
	return true
}
