package body

import (
	"math/rand/v2"
	"testing"
)

// TestOffset holds the way back from a decoded string against decoding it a byte at a time, in any order.
func TestOffset(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", `\n`, `\u00e9`, "é", `\ud83d\ude00`, `\\`, `\"`, `\u20ac`, "<", "abcdefgh"}
	for range 10_000 {
		var raw []byte
		for range r.IntN(12) {
			raw = append(raw, pieces[r.IntN(len(pieces))]...)
		}
		var want []int // for each byte, and the end
		for i := 0; i < len(raw); {
			out, next := raw[i:i+1], i+1
			if raw[i] == '\\' {
				out, next = unescape(nil, raw, i)
			}
			for range out {
				want = append(want, i)
			}
			i = next
		}
		want = append(want, len(raw))
		s := decode(raw, Span{0, len(raw)})
		for range 20 {
			if i := r.IntN(len(want)); s.offset(i) != want[i] {
				t.Fatalf("%q: byte %d at %d, want %d", raw, i, s.offset(i), want[i])
			}
		}
	}
}
