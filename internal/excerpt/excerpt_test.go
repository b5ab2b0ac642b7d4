package excerpt_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/excerpt"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	four := strings.Repeat("\x80", 4) // parts of no character
	for _, c := range []struct {
		s                 string
		n                 int
		head, tail, short string
	}{
		{"", 0, "", "", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcd", 3, "abc", "bcd", "abc…"},
		{"aé", 2, "a", "é", "a…"},
		{"éa", 2, "é", "a", "é…"},
		{"世界", 4, "世", "界", "世…"},
		{"😀😀", 7, "😀", "😀", "😀…"},
		{"😀", 3, "", "", "…"},
		{four + four + four, 8, four, four, four + "…"},
	} {
		head, tail, short := excerpt.Head(c.s, c.n), excerpt.Tail(c.s, c.n), excerpt.Of(c.s, c.n)
		if head != c.head || tail != c.tail || short != c.short {
			t.Errorf("%d bytes of %q are %q and %q, %q", c.n, c.s, head, tail, short)
		}
	}
	const mixed = "aé世😀"
	for n := range len(mixed) + 2 {
		head, tail := excerpt.Head(mixed, n), excerpt.Tail(mixed, n)
		for _, s := range []string{head, tail} {
			if !utf8.ValidString(s) || len(s) > n || len(s) < min(n, len(mixed))-3 {
				t.Errorf("%q is not up to %d bytes of %q", s, n, mixed)
			}
		}
		if !strings.HasPrefix(mixed, head) || !strings.HasSuffix(mixed, tail) {
			t.Errorf("%q does not begin with %q or end with %q", mixed, head, tail)
		}
	}
}

func TestRunes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{{"", 1, ""}, {"é", 1, "é"}, {"éa", 1, "…"}, {"éa", 2, "éa"}, {"éab", 2, "é…"}, {"世界世界", 3, "世界…"}} {
		if got := excerpt.Runes(c.s, c.n); got != c.want {
			t.Errorf("%d characters of %q are %q, want %q", c.n, c.s, got, c.want)
		}
	}
}
