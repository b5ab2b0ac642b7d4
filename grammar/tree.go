package grammar

import "time"

// Trigger is a parsed trigger. It is immutable.
type Trigger struct {
	Source string // as written
	Root   Expr
}

// Expr is a node of a trigger: *Or, *And, *Not, *Constant, *Shorthand, *Cadence, *Comparison, *Bare, *General or *Bad.
type Expr interface {
	// Span is where the node stands in the trigger's source, parentheses around it left out.
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

// Not turns the truth of its operand round.
type Not struct {
	Range
	X Expr
}

// Constant is always, never or manual.
type Constant struct {
	Range
	Name string
}

// Shorthand is NAME:ARG,ARG. Grammar does not know which names exist.
type Shorthand struct {
	Range
	Name      string
	NameRange Range
	Args      []Arg // at least one
}

// Arg is one argument of a shorthand, without blanks around it.
type Arg struct {
	Range
	Text string // as written; of a quoted one its value
}

// CadenceUnit is what a cadence counts.
type CadenceUnit uint8

const (
	// Turns counts evaluations.
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
	N        int           // turns or user turns, at least 1
	Duration time.Duration // of Elapsed, more than 0
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
)

// String returns the operator as it is written.
func (o Op) String() string {
	return [...]string{"==", "!=", "<", "<=", ">", ">=", "in"}[o]
}

// Comparison is LEFT OP RIGHT. Which side is the fact only a schema can tell when both are words;
// otherwise Parse has put the fact on the left, turning the operator round where it had to (but for In).
type Comparison struct {
	Range
	Left, Right Operand
	Op          Op
	OpRange     Range
}

// Bare is a lone word where a condition is wanted: a fact of type bool, if it exists.
type Bare struct {
	Range
	Name string
}

// General is an operand that only expr-lang can read.
type General struct {
	Range
	Text string // as written
}

// Bad stands where Parse found no operand it could read, and has said so in a diagnostic.
type Bad struct {
	Range
}

// Span implements Expr.
func (r Range) Span() Range { return r }

// OperandKind is what an operand of a comparison is written as.
type OperandKind uint8

const (
	// Word is a bare word: a fact's name or an unquoted string.
	Word OperandKind = iota
	// Int is a whole number, a k or M behind it applied.
	Int
	// Decimal is a number with a decimal point.
	Decimal
	// Percent is a number with a percent sign.
	Percent
	// Duration is a number with a unit of time.
	Duration
	// String is a quoted text.
	String
	// Bool is true or false.
	Bool
	// List is [A, B, …] of the other kinds but List.
	List
)

// Operand is one side of a comparison.
type Operand struct {
	Range
	Kind     OperandKind
	Text     string        // as written, but for blanks behind the sign of a number; for a String its value
	Number   float64       // of Int, Decimal, and Percent (75% is 0.75)
	Duration time.Duration // of Duration
	List     []Operand     // of List
}
