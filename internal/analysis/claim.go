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

// fields are how messages call the fields of a reminder, and what is said of one that is never, or always,
// true.
var fields = map[string]struct {
	name              string
	never, always     grammar.Code
	ifNever, ifAlways string
}{
	"trigger": {"the trigger", code.NeverFires, code.AlwaysTrue, "", ""},
	"rearm":   {"rearm", code.RearmNever, code.AlwaysTrue, onlyCompaction, ""},
	"expect": {"expect", code.ExpectNever, code.ExpectAlways, "; each firing counts as ignored",
		"; each firing counts as heeded"},
}

// onlyCompaction is the end of a message about a rearm that is never true.
const onlyCompaction = "; only a compaction re-arms it"

// An examination is the examination of one field of a reminder.
type examination struct {
	m     *model
	root  *form
	field string
	gaps  bool // the gap between two turns counts too (LANGUAGE.md §4, step 4)
	span  span // that counts now
	found []finding
}

// newExamination makes a model of a field of the reminder self; nil where it is too large.
func newExamination(p *compiled.Predicate, self, field string, on occasion) *examination {
	m, roots := newModel(on, []string{self}, p)
	if m == nil {
		return nil
	}
	return &examination{m: m, root: roots[0], field: field}
}

// ask asks a question about turns and, where they count, about the gaps after them. It reports false past the
// bound.
func (st *examination) ask(about func()) bool {
	for gap := range st.m.moments(st.span) {
		st.m.ask(gap)
		if about(); st.m.over {
			return false
		}
	}
	return true
}

// reach returns the truths of a form.
func (st *examination) reach(f *form) (m mask) {
	if !st.ask(func() { m |= st.m.reach(f) }) {
		return maskF | maskU | maskT
	}
	return m
}

// matters reports whether root has another truth on some turn if a part of it is left out.
func (st *examination) matters(root, part *form) (yes bool) {
	return !st.ask(func() { yes = yes || st.m.without(root, part)&^alike != 0 }) || yes
}

// meant reports whether f is never true since it has a constant that is false, and for that alone.
func (st *examination) meant(f *form) bool {
	st.m.loose = true
	defer func() { st.m.loose = false }()
	return st.reach(f)&maskT != 0
}

// examine collects the findings about the field by itself, and reports those about the whole.
func (st *examination) examine() (never, always bool) {
	switch {
	case st.root.op == formFixed:
		return false, false
	case st.reach(st.root)&maskT == 0:
		return st.never(), false
	case st.gaps:
		st.span = gapSpan
	}
	constant := st.reach(st.root)&maskF == 0
	if constant {
		always = st.always()
	}
	if st.gaps {
		st.span = textSpan
	}
	if !constant {
		st.parts(st.root)
	}
	return false, always
}

// constant says why a form, which a message calls name, is never true (lacks is maskT) or never false. sure
// is whether it is neither false nor unknown.
func (st *examination) constant(name string, f *form, lacks mask) (message string, b blame, sure bool) {
	b = st.blame(f, lacks)
	switch {
	case lacks == maskT:
		return name + " can never be true: " + b.reason, b, false
	case st.reach(f) != maskT:
		return name + " is true whenever its facts are known: " + b.reason, b, false
	}
	return name + " is always true: " + b.reason, b, true
}

// never: the field cannot become true, unless its author has said so.
func (st *examination) never() bool {
	if st.meant(st.root) {
		return false
	}
	of := fields[st.field]
	message, b, _ := st.constant(of.name, st.root, maskT)
	f := finding{code: of.never, severity: grammar.Warning, message: message + of.ifNever,
		hint: "compare with something that can be"}
	switch from := b.from; {
	case from != b.to && !b.gap && st.m.rivals(from, b.to) &&
		st.reach(join(formOr, from, b.to))&maskF != 0:
		f.hint = "did you mean or?"
		if and, ok := st.root.expr.(*grammar.And); ok && len(and.Terms) == 2 && from.expr == and.Terms[0] &&
			b.to.expr == and.Terms[1] {
			f.instead = format(&grammar.Or{Terms: and.Terms})
		}
	case from != b.to:
		f.hint = "change one of the two"
	case from.op == formLeaf && st.m.leaves[from.leaf].Kind == condition.Cadence:
		f.hint = "write cooldown, which keeps firings apart at every moment"
	}
	st.add(f, b.from, b.to)
	return true
}

// always: the field is never false; of every 1 turn package lint says it.
func (st *examination) always() bool {
	if r := st.root; r.op == formLeaf && st.m.leaves[r.leaf].Kind == condition.Cadence {
		return false
	}
	of := fields[st.field]
	message, b, sure := st.constant(of.name, st.root, maskF)
	f := finding{code: of.always, severity: grammar.Warning, message: message + of.ifAlways,
		hint: "compare with something that can also be false"}
	switch {
	case st.field == "expect":
		f.hint = "write what the model should do, as in after_tool:@edit"
	case sure:
		f.hint, f.instead = "write always", "always"
	}
	st.add(f, b.from, b.to)
	return true
}

func (st *examination) add(f finding, from, to *form) {
	f.field, f.root, f.from, f.to = st.field, st.root.expr, from.expr, to.expr
	st.found = append(st.found, f)
}

// parts finds the parts of f that cannot matter.
func (st *examination) parts(f *form) {
	for _, k := range slices.Backward(f.kids) {
		if f.op != formNot && !k.manual && (st.alone(f, k) || st.idle(f, k)) {
			k.gone = true
			continue
		}
		st.parts(k)
	}
}

// idle looks at one of the parts that f joins, and reports whether it can be left out. The parts found before
// are left out here. A finding about a part must hold without them, too.
func (st *examination) idle(f, k *form) bool {
	if st.matters(st.root, k) {
		return false
	}
	st.m.whole = true
	defer func() { st.m.whole = false }()
	if st.matters(st.root, k) {
		return false
	}
	message := k.text() + " has no effect: the rest of the trigger decides without it"
	for _, y := range f.kids {
		if y == k || y.in&k.in == 0 || st.matters(join(f.op, y, k), k) {
			continue
		}
		switch {
		case y.text() == k.text():
			message = k.text() + " stands here twice"
		case f.op == formAnd:
			message = fmt.Sprintf("%s has no effect: it holds whenever %s does", k.text(), y.text())
		default:
			message = fmt.Sprintf("%s has no effect: where it holds, %s does too", k.text(), y.text())
		}
		break
	}
	st.add(finding{code: code.IdlePart, severity: grammar.Warning, message: message, hint: "leave it out",
		drop: true}, k, k)
	return true
}

// alone finds a part that has the same truth on every turn, and that arms nothing before a new text.
func (st *examination) alone(f, k *form) bool {
	lacks, x := maskT, finding{code: code.PartNever, severity: grammar.Warning, drop: true,
		hint: "correct it, or leave it out"}
	if f.op == formAnd {
		lacks, x.code = maskF, code.PartAlways
	}
	all := st.span
	st.span = min(all, gapSpan)
	defer func() { st.span = all }()
	if st.reach(k)&lacks != 0 {
		return false
	}
	for gap := range st.m.moments(all) {
		if gap <= int(gapSpan) {
			continue
		}
		st.m.ask(gap)
		if st.m.without(st.root, k)&(pair(fact.True, fact.False)|pair(fact.False, fact.True)) != 0 || st.m.over {
			return false
		}
	}
	message, _, sure := st.constant("this part", k, lacks)
	if x.message = message; lacks == maskT && st.meant(k) {
		x.message, sure = k.text()+" is never true", true
	}
	if sure {
		x.hint = "leave it out"
	}
	st.add(x, k, k)
	return true
}

// A blame says why a form lacks a truth, and which parts are at fault.
type blame struct {
	reason   string
	from, to *form
	gap      bool // more than two of them, or numbers between which there is none
}

// blame finds why f is never true (lacks is maskT) or never false (maskF). That f lacks it is known.
func (st *examination) blame(f *form, lacks mask) blame {
	lacking := func(kids ...*form) bool { return st.reach(join(f.op, kids...))&lacks == 0 }
	switch {
	case f.op == formFixed:
		return blame{reason: f.text() + " says so", from: f, to: f}
	case f.op == formLeaf:
		return blame{reason: st.m.reason(&st.m.leaves[f.leaf], format(f.expr)), from: f, to: f}
	case f.op == formNot:
		return st.blame(f.kids[0], maskT^maskF^lacks)
	case (f.op == formAnd) != (lacks == maskT): // all of them
		return blame{reason: st.blame(f.kids[0], lacks).reason, from: f, to: f, gap: true}
	}
	for _, k := range f.kids {
		if st.reach(k)&lacks == 0 {
			return st.blame(k, lacks) // one is enough
		}
	}
	why := func(texts ...string) string {
		if lacks == maskF {
			return "one of " + list(texts) + " always holds"
		}
		return list(texts) + " are never true together"
	}
	for i, k := range f.kids {
		for _, l := range f.kids[i+1:] {
			if k.in&l.in == 0 || !lacking(k, l) {
				continue
			}
			if gap := st.m.between(k, l); gap != "" && lacks == maskT {
				return blame{gap, k, l, true}
			}
			return blame{why(k.text(), l.text()), k, l, false}
		}
	}
	kids := slices.Clone(f.kids)
	for i := 0; i < len(kids) && len(kids) > 2; {
		if fewer := slices.Delete(slices.Clone(kids), i, i+1); lacking(fewer...) {
			kids = fewer
		} else {
			i++
		}
	}
	texts := make([]string, len(kids))
	for i, k := range kids {
		texts[i] = k.text()
	}
	return blame{why(texts...), f, f, true}
}
