package lanes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainly is Quotes, a byte at a time.
func plainly(mask []uint64, b []byte, escaped uint64) uint64 {
	clear(mask)
	for i, c := range b {
		switch {
		case escaped == 1:
			escaped = 0
		case c == '\\':
			escaped = 1
		case c == '"':
			mask[i/Block] |= 1 << (i % Block)
		}
	}
	return escaped
}

// TestQuotes holds both ways against the plain one, on rows of backslashes of all lengths at all places and on noise.
func TestQuotes(t *testing.T) {
	t.Parallel()
	ways := map[string]func([]uint64, []byte, uint64) uint64{"here": Quotes, "by words": func(mask []uint64, b []byte, escaped uint64) uint64 {
		n := (len(b) + Block - 1) / Block
		clear(mask[n:])
		return quotesByWords(mask[:n], append(slices.Clone(b), make([]byte, n*Block-len(b))...), escaped)
	}}
	r := rand.New(rand.NewPCG(1, 2))
	var texts [][]byte
	for size := range 200 {
		b := make([]byte, size)
		for range 20 {
			for i := range b {
				b[i] = `\\\\""ab`[r.IntN(8)]
				if r.IntN(4) == 0 {
					b[i] = byte(r.IntN(256))
				}
			}
			texts = append(texts, slices.Clone(b))
		}
	}
	for at := range 70 {
		for row := range 140 {
			b := []byte(fmt.Sprintf("%*s%s\"\"", at, "", slices.Repeat([]byte{'\\'}, row)))
			texts = append(texts, b)
		}
	}
	for name, way := range ways {
		for _, b := range texts {
			for escaped := range uint64(2) {
				n := (len(b)+Block-1)/Block + 1
				want, got := make([]uint64, n), slices.Repeat([]uint64{^uint64(0)}, n)
				end, gotEnd := plainly(want, b, escaped), way(got, b, escaped)
				if !slices.Equal(got, want) || len(b)%Block == 0 && gotEnd != end {
					t.Fatalf("%s: %q after %d: %x and %d, want %x and %d", name, b, escaped, got, gotEnd, want, end)
				}
			}
		}
	}
}

func BenchmarkQuotes(b *testing.B) {
	text := slices.Repeat([]byte(`{"text":"return a < b \"quoted\"\n\t\tand so on, and so on"},`), 1<<20/60)
	mask := make([]uint64, len(text)/Block+1)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Quotes(mask, text, 0)
	}
}
