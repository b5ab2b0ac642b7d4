package compile

import (
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/mark"
)

// Set holds compiled reminders in the byte order of their ids; its methods name a reminder by its index in
// that order. It is immutable and may be used concurrently.
type Set struct {
	schema    *fact.Schema
	digest    string
	reminders []Source
	triggers  []*Predicate
	rearms    []*Predicate // nil where there is none
	expects   []*Predicate // nil where there is none
	templates []*template
	index     map[string]int
	patterns  []fact.Pattern
	told      []told
	reads     CallReads
	before    []leaf
	plan      plan
}

// Len returns the number of reminders.
func (s *Set) Len() int { return len(s.reminders) }

// Reminder returns the i-th reminder, which must not be modified.
func (s *Set) Reminder(i int) *Source { return &s.reminders[i] }

// Index returns the index of the reminder with that id, and whether there is one.
func (s *Set) Index(id string) (int, bool) {
	i, ok := s.index[id]
	return i, ok
}

// IDs returns the ids of all reminders, in byte order. The slice is the caller's.
func (s *Set) IDs() []string {
	ids := make([]string, len(s.reminders))
	for i := range s.reminders {
		ids[i] = s.reminders[i].ID
	}
	return ids
}

// Schema returns the schema that the set was compiled with. The frames that it evaluates must come from this
// very schema.
func (s *Set) Schema() *fact.Schema { return s.schema }

// Digest returns Options.Digest of the set, or of that which it was made from by With.
func (s *Set) Digest() string { return s.digest }

// Trigger returns the trigger of the i-th reminder. Reminders with the same trigger share one Predicate.
func (s *Set) Trigger(i int) *Predicate { return s.triggers[i] }

// Rearm returns the condition that arms the i-th reminder again; nil if it is armed again when its trigger is
// false.
func (s *Set) Rearm(i int) *Predicate { return s.rearms[i] }

// Expect returns what the model should do after the i-th reminder; nil if nothing is expected.
func (s *Set) Expect(i int) *Predicate { return s.expects[i] }

// Reads reports whether a trigger, a rearm, an expect or a text of the set mentions the fact in slot id. Of a
// Predicate that is a Go function that is not known, so it does.
func (s *Set) Reads(id fact.ID) bool {
	isFunc := func(p *Predicate) bool { return p != nil && p.root == nil }
	return slices.ContainsFunc(s.triggers, isFunc) || slices.ContainsFunc(s.rearms, isFunc) ||
		slices.ContainsFunc(s.expects, isFunc) || slices.Contains(s.Facts(), id)
}

// Facts returns the facts that the triggers, rearms, expects and texts of the set mention, in the order of
// the schema. What a Predicate reads that is a Go function is not known, and left out.
func (s *Set) Facts() (ids []fact.ID) {
	for i := range s.reminders {
		for _, p := range [...]*Predicate{s.triggers[i], s.rearms[i], s.expects[i]} {
			if p != nil {
				ids = append(ids, p.facts...)
			}
		}
		if t := s.templates[i]; t != nil {
			ids = append(ids, t.facts...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ReadsAt reports whether a trigger of the set is evaluated at a moment.
func (s *Set) ReadsAt(m fact.Moment) bool {
	return slices.ContainsFunc(s.triggers, func(p *Predicate) bool { return p.moment == m })
}

// Patterns returns the call patterns with a subject of which the functions in triggers, rearms and expects
// ask: a run keeps counts for each of them. They are sorted by their texts, and each is there once. The
// slice is the caller's.
func (s *Set) Patterns() []fact.Pattern { return slices.Clone(s.patterns) }

// Truths holds the results of Set.Eval, by index of the reminder. Only the set that made it may write to
// it: Eval changes only the results that differ from the previous turn.
type Truths struct {
	Trigger []fact.Truth
	Rearm   []fact.Truth // Unknown for a reminder without a rearm condition

	all  []fact.Truth // both, Trigger first
	memo memo
	told []answer // by index of Set.told
}

// NewTruths returns a Truths for Eval, in which all is Unknown. It may be used for any number of turns, of
// any runs, one after the other.
func (s *Set) NewTruths() *Truths {
	n := len(s.reminders)
	t := &Truths{
		all:  slices.Repeat([]fact.Truth{fact.Unknown}, 2*n),
		memo: s.plan.incremental.initial.clone(),
		told: make([]answer, len(s.told)),
	}
	t.Trigger, t.Rearm = t.all[:n:n], t.all[n:]
	return t
}

// Eval evaluates all triggers and rearm conditions for the facts of f, equal ones only once, and puts the
// results into t, which must come from NewTruths of s. It calls f.SetSelf, so f cannot be used concurrently
// meanwhile. It allocates nothing unless a part of a trigger computes.
func (s *Set) Eval(f *fact.Frame, t *Truths) { s.plan.run(f, t) }

// plan says how the distinct predicates of a set are evaluated, and where in Truths.all the results go.
type plan struct {
	incremental incremental  // predicates that only compare numbers and bools with constants
	single      []planStep   // others, of one reminder each
	shared      []planShared // others, of several reminders each
	own         []planOwn    // predicates whose truth depends on the reminder they belong to
}

type planStep struct {
	eval func(*fact.Frame) fact.Truth
	to   int
}

type planShared struct {
	eval func(*fact.Frame) fact.Truth
	to   []int
}

type planOwn struct {
	planStep
	id string
}

func (p *plan) run(f *fact.Frame, t *Truths) {
	all := t.all
	p.incremental.run(f, &t.memo, all)
	for i := range p.single {
		st := &p.single[i]
		all[st.to] = st.eval(f)
	}
	for i := range p.shared {
		sh := &p.shared[i]
		v := sh.eval(f)
		for _, to := range sh.to {
			all[to] = v
		}
	}
	for i := range p.own {
		o := &p.own[i]
		f.SetSelf(o.id)
		all[o.to] = o.eval(f)
	}
	if len(p.own) > 0 {
		f.SetSelf("")
	}
}

// patternsOf returns the patterns of the predicates, sorted, each once.
func patternsOf(predicates ...[]*Predicate) []fact.Pattern {
	var ps []fact.Pattern
	for _, list := range predicates {
		for _, p := range list {
			if p != nil {
				ps = append(ps, p.calls...)
			}
		}
	}
	slices.SortFunc(ps, func(a, b fact.Pattern) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(ps, func(a, b fact.Pattern) bool { return a.String() == b.String() })
}

// newPlan returns the plan by which s is evaluated.
func newPlan(s *Set) plan {
	var p plan
	users := map[string][]int{} // of the triggers of the same canonical text
	var order []*Predicate
	n := len(s.reminders)
	add := func(pr *Predicate, to int) {
		switch {
		case pr == nil:
		case pr.own:
			p.own = append(p.own, planOwn{planStep{pr.eval, to}, s.reminders[to%n].ID})
		default:
			if users[pr.text] == nil {
				order = append(order, pr)
			}
			users[pr.text] = append(users[pr.text], to)
		}
	}
	for i := range s.reminders {
		add(s.triggers[i], i)
		add(s.rearms[i], n+i)
	}
	b := incrementalBuilder{targets: map[comparison][]target{}}
	for _, pr := range order {
		switch to := users[pr.text]; {
		case canIncrement(pr.root):
			b.add(pr.root, to)
		case len(to) == 1:
			p.single = append(p.single, planStep{pr.eval, to[0]})
		default:
			p.shared = append(p.shared, planShared{pr.eval, to})
		}
	}
	p.incremental = b.done()
	return p
}

// Render renders the text of the i-th reminder with the facts of f, at the time at. Reminder tags within it
// are made harmless, whoever wrote them; a text that is wholly one such tag stays as it is. If the text
// cannot be rendered with these facts, Render returns an error, and the reminder should not fire. It may be
// called concurrently.
func (s *Set) Render(i int, f *fact.Frame, at time.Time) (string, error) {
	b := s.templates[i]
	if b == nil {
		return mark.Text(s.reminders[i].Text), nil
	}
	text, err := b.render(f, at)
	if err != nil {
		return "", err
	}
	return mark.Text(text), nil
}

// byID sorts reminders by the bytes of their ids, keeping the order of equal ones.
func byID(rs []Source) {
	slices.SortStableFunc(rs, func(a, b Source) int { return strings.Compare(a.ID, b.ID) })
}
