package analysis

import (
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
	if from, to, ok := stretch(t, p); ok {
		if after := t.Source[:from] + t.Source[to:]; means(after, want) {
			return &grammar.Edit{Range: between(t.Source, from, to)}
		}
	}
	return &grammar.Edit{Range: whole(t), Text: want}
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

// stretch returns the range to delete so that a part is left out: with the separator before it, or behind
// it for the first.
func stretch(t *grammar.Trigger, p place) (from, to int, ok bool) {
	all := parts(t.Root)
	x := all[p.ord-1]
	var spans []grammar.Range
	i := p.member - 1
	if p.member > 0 {
		for _, m := range grammar.Members(x) {
			spans = append(spans, m.Span())
		}
	} else {
		for _, y := range all {
			terms := grammar.Operands(y)
			for j, k := range terms {
				if k == x {
					i = j
					for _, s := range terms {
						spans = append(spans, s.Span())
					}
				}
			}
		}
	}
	if i < 0 || i >= len(spans) || len(spans) < 2 {
		return 0, 0, false
	}
	src := t.Source
	if i == 0 { // up to where the next begins, its own parentheses left alone
		gap := src[spans[0].End.Offset:spans[1].Start.Offset]
		closing := strings.Count(gap, ")")
		from = back(src, spans[0].Start.Offset, closing)
		to = spans[0].End.Offset + len(gap) - opening(gap)
		return from, to, from >= 0
	}
	gap := src[spans[i-1].End.Offset:spans[i].Start.Offset]
	from = spans[i-1].End.Offset + strings.LastIndex(gap, ")") + 1
	to = forward(src, spans[i].End.Offset, strings.Count(gap, "("))
	return from, to, to >= 0
}

// opening is how long the parentheses at the end of a gap are, from the first of them on.
func opening(gap string) int {
	if i := strings.IndexByte(gap, '('); i >= 0 {
		return len(gap) - i
	}
	return 0
}

// back goes over n opening parentheses before at; -1 if they are not there.
func back(src string, at, n int) int {
	for ; n > 0; n-- {
		at = len(strings.TrimRight(src[:at], " \t\r\n"))
		if at == 0 || src[at-1] != '(' {
			return -1
		}
		at--
	}
	return at
}

// forward goes over n closing parentheses behind at; -1 if they are not there.
func forward(src string, at, n int) int {
	for ; n > 0; n-- {
		at = len(src) - len(strings.TrimLeft(src[at:], " \t\r\n"))
		if at == len(src) || src[at] != ')' {
			return -1
		}
		at++
	}
	return at
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
