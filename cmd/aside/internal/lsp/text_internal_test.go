package lsp

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	stdutf16 "unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// naive counts a place by the words of the protocol: lines by their ends, columns by encoding the text
// before.
func naive(s string, off int, u units) position {
	// \x00 keeps nothing: columns restart behind it
	norm := strings.NewReplacer("\r\n", "\n\x00", "\r", "\n").Replace(s[:off])
	if off < len(s) && off > 0 && s[off-1] == '\r' && s[off] == '\n' {
		norm = strings.TrimSuffix(norm, "\n") + "\r" // between the two: not yet in the next line
	}
	line := strings.Count(norm, "\n")
	last := strings.ReplaceAll(norm[strings.LastIndexByte(norm, '\n')+1:], "\x00", "")
	switch u {
	case utf8s:
		return position{line, len(last)}
	case utf32:
		return position{line, utf8.RuneCountInString(last)}
	}
	return position{line, len(stdutf16.Encode([]rune(last)))}
}

var alphabet = []rune("ab\n\r\té🪟\u0301\uFEFF漢")

// TestPositions: each place of a text is found again from where the editor sees it, in all units.
func TestPositions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom(alphabet)).Draw(t, "text")
		x := newText(s)
		for _, u := range []units{utf16, utf8s, utf32} {
			for off := range s + "x" {
				if off > 0 && off < len(s) && s[off-1] == '\r' && s[off] == '\n' {
					continue // no place: both end the line
				}
				p := x.position(off, u)
				if want := naive(s, off, u); p != want {
					t.Fatalf("%s: %d of %q is %v, want %v", u, off, s, p, want)
				}
				if back := x.offset(p, u); back != off {
					t.Fatalf("%s: %d of %q is %v, and that is %d", u, off, s, p, back)
				}
			}
		}
	})
}

// TestChange: an editor and the server that gets its changes have the same text.
func TestChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SampledFrom([]units{utf16, utf8s, utf32}).Draw(t, "units")
		draw := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 12, -1)
		mine := draw.Draw(t, "text")
		x := newText(mine)
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			edge := func(name string) int {
				off := rapid.IntRange(0, len(mine)).Draw(t, name)
				for off < len(mine) && (!utf8.RuneStart(mine[off]) || off > 0 && mine[off-1] == '\r' &&
					mine[off] == '\n') {
					off++
				}
				return off
			}
			from, to := edge("from"), edge("to")
			if from > to {
				from, to = to, from
			}
			with := draw.Draw(t, "with")
			at := lspRange{naive(mine, from, u), naive(mine, to, u)}
			mine = mine[:from] + with + mine[to:]
			var err error
			if x, err = x.change(contentChange{Range: &at, Text: with}, u); err != nil {
				t.Fatal(err)
			}
			if x.s != mine {
				t.Fatalf("the editor has %q and the server %q", mine, x.s)
			}
		}
	})
}

// TestBeyond: places that are none are the nearest that are.
func TestBeyond(t *testing.T) {
	t.Parallel()
	x := newText("ab\r\n🪟c\n")
	for _, c := range []struct {
		at   position
		u    units
		want int
	}{
		{position{0, 99}, utf16, 2},
		{position{1, 1}, utf16, 4}, // inside of a surrogate pair
		{position{1, 2}, utf16, 8},
		{position{1, 2}, utf8s, 4}, // inside of a character
		{position{1, 2}, utf32, 9},
		{position{2, 0}, utf16, 10},
		{position{3, 0}, utf16, 10},
		{position{-1, 0}, utf16, 0},
		{position{0, -1}, utf16, 0},
	} {
		if got := x.offset(c.at, c.u); got != c.want {
			t.Errorf("%v in %s is %d, want %d", c.at, c.u, got, c.want)
		}
	}
	if _, err := x.change(contentChange{Range: &lspRange{position{1, 0}, position{0, 0}}}, utf16); err == nil {
		t.Error("a range that ends before it begins was taken")
	}
}

// apply applies replacements, none of which touches another.
func apply(src string, list []replacement) string {
	slices.SortFunc(list, func(a, b replacement) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, r := range list {
		b.WriteString(src[at:r.from])
		b.WriteString(r.text)
		at = r.to
	}
	b.WriteString(src[at:])
	return b.String()
}

// TestDifference: a difference turns the one text into the other, and touches no more than
// needed.
func TestDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringOf(rapid.SampledFrom(alphabet)).Draw(t, "before")
		b := rapid.StringOf(rapid.SampledFrom(alphabet)).Draw(t, "after")
		list := difference(a, b)
		for _, r := range list {
			if r.from < 0 || r.to < r.from || r.to > len(a) || !utf8.ValidString(a[:r.from]) ||
				!utf8.ValidString(r.text) {
				t.Fatalf("%q to %q: %v", a, b, list)
			}
		}
		if got := apply(a, list); got != b {
			t.Fatalf("%q to %q: %v comes to %q", a, b, list, got)
		}
	})
	if list := difference("a: 1\nb: 2\nc: 3\n", "a: 1\nb: 22\nc: 3\n"); len(list) != 1 || list[0].text != "2" {
		t.Errorf("got %v", list)
	}
}
