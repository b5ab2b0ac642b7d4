package condition

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Value is an expression, or a part of one, with its type. Its parts follow the source, with one exception:
// an operator such as "not in" becomes a "not" around "in".
type Value struct {
	Expr  grammar.Expr // as parsed
	Type  Type
	Op    string   // an operator, the name of a function, "[" for a list; "" for a literal, a fact or a field
	Parts []*Value // what Op takes
	Term  *Term    // what stands here as a whole: a fact, or what is asked of the past, of a set, of calls
	Fact  fact.Fact
}

// Type is the type of an expression: that of a fact, or a list that is written out.
type Type fact.Type

// The types beside those of facts.
const (
	Strings = Type(fact.Calls) + 1
	Numbers = Type(fact.Calls) + 2
)

// String returns the type with its article.
func (t Type) String() string {
	return [...]string{"", "true or false", "a whole number", "a number", "a ratio", "an amount in dollars",
		"a duration", "a string", "a set of string", "a list of calls", "a list of strings",
		"a list of numbers"}[t]
}

// Number reports whether t is a number without a unit.
func (t Type) Number() bool { return t == Type(fact.Int) || t == Type(fact.Number) }

// Amount reports whether t is a number, perhaps with a unit.
func (t Type) Amount() bool { return t >= Type(fact.Int) && t <= Type(fact.Duration) }

// Literal returns the literal that v is, perhaps behind a minus.
func (v *Value) Literal() (*grammar.Literal, bool) {
	if v.Op == "-" && len(v.Parts) == 1 {
		l, ok := v.Parts[0].Literal()
		return l, ok && l.Kind != grammar.String && l.Kind != grammar.Bool
	}
	l, ok := v.Expr.(*grammar.Literal)
	return l, ok
}
