package compile

import (
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// Set is a number of reminders, compiled, in the byte order of their ids. It is immutable and may be used concurrently.
type Set struct {
	schema    *fact.Schema
	reminders []Reminder
	triggers  []*Predicate
	rearms    []*Predicate // nil where there is none
	templates []*template
	index     map[string]int
	plan      plan
}

// Len returns the number of reminders.
func (s *Set) Len() int { return len(s.reminders) }

// Reminder returns the i-th reminder. The caller must not write to it.
func (s *Set) Reminder(i int) *Reminder { return &s.reminders[i] }

// Index returns where the reminder of that id stands.
func (s *Set) Index(id string) (int, bool) {
	i, ok := s.index[id]
	return i, ok
}

// IDs returns the ids in byte order. The caller may keep it.
func (s *Set) IDs() []string {
	ids := make([]string, len(s.reminders))
	for i := range s.reminders {
		ids[i] = s.reminders[i].ID
	}
	return ids
}

// Schema returns the schema the set was compiled against. Frames for it must come from this very schema.
func (s *Set) Schema() *fact.Schema { return s.schema }

// Trigger returns the trigger of the i-th reminder. Reminders whose triggers are equal share one.
func (s *Set) Trigger(i int) *Predicate { return s.triggers[i] }

// Rearm returns what re-arms the i-th reminder, nil if that is its trigger turning false.
func (s *Set) Rearm(i int) *Predicate { return s.rearms[i] }

// Truths holds what a Set evaluated to, by index of the reminder. It belongs to the set that made it, which reads it when it
// evaluates the next turn: nobody else may write to it.
type Truths struct {
	Trigger []fact.Truth
	Rearm   []fact.Truth // Unknown where there is none

	all    []fact.Truth // both, one behind the other
	charge charge
}

// NewTruths returns room for the truths of s, all Unknown. It may be used for any number of turns and runs, one at a time.
func (s *Set) NewTruths() *Truths {
	n := len(s.reminders)
	t := &Truths{all: slices.Repeat([]fact.Truth{fact.Unknown}, 2*n), charge: s.plan.circuit.rest.clone()}
	t.Trigger, t.Rearm = t.all[:n:n], t.all[n:]
	return t
}

// Eval evaluates all triggers and rearms on the turn that f holds, each distinct one once, into t, which NewTruths of this
// set made. It writes the reminder that is asked about to f (SetSelf) and nothing else. It allocates nothing unless a
// trigger has a part that only expr-lang can read.
func (s *Set) Eval(f *fact.Frame, t *Truths) { s.plan.run(f, t) }

// plan says how the distinct predicates are evaluated and where their truths go.
type plan struct {
	circuit circuit      // predicates that compare numbers and bools with constants, and nothing else
	single  []planStep   // others that one reminder has
	shared  []planShared // others that several have
	own     []planOwn    // predicates that ask about the reminder they belong to
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
	p.circuit.run(f, &t.charge, all)
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

// newPlan lays out the evaluation of s.
func newPlan(s *Set) plan {
	var p plan
	users := map[*Predicate][]int{}
	var order []*Predicate
	n := len(s.reminders)
	add := func(pr *Predicate, to int) {
		switch {
		case pr == nil:
		case pr.own:
			p.own = append(p.own, planOwn{planStep{pr.eval, to}, s.reminders[to%n].ID})
		default:
			if users[pr] == nil {
				order = append(order, pr)
			}
			users[pr] = append(users[pr], to)
		}
	}
	for i := range s.reminders {
		add(s.triggers[i], i)
		add(s.rearms[i], n+i)
	}
	w := newWiring()
	for _, pr := range order {
		switch to := users[pr]; {
		case simple(pr.root):
			w.add(pr.root, to)
		case len(to) == 1:
			p.single = append(p.single, planStep{pr.eval, to[0]})
		default:
			p.shared = append(p.shared, planShared{pr.eval, to})
		}
	}
	p.circuit = w.done()
	return p
}

// Render renders the text of the i-th reminder on the turn that f holds, at the time at. An error says that the text
// cannot be made with these facts: the reminder is not to be sent, and stays armed. It may be called concurrently.
func (s *Set) Render(i int, f *fact.Frame, at time.Time) (string, error) {
	if b := s.templates[i]; b != nil {
		return b.render(f, at)
	}
	return s.reminders[i].Text, nil
}

// byID sorts reminders by the bytes of their ids, keeping the order of equal ones.
func byID(rs []Reminder) {
	slices.SortStableFunc(rs, func(a, b Reminder) int { return strings.Compare(a.ID, b.ID) })
}
