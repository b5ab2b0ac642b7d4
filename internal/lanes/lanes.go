// Package lanes looks at many bytes of a JSON text at once. It knows nothing of JSON but how a string ends.
//
// On amd64 with AVX2 it looks at 64 bytes in a few instructions (lanes_amd64.s), elsewhere at eight; both find the same,
// which the tests hold. Its functions are pure and may be called concurrently.
package lanes

import (
	"encoding/binary"
	"math/bits"
)

// Block is how many bytes a bit mask is of.
const Block = 64

// Quotes sets mask[n] to the quotes among bytes 64n to 64n+63 of b that no backslash takes back: bit i is byte i. Past the
// end of b no bit is set. mask must hold a bit for each byte of b, and may hold more.
//
// escaped is 1 if what stands before b takes back its first byte, else 0. It returns the same for what follows b, which is
// right if the length of b is a multiple of 64.
func Quotes(mask []uint64, b []byte, escaped uint64) uint64 {
	n := len(b) / Block
	escaped = quotes(mask[:n], b[:n*Block], escaped)
	clear(mask[n:])
	if rest := b[n*Block:]; len(rest) > 0 {
		var last [Block]byte
		copy(last[:], rest)
		escaped = quotes(mask[n:n+1], last[:], escaped)
	}
	return escaped
}

// quotesByWords is quotes without any help of the machine's.
func quotesByWords(mask []uint64, b []byte, escaped uint64) uint64 {
	for n := range mask {
		var quotes, slashes uint64
		for i := range Block / 8 {
			w := binary.LittleEndian.Uint64(b[n*Block+8*i:])
			quotes |= equal(w, '"') << (8 * i)
			slashes |= equal(w, '\\') << (8 * i)
		}
		// A row of backslashes takes back every other byte from its second on. The subtraction carries through each row; the
		// odd bits say where it began. (Source: simdjson, find_escaped_branchless.)
		const odd = 0xaaaaaaaaaaaaaaaa
		begins := slashes &^ escaped
		row := (begins<<1 | odd) - begins ^ odd
		mask[n] = quotes &^ (row ^ (slashes | escaped))
		escaped = row & slashes >> 63
	}
	return escaped
}

// equal returns a bit for each byte of w that is c.
func equal(w uint64, c byte) uint64 {
	const ones, lows = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	w ^= ones * uint64(c)
	zero := ^(w&lows + lows | w | lows) // the high bit of each byte that is zero
	return zero >> 7 * 0x0102040810204080 >> 56
}

// some returns something if a byte of w is c: its high bit for the first one, and whatever for those behind it.
func some(w uint64, c byte) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	w ^= ones * uint64(c)
	return (w - ones) &^ w & highs
}

// Opening returns where in b the first byte stands that may begin a sign that opens a tag, -1 if none does: a < ＜ ﹤ or ≮ which a
// name may follow that begins with SY, blanks and slashes left out; the backslash of an escape that may say one of these, an & or a
// bracket. What stands at the end of b may go on in any way, but for a backslash.
func Opening(b []byte) int {
	i := 0
	for {
		n := opening(b[i:])
		if n < 0 {
			i += ^n
			break
		}
		if i += n; opens(b[i:]) {
			return i
		}
		i++
	}
	for ; i < len(b); i++ {
		if opens(b[i:]) {
			return i
		}
	}
	return -1
}

// ＜ is EF BC 9C, ﹤ is EF B9 A4. ≮ is E2 89 AE, and taken to begin at its second byte: E2 begins too much else.
const inWide, inNot = 0xef, 0x89

// opens reports whether Opening stops at the first byte of b.
func opens(b []byte) bool {
	switch b[0] {
	case '<':
		return mayName(b[1:])
	case inWide:
		return opensAs(b, "＜") || opensAs(b, "﹤")
	case inNot:
		return opensAs(b, "≮"[1:])
	case '\\':
		return len(b) > 1 && b[1] == 'u' && (len(b) == 2 || digit(b[2]))
	}
	return false
}

// opensAs reports whether b begins with a sign and may go on with the name of a tag.
func opensAs(b []byte, sign string) bool {
	n := min(len(b), len(sign))
	return string(b[:n]) == sign[:n] && mayName(b[n:])
}

// mayName reports whether what follows a < may read as the name of a tag: "sy", or what takes a closer look.
func mayName(b []byte) bool {
	want := byte('s')
	for _, c := range b {
		switch {
		case c == ' ' || c == '/' && want == 's':
		case strange(c):
			return true
		case c|0x20 != want || want == 'y':
			return c|0x20 == want
		default:
			want = 'y'
		}
	}
	return true
}

// strange reports whether a byte may be of an escape, of a tag inside of the name, of what cannot be seen or of what looks like a
// letter.
func strange(c byte) bool { return c < ' ' || c == '\\' || c == '<' || c == '&' || c >= 0x7f }

// digit reports whether the digits of an escape that opens a tag may begin with c: those of < ＜ ﹤ ≮, of & and of brackets.
func digit(c byte) bool { return c == '0' || c == '2' || c|0x20 == 'f' }

// suspect reports whether opens has to look at the first byte of b, of which there are three at least. It knows most by the two
// that follow.
func suspect(b []byte) bool { return after[0][b[1]]&after[1][b[2]] == 0 }

// after holds for the first byte behind a sign what must not be said of the second, and what is said of each second one.
var after = func() (t [2][256]uint8) {
	const something, nameless, noDigit = 1, 2, 4
	for i := range 256 {
		c := byte(i)
		t[1][c] = something
		if !strange(c) && c != ' ' && c != '/' && c|0x20 != 's' && c|0x20 != 'y' {
			t[1][c] |= nameless
		}
		if !digit(c) {
			t[1][c] |= noDigit
		}
		switch {
		case strange(c): // the second may be anything
		case c == ' ' || c == '/' || c|0x20 == 's':
			t[0][c] = nameless
		case c == 'u': // of an escape
			t[0][c] = noDigit
		default:
			t[0][c] = something
		}
	}
	return t
}()

// openingByWords is opening without any help of the machine's.
func openingByWords(b []byte) int {
	i := 0
	for ; len(b)-i >= 10; i += 8 { // two more than are looked at
		w, next := binary.LittleEndian.Uint64(b[i:]), binary.LittleEndian.Uint64(b[i+1:])
		if some(w, '<')|some(w, inWide)|some(w, inNot)|some(w, '\\')&some(next, 'u') == 0 {
			continue
		}
		for m := equal(w, '<') | equal(w, inWide) | equal(w, inNot) | equal(w, '\\')&equal(next, 'u'); m != 0; m &= m - 1 {
			if at := i + bits.TrailingZeros64(m); suspect(b[at:]) {
				return at
			}
		}
	}
	return ^i
}
