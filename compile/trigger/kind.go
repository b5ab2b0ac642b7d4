package trigger

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// kind is the type of an expression: that of a fact, or a list that is written out.
type kind = condition.Type

const (
	kindTruth    = kind(fact.Bool)
	kindWhole    = kind(fact.Int)
	kindFraction = kind(fact.Number)
	kindRatio    = kind(fact.Ratio)
	kindDollars  = kind(fact.Dollars)
	kindDuration = kind(fact.Duration)
	kindString   = kind(fact.String)
	kindSet      = kind(fact.Set)
	kindCalls    = kind(fact.Calls)
	kindStrings  = condition.Strings
	kindNumbers  = condition.Numbers
)

// kindOf is a type with its article.
func kindOf(t fact.Type) string { return kind(t).String() }

func kindOfLiteral(n *grammar.Literal) kind {
	return [...]kind{grammar.Int: kindWhole, grammar.Decimal: kindFraction, grammar.Percent: kindRatio,
		grammar.Duration: kindDuration, grammar.Dollars: kindDollars, grammar.String: kindString,
		grammar.Bool: kindTruth}[n.Kind]
}

// beside returns the kind of an operand beside one of another kind: a bare number beside a ratio or an amount
// of money is one, and a percentage beside a number is a number.
func beside(op grammar.Op, v *typed, other kind) kind {
	lit, is := v.Literal()
	scales := op == "*" || op == "/"
	switch {
	case !is:
	case lit.Kind == grammar.Percent && (scales || other.Number()):
		return kindFraction
	case v.Type.Number() && !scales && (other == kindRatio || other == kindDollars):
		return other
	}
	return v.Type
}

// resultOf returns the kind of the expression "l op r", 0 if op does not apply to these kinds
// (LANGUAGE.md §2).
func resultOf(op grammar.Op, l, r kind) kind {
	numbers := l.Number() && r.Number()
	alike := numbers || l == r && l.Amount()
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
			(l.Number() || l == kindRatio) && r == kindNumbers
	case "contains", "startsWith", "endsWith":
		is = l == kindString && r == kindString
	case "+", "-":
		is, result = alike, max(l, r)
	case "*":
		is, result = numbers || l.Number() && r.Amount() || l.Amount() && r.Number(), max(l, r)
	case "/":
		is, result = alike || l.Amount() && r.Number(), l
		if alike {
			result = kindFraction
		}
	default: // %
		is, result = l == kindWhole && r == kindWhole, kindWhole
	}
	if !is {
		return 0
	}
	return result
}

// operandHint names the operands that an operator takes.
func operandHint(op grammar.Op, l, r kind) string {
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
		case !l.Amount() || !r.Amount():
			return "both sides are of one type"
		}
	}
	switch {
	case l == kindSet || r == kindSet:
		return "for how many there are: len(tool_used)"
	case !l.Amount() || !r.Amount():
		return "both sides are numbers"
	case op == "*" || op == "/":
		return "one side is a plain number, as in 2 * idle"
	default:
		return "both sides have the same unit, as in elapsed - idle > 5m"
	}
}
