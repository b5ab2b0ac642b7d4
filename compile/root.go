package compile

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// Root returns the tree of the trigger; nil for a Func. Each call makes a new one.
func (p *Predicate) Root() *condition.Node {
	if p.root == nil {
		return nil
	}
	return p.root.export()
}

// Schema returns the schema that the trigger was compiled with; nil for a Func.
func (p *Predicate) Schema() *fact.Schema { return p.schema }

func (n *node) export() *condition.Node {
	out := &condition.Node{Expr: n.expr}
	if n.leaf != nil {
		o := exported(n.leaf)
		out.Leaf = &o
		return out
	}
	out.Kids = make([]*condition.Node, len(n.kids))
	for i, k := range n.kids {
		out.Kids[i] = k.export()
	}
	return out
}

// exported returns a leaf in its exported form.
func exported(l leaf) condition.Leaf {
	switch l := l.(type) {
	case constant:
		return condition.Leaf{Kind: condition.Constant, Truth: fact.Truth(l)}
	case number:
		return condition.Leaf{Kind: condition.Number, Fact: l.id, Op: l.op, Numbers: []float64{l.c}}
	case numberIn:
		return condition.Leaf{Kind: condition.NumberIn, Fact: l.id, Numbers: l.cs, Not: l.not}
	case numbers:
		return condition.Leaf{Kind: condition.Facts, Fact: l.a, Other: l.b, Op: l.op}
	case boolean:
		o := condition.Leaf{Kind: condition.Number, Fact: l.id, Op: grammar.Equal, Numbers: []float64{1}}
		if l.not {
			o.Numbers[0] = 0
		}
		return o
	case text:
		return condition.Leaf{Kind: condition.Text, Fact: l.id, Names: l.vs, Not: l.not}
	case members:
		return condition.Leaf{Kind: condition.Members, Fact: l.id, Names: texts(l.ps), Not: l.not}
	case memberOf:
		return condition.Leaf{Kind: condition.MemberOf, Fact: l.text, Other: l.set, Not: l.not}
	case memberLike:
		return condition.Leaf{Kind: condition.MemberLike, Fact: l.id, Word: l.op, Names: []string{l.text}}
	case called:
		return condition.Leaf{Kind: condition.Called, Names: patternTexts(l.ps), Not: l.not}
	case failed:
		if l.names != nil {
			return condition.Leaf{Kind: condition.Failed, Names: patternTexts(l.ps)}
		}
		return condition.Leaf{Kind: condition.FailedCall, Names: patternTexts(l.ps)}
	case before:
		return condition.Leaf{Kind: condition.Before, Names: patternTexts(l.ps)}
	case stopping:
		return condition.Leaf{Kind: condition.Stopping}
	case cadence:
		return condition.Leaf{Kind: condition.Cadence, Unit: l.unit, N: l.n, Every: l.d}
	case reading:
		if l.t.name != "len" && !slices.ContainsFunc(functions[:],
			func(f function) bool { return f.name == l.t.name }) { // any, count and the like
			return condition.Leaf{Kind: condition.General, Reads: l.reads()}
		}
		o := condition.Leaf{
			Kind: condition.Function, Op: l.op, Numbers: []float64{l.c}, Function: l.t.name,
			Argument: l.t.arg,
		}
		if len(l.t.ids) > 0 {
			o.Fact = l.t.ids[0]
		}
		if slices.ContainsFunc(l.t.patterns, func(p callPattern) bool { return p.name == nil }) ||
			len(l.t.patterns) > 1 {
			o.Kind, o.Names = condition.CallFunction, patternTexts(l.t.patterns)
		}
		return o
	default: // *general
		return condition.Leaf{Kind: condition.General, Reads: l.reads()}
	}
}

func texts(ps []*pattern) []string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = p.text
	}
	return out
}

func patternTexts(ps []callPattern) []string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = p.String()
	}
	return out
}
