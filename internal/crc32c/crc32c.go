// Package crc32c computes CRC-32C, as hash/crc32 does with crc32.Castagnoli, for processes that live for a few milliseconds: what
// that package prepares before its first sum takes longer than all their sums together. It does no I/O and may be called concurrently.
package crc32c

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
)

// long is from how many bytes on it pays to prepare.
const long = 256 << 10

// Checksum returns the CRC-32C of b.
func Checksum(b []byte) uint32 {
	if len(b) >= long {
		return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	}
	t := tables()
	c := ^uint32(0)
	for ; len(b) >= 8; b = b[8:] {
		c ^= binary.LittleEndian.Uint32(b)
		d := binary.LittleEndian.Uint32(b[4:])
		c = t[7][byte(c)] ^ t[6][byte(c>>8)] ^ t[5][byte(c>>16)] ^ t[4][c>>24] ^
			t[3][byte(d)] ^ t[2][byte(d>>8)] ^ t[1][byte(d>>16)] ^ t[0][d>>24]
	}
	for _, x := range b {
		c = t[0][byte(c)^x] ^ c>>8
	}
	return ^c
}

// tables are for eight bytes at a time: entry i of table n is what a byte i adds n bytes later.
var tables = sync.OnceValue(func() *[8][256]uint32 {
	t := new([8][256]uint32)
	for i := range t[0] {
		c := uint32(i)
		for range 8 {
			c = c>>1 ^ crc32.Castagnoli&-(c&1)
		}
		t[0][i] = c
	}
	for i := range t[0] {
		for n := 1; n < 8; n++ {
			c := t[n-1][i]
			t[n][i] = t[0][byte(c)] ^ c>>8
		}
	}
	return t
})
