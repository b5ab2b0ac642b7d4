package trigger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/grammar"
)

// canonical returns an expression in one of its spellings.
func canonical(v *typed) string { return spelling{}.of(v) }

// spelling writes expressions in one of their spellings. States know triggers by what it has written since
// the first of them, where a condition on members has what its program does to texts and fractions in it.
type spelling struct {
	programs bool // not for people
	member   bool // inside a condition on members
}

func (s spelling) of(v *typed) string {
	switch n := v.Expr.(type) {
	case *grammar.Literal:
		return literalText(n)
	case *grammar.Name:
		return n.Name
	case *grammar.Field:
		return n.Text
	case *grammar.Call:
		s.member = s.member || slices.Contains(conditionBuiltins(), v.Op)
		return v.Op + "(" + s.list(v.Parts) + ")"
	case *grammar.Array:
		return "[" + s.list(v.Parts) + "]"
	}
	if len(v.Parts) == 1 {
		x := s.of(v.Parts[0])
		if isBinary(v.Parts[0]) && !s.finite(v.Parts[0]) {
			x = "(" + x + ")"
		}
		if v.Op == "not" {
			return "not " + x
		}
		return v.Op + x
	}
	left := s.side(v, 0)
	if s.programs && s.member && v.Op == "matches" {
		left = " bounded(" + s.of(v.Parts[0]) + ")"
	}
	all := left + " " + v.Op + " " + s.side(v, 1)
	if s.finite(v) {
		return " finite(" + all + ")"
	}
	return all
}

// isBinary reports whether v is an operation on two values.
func isBinary(v *typed) bool {
	_, is := v.Expr.(*grammar.Binary)
	return is && len(v.Parts) == 2
}

func (s spelling) finite(v *typed) bool {
	return s.programs && s.member && isBinary(v) && isFraction(v)
}

// side writes one side of an operation, in parentheses where it binds less tightly, or is an and or an or
// within the other of them.
func (s spelling) side(of *typed, i int) string {
	v, outer, wrap := of.Parts[i], grammar.Op(of.Op).Precedence(), false
	switch op := grammar.Op(v.Op); {
	case isBinary(v):
		inner := op.Precedence()
		joins := inner < grammar.Equal.Precedence()
		wrap = !s.finite(v) && (inner < outer || i == 1 && inner == outer || joins && v.Op != of.Op)
	case op == "not":
		wrap = i == 0 && outer > grammar.Op("+").Precedence()
	}
	if wrap {
		return "(" + s.of(v) + ")"
	}
	return s.of(v)
}

func (s spelling) list(all []*typed) string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = s.of(v)
	}
	return strings.Join(texts, ", ")
}

// literalText writes a literal so that 50% and 0.5, and 5m and 300s, are one text.
func literalText(n *grammar.Literal) string {
	switch n.Kind {
	case grammar.String:
		return strconv.Quote(n.Text)
	case grammar.Int:
		return strconv.FormatInt(int64(n.Number), 10)
	case grammar.Decimal, grammar.Percent:
		return fmt.Sprint(n.Number)
	case grammar.Dollars:
		if n.Number < 0 {
			return "-$" + fmt.Sprint(-n.Number)
		}
		return "$" + fmt.Sprint(n.Number)
	case grammar.Duration:
		return n.Duration.String()
	default:
		return n.Text
	}
}

// format is the canonical text of a part of a trigger.
func format(x grammar.Expr) string { return grammar.Format(&grammar.Trigger{Root: x}) }
