package grammar

import "time"

// Trigger is a parsed trigger. It is immutable.
type Trigger struct {
	Source string // as written
	Root   Expr
}

// Expr is a node of a trigger: *Or, *And, *Not, *Constant, *Shorthand, *Cadence, *Comparison, *Bare, *General
// or *Bad. Inside a General there are others.
type Expr interface {
	// Span returns where the node stands in Trigger.Source, without parentheses around it.
	Span() Range
}

// Or is true when any of its terms is. It has at least two; none of them is itself an Or.
type Or struct {
	Range
	Terms []Expr
}

// And is true when all of its terms are. It has at least two; none of them is itself an And.
type And struct {
	Range
	Terms []Expr
}

// Not is true when X is false.
type Not struct {
	Range
	X Expr
}

// Constant is always, never or manual.
type Constant struct {
	Range
	Name string
}

// Shorthand is NAME:ARG,ARG, such as after_tool:Edit,Write. Parse accepts any name.
type Shorthand struct {
	Range
	Name      string
	NameRange Range
	Args      []Arg // at least one
}

// Arg is one argument of a shorthand, without blanks around it.
type Arg struct {
	Range
	Text string // without quotes, if it has any
}

// CadenceUnit is the unit of a cadence.
type CadenceUnit uint8

const (
	// Turns counts turns, that is, evaluations.
	Turns CadenceUnit = iota
	// UserTurns counts messages that a person submitted.
	UserTurns
	// Elapsed measures time.
	Elapsed
)

// Cadence is every N turns, every N user turns, or every DURATION.
type Cadence struct {
	Range
	Unit     CadenceUnit
	N        int           // for Turns and UserTurns, at least 1
	Duration time.Duration // for Elapsed, more than 0
}

// Op is a comparison operator.
type Op uint8

// The operators, in the order of LANGUAGE.md §2.
const (
	Equal Op = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	In
	NotIn
)

// operator is how an Op is written, and those that it becomes.
type operator struct {
	text             string
	opposite, turned Op
}

var ops = [...]operator{
	Equal: {"==", NotEqual, Equal}, NotEqual: {"!=", Equal, NotEqual},
	Less: {"<", GreaterEqual, Greater}, LessEqual: {"<=", Greater, GreaterEqual},
	Greater: {">", LessEqual, Less}, GreaterEqual: {">=", Less, LessEqual},
	In: {"in", NotIn, In}, NotIn: {"not in", In, NotIn},
}

// String returns the operator as it is written.
func (o Op) String() string { return ops[o].text }

// Opposite returns the operator that holds where o does not: >= for <.
func (o Op) Opposite() Op { return ops[o].opposite }

// Turned returns the operator that means the same with the sides exchanged: 5 < x is x > 5.
func (o Op) Turned() Op { return ops[o].turned }

// Membership reports whether o asks for a member of a list: in, not in.
func (o Op) Membership() bool { return o == In || o == NotIn }

// Comparison is LEFT OP RIGHT. If one side is a Word and the other is not, the Word is the fact, and Parse
// puts it on the left: 5 < turn_count becomes turn_count > 5. Only In keeps its sides. If both are Words,
// only a schema can tell which of them is the fact.
type Comparison struct {
	Range
	Left, Right Operand
	Op          Op
	OpRange     Range
}

// Bare is a word that stands where a condition belongs, such as user_message. It has to be a fact of type
// bool, which Parse does not check.
type Bare struct {
	Range
	Name string
}

// General is a condition that computes, or asks about the members of a set or about the calls.
type General struct {
	Range
	Text string // as written
	X    Expr   // *Binary, *Unary, *Call, *Array, *Name, *Field or *Literal; so are its parts
}

// Binary is LEFT OP RIGHT. Op is or, and, a comparison, contains, startsWith, endsWith, matches, or one of
// + - * / %.
type Binary struct {
	Range
	Op          string
	OpRange     Range
	Left, Right Expr
}

// Unary is - X or not X.
type Unary struct {
	Range
	Op      string
	OpRange Range
	X       Expr
}

// Call is NAME(ARG, ARG).
type Call struct {
	Range
	Name      string
	NameRange Range
	Args      []Expr
}

// Array is [A, B], of any expressions.
type Array struct {
	Range
	Items []Expr
}

// Name is a bare word of an expression, perhaps with points in it: a fact.
type Name struct {
	Range
	Name string
}

// Field is # or .NAME: the member that a condition of any, all, none, one or count looks at, or its field.
type Field struct {
	Range
	Text string // as written
}

// Literal is a number, a text, true or false.
type Literal struct {
	Operand
}

// Bad stands where a condition is missing or cannot be read, which a diagnostic explains.
type Bad struct {
	Range
}

// Span implements Expr.
func (r Range) Span() Range { return r }

// Operands returns the parts that an and, an or or a not joins, and those of a part of an expression; none of
// a condition.
func Operands(x Expr) []Expr {
	switch x := x.(type) {
	case *And:
		return x.Terms
	case *Or:
		return x.Terms
	case *Not:
		return []Expr{x.X}
	case *Binary:
		return []Expr{x.Left, x.Right}
	case *Unary:
		return []Expr{x.X}
	case *Call:
		return x.Args
	case *Array:
		return x.Items
	}
	return nil
}

// Members returns a condition on a list as conditions on each of its members alone, where the members stand:
// tool_used in [Edit, Write] as tool_used == Edit and tool_used == Write. Those of a not in are what it
// denies.
func Members(x Expr) (all []Expr) {
	switch x := x.(type) {
	case *Shorthand:
		for i, a := range x.Args {
			one := *x
			one.Args, one.Range = x.Args[i:i+1], a.Range
			all = append(all, &one)
		}
	case *Comparison:
		for _, o := range x.Right.List {
			one := *x
			one.Op, one.Right, one.Range = Equal, o, o.Range
			all = append(all, &one)
		}
	}
	return all
}

// OperandKind is the form in which an operand of a comparison is written.
type OperandKind uint8

const (
	// Word is a bare word: a fact's name or an unquoted string.
	Word OperandKind = iota
	// Int is a whole number, perhaps with k or M for thousands or millions.
	Int
	// Decimal is a number with a decimal point.
	Decimal
	// Percent is a number with a percent sign.
	Percent
	// Duration is a number with a unit of time.
	Duration
	// Dollars is a number with a dollar sign before it.
	Dollars
	// String is a quoted text.
	String
	// Bool is true or false.
	Bool
	// List is [A, B, …], of operands that are not lists.
	List
)

// Operand is one side of a comparison.
type Operand struct {
	Range
	Kind OperandKind
	// as written, but without blanks between a sign and its number; for String, without quotes and escapes
	Text     string
	Number   float64       // for Int (4k is 4000), Decimal, Percent (75% is 0.75), and Dollars
	Duration time.Duration // for Duration
	List     []Operand     // for List
}
