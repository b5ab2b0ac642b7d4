package grammar

import "time"

// Trigger is a parsed trigger. It is immutable.
type Trigger struct {
	Source string // as written
	Root   Expr
}

// Expr is a node of a trigger: *Or, *And, *Not, or a condition. A condition is *Constant, *Shorthand,
// *Cadence, *Bad, or an expression: *Binary, *Unary, *Call, *Array, *Name, *Field or *Literal. The parts of
// an expression are expressions.
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

// Op is an operator, as it is written.
type Op string

// The comparison operators, in the order of LANGUAGE.md §2.
const (
	Equal        Op = "=="
	NotEqual     Op = "!="
	Less         Op = "<"
	LessEqual    Op = "<="
	Greater      Op = ">"
	GreaterEqual Op = ">="
	In           Op = "in"
	NotIn        Op = "not in"
)

// The precedences of operators, the lowest first. A node in one of higher precedence needs parentheses.
const (
	precedenceOr = 1 + iota
	precedenceAnd
	precedenceNot
	precedenceComparison
	precedenceSum
	precedenceProduct
	precedenceTerm
)

// operator is the precedence of an operator, and the operators that it becomes.
type operator struct {
	precedence       int
	opposite, turned Op
}

var ops = map[Op]operator{
	"or": {precedence: precedenceOr}, "and": {precedence: precedenceAnd},
	Equal: {precedenceComparison, NotEqual, Equal}, NotEqual: {precedenceComparison, Equal, NotEqual},
	Less: {precedenceComparison, GreaterEqual, Greater}, Greater: {precedenceComparison, LessEqual, Less},
	LessEqual:    {precedenceComparison, Greater, GreaterEqual},
	GreaterEqual: {precedenceComparison, Less, LessEqual},
	In:           {precedenceComparison, NotIn, In}, NotIn: {precedenceComparison, In, NotIn},
	"contains": textOp("not contains"), "not contains": textOp("contains"),
	"startsWith": textOp("not startsWith"), "not startsWith": textOp("startsWith"),
	"endsWith": textOp("not endsWith"), "not endsWith": textOp("endsWith"),
	"matches": textOp("not matches"), "not matches": textOp("matches"),
	"+": {precedence: precedenceSum}, "-": {precedence: precedenceSum}, "*": {precedence: precedenceProduct},
	"/": {precedence: precedenceProduct}, "%": {precedence: precedenceProduct},
}

func textOp(opposite Op) operator { return operator{precedenceComparison, opposite, ""} }

// String returns the operator as it is written.
func (o Op) String() string { return string(o) }

// Opposite returns the operator that holds where o does not, >= for <; "" for one that does not compare.
func (o Op) Opposite() Op { return ops[o].opposite }

// Precedence returns how tightly o binds, among all operators.
func (o Op) Precedence() int { return ops[o].precedence }

// Turned returns the operator that means the same with the sides exchanged: 5 < x is x > 5. It is "" for one
// that does not compare values.
func (o Op) Turned() Op { return ops[o].turned }

// Membership reports whether o asks for a member of a list: in, not in.
func (o Op) Membership() bool { return o == In || o == NotIn }

// Binary is LEFT OP RIGHT. Op is or, and, a comparison, contains, startsWith, endsWith, matches, one of these
// four or in with not before it, or one of + - * / %. Where a condition compares a word with values, the word
// stands on the left: 5 < turn_count becomes turn_count > 5. Only in keeps its sides. If both sides are
// words, only a schema can tell which of them is the fact.
type Binary struct {
	Range
	Op          Op
	OpRange     Range
	Left, Right Expr
}

// Unary is - X or not X.
type Unary struct {
	Range
	Op      Op
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

// Name is a bare word: a fact, or a text without quotes. A condition that is a Name alone, such as
// user_message, has to be a fact of type bool, which Parse does not check.
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
	Range
	Kind LiteralKind
	// as written, but without blanks between a sign and its number; for String, without quotes and escapes
	Text     string
	Number   float64       // for Int (4k is 4000), Decimal, Percent (75% is 0.75), and Dollars
	Duration time.Duration // for Duration
}

// LiteralKind is the form in which a literal is written.
type LiteralKind uint8

const (
	// Int is a whole number, perhaps with k or M for thousands or millions.
	Int LiteralKind = iota
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
)

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
	case *Binary:
		list, _ := x.Right.(*Array)
		if _, of := x.Left.(*Name); !of || list == nil {
			break
		}
		for _, item := range list.Items {
			one := *x
			one.Op, one.Right, one.Range = Equal, item, item.Span()
			all = append(all, &one)
		}
	}
	return all
}
