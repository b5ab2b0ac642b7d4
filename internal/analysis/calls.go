package analysis

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
)

// calls is what the conditions of a model ask of single calls.
type calls struct {
	asked   bool     // a condition reads the calls of the turn
	failing bool     // or whether they failed
	counted bool     // or how many there are
	history []string // names of tools, of whose calls functions ask the history
}

// telling is how a host tells the calls of a turn.
type telling uint8

const (
	toldWhole  telling = iota
	toldFailed         // the tools, and which of them failed
	toldTools          // the tools, and perhaps that some failed
	toldSilent         // whole, but of calls that failed perhaps only that there are some, if that
	toldNone
)

// callPattern is a call pattern as package callpattern has it, which reads all that triggers have.
func callPattern(p condition.Pattern) *callpattern.Pattern { return p.Pattern.(*callpattern.Pattern) }

// note notes the call patterns that a condition asks for.
func (v *variable) note(ps []condition.Pattern) bool {
	for i := range ps {
		for _, p := range callPattern(ps[i]).Parts() {
			if p.Class() == fact.NoClass {
				v.words = append(v.words, wild(p.Name()))
			}
			if (p.Subject() || p.Class() != fact.NoClass) && !slices.ContainsFunc(v.patterns,
				func(o *callpattern.Pattern) bool { return callpattern.Equal(o, p) }) {
				v.patterns = append(v.patterns, p)
			}
		}
	}
	return true
}

// survey finds out beforehand what the conditions ask of calls.
func (m *model) survey() {
	c := &m.calls
	for i := range m.leaves {
		l := &m.leaves[i]
		if m.wider.free[l.text] {
			continue
		}
		for _, id := range l.Reads {
			c.asked = c.asked || id == fact.ToolUsed || id == fact.CallList
			c.failing = c.failing || m.moment == fact.Turn && !m.host.never(fact.LastToolCallFailed) &&
				(id == fact.LastToolCallFailed || id == fact.FailuresInRow || id == fact.CallList)
			c.counted = c.counted || l.Function == "len" || id == fact.CallList
		}
		for _, t := range l.Terms {
			for j := range t.Patterns {
				if p := t.Patterns[j].String(); t.History && plain(p) && !m.wider.unlinked &&
					!slices.Contains(c.history, p) {
					c.history = append(c.history, p)
				}
			}
		}
	}
}

// kinds are the calls that the patterns can tell apart; ok is false if there are too many.
func (m *model) kinds(v *variable, failing bool) (out []fact.Call, ok bool) {
	globs := slices.Clone(v.words)
	for _, name := range m.calls.history {
		globs = append(globs, wild(name))
	}
	words, ok := wordsOf(globs, "Other")
	classes := []fact.Class{fact.NoClass}
	for _, p := range v.patterns {
		if !slices.Contains(classes, p.Class()) {
			classes = append(classes, p.Class())
		}
	}
	outcomes := []fact.Truth{fact.Unknown}
	if failing {
		outcomes = []fact.Truth{fact.False, fact.True, fact.Unknown}
	}
	edits := slices.Contains(classes, fact.Edit)
	if edits && !slices.Contains(classes, fact.Shell) {
		classes = append(classes, fact.Shell) // a command that changes files
	}
	add := func(c fact.Call) bool {
		for _, c.Failed = range outcomes {
			out = append(out, c)
		}
		return len(out) <= maxValues
	}
	none := barred(v.patterns)
	for _, word := range words {
		for _, class := range classes {
			v.subjects(fact.Call{Tool: word, Class: class}, none, add)
			if edits && class == fact.Shell {
				v.subjects(fact.Call{Tool: word, Class: class, Edits: true}, none, add)
			}
		}
	}
	return out, ok && len(out) <= maxValues
}

// barred has, for each two patterns, the pairs of truths that no call has: one that matches a pattern matches
// a wider one too, and none matches two that are disjoint.
func barred(ps []*callpattern.Pattern) [][][3][3]bool {
	out := make([][][3][3]bool, len(ps))
	for i, p := range ps {
		out[i] = make([][3][3]bool, i)
		for j, o := range ps[:i] {
			under, over, apart := callpattern.Implies(p, o), callpattern.Implies(o, p), callpattern.Disjoint(p, o)
			for t := fact.False; t <= fact.True; t++ {
				for u := fact.False; u <= fact.True; u++ {
					out[i][j][t][u] = under && t > u || over && u > t ||
						apart && (t == fact.True && u != fact.False || u == fact.True && t != fact.False)
				}
			}
		}
	}
	return out
}

// subjects visits a call with each way in which its subject can look to the patterns.
func (v *variable) subjects(c fact.Call, barred [][][3][3]bool, visit func(fact.Call) bool) {
	var at []int // the patterns that look at the subject of such a call
	for i, p := range v.patterns {
		if p.Subject() && (p.Fits(c.Tool, c.Class) || c.Edits && p.Class() == fact.Edit) {
			at = append(at, i)
		}
	}
	truths := make([]fact.Truth, len(at))
	agree := func(i int) bool {
		for j := range i {
			if barred[at[i]][at[j]][truths[i]][truths[j]] {
				return false
			}
		}
		return true
	}
	var each func(i int) bool
	each = func(i int) bool {
		if i == len(at) {
			one := c
			one.Matches = make(map[string]fact.Truth, len(at))
			for j, k := range at {
				one.Matches[v.patterns[k].String()] = truths[j]
			}
			return visit(one)
		}
		for _, truths[i] = range []fact.Truth{fact.False, fact.True, fact.Unknown} {
			if agree(i) && !each(i+1) {
				return false
			}
		}
		return true
	}
	each(0)
}

// tell puts the calls into a frame as hosts tell them.
func (x *value) tell(f *fact.Frame) {
	switch x.told {
	case toldWhole, toldSilent:
		f.SetCalls(x.batch)
	case toldFailed, toldTools:
		bare := make([]fact.Call, len(x.batch))
		var failed []string
		for i, c := range x.batch {
			bare[i] = fact.Call{Tool: c.Tool, Class: c.Class}
			if c.Failed == fact.True {
				failed = append(failed, c.Tool)
			}
		}
		if f.SetTools(bare); x.told == toldFailed {
			f.SetFailed(failed)
		}
	}
	if x.told == toldWhole {
		x.last = f.Truth(fact.LastToolCallFailed)
		return
	}
	if x.told == toldSilent {
		f.ForgetOutcomes()
	}
	if x.last != fact.Unknown {
		f.SetBool(fact.LastToolCallFailed, x.last == fact.True)
	}
}

// matches reports whether one of the calls is of a tool of that name; Unknown where they are not told.
func (x *value) matches(name string) fact.Truth {
	if x.told == toldNone {
		return fact.Unknown
	}
	is := callpattern.Wild(name)
	return fact.Of(slices.ContainsFunc(x.batch, func(c fact.Call) bool { return is(c.Tool) }))
}

// batches finds the values of the calls of a turn: each way in which calls together can look to the
// conditions, told in each way in which hosts tell calls.
func (m *model) batches(i int) bool {
	v := &m.vars[i]
	kinds, ok := m.kinds(v, m.calls.failing)
	if !ok {
		return false
	}
	leaves := m.leavesOf(i)
	f := m.schema.NewFrame()
	look := func(x value, note func(bool)) {
		f.Reset()
		x.tell(f)
		for _, l := range leaves {
			l.look(f, note)
			note(x.last == fact.True && l.eval(f) != fact.True) // one that failed may be another call
		}
	}
	unions := unionsOf(kinds, func(c fact.Call, note func(bool)) {
		x := value{batch: []fact.Call{c}}
		look(x, note)
		if m.calls.failing {
			x.last = fact.True
			for _, x.told = range []telling{toldTools, toldSilent} {
				look(x, note)
			}
			x.told, x.last = toldFailed, c.Failed
			look(x, note)
			note(c.Failed > fact.False)
			note(c.Failed == fact.True)
		} else if len(v.patterns) > 0 {
			x.told = toldTools
			look(x, note)
		}
		for _, name := range m.calls.history {
			note(x.matches(name) == fact.True)
		}
	})
	if unions == nil {
		return false
	}
	seen := map[string]int{}
	add := func(x value) {
		f.Reset()
		x.tell(f)
		k := []byte{byte(x.last)}
		for _, name := range m.calls.history {
			k = append(k, byte(x.matches(name)))
		}
		for range 2 {
			for _, l := range leaves {
				k = append(k, byte(x.seen(l, l.eval(f))))
			}
			f.EndEvents()
		}
		if j, ok := seen[string(k)]; !ok {
			seen[string(k)] = len(v.values)
			v.values = append(v.values, x)
		} else if x.cost < v.values[j].cost {
			v.values[j] = x
		}
	}
	lasts := []fact.Truth{fact.Unknown}
	if m.calls.failing {
		lasts = []fact.Truth{fact.True, fact.False, fact.Unknown}
	}
	for _, least := range unions {
		for _, batch := range grown(leaves, least) {
			m.tellings(v, batch, lasts, add)
		}
	}
	for _, t := range lasts {
		add(value{told: toldNone, last: t, cost: 64})
	}
	return len(v.values) <= maxValues
}

// tellings adds the ways in which hosts tell some calls.
func (m *model) tellings(v *variable, batch []fact.Call, lasts []fact.Truth, add func(value)) {
	sure, last := true, fact.False
	for _, c := range batch {
		sure, last = sure && c.Failed != fact.Unknown, last.Or(c.Failed)
	}
	cost := float64(len(batch))
	if m.recalled(v) {
		add(value{batch: batch, missing: true, cost: cost + 64})
	}
	if len(v.patterns) > 0 || m.calls.failing || m.calls.counted {
		add(value{batch: batch, cost: cost})
		if sure && m.calls.failing {
			add(value{batch: batch, told: toldFailed, last: last, cost: cost + 1})
		}
	}
	for _, t := range lasts {
		if len(batch) > 0 || t != fact.True {
			add(value{batch: batch, told: toldTools, last: t, cost: cost + 2})
		}
		if m.calls.failing && (len(batch) == 0 && t != fact.True || last == fact.Unknown) {
			add(value{batch: batch, told: toldSilent, last: t, cost: cost + 3})
		}
	}
}
