package lint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// walk calls visit with x and all that is in it. not counts the negations around it.
func walk(x grammar.Expr, not int, visit func(x grammar.Expr, not int)) {
	visit(x, not)
	if _, is := x.(*grammar.Not); is {
		not++
	}
	for _, t := range grammar.Operands(x) {
		walk(t, not, visit)
	}
}

// A part names the facts on which the truth of an operand depends.
type part struct {
	facts   []fact.Fact
	history bool // it reads the run's history
	always  bool // it is a constant
}

func (p part) all(is func(fact.Fact) bool) bool {
	return !p.history && len(p.facts) > 0 && !slices.ContainsFunc(p.facts,
		func(f fact.Fact) bool { return !is(f) })
}

var ofHistory = regexp.MustCompile(
	`\b(called_since|tool_count|turns_since_tool|used|turns_since|output_tokens_since|tool_chain_repeats)\s*\(`)

// read returns the facts that an operand reads. An operand that cannot be read counts as history.
func (s *subject) read(x grammar.Expr) part {
	schema := s.set.Schema()
	switch x := x.(type) {
	case *grammar.Constant:
		return part{always: true}
	case *grammar.Bare:
		if f, ok := schema.Lookup(x.Name); ok {
			return part{facts: []fact.Fact{f}}
		}
	case *grammar.Comparison:
		var p part
		if f, ok := s.factOf(x.Left); ok {
			p.facts = append(p.facts, f)
		}
		if f, ok := s.factOf(x.Right); ok && (len(p.facts) == 0 || p.facts[0].Type.Numeric()) {
			p.facts = append(p.facts, f)
		}
		if len(p.facts) > 0 {
			return p
		}
	case *grammar.Shorthand:
		if id, ok := shorthandFacts[x.Name]; ok {
			return part{facts: []fact.Fact{schema.Fact(id)}}
		}
	case *grammar.General:
		p, _ := compile.Compile(x.Text, schema)
		if p == nil || ofHistory.MatchString(x.Text) {
			return part{history: true}
		}
		var out part
		for _, id := range p.Facts() {
			out.facts = append(out.facts, schema.Fact(id))
		}
		return out
	}
	return part{history: true}
}

var shorthandFacts = map[string]fact.ID{
	"after_tool": fact.ToolUsed, "tool_failed": fact.LastToolCallFailed, "thread": fact.ThreadType,
	"turn_gt": fact.TurnCount, "user_turn_gt": fact.UserTurnCount,
}

// factOf returns the fact that a side of a comparison names.
func (s *subject) factOf(o grammar.Operand) (fact.Fact, bool) {
	if o.Kind != grammar.Word {
		return fact.Fact{}, false
	}
	return s.set.Schema().Lookup(o.Text)
}

// limit is FACT OP NUMBER.
type limit struct {
	fact fact.Fact
	op   grammar.Op
	n    float64
	lit  grammar.Operand
	x    *grammar.Comparison
}

// limitOf reads an operand as a limit on a number, of a shorthand too; its literal then is the zero Operand.
func (s *subject) limitOf(x grammar.Expr) (limit, bool) {
	switch x := x.(type) {
	case *grammar.Comparison:
		f, ok := s.factOf(x.Left)
		if !ok || !f.Type.Numeric() || x.Op == grammar.In || x.Right.Kind == grammar.Word {
			return limit{}, false
		}
		n := x.Right.Number
		if x.Right.Kind == grammar.Duration {
			n = float64(x.Right.Duration)
		}
		return limit{f, x.Op, n, x.Right, x}, true
	case *grammar.Shorthand:
		id, ok := shorthandFacts[x.Name]
		if !ok || id != fact.TurnCount && id != fact.UserTurnCount {
			return limit{}, false
		}
		n, _ := strconv.ParseFloat(x.Args[0].Text, 64)
		return limit{fact: s.set.Schema().Fact(id), op: grammar.Greater, n: n}, true
	}
	return limit{}, false
}

func (l limit) above() bool { return l.op == grammar.Greater || l.op == grammar.GreaterEqual }
func (l limit) below() bool { return l.op == grammar.Less || l.op == grammar.LessEqual }

// eventRate says how often an event occurs. A condition on an event is true on single turns, and not between.
type eventRate uint8

const (
	noEvent   eventRate = iota
	rare                // never on two turns in a row: a compaction, a resumption
	frequent            // the use of a tool, a failure
	mostTurns           // a message of a person: every turn, where no tools are used
)

// eventRateOf returns the rate of the event without which x is not true, noEvent if there is none. pure
// reports that only events and attributes, which seldom change, decide x.
func (s *subject) eventRateOf(x grammar.Expr) (p eventRate, pure bool) {
	switch x := x.(type) {
	case *grammar.And:
		pure = true
		for _, t := range x.Terms {
			q, alone := s.eventRateOf(t)
			pure = pure && alone
			if q != noEvent && (p == noEvent || q < p) {
				p = q
			}
		}
		return p, pure
	case *grammar.Or:
		p, pure = mostTurns, true
		for i, t := range x.Terms {
			q, alone := s.eventRateOf(t)
			pure = pure && alone
			if p = min(p, q); i == 0 {
				p = q
			}
		}
		return p, pure
	case *grammar.Not:
		_, pure = s.eventRateOf(x.X)
		return noEvent, pure
	}
	r := s.read(x)
	attribute := func(f fact.Fact) bool { return f.Kind == fact.Attribute }
	if r.always || r.all(attribute) {
		return noEvent, true
	}
	if len(r.facts) != 1 || r.history || r.facts[0].Kind != fact.Event {
		return noEvent, r.all(func(f fact.Fact) bool { return f.Kind == fact.Attribute || f.Kind == fact.Event })
	}
	if c, ok := x.(*grammar.Comparison); ok && (c.Op == grammar.NotEqual ||
		strings.EqualFold(c.Right.Text, "false")) {
		return noEvent, true
	}
	switch r.facts[0].ID {
	case fact.Compacted, fact.Resumed:
		return rare, true
	case fact.UserMessage:
		return mostTurns, true
	default:
		if _, general := x.(*grammar.General); general {
			return noEvent, true
		}
		return frequent, true
	}
}
