package analysis

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/excerpt"
)

// named is how many others a line names.
const named = 5

// Describe tells people what is known of the i-th reminder before it runs, a clause a line: what Check says
// of its trigger as a whole, a turn on which it fires, and how it stands to the others.
func Describe(s *compile.Set, i int) (lines []string) {
	for _, f := range single(s, i) {
		if f.code == code.NeverFires || f.code == code.AlwaysTrue {
			lines = append(lines, f.message)
		}
		if f.code == code.NeverFires {
			return lines
		}
	}
	r, p := s.Reminder(i), s.Trigger(i)
	st := newExamination(p, self, "trigger", occasion{})
	if st == nil {
		return lines
	}
	if _, text, _ := st.m.witness(st.root, p); text != "" {
		lines = append(lines, "it fires for example when "+text)
	}
	if once, _ := st.once(); edges(r) && (once || st.root.op == formFixed) {
		lines = append(lines, "it fires at most once a run")
	}
	others := map[Kind][]string{}
	for _, rel := range Relations(s, i) {
		others[rel.Kind] = append(others[rel.Kind], s.Reminder(rel.Other).ID)
	}
	for kind, words := range []string{
		Same:      "its trigger says the same as that of %s",
		Implies:   "whenever its trigger is true, so is that of %s",
		ImpliedBy: "its trigger is true whenever that of %s is",
		Apart:     "its trigger is never true together with that of %s",
	} {
		ids := others[Kind(kind)]
		if len(ids) == 0 {
			continue
		}
		if more := len(ids) - named; more > 0 {
			ids = append(ids[:named:named], fmt.Sprintf("%d others", more))
		}
		lines = append(lines, fmt.Sprintf(words, list(ids)))
	}
	return lines
}

// quoted is a part of a trigger as a message shows it.
func quoted(s string) string { return "`" + excerpt.Of(s, 70) + "`" }

// text is a form as a message shows it.
func (f *form) text() string { return quoted(format(f.expr)) }

// list joins texts as people do.
func list(texts []string) string {
	if n := len(texts) - 1; n > 0 {
		return strings.Join(texts[:n], ", ") + " and " + texts[n]
	}
	return strings.Join(texts, "")
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// name returns the name of a variable for people.
func (m *model) name(v *variable) string {
	if v.kind == varFact {
		return m.schema.Fact(v.id).Name
	}
	return string(v.kind) + `("` + strings.ReplaceAll(v.key.name, ", ", `", "`) + `")`
}

// reason says why a condition has the same truth on every turn.
func (m *model) reason(l *leaf, text string) string {
	v, limit := &m.vars[l.vars[0]], l.limit()
	switch {
	case v.kind == varMoment && l.any[0] == maskU:
		return "the call at hand has no result yet"
	case v.kind == varMoment && l.Kind != condition.Before:
		return "the calls are the one at hand"
	case limit == nil && l.Function == "len" && len(l.Numbers) == 1:
		return "len(" + m.schema.Fact(l.Fact).Name + ") is never negative"
	case limit == nil:
		return quoted(text) + " compares what is always so"
	case v.kind == varPace && m.moment != fact.Turn:
		return "a cadence is of turns, not of such a moment"
	case v.kind == varPace:
		return "at least " + plainNumber(v.lo) + " lies between two turns"
	}
	switch name, c := m.name(v), -limit.c; {
	case v.kind == varFact && m.schema.Fact(v.id).Type == fact.Bool:
		return name + " is either true or false"
	case v.lo == 0 && c <= 0:
		return name + " is never negative"
	case c <= v.lo:
		return name + " is at least " + plainNumber(v.lo)
	case v.whole && c != math.Trunc(c):
		return name + " is a whole number"
	default:
		return name + " is at most " + plainNumber(v.hi)
	}
}

// limit is the constant with which a condition compares a number; nil if it does something else.
func (l *leaf) limit() *linear {
	if len(l.lin) != 1 || len(l.vars) != 1 || l.Kind == condition.General {
		return nil
	}
	return &l.lin[0]
}

// between says that two bounds of a whole number leave room for none, though one is above the other.
func (m *model) between(k, l *form) string {
	if k.op != formLeaf || l.op != formLeaf {
		return ""
	}
	a, b := m.leaves[k.leaf].limit(), m.leaves[l.leaf].limit()
	if a == nil || b == nil || a.vars[0] != b.vars[0] || !m.vars[a.vars[0]].whole {
		return ""
	}
	above := map[grammar.Op]string{grammar.Greater: "above", grammar.GreaterEqual: "at least"}
	below := map[grammar.Op]string{grammar.Less: "below", grammar.LessEqual: "at most"}
	if above[a.op] == "" {
		a, b = b, a
	}
	if above[a.op] == "" || below[b.op] == "" || a.c <= b.c {
		return ""
	}
	return fmt.Sprintf("no whole number is %s %s and %s %s", above[a.op], plainNumber(-a.c), below[b.op],
		plainNumber(-b.c))
}

// rivals reports whether two operands ask for values of one number or text, so that "or" between them is
// likely to be meant.
func (m *model) rivals(k, l *form) bool {
	if k.in != l.in || bits.OnesCount64(k.in) != 1 || k.op == formNot || l.op == formNot {
		return false
	}
	vars := m.groups[bits.TrailingZeros64(k.in)].vars
	kind := m.vars[vars[0]].kind
	return len(vars) == 1 && (kind.numeric() || kind == varText)
}

// without is the edit that leaves the part at a place out of a trigger: it, with the parentheses and the nots
// around it, and the word that joins it to the others. It is nil where nothing would be left.
func without(src string, root grammar.Expr, at grammar.Range) *grammar.Edit {
	in := around(root, at)
	for not, is := in.(*grammar.Not); is; not, is = in.(*grammar.Not) {
		at = not.Range
		in = around(root, at)
	}
	if at == root.Span() {
		return nil
	}
	const blank = " \t\r\n"
	before := strings.TrimRight(src[:at.Start.Offset], blank)
	behind := strings.TrimLeft(src[at.End.Offset:], blank)
	for strings.HasSuffix(before, "(") && strings.HasPrefix(behind, ")") {
		before, behind = strings.TrimRight(before[:len(before)-1], blank), strings.TrimLeft(behind[1:], blank)
	}
	words := []string{","}
	switch in.(type) {
	case *grammar.And:
		words = []string{"and", "&&"}
	case *grammar.Or:
		words = []string{"or", "||"}
	}
	from, to := len(before), len(src)-len(behind)
	for _, word := range words {
		if left, ok := strings.CutSuffix(before, word); ok {
			to -= len(src[:to]) - len(strings.TrimRight(src[:to], blank))
			return &grammar.Edit{Range: between(src, len(strings.TrimRight(left, blank)), to)}
		}
	}
	for _, word := range words {
		if right, ok := strings.CutPrefix(behind, word); ok {
			from += len(src[from:]) - len(strings.TrimLeft(src[from:], blank))
			to = len(src) - len(strings.TrimLeft(right, blank))
		}
	}
	return &grammar.Edit{Range: between(src, from, to)}
}

// around is the part of x that joins the part at a place to others; nil where none does.
func around(x grammar.Expr, at grammar.Range) grammar.Expr {
	for _, k := range grammar.Operands(x) {
		if k.Span() == at {
			return x
		}
		if in := around(k, at); in != nil {
			return in
		}
	}
	return nil
}

func between(src string, from, to int) grammar.Range {
	first := grammar.Position{Line: 1, Column: 1}
	return grammar.Range{Start: first.After(src[:from]), End: first.After(src[:to])}
}
