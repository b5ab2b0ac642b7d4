package lanes

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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

// TestOpening holds both ways against the plain one, on each sign at all places, and on noise.
func TestOpening(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var texts [][]byte
	for _, s := range []string{"<s", "<b", "<  S", "<", "< ", "<  b", "<\\", "</", "\\u003c", "\\n", "\\", "＜", "﹤", "≮", "\xef", "\x89", "\xefb", "→é≥", "<b<s", "<<", "<sy", "<sx", "</sb", "< / s y", "＜sy", "＜b", "，", "≮ S", "≮b", "\x89\xae", "\\u2", "\\uF", "\\u4", "<u"} {
		for at := range 140 {
			for behind := 0; behind < 70; behind += 3 {
				texts = append(texts, []byte(fmt.Sprintf("%*s%s%*s", at, "", s, behind, "")), []byte(strings.Repeat("u", at)+s+strings.Repeat("a", behind)))
			}
		}
	}
	for c := range 256 { // each byte, in whole blocks
		texts = append(texts, slices.Concat(bytes.Repeat([]byte{'a'}, 70), []byte{byte(c), 's'}, bytes.Repeat([]byte{'a'}, 130)), bytes.Repeat([]byte{byte(c)}, 200))
	}
	for size := range 300 {
		b := make([]byte, size)
		for i := range b {
			b[i] = "<\\u \xef\x89sy/0aaaaaaaaaaaaaaaaaaaaaa"[r.IntN(32)]
		}
		texts = append(texts, b)
	}
	for _, b := range texts {
		want := -1
		for i := range b {
			if opens(b[i:]) {
				want = i
				break
			}
		}
		if got := Opening(b); got != want {
			t.Fatalf("%q: %d, want %d", b, got, want)
		}
		for name, way := range map[string]func([]byte) int{"here": opening, "by words": openingByWords} {
			switch got := way(b); {
			case got < 0 && want >= 0 && want < ^got, got >= 0 && want >= 0 && want < got:
				t.Fatalf("%s: %q: %d, past %d", name, b, got, want)
			case got >= 0 && !suspect(b[got:]):
				t.Fatalf("%s: %q: %d, where nothing is", name, b, got)
			}
		}
	}
}

func BenchmarkOpening(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"none", `return a, b \"quoted\"\n\t\tand so on -> (b) and so on.`}, {"dense", `return a, b \"quoted\"\n\t\tand so on → <b>and so on`},
		{"less", `func less(a, b int) bool {\n\treturn a < b // größer\n}\n`},
	} {
		text := slices.Repeat([]byte(c.text), 1<<20/len(c.text))
		for name, way := range map[string]func([]byte) int{"here": Opening, "words": openingByWords} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if way(text) >= 0 {
						b.Fatal()
					}
				}
			})
		}
	}
}

func BenchmarkQuotes(b *testing.B) {
	text := slices.Repeat([]byte(`{"text":"return a < b \"quoted\"\n\t\tand so on, and so on"},`), 1<<20/64)
	text = text[:len(text)/Block*Block]
	mask := make([]uint64, len(text)/Block)
	for name, way := range map[string]func([]uint64, []byte, uint64) uint64{"here": Quotes, "words": quotesByWords} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				way(mask, text, 0)
			}
		})
	}
}
