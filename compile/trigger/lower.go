package trigger

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// The typed tree of a trigger, of which package condition says what each kind of leaf asks.
type (
	leaf        = *condition.Leaf
	node        = condition.Node
	term        = condition.Term
	callPattern = condition.Pattern
	typed       = condition.Value
)

// checker gives the leaves of one trigger their types. It continues after an error, so that one pass finds
// all errors.
type checker struct {
	schema *fact.Schema
	tools  []string // names known to exist; empty means any
	src    string
	diags  grammar.Diagnostics
	before string // FACT OP that a word which is not a condition was meant to go on with, "" if none
	// of the expression that is checked: all that its programs mention, and what any, all, none, one or count
	// goes over, inside its condition
	inputs map[string]*input
	over   *fact.Fact
}

// trigger parses and checks src. The node is nil if there is an error among the diagnostics.
func (c *checker) trigger() (tree *grammar.Trigger, root *node, moment fact.Moment) {
	tree, c.diags = grammar.Parse(c.src)
	if root = c.lower(tree.Root); root != nil {
		moment = c.moments(root)
	}
	if c.diags.Sort(); c.diags.HasErrors() {
		root = nil
	}
	return tree, root, moment
}

// lower checks x and joins its leaves. It returns nil if anything in x is wrong, after having looked at all
// of it.
func (c *checker) lower(x grammar.Expr) *node {
	switch x.(type) {
	case *grammar.And, *grammar.Or, *grammar.Not:
	default:
		if l := c.leaf(x); l != nil {
			return condition.New(x, l, c.schema)
		}
		return nil
	}
	terms := grammar.Operands(x)
	var kids []*node
	before := ""
	if _, not := x.(*grammar.Not); not {
		before = strings.Replace(c.before, " != ", " == ", 1)
	}
	for _, t := range terms {
		c.before = before
		before = c.goesOn(x, t)
		if kid := c.lower(t); kid != nil {
			kids = append(kids, kid)
		}
	}
	if len(kids) < len(terms) {
		return nil
	}
	return condition.Join(x, kids)
}

// goesOn returns the beginning that a bare word after term probably lacks: in FACT == A or B it is "FACT ==
// ", in FACT != A or B, which would be true of nearly everything, "FACT not in [A, ".
func (c *checker) goesOn(in, term grammar.Expr) string {
	switch term := term.(type) {
	case *grammar.Name:
		if _, ok := c.schema.Lookup(term.Name); !ok {
			if strings.Contains(c.before, "[") {
				return c.before + term.Name + ", "
			}
			return c.before
		}
	case *grammar.Shorthand:
		if _, or := in.(*grammar.Or); or && (term.Name == "after_tool" || term.Name == "tool_failed" ||
			term.Name == "thread") {
			return term.Name + ":"
		}
	case *grammar.Binary:
		if left, is := term.Left.(*grammar.Name); is && term.Op.Opposite() != "" && term.Op.Turned() == "" &&
			!term.Op.Membership() { // a word, whose texts are quoted
			return left.Name + " " + term.Op.String() + ` "`
		}
		l, r, ok := values(term)
		_, and := in.(*grammar.And)
		ft, isFact := c.schema.Lookup(l.Text)
		if !isFact { // main == branch
			l, r = r, l
			ft, _ = c.schema.Lookup(l.Text)
		}
		switch {
		case !ok || ft.Type != fact.String && ft.Type != fact.Set:
		case term.Op == grammar.NotEqual && !and:
			return ft.Name + " not in [" + c.source(r) + ", "
		case term.Op == grammar.NotEqual || term.Op == grammar.Equal && !and:
			return ft.Name + " " + term.Op.String() + " "
		}
	}
	return ""
}

// moments returns the moment at which a trigger is evaluated, and reports where its parts belong to
// different ones (LANGUAGE.md §1, Two moments beside the turn).
func (c *checker) moments(n *node) fact.Moment {
	switch {
	case n.Leaf == nil:
	case n.Leaf.Kind == condition.Before:
		return fact.BeforeTool
	case n.Leaf.Kind == condition.Stopping:
		return fact.Stopping
	}
	moment := fact.Turn
	for _, k := range n.Kids {
		m := c.moments(k)
		switch {
		case m == fact.Turn:
		case moment == fact.Turn:
			moment = m
		case m != moment:
			c.report(code.MixedMoments, k.Expr.Span(), "before_tool and stopping are two moments",
				"write a reminder for each of them")
			return m
		}
	}
	if moment == fact.Turn {
		return moment
	}
	switch n.Expr.(type) {
	case *grammar.Not:
		c.report(code.MixedMoments, n.Expr.Span(), moment.String()+" names a moment, which has no opposite",
			"write it without not: the trigger is read at that moment alone")
	case *grammar.Or:
		for _, k := range n.Kids {
			if quiet := (&checker{schema: c.schema}); quiet.moments(k) == fact.Turn {
				c.report(code.MixedMoments, k.Expr.Span(),
					"this branch is read on turns, and the other one at the moment "+moment.String(),
					"write a reminder for each of them, or join them with and")
				break
			}
		}
	}
	return moment
}
