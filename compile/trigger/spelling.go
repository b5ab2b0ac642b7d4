package trigger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/grammar"
)

// canonical returns an expression in one of its spellings.
func canonical(n grammar.Expr) string { return spelling{}.of(n) }

// spelling writes expressions in one of their spellings. States know triggers by what it has written since
// the first of them, where a condition on members has what its program does to texts and fractions in it.
type spelling struct {
	fractions map[*grammar.Binary]bool // nil for people
	member    bool                     // inside a condition on members
}

// precedence says how tightly an operator binds; comparisons come between and and sums, signs after all.
var precedence = map[string]int{"or": 1, "and": 2, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5}

func precedenceOf(op string) int {
	if p, ok := precedence[op]; ok {
		return p
	}
	return 3
}

func (s spelling) of(n grammar.Expr) string {
	switch n := n.(type) {
	case *grammar.Literal:
		return literalText(n)
	case *grammar.Name:
		return n.Name
	case *grammar.Field:
		return n.Text
	case *grammar.Call:
		s.member = s.member || slices.Contains(conditionBuiltins(), n.Name)
		return n.Name + "(" + s.list(n.Args) + ")"
	case *grammar.Array:
		return "[" + s.list(n.Items) + "]"
	case *grammar.Unary:
		x := s.of(n.X)
		if b, is := n.X.(*grammar.Binary); is && !s.finite(b) {
			x = "(" + x + ")"
		}
		if n.Op == "not" {
			return "not " + x
		}
		return n.Op + x
	}
	b := n.(*grammar.Binary)
	left := s.side(b.Left, b, false)
	if s.fractions != nil && s.member && b.Op == "matches" {
		left = " bounded(" + s.of(b.Left) + ")"
	}
	all := left + " " + b.Op + " " + s.side(b.Right, b, true)
	if s.finite(b) {
		return " finite(" + all + ")"
	}
	return all
}

func (s spelling) finite(b *grammar.Binary) bool { return s.member && s.fractions[b] }

// side writes one side of an operation, in parentheses where it binds less tightly, or is an and or an or
// within the other of them.
func (s spelling) side(x grammar.Expr, of *grammar.Binary, right bool) string {
	outer, wrap := precedenceOf(of.Op), false
	switch x := x.(type) {
	case *grammar.Unary:
		wrap = x.Op == "not" && !right && outer == precedence["*"]
	case *grammar.Binary:
		inner := precedenceOf(x.Op)
		wrap = !s.finite(x) && (inner < outer || right && inner == outer || inner < 3 && x.Op != of.Op)
	}
	if wrap {
		return "(" + s.of(x) + ")"
	}
	return s.of(x)
}

func (s spelling) list(all []grammar.Expr) string {
	texts := make([]string, len(all))
	for i, x := range all {
		texts[i] = s.of(x)
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
