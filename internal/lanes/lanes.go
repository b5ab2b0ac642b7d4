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

// Opening returns where in b the first byte stands that may begin a sign that opens a tag, -1 if none does: a < that a name
// with an S may follow, blanks left out; a byte of ＜ ﹤ ≮; the backslash of an escape in hexadecimal digits.
func Opening(b []byte) int {
	n := opening(b)
	if n < 0 {
		n = ^n
		for ; n < len(b); n++ {
			if opens(b, n) {
				return n
			}
		}
		return -1
	}
	return n
}

// opens reports whether Opening stops at byte i.
func opens(b []byte, i int) bool {
	switch b[i] {
	case '<', inWide, inNot:
		for i++; i < len(b); i++ {
			if b[i] != ' ' {
				return follows[b[i]]
			}
		}
		return true
	case '\\':
		return i+1 < len(b) && b[i+1] == 'u'
	}
	return false
}

// ＜ is EF BC 9C, ﹤ is EF B9 A4, ≮ is E2 89 AE; E2 begins too much else.
const inWide, inNot = 0xef, 0x89

// follows are the bytes with which a name may begin, the slash before it, an escape or a tag inside of it, what cannot be
// seen; and the later ones of a character.
var follows = func() (t [256]bool) {
	for c := range t {
		t[c] = c < ' ' || c == 's' || c == 'S' || c == '/' || c == '\\' || c == '<' || c == '&' || c >= 0x7f
	}
	return t
}()

// openingByWords is opening without any help of the machine's.
func openingByWords(b []byte) int {
	i := 0
	for ; len(b)-i > 8; i += 8 {
		w, next := binary.LittleEndian.Uint64(b[i:]), binary.LittleEndian.Uint64(b[i+1:])
		if some(w, '<')|some(w, inWide)|some(w, inNot)|some(w, '\\')&some(next, 'u') == 0 {
			continue
		}
		for m := equal(w, '<') | equal(w, inWide) | equal(w, inNot) | equal(w, '\\')&equal(next, 'u'); m != 0; m &= m - 1 {
			if at := i + bits.TrailingZeros64(m); opens(b, at) {
				return at
			}
		}
	}
	return ^i
}
