package analysis

import (
	"fmt"

	"github.com/aside-go/aside/grammar"
)

// A blame says why a form lacks a truth, and which parts are at fault.
type blame struct {
	reason   string
	from, to *form
	gap      bool // between whole numbers
}

// blame finds why f is never true (lacks is maskT) or never false (maskF). That f lacks it is known.
func (st *study) blame(f *form, lacks mask) blame {
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
	reason := list(texts, "and") + " are never true together"
	if lacks == maskF {
		reason = "one of " + list(texts, "and") + " always holds"
	}
	return blame{reason: reason, from: f, to: f, gap: true}
}

func (st *study) blamePair(f, k, l *form, lacks mask) blame {
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
	if a.kind != atomNumber || b.kind != atomNumber || a.v != b.v || !s.vars[a.v].whole || s.vars[a.v].kind == varText {
		return ""
	}
	if a.op == grammar.Less || a.op == grammar.LessEqual {
		a, b = b, a
	}
	if a.op != grammar.Greater && a.op != grammar.GreaterEqual || b.op != grammar.Less && b.op != grammar.LessEqual || a.c >= b.c {
		return ""
	}
	words := map[grammar.Op]string{grammar.Greater: "above", grammar.GreaterEqual: "at least", grammar.Less: "below", grammar.LessEqual: "at most"}
	return fmt.Sprintf("no whole number is %s %s and %s %s", words[a.op], plainNumber(a.c), words[b.op], plainNumber(b.c))
}

// rivals reports whether two operands ask for values of the same thing, so that "or" between them is likely to be meant.
func (s *system) rivals(k, l *form) bool {
	a, b := s.asked(k), s.asked(l)
	return a >= 0 && a == b
}

// asked is the variable that an operand, or each member of one, asks for a value of; -1 if there is no such.
func (s *system) asked(f *form) int {
	switch a := (*atom)(nil); f.op {
	case formAtom:
		if a = &s.atoms[f.atom]; a.kind == atomNumber && s.vars[a.v].kind != varFree {
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
