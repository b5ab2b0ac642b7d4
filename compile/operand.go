package compile

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Node is a part of a compiled trigger, for code that analyses triggers rather than evaluates them. It is immutable.
type Node struct {
	Expr    grammar.Expr // as parsed; where several reminders share the predicate, as one of them wrote it
	Kids    []*Node      // the operands of and, or, not
	Operand *Operand     // what the trigger asks here; nil for and, or, not
}

// OperandKind says what an Operand asks, and which of its fields count.
type OperandKind uint8

const (
	// OperandConstant has the value Truth, whatever the facts are.
	OperandConstant OperandKind = iota
	// OperandNumber compares Fact with Numbers[0] by Op. Fact is an int, a ratio, a duration, or a bool, which counts as 1 or 0.
	OperandNumber
	// OperandNumberIn asks whether Fact is one of Numbers.
	OperandNumberIn
	// OperandFacts compares Fact with Other by Op.
	OperandFacts
	// OperandText asks whether the string Fact is one of Names; with Not, whether it is none of them.
	OperandText
	// OperandMembers asks whether a member of the set Fact is one of Names; with Not, whether none is. If Fact is tool_used,
	// Names may have wildcards.
	OperandMembers
	// OperandMemberOf asks whether the string Fact is a member of the set Other.
	OperandMemberOf
	// OperandFailed asks whether one of the tools Names, perhaps with wildcards, failed in the previous turn.
	OperandFailed
	// OperandCadence is true every N turns or every N user turns, or every time that Every has passed; Unit says which.
	OperandCadence
	// OperandFunction compares the result of Function for Argument with Numbers[0] by Op. The result of used is 1 or 0. The
	// function len has no Argument: it returns how many members the set Fact has.
	OperandFunction
	// OperandGeneral is an expression that is left to expr-lang. It is Unknown if any of the facts Reads is.
	OperandGeneral
)

// Operand is a condition of a trigger, with its types checked. Only the fields that its Kind names count.
type Operand struct {
	Kind        OperandKind
	Not         bool
	Op          grammar.Op
	Truth       fact.Truth
	Unit        grammar.CadenceUnit
	Fact, Other fact.ID
	N           int
	Every       time.Duration
	Numbers     []float64 // in the units of fact.Frame
	Names       []string
	Function    string
	Argument    string
	Reads       []fact.ID
}

// Root returns the tree of the trigger; nil for a Func. Each call makes a new one.
func (p *Predicate) Root() *Node {
	if p.root == nil {
		return nil
	}
	return p.root.export()
}

// Schema returns the schema that the trigger was compiled with; nil for a Func.
func (p *Predicate) Schema() *fact.Schema { return p.schema }

func (n *node) export() *Node {
	out := &Node{Expr: n.expr}
	if n.leaf != nil {
		o := operandOf(n.leaf)
		out.Operand = &o
		return out
	}
	out.Kids = make([]*Node, len(n.kids))
	for i, k := range n.kids {
		out.Kids[i] = k.export()
	}
	return out
}

// operandOf returns a leaf in its exported form.
func operandOf(l leaf) Operand {
	switch l := l.(type) {
	case constant:
		return Operand{Kind: OperandConstant, Truth: fact.Truth(l)}
	case number:
		return Operand{Kind: OperandNumber, Fact: l.id, Op: l.op, Numbers: []float64{l.c}}
	case numberIn:
		return Operand{Kind: OperandNumberIn, Fact: l.id, Numbers: l.cs}
	case numbers:
		return Operand{Kind: OperandFacts, Fact: l.a, Other: l.b, Op: l.op}
	case boolean:
		o := Operand{Kind: OperandNumber, Fact: l.id, Op: grammar.Equal, Numbers: []float64{1}}
		if l.not {
			o.Numbers[0] = 0
		}
		return o
	case text:
		return Operand{Kind: OperandText, Fact: l.id, Names: l.vs, Not: l.not}
	case members:
		return Operand{Kind: OperandMembers, Fact: l.id, Names: texts(l.ps), Not: l.not}
	case memberOf:
		return Operand{Kind: OperandMemberOf, Fact: l.text, Other: l.set}
	case failed:
		return Operand{Kind: OperandFailed, Names: texts(l.ps)}
	case cadence:
		return Operand{Kind: OperandCadence, Unit: l.unit, N: l.n, Every: l.d}
	case reading:
		o := Operand{Kind: OperandFunction, Op: l.op, Numbers: []float64{l.c}, Function: l.t.name, Argument: l.t.arg}
		if len(l.t.ids) > 0 {
			o.Fact = l.t.ids[0]
		}
		return o
	default: // *general
		return Operand{Kind: OperandGeneral, Reads: l.reads()}
	}
}

func texts(ps []*pattern) []string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = p.text
	}
	return out
}
