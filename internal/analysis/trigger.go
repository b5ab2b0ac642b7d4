package analysis

import (
	"fmt"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// A finding is about one field of a reminder.
type finding struct {
	code     grammar.Code
	severity grammar.Severity
	field    string
	root     grammar.Expr // of the field
	from, to grammar.Expr // parts of it, as parsed; nil is the whole field
	message  string
	hint     string
	drop     bool   // the hint is to leave out the part at from
	instead  string // the new text of the whole field; "" for none
}

// An examination is the examination of one trigger.
type examination struct {
	m     *model
	root  *form
	field string
	// The gap between two turns counts too (LANGUAGE.md §4, step 4); and whether it does now.
	gaps, wide bool
	// The gaps before a new text do not count now: a claim is about turns alone.
	told  bool
	found []finding
	left  int // steps
}

// triggerSteps bounds all questions about one trigger.
const triggerSteps = 300_000

// newExamination makes a model of a field of a reminder, for the occasion on, of which the field says the
// moment; nil where it is too large.
func newExamination(p *compiled.Predicate, self, field string, on occasion) *examination {
	on.moment = p.Moment()
	t := trigger{node: p.Root(), schema: p.Schema(), self: self}
	m := newModel(on, &t)
	if m == nil {
		return nil
	}
	return &examination{m: m, root: t.root, field: field, left: triggerSteps}
}

// ask asks a question about turns and, where they count, about the gaps after them, and adds up its cost. It
// reports false past the bound.
func (st *examination) ask(odd oddness, about func()) bool {
	for gap := range st.m.moments(st.wide && st.gaps) {
		if st.told && gap > 1 {
			break
		}
		if st.left <= 0 {
			return false
		}
		st.m.ask(question{odd, gap})
		about()
		if st.left -= maxSteps - st.m.steps; st.m.over {
			return false
		}
	}
	return true
}

// reach returns the truths of a form.
func (st *examination) reach(f *form, odd oddness) (m mask) {
	if !st.ask(odd, func() { m |= st.m.reach(f) }) {
		return maskF | maskU | maskT
	}
	return m
}

// joined is reach of "and" or "or" of some parts.
func (st *examination) joined(op formOp, kids ...*form) mask {
	return st.reach(join(op, kids...), usual)
}

func join(op formOp, kids ...*form) *form {
	f := &form{op: op, kids: kids}
	for _, k := range kids {
		f.in |= k.in
	}
	return f
}

func (st *examination) matters(root *form, trail []*form, kid *form) (yes bool) {
	return !st.ask(oddRatio, func() { yes = yes || st.m.matters(root, trail, kid) }) || yes
}

// examine collects the findings about the trigger by itself.
func (st *examination) examine() {
	if st.root.op == formFixed {
		return
	}
	if st.reach(st.root, usual)&maskT == 0 {
		st.never()
		return
	}
	st.wide = true
	st.told = true
	always := st.reach(st.root, usual)&maskF == 0
	if always {
		st.always()
	}
	if st.told = false; !always {
		st.parts(st.root, nil)
	}
}

// never: the trigger cannot become true, unless its author has said so.
func (st *examination) never() {
	if st.meant(st.root) {
		return
	}
	b := st.blame(st.root, maskT)
	if where, hint := st.where(st.root, maskT); where != "" {
		st.add(finding{
			code: code.NeverFires, severity: grammar.Warning,
			message: "the trigger can be true only where " + where, hint: hint,
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
		if l := b.from.leaf; b.from.op == formLeaf && st.m.leaves[l].Kind == condition.Cadence {
			f.hint = "write cooldown, which keeps firings apart at every moment"
		}
	}
	if b.from != b.to && !b.gap && st.m.rivals(b.from, b.to) && st.joined(formOr, b.from, b.to)&maskF != 0 {
		f.hint = "did you mean or?"
		if and, ok := st.root.expr.(*grammar.And); ok && len(and.Terms) == 2 && b.from.expr == and.Terms[0] &&
			b.to.expr == and.Terms[1] {
			f.instead = format(&grammar.Or{Terms: and.Terms})
		}
	}
	st.add(f, b.from, b.to)
}

// where says on which odd turns a form has a truth that it lacks on all others, and what to do then; "" for
// none.
func (st *examination) where(f *form, t mask) (where, hint string) {
	if st.reach(f, oddRatio)&t == 0 {
		return "", ""
	}
	return "a ratio is above 100%, which no right count can be", "compare with less"
}

func (st *examination) always() {
	if r := st.root; r.op == formLeaf && st.m.leaves[r.leaf].Kind == condition.Cadence {
		return // every 1 turn, of which package lint tells
	}
	b := st.blame(st.root, maskF)
	f := finding{
		code: code.AlwaysTrue, severity: grammar.Warning,
		message: "the trigger is always true: " + b.reason,
		hint:    "if that is meant, write always",
	}
	switch m := st.reach(st.root, oddRatio); {
	case m == maskT:
		f.hint, f.instead = "write always", "always"
	case m&maskF != 0:
		where, _ := st.where(st.root, maskF)
		f.message = "the trigger is true on every turn on which its facts are known, unless " + where
		f.hint = "compare with something that can also be false"
	default:
		f.message = "the trigger is true on every turn on which its facts are known: " + b.reason
		f.hint = "compare with something that can also be false"
	}
	st.add(f, b.from, b.to)
}

func (st *examination) add(f finding, from, to *form) {
	f.field, f.root = st.field, st.root.expr
	if from != nil && to != nil {
		f.from, f.to = from.expr, to.expr
	}
	st.found = append(st.found, f)
}

// parts finds the parts of f that cannot matter. trail leads from the root to f's parent.
func (st *examination) parts(f *form, trail []*form) {
	trail = append(trail, f)
	for _, k := range slices.Backward(f.kids) {
		if f.op != formNot && !k.manual && (st.alone(f, k, trail) || st.idle(f, k, trail)) {
			k.gone = true
			continue
		}
		st.parts(k, trail)
	}
}

// idle looks at one of the parts that f joins, and reports whether it can be left out.
func (st *examination) idle(f, k *form, trail []*form) bool {
	if st.matters(st.root, trail, k) {
		return false
	}
	// The parts found before are left out here. A finding about a part must hold without them, too.
	gone := restore(st.root, nil)
	defer leave(gone)
	if len(gone) > 0 && st.matters(st.root, trail, k) {
		return false
	}
	text := quoted(format(k.expr))
	message := text + " has no effect: the rest of the trigger decides without it"
	for _, y := range f.kids {
		if y == k || y.in&k.in == 0 {
			continue
		}
		if two := join(f.op, y, k); st.matters(two, []*form{two}, k) {
			continue
		}
		other := quoted(format(y.expr))
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

// meant reports whether f is never true since it has a constant that is false, and for that alone.
func (st *examination) meant(f *form) bool {
	st.m.loose = true
	m := st.reach(f, usual)
	st.m.loose = false
	return m&maskT != 0
}

// alone finds a part that has the same truth on every turn, and that arms nothing before a new text.
func (st *examination) alone(f, k *form, trail []*form) bool {
	st.told = true
	defer func() { st.told = false }()
	lacks, x := maskT, finding{code: code.PartNever, severity: grammar.Warning, drop: true}
	if f.op == formAnd {
		lacks, x.code = maskF, code.PartAlways
	}
	if st.reach(k, usual)&lacks != 0 {
		return false
	}
	other := pair(fact.True, fact.False) | pair(fact.False, fact.True)
	for gap := range st.m.moments(st.gaps) {
		st.m.ask(question{oddRatio, gap})
		if gap > 1 && (st.m.without(st.root, trail, k)&other != 0 || st.m.over) {
			return false
		}
	}
	x.hint = "correct it, or leave it out"
	where, _ := st.where(k, lacks)
	switch m := st.reach(k, oddRatio); {
	case lacks == maskT && st.meant(k):
		x.message, x.hint = quoted(format(k.expr))+" is never true", "leave it out"
	case lacks == maskT && m&maskT != 0:
		x.message = "this part can be true only where " + where
	case lacks == maskT:
		x.message = "this part can never be true: " + st.blame(k, maskT).reason
	case m&maskF != 0:
		x.message = "this part is true whenever its facts are known, unless " + where
	case m != maskT:
		x.message = "this part is true whenever its facts are known: " + st.blame(k, maskF).reason
	default:
		x.message, x.hint = "this part is always true: "+st.blame(k, maskF).reason, "leave it out"
	}
	st.add(x, k, k)
	return true
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
		return blame{reason: quoted(format(f.expr)) + " says so", from: f, to: f}
	case formLeaf:
		return blame{reason: st.m.reason(&st.m.leaves[f.leaf], format(f.expr)), from: f, to: f}
	case formNot:
		return st.blame(f.kids[0], maskT^maskF^lacks)
	}
	for _, k := range f.kids {
		if (f.op == formAnd) == (lacks == maskT) && st.reach(k, usual)&lacks == 0 {
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
				return st.blamePair(k, l, lacks)
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
		texts[i] = quoted(format(k.expr))
	}
	reason := list(texts) + " are never true together"
	if lacks == maskF {
		reason = "one of " + list(texts) + " always holds"
	}
	return blame{reason: reason, from: f, to: f, gap: true}
}

func (st *examination) blamePair(k, l *form, lacks mask) blame {
	b := blame{from: k, to: l}
	if lacks == maskF {
		b.reason = fmt.Sprintf("one of %s and %s always holds", quoted(format(k.expr)), quoted(format(l.expr)))
		return b
	}
	if gap := st.m.between(k, l); gap != "" {
		b.reason, b.gap = gap, true
		return b
	}
	b.reason = fmt.Sprintf("%s and %s are never true together", quoted(format(k.expr)), quoted(format(l.expr)))
	return b
}

// between says that two bounds of a whole number leave room for none, though one is above the other.
func (m *model) between(k, l *form) string {
	if k.op != formLeaf || l.op != formLeaf {
		return ""
	}
	a, b := m.limit(k), m.limit(l)
	if a == nil || b == nil || a.vars[0] != b.vars[0] || !m.vars[a.vars[0]].whole {
		return ""
	}
	if a.op == grammar.Less || a.op == grammar.LessEqual {
		a, b = b, a
	}
	if a.op != grammar.Greater && a.op != grammar.GreaterEqual || b.op != grammar.Less &&
		b.op != grammar.LessEqual || a.c <= b.c {
		return ""
	}
	words := map[grammar.Op]string{grammar.Greater: "above", grammar.GreaterEqual: "at least",
		grammar.Less: "below", grammar.LessEqual: "at most"}
	return fmt.Sprintf("no whole number is %s %s and %s %s", words[a.op], plainNumber(-a.c), words[b.op],
		plainNumber(-b.c))
}

// limit is the constant with which a part compares a number; nil if it does something else.
func (m *model) limit(f *form) *linear {
	l := &m.leaves[f.leaf]
	if len(l.lin) != 1 || len(l.vars) != 1 || l.Kind == condition.General {
		return nil
	}
	return &l.lin[0]
}

// rivals reports whether two operands ask for values of the same thing, so that "or" between them is likely
// to be meant.
func (m *model) rivals(k, l *form) bool {
	a, b := m.asked(k), m.asked(l)
	return a >= 0 && a == b
}

// asked is the variable that an operand, or each member of one, asks for a value of; -1 if there is no such.
func (m *model) asked(f *form) int {
	switch f.op {
	case formLeaf:
		l := &m.leaves[f.leaf]
		k := m.vars[l.vars[0]].kind
		if len(l.vars) == 1 && !l.free && (k.numeric() || k == varText) {
			return l.vars[0]
		}
	case formOr:
		v := -1
		for i, k := range f.kids {
			w := m.asked(k)
			if !k.member || w < 0 || i > 0 && w != v {
				return -1
			}
			v = w
		}
		return v
	}
	return -1
}
