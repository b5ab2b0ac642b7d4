package compile

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Node is a part of a compiled trigger as it was checked, for those who reason about triggers without evaluating them.
// It is immutable.
type Node struct {
	Expr    grammar.Expr // as parsed; of reminders that share a predicate, as one of them wrote it
	Kids    []*Node      // of and, or, not
	Operand *Operand     // nil for and, or, not
}

// OperandKind says what an operand asks.
type OperandKind uint8

const (
	// OperandConstant is always or never: Truth.
	OperandConstant OperandKind = iota
	// OperandNumber compares the number, ratio, duration or bool (1 and 0) Fact with Numbers[0] by Op.
	OperandNumber
	// OperandNumberIn asks whether Fact is one of Numbers.
	OperandNumberIn
	// OperandFacts compares Fact with Other by Op.
	OperandFacts
	// OperandText asks whether the string Fact is one of Names; with Not, whether it is none of them.
	OperandText
	// OperandMembers asks whether a member of the set Fact is one of Names; with Not, whether none is. Of the fact tool_used,
	// Names may hold wildcards.
	OperandMembers
	// OperandMemberOf asks whether the string Fact is a member of the set Other.
	OperandMemberOf
	// OperandFailed asks whether one of the tools Names, perhaps with wildcards, failed in the previous turn.
	OperandFailed
	// OperandCadence is every N turns or user turns, or every Every, by Unit.
	OperandCadence
	// OperandFunction compares the answer of Function for Argument with Numbers[0] by Op. The answer of used is 1 or 0. The
	// function len asks for the length of the set Fact.
	OperandFunction
	// OperandGeneral is an expression that only expr-lang reads. It is unknown where any of Reads is.
	OperandGeneral
)

// Operand is an operand of a trigger with its types checked. Which fields count, its Kind says.
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

// Root returns the trigger's tree; nil for a Func. It is made anew on each call.
func (p *Predicate) Root() *Node {
	if p.root == nil {
		return nil
	}
	return p.root.export()
}

// Schema returns the schema that the trigger was compiled against; nil for a Func.
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

// operandOf lays a leaf open.
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
