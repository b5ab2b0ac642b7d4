package analysis

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/grammar"
)

// without is the edit that leaves a part out of a trigger: it, and the word that joins it to the others. It
// is nil where nothing would be left.
func without(t *grammar.Trigger, p place) *grammar.Edit {
	root, ok := drop(t.Root, p, new(int))
	if !ok || root == nil {
		return nil
	}
	want := grammar.Format(&grammar.Trigger{Root: root})
	at := part(t, p).Span()
	before, behind := t.Source[:at.Start.Offset], t.Source[at.End.Offset:]
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
				return &grammar.Edit{Range: between(t.Source, len(left), len(t.Source)-len(right))}
			}
		}
	}
	return &grammar.Edit{Range: whole(t), Text: want}
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

// drop returns x without the part at p; nil where that is x itself.
func drop(x grammar.Expr, p place, ord *int) (grammar.Expr, bool) {
	*ord++
	if *ord == p.ord {
		if p.member == 0 {
			return nil, true
		}
		return dropMember(x, p.member-1)
	}
	switch x := x.(type) {
	case *grammar.And:
		return dropTerm(x.Terms, p, ord, func(ts []grammar.Expr) grammar.Expr { return &grammar.And{Terms: ts} })
	case *grammar.Or:
		return dropTerm(x.Terms, p, ord, func(ts []grammar.Expr) grammar.Expr { return &grammar.Or{Terms: ts} })
	case *grammar.Not:
		k, done := drop(x.X, p, ord)
		if k == nil {
			return nil, done
		}
		return &grammar.Not{X: k}, done
	}
	return x, false
}

// dropTerm is drop for a part that joins terms.
func dropTerm(terms []grammar.Expr, p place, ord *int,
	join func([]grammar.Expr) grammar.Expr) (x grammar.Expr, done bool) {
	var out []grammar.Expr
	for _, k := range terms {
		n, hit := drop(k, p, ord)
		done = done || hit
		if n != nil {
			out = append(out, n)
		}
	}
	if done && len(out) == 1 {
		return out[0], true
	}
	return join(out), done
}

func dropMember(x grammar.Expr, i int) (grammar.Expr, bool) {
	switch x := x.(type) {
	case *grammar.Shorthand:
		if len(x.Args) > 1 && i < len(x.Args) {
			one := *x
			one.Args = slices.Delete(slices.Clone(x.Args), i, i+1)
			return &one, true
		}
	case *grammar.Comparison:
		if l := x.Right.List; len(l) > 1 && i < len(l) {
			one := *x
			one.Right.List = slices.Delete(slices.Clone(l), i, i+1)
			return &one, true
		}
	}
	return x, false
}

// either returns the edit that joins two neighbouring operands, the only ones of an "and", by "or"; nil
// where they are something else, or where "or" would be as useless.
func either(t *grammar.Trigger, from, to place) *grammar.Edit {
	for _, y := range parts(t.Root) {
		and, ok := y.(*grammar.And)
		if !ok || len(and.Terms) != 2 || and.Terms[0] != part(t, from) || and.Terms[1] != part(t, to) {
			continue
		}
		if and != t.Root {
			return nil
		}
		return &grammar.Edit{Range: whole(t), Text: grammar.Format(&grammar.Trigger{
			Root: &grammar.Or{Terms: and.Terms}})}
	}
	return nil
}

func between(src string, from, to int) grammar.Range {
	first := grammar.Position{Line: 1, Column: 1}
	return grammar.Range{Start: first.After(src[:from]), End: first.After(src[:to])}
}
