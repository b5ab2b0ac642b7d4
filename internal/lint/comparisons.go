package lint

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// Comparisons that never hold, or always do, and that package analysis does not look into: of texts, and of
// facts whose relation a host may break, though none means to.

// textTest is FACT OP "TEXT", perhaps of the fact in lower or upper case.
type textTest struct {
	fact      fact.Fact
	folded    string // "lower", "upper" or ""
	op, text  string
	expr      grammar.Expr
	textRange grammar.Range
}

var textOps = []string{"contains", "startsWith", "endsWith", "matches", "==", "!="}

// textTestOf reads an operand as a test of a text.
func (s *subject) textTestOf(n *condition.Node) (t textTest, ok bool) {
	x, _ := n.Expr.(*grammar.Binary)
	if x == nil || !slices.Contains(textOps, string(x.Op)) {
		return t, false
	}
	of, texts := s.sides(x)
	if call, is := of.(*grammar.Call); is && len(call.Args) == 1 {
		of, t.folded = call.Args[0], call.Name
	}
	name, _ := of.(*grammar.Name)
	if name == nil || len(texts) != 1 {
		return t, false
	}
	t.fact, _ = s.set.Schema().Lookup(name.Name)
	t.op, t.text, t.textRange, t.expr = string(x.Op), texts[0].Text, texts[0].Range, x
	return t, t.fact.Type == fact.String
}

// comparisons reports the comparisons of a trigger that never or always hold.
func (s *subject) comparisons(field string, root *condition.Node) {
	walk(root, 0, func(n *condition.Node, not int) {
		switch x := n.Expr.(type) {
		case *grammar.And:
			s.contradictions(field, n)
			return
		case *grammar.Cadence:
			s.cadence(field, x, not)
			return
		}
		if n.Leaf != nil {
			s.texts(field, n.Expr, "")
		}
		switch {
		case n.Leaf == nil:
		case n.Leaf.Value != nil:
			s.division(field, n.Expr)
			s.lengths(field, n)
		default:
			s.related(field, n)
			s.share(field, n)
			s.noTurn(field, n)
		}
		if t, ok := s.textTestOf(n); ok {
			s.textTest(field, t)
		}
	})
}

// expressions visits x and all its parts, in the order of their beginnings.
func expressions(x grammar.Expr, visit func(grammar.Expr)) {
	visit(x)
	for _, part := range grammar.Operands(x) {
		expressions(part, visit)
	}
}

// source returns a part of an expression as it is written.
func (s *subject) source(field string, x grammar.Expr) string {
	return s.value(field)[x.Span().Start.Offset:x.Span().End.Offset]
}

func (s *subject) textTest(field string, t textTest) {
	fold := map[string]func(string) string{"lower": strings.ToLower, "upper": strings.ToUpper}[t.folded]
	always := finding{code: code.AlwaysHolds, field: field, at: t.expr.Span(),
		hint: "leave it out, or say what is to be looked for"}
	switch {
	case t.op != "matches" && fold != nil && fold(t.text) != t.text:
		if t.op == "!=" {
			always.message = fmt.Sprintf("%s(%s) never equals %q, so this is always true", t.folded, t.fact.Name,
				t.text)
			break
		}
		fix := strconv.Quote(fold(t.text))
		s.add(finding{code: code.NeverHolds, field: field, at: t.textRange, hint: "write " + fix, fix: fix,
			message: fmt.Sprintf("%s(%s) has no such letters, so this is never true", t.folded, t.fact.Name)})
		return
	case t.op == "matches" && matchesAll(t.text):
		always.message = "the pattern matches every text, so this is always true"
	default:
		return
	}
	s.add(always)
}

// matchesAll reports whether a pattern surely matches every text: the empty text, and no place in particular.
func matchesAll(pattern string) bool {
	re, err := syntax.Parse(strings.TrimPrefix(pattern, "^"), syntax.Perl)
	if err != nil {
		return false
	}
	if e := re; e.Op == syntax.OpConcat && len(e.Sub) == 2 && e.Sub[1].Op == syntax.OpEndText {
		star := e.Sub[0] // .*$ stops at no line break only with (?s)
		return star.Op == syntax.OpStar && star.Sub[0].Op == syntax.OpAnyChar
	}
	return !anchored(re) && regexp.MustCompile(pattern).MatchString("")
}

func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary,
		syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if anchored(sub) {
			return true
		}
	}
	return false
}

// contradictions reports two operands of an "and" that never hold together.
func (s *subject) contradictions(field string, n *condition.Node) {
	var tests []textTest
	bare := map[string]grammar.Expr{}
	for _, term := range n.Kids {
		if t, ok := s.textTestOf(term); ok {
			tests = append(tests, t)
		}
		if b, ok := term.Expr.(*grammar.Name); ok {
			bare[b.Name] = b
		}
	}
	tell := func(a, b grammar.Expr, why, hint string) {
		s.add(finding{code: code.NeverHolds, field: field, at: b.Span(), hint: hint,
			message: fmt.Sprintf("`%s` and `%s` are never true together%s", written(a), written(b), why)})
	}
	for i, b := range tests {
		for _, a := range tests[:i] {
			if a.fact.ID == b.fact.ID && a.folded == b.folded && (apart(a, b) || apart(b, a)) {
				tell(a.expr, b.expr, "", "did you mean or?")
			}
		}
	}
	for _, term := range n.Kids {
		l, ok := s.limitOf(term)
		if started := bare["started"]; ok && started != nil && l.notFirst() {
			tell(started, term.Expr, ", unless a host counts in its own way: started is the run's first turn",
				"leave started out")
		}
		if message := bare["user_message"]; ok && message != nil && l.x != nil && l.fact.ID == fact.UserTurnCount &&
			l.none() {
			tell(message, term.Expr, ": a user turn counts from its message on",
				"write user_turn_count == 1 for the first one")
		}
	}
}

// all reports whether a limit on a ratio leaves all of it on one side.
func (l limit) all() bool { return l.fact.Type == fact.Ratio && l.n == 1 && beyond[l.op] != "" }

// none reports whether a limit on a whole number that is not negative leaves 0 alone.
func (l limit) none() bool {
	return l.n == 0 && (l.op == grammar.Equal || l.op == grammar.LessEqual) || l.n == 1 && l.op == grammar.Less
}

// notFirst reports whether a limit excludes a run's first turn, before which nothing was counted.
func (l limit) notFirst() bool {
	most := 0.0
	if l.fact.ID == fact.TurnCount || l.fact.ID == fact.UserTurnCount {
		most = 1
	}
	return l.fact.Kind == fact.Counter && !strings.HasPrefix(l.fact.Name, "vars.") &&
		(l.op == grammar.Greater && l.n >= most || (l.op == grammar.GreaterEqual || l.op == grammar.Equal) &&
			l.n > most)
}

func written(x grammar.Expr) string { return grammar.Format(&grammar.Trigger{Root: x}) }

// apart reports whether a text that a asks for is none that the pattern of b matches.
func apart(a, b textTest) bool {
	if a.op != "==" || b.op != "matches" {
		return false
	}
	re, err := regexp.Compile(b.text)
	return err == nil && !re.MatchString(a.text)
}

// noTurn reports a comparison with a turn before the first one.
func (s *subject) noTurn(field string, n *condition.Node) {
	if l, ok := s.limitOf(n); ok && l.fact.ID == fact.TurnCount && l.none() {
		s.add(finding{code: code.NeverHolds, field: field, at: n.Expr.Span(), fix: "started",
			message: "the first turn is 1, unless a host counts from 0", hint: "write started for the first turn"})
	}
}

// lengths reports a number of members that is meant as the length of a text: no turn has so many calls.
func (s *subject) lengths(field string, n *condition.Node) {
	l := n.Leaf
	if l.Function == "len" && l.Numbers[0] >= 100 &&
		(l.Op == grammar.Greater || l.Op == grammar.GreaterEqual) && l.Fact.OfCalls() {
		name := s.set.Schema().Fact(l.Fact).Name
		s.add(finding{code: code.NeverHolds, field: field, at: n.Expr.Span(),
			message: "len(" + name + ") is how many there are on one turn, not how long they are",
			hint:    fmt.Sprintf("write `any(%s, len(#) > 1000)` for a long one", name)})
	}
}

// beyond are the codes of a comparison with the most that there can be.
var beyond = map[grammar.Op]grammar.Code{grammar.Greater: code.NeverHolds,
	grammar.LessEqual: code.AlwaysHolds}

// share reports a comparison of a ratio with all of it.
func (s *subject) share(field string, n *condition.Node) {
	if l, ok := s.limitOf(n); ok && l.all() {
		s.add(finding{code: beyond[l.op], field: field, at: n.Expr.Span(), hint: "compare with less",
			message: l.fact.Name + " is above 100% only where a host counts wrong"})
	}
}

// related reports a comparison of two times of which one is a part of the other.
func (s *subject) related(field string, n *condition.Node) {
	l, r, op := n.Leaf.Fact, n.Leaf.Other, n.Leaf.Op
	if l == fact.Elapsed {
		l, r, op = r, l, op.Turned()
	}
	if n.Leaf.Kind == condition.Comparison && l == fact.Idle && r == fact.Elapsed && beyond[op] != "" {
		s.add(finding{code: beyond[op], field: field, at: n.Expr.Span(),
			message: "idle, the time since the previous turn, is a part of elapsed, the time since the first",
			hint:    "compare one of them with a time, as in idle > 1h"})
	}
}

// cadence reports a cadence that every turn fulfils, and the negation of one.
func (s *subject) cadence(field string, x *grammar.Cadence, not int) {
	text := cadenceText(x)
	switch {
	case not%2 == 1:
		s.add(finding{code: code.NotEvery, field: field, at: x.Range,
			message: fmt.Sprintf("not %s is true until the time is up, and then never again: only a firing of this "+
				"reminder begins the count anew", text),
			hint: "leave not out, or write `cooldown` for a least distance between two firings"})
	case x.Unit == grammar.Turns && x.N == 1:
		s.add(finding{code: code.EveryTurn, field: field, at: x.Range,
			message: text + " is true on every turn",
			hint:    "write `while: always` to fire on every turn, and leave it out beside other conditions"})
	}
}

// division reports the first division by what may be zero.
func (s *subject) division(field string, x grammar.Expr) {
	var first *grammar.Binary
	expressions(x, func(n grammar.Expr) {
		b, ok := n.(*grammar.Binary)
		if !ok || b.Op != "/" && b.Op != "%" ||
			first != nil && first.OpRange.Start.Offset < b.OpRange.Start.Offset {
			return
		}
		switch b.Right.(type) {
		case *grammar.Name, *grammar.Call:
			first = b
		}
	})
	if first != nil {
		s.add(finding{code: code.DivisionByFact, field: field, hint: "multiply instead, as in a > 5 * b",
			at: grammar.Range{Start: first.OpRange.Start, End: first.Right.Span().End},
			message: "where " + s.source(field, first.Right) +
				" is 0 this is unknown, and the trigger neither fires nor re-arms"})
	}
}

// nearValue reports a provider or a mode that is nearly one of the usual ones, or the name of a family of
// models.
func (s *subject) nearValue(field string, at grammar.Range, kind words.Kind, name string) {
	usual := words.List(kind)
	f := finding{code: code.NearValue, field: field, at: at,
		message: fmt.Sprintf("no %s that is known here is called %q", kind, name)}
	names := near.Names(name, usual)
	for _, u := range usual { // planning, plan_mode
		if slices.Equal(words.Stems(u), words.Stems(strings.TrimSuffix(name, "_"+string(kind)))) {
			names = []string{u}
		}
	}
	if lines := words.Lines(name, nil).Lines; len(lines) == 1 && strings.HasPrefix(lines[0], "model ") {
		f.hint = fmt.Sprintf("did you mean `%s`?", lines[0])
	} else if len(names) > 0 && len(name) > 3 {
		f.hint, f.fix = fmt.Sprintf("did you mean %s?", names[0]), names[0]
	}
	known := func(u string) bool { return u == name || kind == words.Mode && strings.EqualFold(u, name) }
	if f.hint != "" && !slices.ContainsFunc(usual, known) {
		s.add(f)
	}
}

// walk calls visit with n and all that is in it. not counts the negations around it.
func walk(n *condition.Node, not int, visit func(n *condition.Node, not int)) {
	visit(n, not)
	if _, is := n.Expr.(*grammar.Not); is {
		not++
	}
	for _, k := range n.Kids {
		walk(k, not, visit)
	}
}

// limit is FACT OP NUMBER.
type limit struct {
	fact fact.Fact
	op   grammar.Op
	n    float64
	x    *grammar.Binary // nil for a shorthand
}

// limitOf reads an operand as a limit on a number.
func (s *subject) limitOf(n *condition.Node) (limit, bool) {
	if n.Leaf == nil {
		return limit{}, false
	}
	id, of := n.Leaf.OfFact()
	if !of {
		return limit{}, false
	}
	f := s.set.Schema().Fact(id)
	x, _ := n.Expr.(*grammar.Binary)
	return limit{f, n.Leaf.Op, n.Leaf.Numbers[0], x}, f.Type.Numeric()
}

func (l limit) above() bool { return l.op == grammar.Greater || l.op == grammar.GreaterEqual }
func (l limit) below() bool { return l.op == grammar.Less || l.op == grammar.LessEqual }
