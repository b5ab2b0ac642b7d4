package grammar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/grammar"
)

// BenchmarkParse reads the canonical triggers, and longer and longer ones made of them.
func BenchmarkParse(b *testing.B) {
	triggers := canonical(b)
	b.Run("canonical", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			grammar.Parse(triggers[n%len(triggers)])
			n++
		}
	})
	for _, size := range []int{64, 512, 4096} {
		src := repeatTo("turn_count > 10 and ", size) + "a"
		b.Run(fmt.Sprintf("bytes=%d", len(src)), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				grammar.Parse(src)
			}
		})
	}
}

// BenchmarkFormat prints the canonical triggers.
func BenchmarkFormat(b *testing.B) {
	var trees []*grammar.Trigger
	for _, src := range canonical(b) {
		t, _ := grammar.Parse(src)
		trees = append(trees, t)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		grammar.Format(trees[n%len(trees)])
		n++
	}
}

// repeatTo repeats part as often as it fits into n bytes with one to spare.
func repeatTo(part string, n int) string { return strings.Repeat(part, (n-1)/len(part)) }
