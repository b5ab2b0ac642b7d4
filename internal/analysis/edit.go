package analysis

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/grammar"
)

// without is the edit that leaves the part at a place out of a trigger: it, and the word that joins it to the
// others. It is nil where nothing would be left.
func without(src string, root grammar.Expr, at grammar.Range) *grammar.Edit {
	left := drop(root, at)
	if left == nil {
		return nil
	}
	want := format(left)
	before, behind := src[:at.Start.Offset], src[at.End.Offset:]
	lefts, rights := []int{len(before)}, []int{0}
	for _, x := range slices.Backward(pieces.FindAllStringIndex(before, -1)) {
		lefts = append(lefts, x[0])
	}
	for _, x := range pieces.FindAllStringIndex(behind, maxCuts) {
		rights = append(rights, x[1])
	}
	for n := range maxCuts { // with the word or comma before it, or else behind it
		for k := max(0, n+1-len(lefts)); k <= n && k < len(rights); k++ {
			left, right := before[:lefts[n-k]], behind[rights[k]:]
			if tidy(left, right) && means(left+right, want) {
				return &grammar.Edit{Range: between(src, len(left), len(src)-len(right))}
			}
		}
	}
	return &grammar.Edit{Range: between(src, 0, len(src)), Text: want}
}

// maxCuts bounds how many pieces beside a part are left out with it.
const maxCuts = 12

// pieces are the blanks, words and signs of a trigger.
var pieces = regexp.MustCompile(`(?s)\s+|\pL+|.`)

// tidy reports whether no blank is too much where two texts meet.
func tidy(left, right string) bool {
	open := left == "" || strings.HasSuffix(left, " ") || strings.HasSuffix(left, "(")
	shut := right == "" || strings.HasPrefix(right, " ") || strings.HasPrefix(right, ")")
	return !(open && strings.HasPrefix(right, " ")) && !(shut && strings.HasSuffix(left, " "))
}

// means reports whether a text is a trigger of that canonical form.
func means(src, canonical string) bool {
	t, ds := grammar.Parse(src)
	return !ds.HasErrors() && grammar.Format(t) == canonical
}

// drop returns x without the part at a place; nil where that is all of x.
func drop(x grammar.Expr, at grammar.Range) grammar.Expr {
	if x.Span() == at {
		return nil
	}
	var terms []grammar.Expr
	for _, k := range grammar.Operands(x) {
		if k = drop(k, at); k != nil {
			terms = append(terms, k)
		}
	}
	switch x := x.(type) {
	case *grammar.And:
		if len(terms) > 1 {
			return &grammar.And{Terms: terms}
		}
		return terms[0]
	case *grammar.Or:
		if len(terms) > 1 {
			return &grammar.Or{Terms: terms}
		}
		return terms[0]
	case *grammar.Not:
		if terms == nil {
			return nil
		}
		return &grammar.Not{X: terms[0]}
	case *grammar.Shorthand:
		one := *x
		one.Args = slices.DeleteFunc(slices.Clone(x.Args), func(a grammar.Arg) bool { return a.Range == at })
		return &one
	case *grammar.Comparison:
		one := *x
		one.Right.List = slices.DeleteFunc(slices.Clone(x.Right.List),
			func(o grammar.Operand) bool { return o.Range == at })
		return &one
	}
	return x
}

func between(src string, from, to int) grammar.Range {
	first := grammar.Position{Line: 1, Column: 1}
	return grammar.Range{Start: first.After(src[:from]), End: first.After(src[:to])}
}
