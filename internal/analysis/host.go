package analysis

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/condition"
)

// Host says what a host never reports.
type Host struct {
	Facts   []fact.ID
	Moments []fact.Moment
	Root    bool // its subagents hand back to another agent: the work ends at the root alone
}

// never reports whether a fact is unknown on all turns.
func (h *Host) never(id fact.ID) bool { return h != nil && slices.Contains(h.Facts, id) }

// mute reports whether a moment is never told.
func (h *Host) mute(at fact.Moment) bool { return h != nil && slices.Contains(h.Moments, at) }

// told leaves out the values of a variable that a host never reports. Of a user turn that begins without
// calls it is known on any host that it has none.
func (m *model) told(v *variable, values []value) []value {
	if !m.host.never(v.id) || v.kind != varText && v.kind != varSet {
		return values
	}
	return slices.DeleteFunc(values, func(x value) bool {
		return len(x.texts) > 0 || !x.unknown() && v.kind == varSet && !m.lacked(v.id)
	})
}

// lacked reports whether a fact may be known to be empty or false on a host that never reports it.
func (m *model) lacked(id fact.ID) bool { return m.moment == fact.Stopping && id.WithCalls() }

// possible are the truths that a condition that is not looked into can have on a host.
func (m *model) possible(l *leaf) mask {
	unknown := func(id fact.ID) bool { return m.host.never(id) && !m.lacked(id) }
	switch {
	case l.Kind == condition.Failed && m.host.never(fact.LastToolCallFailed):
		return maskF | maskU // it is true of a call that failed
	case l.History(), slices.ContainsFunc(l.Terms, func(t *condition.Term) bool { return t.Tally }),
		!slices.ContainsFunc(l.Reads, unknown):
		return maskF | maskU | maskT
	}
	return maskU
}

// Untold returns the conditions of a trigger that are never true on a host, since it never reports what they
// read, and reports whether for that the whole trigger never is.
func (h *Host) Untold(p *compiled.Predicate) (parts []*condition.Node, never bool) {
	here, there := newExamination(p, self, "", occasion{host: h}), newExamination(p, self, "", occasion{})
	if here == nil || there == nil {
		return nil, false
	}
	lost := func(f, g *form, truths mask) bool {
		return here.reach(f)&truths == 0 && there.reach(g)&truths != 0
	}
	var walk func(n *condition.Node, f, g *form)
	walk = func(n *condition.Node, f, g *form) {
		if n.Leaf != nil && (lost(f, g, maskT) || lost(f, g, maskT|maskF)) {
			parts = append(parts, n)
		}
		for i, k := range n.Kids {
			walk(k, f.kids[i], g.kids[i])
		}
	}
	walk(p.Root(), here.root, there.root)
	never = lost(here.root, there.root, maskT)
	if never && len(parts) == 0 { // one of them is always true there, and denied
		parts = append(parts, p.Root())
	}
	return parts, never
}

// Possible reports whether a trigger can be true on a host. In doubt it can.
func (h *Host) Possible(p *compiled.Predicate) bool {
	st := newExamination(p, self, "", occasion{host: h})
	return st == nil || st.reach(st.root)&maskT != 0
}
