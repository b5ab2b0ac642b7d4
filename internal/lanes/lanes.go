// Package lanes looks at many bytes of a JSON text at once. It knows nothing of JSON but how a string ends.
//
// On amd64 with AVX2 it looks at 64 bytes in a few instructions (lanes_amd64.s), elsewhere at eight; both find the same,
// which the tests hold. Its functions are pure and may be called concurrently.
package lanes

import "encoding/binary"

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
