package analysis

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/condition"
)

// At a moment beside the turn, the events of the turn before are over, and no others have come, unless a host
// tells some there once more. And a host may never tell a fact or a moment at all.

// Host says what a host never tells.
type Host struct {
	Facts   []fact.ID
	Moments []fact.Moment
}

// never reports whether a fact is unknown on all turns.
func (h *Host) never(id fact.ID) bool { return h != nil && slices.Contains(h.Facts, id) }

// mute reports whether a moment is never told.
func (h *Host) mute(at fact.Moment) bool { return h != nil && slices.Contains(h.Moments, at) }

// ends reports whether a variable is an event at a moment.
func (m *model) ends(v *variable) bool {
	switch v.kind {
	case varCalls:
		return m.moment != fact.Turn
	case varFact, varText, varSet:
		return m.moment != fact.Turn && m.schema.Fact(v.id).Kind == fact.Event
	}
	return false
}

// onlyEvents reports whether a condition reads nothing but events, at a moment.
func (m *model) onlyEvents(l *leaf) bool {
	return m.moment != fact.Turn && len(l.Reads) > 0 && !l.History() &&
		!slices.ContainsFunc(l.Reads, func(id fact.ID) bool { return m.schema.Fact(id).Kind != fact.Event })
}

// told marks the values that a variable has only where a host tells an event at a moment, and leaves out
// those that it never tells.
func (m *model) told(v *variable, values []value) []value {
	for i := range values {
		x := &values[i]
		event := x.part || len(x.batch) > 0 || x.last == fact.True || len(x.texts) > 1 || v.kind == varFact &&
			x.num != 0 && !x.unknown() || len(x.texts) == 1 && (v.kind == varSet || x.texts[0] != "")
		if m.ends(v) && event {
			x.odd |= oddEvent
			x.cost += 256
		}
	}
	if m.host == nil {
		return values
	}
	return slices.DeleteFunc(values, func(x value) bool {
		known := len(x.texts) > 0 || !x.unknown() && v.kind == varSet
		return x.odd&oddEvent != 0 || m.host.never(v.id) && (v.kind == varText || v.kind == varSet) && known
	})
}

// possible are the truths that a condition that is not looked into can have where no host tells an event at a
// moment. It is evaluated where the events that it reads are over, or unknown.
func (m *model) possible(l *leaf) (out mask) {
	tally := slices.ContainsFunc(l.Terms, func(t *condition.Term) bool { return t.Tally })
	if !tally && !l.History() && slices.ContainsFunc(l.Reads, m.host.never) {
		return maskU
	}
	if !m.onlyEvents(l) || len(l.Reads) > 4 {
		return maskF | maskU | maskT
	}
	f := m.schema.NewFrame()
	for known := range 1 << len(l.Reads) {
		f.Reset()
		for i, id := range l.Reads {
			if v := (variable{key: m.keyOf(id)}); known>>i&1 == 1 {
				m.put(f, &v, &value{texts: make([]string, b2u(v.kind == varText))})
			}
		}
		out |= of(l.eval(f))
	}
	return out
}

// keyOf is the variable that a fact would be.
func (m *model) keyOf(id fact.ID) key {
	switch ft := m.schema.Fact(id); {
	case id == fact.ToolUsed || ft.Type == fact.Calls:
		return key{kind: varCalls}
	case ft.Type == fact.Set:
		return key{kind: varSet, id: id}
	case ft.Type == fact.String:
		return key{kind: varText, id: id}
	}
	return key{kind: varFact, id: id}
}

// Untold returns the conditions of a trigger that are never true on a host, since it never tells what they
// read, and reports whether for that the whole trigger never is.
func (h *Host) Untold(p *compiled.Predicate) (parts []*condition.Node, never bool) {
	here, there := newExamination(p, self, "", occasion{host: h}), newExamination(p, self, "", occasion{})
	if here == nil || there == nil {
		return nil, false
	}
	lost := func(f, g *form, truths mask) bool {
		return here.reach(f, oddest)&truths == 0 && there.reach(g, oddest)&truths != 0
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
	return parts, lost(here.root, there.root, maskT)
}

// Possible reports whether a trigger can be true on a host. In doubt it can.
func (h *Host) Possible(p *compiled.Predicate) bool {
	st := newExamination(p, self, "", occasion{host: h})
	return st == nil || st.reach(st.root, oddest)&maskT != 0
}
