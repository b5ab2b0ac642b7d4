package grammar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/grammar"
)

func TestBad(t *testing.T) {
	t.Parallel()
	for _, c := range bad {
		t.Run(c.src, func(t *testing.T) {
			t.Parallel()
			tree, ds := grammar.Parse(c.src)
			var got []want
			for _, d := range ds {
				got = append(got, wantOf(c.src, d))
			}
			if d := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); d != "" {
				t.Errorf("%q (-want +got):\n%s", c.src, d)
			}
			if tree.Root == nil {
				t.Error("no tree")
			}
			grammar.Format(tree)
		})
	}
}

func wantOf(src string, d grammar.Diagnostic) want {
	s, e := d.Range.Start, d.Range.End
	w := want{code: string(d.Code), at: fmt.Sprintf("%d:%d-%d:%d", s.Line, s.Column, e.Line, e.Column),
		message: d.Message, hint: d.Hint}
	if d.Fix != nil {
		w.fixed = apply(src, *d.Fix)
	}
	return w
}

func apply(src string, e grammar.Edit) string {
	return src[:e.Range.Start.Offset] + e.Text + src[e.Range.End.Offset:]
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

// Each code of the package is met by at least one row, but those of the limits, and that of what never
// happens.
func TestBadMeetsEveryCode(t *testing.T) {
	t.Parallel()
	met := map[string]bool{"R0102": true, "R0103": true, "R0125": true}
	for _, c := range bad {
		for _, w := range c.want {
			met[w.code] = true
		}
	}
	for n := 1; n <= 27; n++ {
		// 26 was about units, which hold everywhere now.
		if code := fmt.Sprintf("R01%02d", n); !met[code] && n != 26 {
			t.Errorf("no row of bad has %s", code)
		}
	}
}

// One mistake hides no other: joined with and, all of them are still found.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	var parts, codes []string
	for _, c := range bad {
		// What has no end of its own, or stands at one, changes what is around it.
		if strings.ContainsAny(c.src, "\"'`“()（[]\x00") || strings.Contains(c.src, "and") || strings.Contains(c.src,
			"or") || strings.TrimSpace(c.src) == "" || strings.HasSuffix(c.src, "not") {
			continue
		}
		parts = append(parts, c.src)
		for _, w := range c.want {
			codes = append(codes, w.code)
		}
	}
	if len(parts) < 60 {
		t.Fatalf("only %d rows are left", len(parts))
	}
	_, ds := grammar.Parse(strings.Join(parts, " and "))
	var got []string
	for _, d := range ds {
		got = append(got, string(d.Code))
	}
	if d := cmp.Diff(codes, got); d != "" {
		t.Error(d)
	}
}
