package analysis

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
)

// The bounds of the work.
const (
	maxGroups = 64     // of a model, since a set of them is a word
	maxStates = 65_536 // of a group; past it links are dropped, and then conditions are free
	maxSteps  = 60_000 // parts looked at for one question, and maxLeft for all
	maxLeft   = 400_000

	maxWidenings = 24
)

// A model is the turns that the conditions of one or more triggers can tell apart. What differs from turn
// to turn are variables: facts, answers of the history, the calls. A variable has representative values,
// and each condition is evaluated, as it was compiled, over those of the variables that it reads. Variables
// that a condition or a link joins are a group; the groups are independent of each other.
type model struct {
	schema *fact.Schema
	occasion
	leaves []leaf
	vars   []variable
	links  []link
	groups []group
	calls  calls
	wider  widening
	now    *fact.Frame
	gap    *fact.Frame
	texts  fact.Texts // that the conditions read
	past   past

	at []int // of each group the state it is in, -1 for any
	// The question that is asked: in which state of the turns, and without which part.
	instant int
	cut     *form
	loose   bool // a constant counts as true
	whole   bool // parts without effect count, too
	steps   int  // left for the question
	left    int  // for all questions
	over    bool // a bound was passed: answers count for nothing
}

// An occasion says of which turns a model is made; the triggers say the moment.
type occasion struct {
	moment fact.Moment
	silent func(id string) bool // reminders that have never fired by themselves; nil: none
	host   *Host                // nil: any
}

// A widening says which links and conditions a model leaves out, so that it stays small. The model then has
// turns that cannot occur.
type widening struct {
	unlinked bool
	free     map[string]bool // conditions, by their texts
}

// A leaf is a condition, or what a condition asks for one member of its list.
type leaf struct {
	*condition.Leaf
	text string // equal texts are one leaf
	expr grammar.Expr
	eval func(*fact.Frame) fact.Truth
	self string // the reminder that it belongs to
	vars []int
	free bool           // it comes out in any way
	lin  []linear       // what it compares with 0
	in   int            // group
	slot int            // place among the leaves of the group
	any  [gaps + 1]mask // the truths that it can have, on the turn and in the gaps after it
}

// A variable is a fact, an answer, or a truth that comes out in any way.
type variable struct {
	key
	values []value // representatives; of a number they depend on the values of others, see model.samples
	words  []glob  // what texts, or members of a set, are compared with
	// what else of calls is asked for: patterns that look at a class or a subject
	patterns []*callpattern.Pattern
	bounds
	group int
}

// A key tells variables apart.
type key struct {
	kind varKind
	id   fact.ID
	name string
}

// varKind is a sort of variable: a function of the history, whose answer it is, or what the others are.
type varKind string

const (
	varFact   varKind = "number"              // a fact that is a number or a bool
	varCount  varKind = "tool_count"          // of calls that matched a pattern
	varLatest varKind = "turns_since_tool"    // of the latest of these
	varSince  varKind = "called_since"        // of two patterns
	varChain  varKind = "tool_chain_repeats"  // of a chain
	varFired  varKind = "turns_since"         // of a reminder
	varTokens varKind = "output_tokens_since" // of a reminder
	varPace   varKind = "every"               // the distance that a cadence measures; id is its unit
	varText   varKind = "text"                // a fact that is a text
	varSet    varKind = "set"                 // a fact that is a set of texts, but tool_used
	varCalls  varKind = "calls"               // of the turn, or at the end of the work of the user turn
	varMoment varKind = "moment"              // the call about to be executed, or the end of the agent's work
	varFree   varKind = "free"                // the truth of a condition that is not looked into
)

// numeric reports whether a variable is a number, of which linear conditions make the representatives.
func (k varKind) numeric() bool {
	return k != varText && k != varSet && k != varCalls && k != varMoment && k != varFree
}

// A value is one representative of a variable.
type value struct {
	num     float64     // of a number; NaN is unknown, +Inf is at least 1; of a set that is unknown NaN
	texts   []string    // the text, or the members of the set
	part    bool        // of a set other members are not known
	missing bool        // at a moment: one of the turns before it did not tell the fact
	batch   []fact.Call // of the calls
	told    telling     // how a host tells them
	last    fact.Truth  // last_tool_call_failed
	truth   truths      // of a varFree
	cost    float64     // the least makes the best example
}

// A group is the variables that conditions or links join.
type group struct {
	vars, leaves []int
	states       []state
}

// gaps are those after a turn: one for each way in which texts are absent, in the order of fact.Texts.
const gaps = int(fact.AllTexts) + 1

// truths are those on the turn, and in the gaps after it.
type truths [gaps + 1]fact.Truth

// A state is a way in which the conditions of a group come out, with values for which they do.
type state struct {
	truths [gaps + 1]string // of the leaves, a byte each, on the turn and in the gaps after it
	values []*value         // of the variables
	cost   float64
}

// newModel finds the states of some triggers, which have the same schema, of the reminders self; m is nil
// where there are too many, or where the moments differ.
func newModel(on occasion, self []string, ps ...*compiled.Predicate) (m *model, roots []*form) {
	on.moment = ps[0].Moment()
	if slices.ContainsFunc(ps, func(p *compiled.Predicate) bool { return p.Moment() != on.moment }) {
		return nil, nil
	}
	wider := &widening{free: map[string]bool{}}
	for range maxWidenings {
		m, roots = &model{schema: ps[0].Schema(), occasion: on, wider: *wider, left: maxLeft}, nil
		m.past.m = m
		for i, p := range ps {
			roots = append(roots, m.form(p.Root(), self[i]))
		}
		if wider = m.close(); wider != nil {
			continue
		}
		if len(m.groups) > maxGroups {
			break
		}
		for _, root := range roots {
			m.settle(root, 0)
		}
		return m, roots
	}
	return nil, nil
}

// close finds the variables and states, once all leaves exist. Where there are too many, it returns what to
// widen.
func (m *model) close() *widening {
	m.survey()
	for i := range m.leaves {
		m.read(i)
	}
	for i := range m.vars {
		if !m.represent(i) {
			return m.freed(i)
		}
		v := &m.vars[i]
		v.values = m.told(v, v.values)
	}
	if !m.wider.unlinked {
		m.link()
	}
	m.split()
	m.now, m.gap = m.schema.NewFrame(), m.schema.NewFrame()
	m.at = slices.Repeat([]int{-1}, len(m.groups))
	for i := range m.groups {
		g := &m.groups[i]
		if !m.enumerate(g) {
			if len(m.links) > 0 {
				m.wider.unlinked = true
				return &m.wider
			}
			return m.freed(g.vars...)
		}
	}
	return nil
}

// freed widens the model: of the conditions that read some variables, the half that reads the most comes out
// in any way.
func (m *model) freed(vars ...int) *widening {
	var heavy []*leaf
	for i := range m.leaves {
		l := &m.leaves[i]
		if !l.free && slices.ContainsFunc(l.vars, func(v int) bool { return slices.Contains(vars, v) }) {
			heavy = append(heavy, l)
		}
	}
	slices.SortStableFunc(heavy, func(a, b *leaf) int { return cmp.Compare(len(b.vars), len(a.vars)) })
	for _, l := range heavy[:(len(heavy)+1)/2] {
		m.wider.free[l.text] = true
	}
	return &m.wider
}

// variable returns the variable of that identity, a new one if there is none.
func (m *model) variable(k key) int {
	if i := m.find(k); i >= 0 {
		return i
	}
	m.vars = append(m.vars, variable{key: k, bounds: m.boundsOf(k)})
	return len(m.vars) - 1
}

// find returns the variable of that identity, -1 if there is none.
func (m *model) find(k key) int {
	return slices.IndexFunc(m.vars, func(v variable) bool { return v.key == k })
}

// components are the parts of a list whose members are joined, directly or by others.
func components[T any](list []T, joins func(a, b T) bool) (parts [][]T) {
	for _, x := range list {
		with := []T{x}
		parts = slices.DeleteFunc(parts, func(part []T) bool {
			meets := slices.ContainsFunc(part, func(y T) bool { return joins(x, y) })
			if meets {
				with = append(with, part...)
			}
			return meets
		})
		parts = append(parts, with)
	}
	return parts
}

// split makes the groups.
func (m *model) split() {
	sets := make([][]int, len(m.vars))
	for i := range m.vars {
		sets[i] = []int{i}
	}
	for i := range m.leaves {
		if l := &m.leaves[i]; len(l.vars) > 1 {
			sets = append(sets, l.vars)
		}
	}
	for i := range m.links {
		sets = append(sets, m.links[i].vars)
	}
	for _, part := range components(sets, func(a, b []int) bool {
		return slices.ContainsFunc(a, func(v int) bool { return slices.Contains(b, v) })
	}) {
		vars := slices.Sorted(slices.Values(slices.Concat(part...)))
		m.groups = append(m.groups, group{vars: slices.Compact(vars)})
	}
	slices.SortStableFunc(m.groups, func(a, b group) int { return cmp.Compare(a.vars[0], b.vars[0]) })
	for n := range m.groups {
		vars := m.groups[n].vars
		slices.SortStableFunc(vars, func(a, b int) int { return cmp.Compare(m.vars[a].rank(), m.vars[b].rank()) })
		for _, v := range vars {
			m.vars[v].group = n
		}
	}
	for i := range m.leaves {
		l := &m.leaves[i]
		l.in = m.vars[l.vars[0]].group
		g := &m.groups[l.in]
		l.slot = len(g.leaves)
		g.leaves = append(g.leaves, i)
	}
}

// rank orders the variables of a group: whole numbers, so that others can lie between two of them, see
// linear; other numbers; the rest.
func (v *variable) rank() uint8 { return b2u(!v.whole) + b2u(!v.kind.numeric()) }

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// events reports whether a condition may come out otherwise in the gap after a turn.
func (m *model) events(l *leaf) bool {
	return l.Kind == condition.Cadence || l.Kind == condition.Before || l.Kind == condition.Stopping ||
		slices.ContainsFunc(l.Reads, func(id fact.ID) bool { return m.schema.Fact(id).Kind == fact.Event })
}

// fill puts values into a frame, the calls first, from which other facts follow.
func (m *model) fill(f *fact.Frame, p *past) {
	f.Reset()
	f.SetHistory(p)
	for _, calls := range []bool{true, false} {
		for i, x := range p.values {
			if k := m.vars[i].kind; x != nil && calls == (k == varCalls || k == varMoment) {
				m.put(f, &m.vars[i], x)
			}
		}
	}
}

// truth evaluates a condition for the values that are set: on the turn, which is 0, or in a gap after it.
func (m *model) truth(l *leaf, gap int) fact.Truth {
	if l.free {
		return m.past.values[l.vars[0]].truth[gap]
	}
	f := m.now
	if gap > 0 {
		f = m.gap
	}
	f.SetSelf(l.self)
	m.past.leaf = l
	return m.past.values[l.vars[0]].seen(l, l.eval(f))
}

// seen is the truth of a condition that is t on the turns that told what it reads.
func (x *value) seen(l *leaf, t fact.Truth) fact.Truth {
	switch {
	case !x.missing:
		return t
	case l.Not:
		return t.And(fact.Unknown)
	}
	return t.Or(fact.Unknown)
}

// rises reports whether a group is a single number that never falls during a run, and is known all along if
// it ever is.
func (m *model) rises(g *group) bool {
	if len(g.vars) != 1 {
		return false
	}
	v := &m.vars[g.vars[0]]
	return v.kind == varCount && plain(v.name) ||
		v.kind == varFact && m.schema.Fact(v.id).Kind == fact.Counter && m.schema.Fact(v.id).Type.Numeric()
}

// settle notes in each form, which is number n, on which groups it depends and which numbers it spans.
func (m *model) settle(f *form, n int) {
	if f.op == formLeaf {
		f.in = 1 << m.leaves[f.leaf].in
	}
	f.first, f.last = n, n+1
	for _, k := range f.kids {
		m.settle(k, f.last)
		f.in, f.last = f.in|k.in, k.last
	}
}

// members are the numbers in a set, such as the groups that a form depends on, in rising order.
func members(set uint64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}

var unknown = math.NaN()
