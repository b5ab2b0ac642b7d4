package lines_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/lines"
)

// TestIndex compares an Index with counting from the beginning.
func TestIndex(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "a\nbc\n", "ä\r\n–x\n\n€", "a\x80\xffb\nc\xe2\x82",
		strings.Repeat("ab–c\n", 400), strings.Repeat("–", 171) + "x\n" + strings.Repeat("\x80", 600)} {
		x := lines.New(text)
		starts := []int{} // of characters
		for i := range text {
			starts = append(starts, i)
		}
		starts = append(starts, len(text))
		for nth, off := range starts {
			head := text[:off]
			line := 1 + strings.Count(head, "\n")
			column := 1 + utf8.RuneCountInString(head[strings.LastIndexByte(head, '\n')+1:])
			end := off
			if nth+1 < len(starts) {
				end = starts[nth+1] - 1
			}
			for at := off; at <= end; at++ {
				if l, c := x.At(at); l != line || c != column || x.Back(at) != off {
					t.Fatalf("%.20q at %d: %d:%d from %d, want %d:%d from %d", text, at, l, c, x.Back(at), line,
						column, off)
				}
			}
			for _, n := range []int{0, 1, 2, 511, 513} {
				if got, want := x.Forward(off, n), starts[min(nth+n, len(starts)-1)]; got != want {
					t.Fatalf("%.20q: %d behind %d is %d, want %d", text, n, off, got, want)
				}
			}
		}
		if got := len(x.Starts()); got != 1+strings.Count(text, "\n") {
			t.Errorf("%.20q has %d lines", text, got)
		}
	}
}
