package callpattern

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
)

// Equal reports whether both patterns have the same canonical form.
func Equal(a, b *Pattern) bool { return a.canonical == b.canonical }

// Implies reports whether every call that surely matches a surely matches b. false may also mean that it is
// not known.
func Implies(a, b *Pattern) bool {
	if a.list != nil || b.list != nil {
		return !slices.ContainsFunc(a.Parts(), func(p *Pattern) bool {
			return !slices.ContainsFunc(b.Parts(), func(q *Pattern) bool { return Implies(p, q) })
		})
	}
	switch {
	case Equal(a, b):
		return true
	case !nameImplies(a, b):
		return false
	case !b.bound:
		return true
	case !a.bound, a.class == fact.Edit && b.class == fact.NoClass: // a command may be an edit, too
		return false
	}
	switch a.class {
	case fact.Edit, fact.Read:
		return filesImply(a, b)
	case fact.NoClass: // the call may be of any class
		return b.text.covers(&a.text) && filesImply(a, b)
	default:
		return b.text.covers(&a.text)
	}
}

func nameImplies(a, b *Pattern) bool {
	if a.class != fact.NoClass {
		return a.class == b.class || b.class == fact.NoClass && b.name.any()
	}
	return b.class == fact.NoClass && b.name.covers(&a.name)
}

// filesImply knows equal globs, ** and names that differ in * alone.
func filesImply(a, b *Pattern) bool {
	for _, g := range a.files {
		if !slices.ContainsFunc(b.files, func(h glob) bool { return globImplies(g, h) }) {
			return false
		}
	}
	return true
}

func globImplies(g, h glob) bool {
	switch {
	case g == h, h == glob{byName, "*"}:
		return true
	case g.form != h.form:
		return false
	case g.form == byName:
		return onlyStars(g.text) && onlyStars(h.text) && Covers(h.text, g.text)
	default:
		return h.text == "**" || h.text == "/**"
	}
}

// Disjoint reports whether no call can match both. false may also mean that it is not known.
func Disjoint(a, b *Pattern) bool {
	if a.list != nil || b.list != nil {
		return !slices.ContainsFunc(a.Parts(), func(p *Pattern) bool {
			return slices.ContainsFunc(b.Parts(), func(q *Pattern) bool { return !Disjoint(p, q) })
		})
	}
	if a.class != fact.NoClass && b.class != fact.NoClass {
		return a.class != b.class && !(a.class == fact.Shell && b.class == fact.Edit ||
			a.class == fact.Edit && b.class == fact.Shell) // a command may change files
	}
	return a.class == fact.NoClass && b.class == fact.NoClass && !a.name.meets(&b.name)
}

func onlyStars(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '?', '[', ']', '{', '}', '\\':
			return false
		}
	}
	return true
}
