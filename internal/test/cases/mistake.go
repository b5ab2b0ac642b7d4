package cases

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
	"github.com/google/go-cmp/cmp"
)

// Mistake is a source and a diagnostic of it: code, place, message, hint, and the edit that follows the hint.
type Mistake [6]string

// rows writes diagnostics as tables of mistakes do.
func rows(src string, diags grammar.Diagnostics) []Mistake {
	var out []Mistake
	for _, d := range diags {
		m := Mistake{src, string(d.Code),
			fmt.Sprintf("%d:%d-%d", d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Column), d.Message, d.Hint}
		if d.Fix != nil {
			m[5] = d.Fix.Text
		}
		out = append(out, m)
	}
	return out
}

// Check holds a table against what is said of each of its sources, and L4 for each diagnostic.
func Check(t *testing.T, table []Mistake, said func(src string) grammar.Diagnostics) {
	t.Helper()
	for i := 0; i < len(table); {
		src := table[i][0]
		j := i
		for j < len(table) && table[j][0] == src {
			j++
		}
		want := table[i:j]
		i = j
		t.Run(src, func(t *testing.T) {
			t.Parallel()
			diags := said(src)
			if diff := cmp.Diff(want, rows(src, diags)); diff != "" {
				t.Error(diff)
			}
			for _, d := range diags {
				followed(t, src, d, said)
			}
		})
	}
}

// followed checks L4: the range lies in src on character boundaries, and following the hint removes the
// diagnostic.
func followed(t *testing.T, src string, d grammar.Diagnostic, said func(src string) grammar.Diagnostics) {
	t.Helper()
	s, e := d.Range.Start.Offset, d.Range.End.Offset
	if s < 0 || e < s || e > len(src) || !utf8.ValidString(src[:s]) || !utf8.ValidString(src[s:e]) {
		t.Errorf("%v: the range %d-%d is not in %q", d, s, e, src)
		return
	}
	if want := 1 + utf8.RuneCountInString(src[strings.LastIndexByte(src[:s],
		'\n')+1:s]); d.Range.Start.Column != want {
		t.Errorf("%v: offset %d is column %d", d, s, want)
	}
	if d.Fix == nil {
		return
	}
	mended := src[:d.Fix.Range.Start.Offset] + d.Fix.Text + src[d.Fix.Range.End.Offset:]
	for _, o := range said(mended) {
		if o.Code == d.Code && o.Message == d.Message && o.Range.Start == d.Range.Start {
			t.Errorf("%v: still there in %q", d, mended)
		}
	}
}
