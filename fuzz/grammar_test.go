package fuzz

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aside-go/aside/grammar"
)

// sameTree compares trees: places do not count, nor do blanks in general leaves.
var sameTree = cmp.Options{
	cmpopts.IgnoreTypes(grammar.Range{}),
	cmpopts.IgnoreFields(grammar.Trigger{}, "Source"),
	cmp.Transformer("spaced", func(x grammar.General) string {
		return grammar.Format(&grammar.Trigger{Root: &x})
	}),
	cmp.FilterPath(func(p cmp.Path) bool { // the text of a list is that of its values
		return p.Last().String() == ".Text" && p.Index(-2).Type().Name() == "Operand"
	},
		cmp.FilterValues(func(a, b string) bool { return strings.HasPrefix(a, "[") && strings.HasPrefix(b, "[") },
			cmp.Ignore())),
}

// FuzzL1ParseFormat asserts the laws of the grammar: L1 Parse(Format(t)) == t, L2 Format is idempotent, L3
// Parse never panics, L4 every diagnostic lies in the source on character boundaries and its fix removes it.
func FuzzL1ParseFormat(f *testing.F) {
	canonical, err := os.ReadFile("../grammar/testdata/canonical.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(canonical)) {
		f.Add(strings.TrimSuffix(line, "\n"))
	}
	for _, src := range []string{
		"", " ", "(", "not ", `"`, "a and ", "turn_count = 10", "tool_used bash", "a AND b", "“x”",
		"a\u00a0> 5", "a\x00b", "\xff", "x == a- b",
		"x ? a:\"q", "every 0 turns", "f(a,[b)", "1 < x < 5", "x == a//b", "x not in [a]", "a > = b",
		"x in a, b", "x == 4o-mini", "not:x", "{a: 1}",
		"!====", "(A0(0 00", "(A\"\"0\"00", "+A000*0s", "0 .0", "]]0", "A: Ʊ0", "A:\"\",,", "0%%",
		"0>A*0", "&(0%%+00", "after_tool:\":\"",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tree, ds := grammar.Parse(src)
		text := grammar.Format(tree)
		if !ds.HasErrors() {
			again, more := grammar.Parse(text)
			if len(more) > 0 {
				t.Fatalf("L1: %q is formatted as %q, which has errors: %v", src, text, more)
			}
			if d := cmp.Diff(tree, again, sameTree); d != "" {
				t.Fatalf("L1: %q is formatted as %q, which is another tree:\n%s", src, text, d)
			}
			if twice := grammar.Format(again); twice != text {
				t.Fatalf("L2: %q is formatted as %q, and that as %q", src, text, twice)
			}
		}
		for _, d := range ds {
			inside(t, src, d.Range)
			if d.Render([]byte(src)) == "" {
				t.Fatalf("%v renders as nothing", d)
			}
			if d.Fix != nil {
				inside(t, src, d.Fix.Range)
				removes(t, src, ds, d)
			}
		}
	})
}

// inside fails unless r lies in src, on character boundaries, with the right line and column.
func inside(t *testing.T, src string, r grammar.Range) {
	t.Helper()
	if r.Start.Offset < 0 || r.Start.Offset > r.End.Offset || r.End.Offset > len(src) {
		t.Fatalf("L4: %+v does not lie in the %d bytes of %q", r, len(src), src)
	}
	for _, p := range []grammar.Position{r.Start, r.End} {
		before := src[:p.Offset]
		lineStart := strings.LastIndexByte(before, '\n') + 1
		if p.Line != 1+strings.Count(before, "\n") || p.Column != 1+utf8.RuneCountInString(before[lineStart:]) {
			t.Fatalf("L4: %+v of %q has the wrong line or column", p, src)
		}
		boundary := p.Offset == len(src)
		for i := range src {
			boundary = boundary || i == p.Offset
		}
		if !boundary {
			t.Fatalf("L4: %+v of %q stands inside a character", p, src)
		}
	}
}

// removes fails unless applying the fix of d leaves fewer diagnostics of its code, or none at its place.
func removes(t *testing.T, src string, before grammar.Diagnostics, d grammar.Diagnostic) {
	t.Helper()
	fixed := src[:d.Fix.Range.Start.Offset] + d.Fix.Text + src[d.Fix.Range.End.Offset:]
	_, after := grammar.Parse(fixed)
	same := func(ds grammar.Diagnostics) (n int) {
		for _, o := range ds {
			if o.Code == d.Code {
				n++
			}
		}
		return n
	}
	if same(after) < same(before) {
		return
	}
	at := moved(d.Range.Start.Offset, *d.Fix)
	if slices.ContainsFunc(after, func(o grammar.Diagnostic) bool {
		return o.Code == d.Code && o.Range.Start.Offset == at && o.Message == d.Message
	}) {
		t.Fatalf("L4: %q: the fix of %v gives %q, in which it is still there", src, d, fixed)
	}
}

// moved is where an edit leaves what stood at an offset: what it replaced begins where the edit does.
func moved(offset int, e grammar.Edit) int {
	switch {
	case offset < e.Range.Start.Offset:
		return offset
	case offset < e.Range.End.Offset:
		return e.Range.Start.Offset
	}
	return offset + len(e.Text) - (e.Range.End.Offset - e.Range.Start.Offset)
}
