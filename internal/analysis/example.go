package analysis

import (
	"cmp"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// self is the id of the reminder whose trigger is examined by itself.
const self = "this"

// witness looks for a turn on which f, which is the root of p, is true, and tries it. Facts that the trigger
// does not need are unknown there. text says what holds, such as "context_usage is 76% and turn_count is 11";
// it is "" for a trigger that is true whatever the facts are.
func (m *model) witness(f *form, p *compiled.Predicate) (frame *fact.Frame, text string, ok bool) {
	frame = m.schema.NewFrame()
	if !m.example(f, frame) || p.Eval(frame) != fact.True {
		return nil, "", false
	}
	return frame, list(deciding(p.Root(), p.Explain(frame), m.moment)), true
}

// deciding are the values that decide a trigger at a moment, as explanations show them. A condition stands in
// place of its value where an explanation hides the value or shows none.
func deciding(n *condition.Node, part compiled.Part, at fact.Moment) (words []string) {
	switch l := n.Leaf; {
	case l == nil:
		for i, k := range n.Kids {
			if q := part.Parts[i]; len(n.Kids) == 1 || q.Truth == part.Truth {
				for _, w := range deciding(k, q, at) {
					if !slices.Contains(words, w) {
						words = append(words, w)
					}
				}
				if _, or := n.Expr.(*grammar.Or); or == (part.Truth == fact.True) { // one is enough
					break
				}
			}
		}
		return words
	case l.Kind == condition.Constant:
		return nil
	case at != fact.Turn && memory(l) != nil, l.Kind == condition.Cadence, l.Kind == condition.Failed,
		slices.ContainsFunc(l.Reads, worded),
		slices.ContainsFunc(l.Patterns, func(p condition.Pattern) bool { return p.Name == "" }):
		if part.Truth == fact.False {
			return []string{quoted("not " + part.Text)}
		}
		return []string{quoted(part.Text)}
	}
	return []string{part.Value}
}

// worded reports whether an explanation does not show a fact, since it holds words of people or tools.
func worded(id fact.ID) bool {
	return id != fact.CallList && id.Private()
}

// example fills a frame with facts for which f is true. It reports false where it finds none.
func (m *model) example(f *form, frame *fact.Frame) bool {
	defer func() { m.at = slices.Repeat([]int{-1}, len(m.groups)) }()
	m.ask(0)
	m.steps *= 10
	var groups []int // as they are first mentioned
	for i := range m.leaves {
		if g := m.leaves[i].in; f.in&(1<<g) != 0 && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	if !m.solve(f, groups) || m.over {
		return false
	}
	for _, g := range slices.Backward(groups) { // as few as need be
		if s := m.at[g]; s >= 0 {
			if m.at[g] = -1; m.reach(f) != maskT {
				m.at[g] = s
			}
		}
	}
	p := &past{m: m, values: make([]*value, len(m.vars))}
	for _, g := range groups {
		if m.at[g] < 0 {
			continue
		}
		for i, x := range m.groups[g].states[m.at[g]].values {
			p.values[m.groups[g].vars[i]] = x
		}
	}
	turn := &past{m: m, values: slices.Clone(p.values)}
	for i := range m.vars {
		switch k := m.vars[i].kind; {
		case k == varMoment:
			turn.values[i] = nil
		case k == varCalls && m.moment == fact.BeforeTool: // in their place is the call at hand
			p.values[i] = nil
		}
	}
	if m.fill(frame, p); m.moment != fact.Turn {
		m.tell(frame, turn)
	}
	frame.SetSelf(self)
	return true
}

// tell sets, in the frame of a moment, the values of conditions as the turns before it told them: p.
func (m *model) tell(frame *fact.Frame, p *past) {
	turn := m.schema.NewFrame()
	m.fill(turn, p)
	frame.Recall(compile.RecallAt(m.moment))
	for i := range m.leaves {
		l := &m.leaves[i]
		r := memory(l.Leaf)
		if r == nil || r.Of == condition.OfTexts || m.atHand(l) {
			continue
		}
		frame.SetTold(r.Key, r.Direct(turn))
		if x := p.values[l.vars[0]]; l.free && x != nil { // a value with which it comes out as x does
			tries := []float64{0, 1}
			for _, c := range l.Numbers {
				tries = append(tries, c-1, c, c+1)
			}
			for len(tries) > 0 && l.eval(frame) != x.truth[0] {
				frame.SetTold(r.Key, tries[0])
				tries = tries[1:]
			}
		}
	}
}

// solve puts groups into states in which f is true: where one is enough, into the best of these.
func (m *model) solve(f *form, groups []int) bool {
	switch all := m.reach(f); {
	case all == maskT:
		return true
	case all&maskT == 0 || len(groups) == 0:
		return false
	}
	g, states := groups[0], m.groups[groups[0]].states
	truths, choices := make([]mask, len(states)), []int{}
	for s := range states {
		m.at[g] = s
		if truths[s] = m.reach(f); truths[s]&maskT != 0 {
			choices = append(choices, s)
		}
	}
	slices.SortStableFunc(choices, func(a, b int) int {
		return cmp.Or(cmp.Compare(b2u(truths[a] != maskT), b2u(truths[b] != maskT)),
			cmp.Compare(states[a].cost, states[b].cost))
	})
	for _, m.at[g] = range choices {
		if m.solve(f, groups[1:]) {
			return true
		}
	}
	m.at[g] = -1
	return false
}

// Example is a turn on which a trigger is true.
type Example struct {
	Frame *fact.Frame
	Text  string // as Describe says it
}

// Witness returns a turn on which the trigger is true: it was evaluated on it. ok is false where the trigger
// can never be true, and where no such turn was found.
func Witness(p *compiled.Predicate) (ex Example, ok bool) {
	st := newExamination(p, self, "trigger", occasion{})
	if st != nil {
		ex.Frame, ex.Text, ok = st.m.witness(st.root, p)
	}
	return ex, ok
}
