package condition

import (
	"cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Node is a part of a compiled trigger. It is immutable.
type Node struct {
	Expr grammar.Expr // as parsed
	Kids []*Node      // the operands of and, or, not
	Leaf *Leaf        // the condition; nil for and, or, not
	Eval func(*fact.Frame) fact.Truth
}

// New returns the node of a condition, whose Names of patterns and Reads need not be filled in.
func New(x grammar.Expr, l *Leaf, s *fact.Schema) *Node {
	l.complete()
	l.remember(s)
	return &Node{Expr: x, Leaf: l, Eval: l.recalled()}
}

// Join returns the and, or or not of kids that x is.
func Join(x grammar.Expr, kids []*Node) *Node {
	n := &Node{Expr: x, Kids: kids}
	switch x.(type) {
	case *grammar.And:
		n.Eval = junction(kids, fact.False)
	case *grammar.Or:
		n.Eval = junction(kids, fact.True)
	default:
		eval := kids[0].Eval
		n.Eval = func(f *fact.Frame) fact.Truth { return eval(f).Not() }
	}
	return n
}

// Walk visits n and all that is in it, in the order written.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, k := range n.Kids {
		k.Walk(visit)
	}
}

// Leaves visits the conditions of n, in the order written.
func (n *Node) Leaves(visit func(*Leaf)) {
	n.Walk(func(n *Node) {
		if n.Leaf != nil {
			visit(n.Leaf)
		}
	})
}

// Err returns why a condition of n, or a part of one, cannot be computed; nil if all can, or if a fact is
// unknown.
func (n *Node) Err(f *fact.Frame) (err error) {
	n.Leaves(func(l *Leaf) { err = cmp.Or(err, l.Err(f)) })
	return err
}

// junction is Kleene's and or or of kids: one that has the truth decides is enough for it. It stops there, as
// no later operand can change that.
func junction(kids []*Node, decides fact.Truth) func(*fact.Frame) fact.Truth {
	a, b, two := twoBounds(kids)
	switch {
	case two && decides == fact.False:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(a.id)*a.sign, f.Num(b.id)*b.sign
			if v > a.c && w > b.c {
				return fact.True
			}
			if v <= a.c || w <= b.c {
				return fact.False
			}
			return fact.Unknown
		}
	case two:
		return func(f *fact.Frame) fact.Truth {
			v, w := f.Num(a.id)*a.sign, f.Num(b.id)*b.sign
			if v > a.c || w > b.c {
				return fact.True
			}
			if v <= a.c && w <= b.c {
				return fact.False
			}
			return fact.Unknown
		}
	}
	fns := make([]func(*fact.Frame) fact.Truth, len(kids))
	for i, k := range kids {
		fns[i] = k.Eval
	}
	return func(f *fact.Frame) fact.Truth {
		t := decides.Not()
		for _, fn := range fns {
			switch u := fn(f); u {
			case decides:
				return u
			case fact.Unknown:
				t = u
			}
		}
		return t
	}
}

// twoBounds returns the operands of the commonest trigger, two comparisons of order. One closure for both
// meets the budget of a native trigger (DESIGN.md §6), and two closures do not.
func twoBounds(kids []*Node) (a, b bound, ok bool) {
	if len(kids) != 2 {
		return a, b, false
	}
	a, okA := boundOf(kids[0].Leaf)
	b, okB := boundOf(kids[1].Leaf)
	return a, b, okA && okB
}
