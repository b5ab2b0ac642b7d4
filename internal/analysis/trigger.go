package analysis

import (
	"fmt"
	"math/bits"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// A finding is about one field of a reminder.
type finding struct {
	code     grammar.Code
	severity grammar.Severity
	field    string
	from, to place // the zero places are the whole field
	message  string
	hint     string
	drop     bool   // the hint is to leave out the part at from
	instead  string // the new text of the whole field; "" for none
	either   bool   // the hint is to join from and to by "or"
}

// A place is a part of a trigger: the ord-th counted from 1, and of that one the member counted from 1, 0 for
// all of it.
type place struct{ ord, member int }

func (f *form) place() place { return place{f.ord + 1, f.member + 1} }

// An examination is the examination of one trigger.
type examination struct {
	s     *system
	root  *form
	field string
	found []finding
	left  int // steps
}

// triggerSteps bounds all questions about one trigger.
const triggerSteps = 300_000

// A scope says what an examination is about.
type scope struct {
	self, field string
	silent      func(id string) bool // reminders that have never fired by themselves; nil: none
	// the state between two turns counts too (LANGUAGE.md §4, step 4)
	between bool
}

// newExamination translates a trigger; nil where it is too large, or none that can be looked into. At the
// moments beside the turn no event of the last turn holds, as between two turns.
func newExamination(p *compile.Predicate, of scope) *examination {
	n := p.Root()
	if n == nil {
		return nil
	}
	s := newSystem(p.Schema())
	s.silent, s.between = of.silent, of.between || p.Moment() != fact.Turn
	forms, ok := s.forms([]string{of.self}, n)
	if !ok {
		return nil
	}
	return &examination{s: s, root: forms[0], field: of.field, left: triggerSteps}
}

// forms translates triggers into one system, each with the reminder that it belongs to.
func (s *system) forms(selves []string, trees ...*condition.Node) ([]*form, bool) {
	if !s.newWorlds(trees...) {
		return nil, false
	}
	out := make([]*form, len(trees))
	for i, t := range trees {
		ord := 0
		out[i] = s.form(t, selves[i], &ord)
	}
	s.tie()
	if !s.close() {
		return nil, false
	}
	for _, f := range out {
		s.settle(f)
	}
	return out, true
}

// reach answers a question, and counts its cost.
func (st *examination) reach(f *form, strict bool) mask {
	if st.left <= 0 {
		return maskF | maskU | maskT
	}
	st.s.ask(strict)
	m := st.s.reach(f)
	st.left -= maxSteps - st.s.steps
	if st.s.over {
		return maskF | maskU | maskT
	}
	return m
}

// joined is reach of "and" or "or" of some parts.
func (st *examination) joined(op formOp, kids ...*form) mask {
	f := form{op: op, kids: kids}
	for _, k := range kids {
		f.in |= k.in
	}
	return st.reach(&f, false)
}

func (st *examination) matters(root *form, trail []*form, kid *form) bool {
	if st.left <= 0 {
		return true
	}
	yes := st.s.matters(root, trail, kid)
	st.left -= maxSteps - st.s.steps
	return yes
}

// examine collects the findings about the trigger by itself. wide is an examination of the same trigger in
// the scope that findings about its parts must hold in.
func (st *examination) examine(wide *examination) {
	switch {
	case st.root.op == formFixed:
	case st.reach(st.root, false)&maskT == 0:
		st.never()
	default:
		wide.notNever()
		st.found = wide.found
	}
}

// notNever collects the findings about a trigger that can be true.
func (st *examination) notNever() {
	switch m := st.reach(st.root, false); {
	case m&maskF == 0:
		st.always()
	default:
		st.parts(st.root, nil, nil, 0)
	}
}

// never: the trigger cannot become true, unless its author has said so.
func (st *examination) never() {
	if st.reach(unfixed(st.root), false)&maskT != 0 {
		return
	}
	b := st.blame(st.root, maskT)
	if st.reach(st.root, true)&maskT != 0 {
		st.add(finding{
			code: code.NeverFires, severity: grammar.Warning,
			message: "the trigger can be true only where a ratio is " + above,
			hint:    "compare with less",
		}, b.from, b.to)
		return
	}
	f := finding{
		code: code.NeverFires, severity: grammar.Warning,
		message: "the trigger can never be true: " + b.reason,
		hint:    "change one of the two",
	}
	if b.from == b.to {
		f.hint = "compare with something that can be"
	}
	if b.from != b.to && !b.gap && st.s.rivals(b.from, b.to) && st.joined(formOr, b.from, b.to)&maskF != 0 {
		f.hint, f.either = "did you mean or?", true
	}
	st.add(f, b.from, b.to)
}

// above is the end of a message about a fact that holds unless a ratio is above 1.
const above = "above 100%, which no right count can be"

func (st *examination) always() {
	if r := st.root; r.op == formAtom && st.s.vars[st.s.atoms[r.atom].v].kind == varSelf {
		return // every 1 turn, of which package lint tells
	}
	b := st.blame(st.root, maskF)
	f := finding{
		code: code.AlwaysTrue, severity: grammar.Warning,
		message: "the trigger is always true: " + b.reason,
		hint:    "if that is meant, write always",
	}
	switch m := st.reach(st.root, true); {
	case m == maskT:
		f.hint, f.instead = "write always", "always"
	case m&maskF != 0:
		f.message = "the trigger is true on every turn on which its facts are known, unless a ratio is " + above
		f.hint = "compare with something that can also be false"
	default:
		f.message = "the trigger is true on every turn on which its facts are known: " + b.reason
		f.hint = "compare with something that can also be false"
	}
	st.add(f, b.from, b.to)
}

func (st *examination) add(f finding, from, to *form) {
	f.field = st.field
	if from != nil && to != nil {
		f.from, f.to = from.place(), to.place()
	}
	st.found = append(st.found, f)
}

// unfixed is f with each constant that is false free to be anything.
func unfixed(f *form) *form {
	g := *f
	if f.op == formFixed && f.truth == fact.False {
		// "or" of both constants can be true, and nothing else asks for more
		g = form{op: formFixed, truth: fact.True}
	}
	g.kids = make([]*form, len(f.kids))
	for i, k := range f.kids {
		g.kids[i] = unfixed(k)
	}
	return &g
}

// parts finds the parts of f that cannot matter. trail leads from the root to f's parent, sides are the
// components outside of each form on it, outside are those outside of f.
func (st *examination) parts(f *form, trail []*form, sides []uint64, outside uint64) {
	trail, sides = append(trail, f), append(sides, outside)
	for i := len(f.kids) - 1; i >= 0; i-- {
		k := f.kids[i]
		if k.expr == nil && k.member < 0 && f.op != formNot {
			continue // a region of names
		}
		beside := outside
		for j, o := range f.kids {
			if j != i && !o.gone {
				beside |= o.in
			}
		}
		if f.op != formNot && st.part(f, k, trail, sides, beside) {
			k.gone = true
			continue
		}
		st.parts(k, trail, sides, beside)
	}
}

// part looks at one of the parts that f joins, and reports whether it can be left out.
func (st *examination) part(f, k *form, trail []*form, sides []uint64, beside uint64) bool {
	if k.manual {
		return false
	}
	if st.alone(f, k) {
		return true
	}
	if k.in&beside == 0 {
		return false
	}
	top := len(trail) - 1 // the least form around k that shares no fact with the rest
	for top > 0 && trail[top].in&sides[top] != 0 {
		top--
	}
	if st.matters(trail[top], trail[top:], k) {
		return false
	}
	// The parts found before are left out here. A finding about a part must hold without them, too.
	gone := restore(st.root, nil)
	defer leave(gone)
	if len(gone) > 0 && st.matters(trail[top], trail[top:], k) {
		return false
	}
	text := quoted(st.text(k))
	message := text + " has no effect: the rest of the trigger decides without it"
	for _, y := range f.kids {
		if y == k || y.in&k.in == 0 {
			continue
		}
		two := &form{op: f.op, kids: []*form{y, k}, in: y.in | k.in}
		if st.matters(two, []*form{two}, k) {
			continue
		}
		other := quoted(st.text(y))
		switch {
		case other == text:
			message = text + " stands here twice"
		case f.op == formAnd:
			message = fmt.Sprintf("%s has no effect: it holds whenever %s does", text, other)
		default:
			message = fmt.Sprintf("%s has no effect: where it holds, %s does too", text, other)
		}
		break
	}
	st.add(finding{
		code: code.IdlePart, severity: grammar.Warning, message: message,
		hint: "leave it out",
		drop: true,
	}, k, k)
	return true
}

// restore puts back all that was left out of f, and returns it.
func restore(f *form, gone []*form) []*form {
	if f.gone {
		f.gone = false
		gone = append(gone, f)
	}
	for _, k := range f.kids {
		gone = restore(k, gone)
	}
	return gone
}

func leave(gone []*form) {
	for _, f := range gone {
		f.gone = true
	}
}

// alone finds a part that has the same truth on every turn.
func (st *examination) alone(f, k *form) bool {
	m := st.reach(k, false)
	switch {
	case m&maskT == 0 && f.op == formOr:
		if st.reach(unfixed(k), false)&maskT != 0 {
			b := st.text(k)
			st.add(finding{
				code: code.PartNever, severity: grammar.Warning,
				message: quoted(b) + " is never true",
				hint:    "leave it out",
				drop:    true,
			}, k, k)
			return true
		}
		x := finding{
			code: code.PartNever, severity: grammar.Warning,
			message: "this part can never be true: " + st.blame(k, maskT).reason,
			hint:    "correct it, or leave it out",
			drop:    true,
		}
		if st.reach(k, true)&maskT != 0 {
			x.message = "this part can be true only where a ratio is " + above
		}
		st.add(x, k, k)
		return true
	case m&maskF == 0 && f.op == formAnd:
		b := st.blame(k, maskF)
		x := finding{
			code: code.PartAlways, severity: grammar.Warning,
			message: "this part is always true: " + b.reason,
			hint:    "leave it out",
			drop:    true,
		}
		switch m := st.reach(k, true); {
		case m&maskF != 0:
			x.message = "this part is true whenever its facts are known, unless a ratio is " + above
			x.hint = "correct it, or leave it out"
		case m != maskT:
			x.message = "this part is true whenever its facts are known: " + b.reason
			x.hint = "correct it, or leave it out"
		}
		st.add(x, k, k)
		return true
	}
	return false
}

func (st *examination) text(f *form) string {
	switch {
	case f.expr != nil:
		return format(f.expr)
	case f.member >= 0:
		if all := grammar.Members(nth(st.root, f.ord)); f.member < len(all) {
			return format(all[f.member])
		}
	case f.op == formNot:
		return st.text(f.kids[0])
	}
	if x := nth(st.root, f.ord); x != nil {
		return format(x)
	}
	return ""
}

// nth returns the part of that number.
func nth(f *form, ord int) grammar.Expr {
	if f.ord == ord {
		return f.expr
	}
	for _, k := range f.kids {
		if x := nth(k, ord); x != nil {
			return x
		}
	}
	return nil
}

// only returns the single component of a set, -1 if there is another number of them.
func only(set uint64) int {
	if bits.OnesCount64(set) != 1 {
		return -1
	}
	return bits.TrailingZeros64(set)
}

// A blame says why a form lacks a truth, and which parts are at fault.
type blame struct {
	reason   string
	from, to *form
	gap      bool // between whole numbers
}

// blame finds why f is never true (lacks is maskT) or never false (maskF). That f lacks it is known.
func (st *examination) blame(f *form, lacks mask) blame {
	switch f.op {
	case formFixed:
		return blame{reason: quoted(st.text(f)) + " says so", from: f, to: f}
	case formAtom:
		return blame{reason: st.s.bounds(&st.s.atoms[f.atom], st.text(f)), from: f, to: f}
	case formNot:
		return st.blame(f.kids[0], maskT^maskF^lacks)
	}
	for _, k := range f.kids {
		if (f.op == formAnd) == (lacks == maskT) && st.reach(k, false)&lacks == 0 {
			return st.blame(k, lacks) // one is enough
		}
	}
	if (f.op == formAnd) != (lacks == maskT) { // all of them
		b := st.blame(f.kids[0], lacks)
		return blame{reason: b.reason, from: f, to: f, gap: true}
	}
	for i, k := range f.kids {
		for _, l := range f.kids[i+1:] {
			if k.in&l.in != 0 && st.joined(f.op, k, l)&lacks == 0 {
				return st.blamePair(f, k, l, lacks)
			}
		}
	}
	kids := append([]*form(nil), f.kids...)
	for i := 0; i < len(kids) && len(kids) > 2; {
		fewer := append(append([]*form(nil), kids[:i]...), kids[i+1:]...)
		if st.joined(f.op, fewer...)&lacks == 0 {
			kids = fewer
		} else {
			i++
		}
	}
	texts := make([]string, len(kids))
	for i, k := range kids {
		texts[i] = quoted(st.text(k))
	}
	reason := list(texts) + " are never true together"
	if lacks == maskF {
		reason = "one of " + list(texts) + " always holds"
	}
	return blame{reason: reason, from: f, to: f, gap: true}
}

func (st *examination) blamePair(f, k, l *form, lacks mask) blame {
	b := blame{from: k, to: l}
	if k.expr == nil && k.member < 0 || f.expr == nil && k.member < 0 {
		b.from, b.to = f, f
	}
	if lacks == maskF {
		b.reason = fmt.Sprintf("one of %s and %s always holds", quoted(st.text(k)), quoted(st.text(l)))
		return b
	}
	if gap := st.s.gap(k, l); gap != "" {
		b.reason, b.gap = gap, true
		return b
	}
	b.reason = fmt.Sprintf("%s and %s are never true together", quoted(st.text(k)), quoted(st.text(l)))
	return b
}

// gap says that two bounds of a whole number leave room for none, though one is above the other.
func (s *system) gap(k, l *form) string {
	if k.op != formAtom || l.op != formAtom {
		return ""
	}
	a, b := &s.atoms[k.atom], &s.atoms[l.atom]
	if a.kind != atomNumber || b.kind != atomNumber || a.v != b.v || !s.vars[a.v].whole ||
		s.vars[a.v].kind == varText {
		return ""
	}
	if a.op == grammar.Less || a.op == grammar.LessEqual {
		a, b = b, a
	}
	if a.op != grammar.Greater && a.op != grammar.GreaterEqual || b.op != grammar.Less &&
		b.op != grammar.LessEqual || a.c >= b.c {
		return ""
	}
	words := map[grammar.Op]string{grammar.Greater: "above", grammar.GreaterEqual: "at least",
		grammar.Less: "below", grammar.LessEqual: "at most"}
	return fmt.Sprintf("no whole number is %s %s and %s %s", words[a.op], plainNumber(a.c), words[b.op],
		plainNumber(b.c))
}

// rivals reports whether two operands ask for values of the same thing, so that "or" between them is likely
// to be meant.
func (s *system) rivals(k, l *form) bool {
	a, b := s.asked(k), s.asked(l)
	return a >= 0 && a == b
}

// asked is the variable that an operand, or each member of one, asks for a value of; -1 if there is no such.
func (s *system) asked(f *form) int {
	switch a := (*atom)(nil); f.op {
	case formAtom:
		if a = &s.atoms[f.atom]; a.kind == atomNumber && s.vars[a.v].kind < varFree {
			return a.v
		}
	case formOr:
		v := -1
		for i, k := range f.kids {
			w := s.asked(k)
			if k.expr != nil || w < 0 || i > 0 && w != v {
				return -1
			}
			v = w
		}
		return v
	}
	return -1
}
