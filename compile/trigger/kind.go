package trigger

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// kind is the type of an expression: that of a fact, or a list that is written out.
type kind fact.Type

const (
	kindWrong    kind = iota // an error was reported
	kindTruth         = kind(fact.Bool)
	kindWhole         = kind(fact.Int)
	kindFraction      = kind(fact.Number)
	kindRatio         = kind(fact.Ratio)
	kindDollars       = kind(fact.Dollars)
	kindDuration      = kind(fact.Duration)
	kindString        = kind(fact.String)
	kindSet           = kind(fact.Set)
	kindCalls         = kind(fact.Calls)
	kindStrings       = kindCalls + 1
	kindNumbers       = kindCalls + 2
)

func (k kind) String() string {
	return [...]string{"", "true or false", "a whole number", "a number", "a ratio", "an amount in dollars",
		"a duration", "a string", "a set of string", "a list of calls", "a list of strings", "a list of numbers"}[k]
}

// kindOf is a type with its article.
func kindOf(t fact.Type) string { return kind(t).String() }

// number reports whether k is a number without a unit.
func (k kind) number() bool { return k == kindWhole || k == kindFraction }

// amount reports whether k is a number, perhaps with a unit.
func (k kind) amount() bool { return k >= kindWhole && k <= kindDuration }

func kindOfLiteral(n *grammar.Literal) kind {
	return [...]kind{grammar.Int: kindWhole, grammar.Decimal: kindFraction, grammar.Percent: kindRatio,
		grammar.Duration: kindDuration, grammar.Dollars: kindDollars, grammar.String: kindString,
		grammar.Bool: kindTruth}[n.Kind]
}

// beside returns the kind of the operand x, which is k by itself, beside one of another kind: a bare number
// beside a ratio or an amount of money is one, and a percentage beside a number is a number.
func beside(op string, x grammar.Expr, k, other kind) kind {
	lit, is := literalOf(x)
	scales := op == "*" || op == "/"
	switch {
	case !is:
	case lit.Kind == grammar.Percent && (scales || other.number()):
		return kindFraction
	case k.number() && !scales && (other == kindRatio || other == kindDollars):
		return other
	}
	return k
}

// resultOf returns the kind of the expression "l op r", kindWrong if op does not apply to these kinds
// (LANGUAGE.md §2).
func resultOf(op string, l, r kind) kind {
	numbers := l.number() && r.number()
	alike := numbers || l == r && l.amount()
	is, result := false, kindTruth
	switch op {
	case "and", "or":
		is = l == kindTruth && r == kindTruth
	case "==", "!=":
		is = alike || l == r && (l == kindTruth || l == kindString)
	case "<", "<=", ">", ">=":
		is = alike
	case "in":
		is = l == kindString && (r == kindSet || r == kindStrings) ||
			(l.number() || l == kindRatio) && r == kindNumbers
	case "contains", "startsWith", "endsWith":
		is = l == kindString && r == kindString
	case "+", "-":
		is, result = alike, max(l, r)
	case "*":
		is, result = numbers || l.number() && r.amount() || l.amount() && r.number(), max(l, r)
	case "/":
		is, result = alike || l.amount() && r.number(), l
		if alike {
			result = kindFraction
		}
	default: // %
		is, result = l == kindWhole && r == kindWhole, kindWhole
	}
	if !is {
		return kindWrong
	}
	return result
}

// operandHint names the operands that an operator takes.
func operandHint(op string, l, r kind) string {
	switch op {
	case "and", "or":
		return "both sides are conditions"
	case "in":
		return "a text is in a set or a list, a number in a list"
	case "contains", "startsWith", "endsWith":
		if l == kindSet {
			return "compare the set with a quoted text"
		}
		return "both sides are strings"
	case "%":
		return "both sides are whole numbers; a percentage stands in a comparison alone, as in " +
			"context_usage > 75%"
	case "==", "!=":
		switch {
		case l == kindSet || r == kindSet:
			return "a set is compared with a quoted text"
		case !l.amount() || !r.amount():
			return "both sides are of one type"
		}
	}
	switch {
	case l == kindSet || r == kindSet:
		return "for how many there are: len(tool_used)"
	case !l.amount() || !r.amount():
		return "both sides are numbers"
	case op == "*" || op == "/":
		return "one side is a plain number, as in 2 * idle"
	default:
		return "both sides have the same unit, as in elapsed - idle > 5m"
	}
}

// literalOf returns the literal that n is, perhaps behind a minus.
func literalOf(n grammar.Expr) (*grammar.Literal, bool) {
	if u, ok := n.(*grammar.Unary); ok && u.Op == "-" {
		l, ok := literalOf(u.X)
		return l, ok && l.Kind != grammar.String && l.Kind != grammar.Bool
	}
	l, ok := n.(*grammar.Literal)
	return l, ok
}
