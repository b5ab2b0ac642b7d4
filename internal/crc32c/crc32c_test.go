package crc32c_test

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/aside-go/aside/internal/crc32c"
)

// TestChecksum: it is the sum that the standard library computes, at all lengths and on both sides of each bound.
func TestChecksum(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 300<<10)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	lengths := []int{256<<10 - 1, 256 << 10, 256<<10 + 1, len(b)}
	for n := range 100 {
		lengths = append(lengths, n)
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	for _, n := range lengths {
		if got, want := crc32c.Checksum(b[:n]), crc32.Checksum(b[:n], table); got != want {
			t.Errorf("%d bytes: %08x, want %08x", n, got, want)
		}
	}
}

func BenchmarkChecksum(b *testing.B) {
	text := make([]byte, 8<<10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		crc32c.Checksum(text)
	}
}
