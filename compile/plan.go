package compile

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/condition"
)

// plan says how the distinct predicates of a set are evaluated.
type plan struct {
	steps       []step
	always      int         // the first steps are evaluated on each turn, the others when incremental says so
	incremental incremental // of predicates that only compare numbers and bools with constants
}

// step evaluates one predicate.
type step struct {
	eval func(*fact.Frame) fact.Truth
	to   []int  // where in Truths.all the result goes
	self string // the reminder that it belongs to, if its truth depends on that; "" else
}

func (p *plan) run(f *fact.Frame, t *Truths) {
	for i := range p.steps[:p.always] {
		p.steps[i].run(f, t)
	}
	f.SetSelf("")
	p.incremental.update(f, &t.memo)
	for _, i := range t.memo.due {
		p.steps[i].run(f, t)
	}
}

func (st *step) run(f *fact.Frame, t *Truths) {
	f.SetSelf(st.self)
	v := st.eval(f)
	if t.all[st.to[0]] == v { // all of them are alike
		return
	}
	for _, to := range st.to {
		t.all[to] = v
	}
}

// newPlan returns the plan by which s is evaluated.
func newPlan(s *Set) plan {
	var p plan
	users := map[string][]int{} // of the triggers of the same canonical text
	var order []*trigger.Predicate
	n := len(s.rules)
	add := func(pr *trigger.Predicate, to int) {
		switch {
		case pr == nil:
		case own(pr):
			p.steps = append(p.steps, step{pr.Root().Eval, []int{to}, s.rules[to%n].source.ID})
		default:
			if users[pr.String()] == nil {
				order = append(order, pr)
			}
			users[pr.String()] = append(users[pr.String()], to)
		}
	}
	for i := range s.rules {
		add(s.rules[i].trigger, i)
		add(s.rules[i].rearm, n+i)
	}
	watched := map[int32]*condition.Node{}
	for _, increment := range []bool{false, true} {
		for _, pr := range order {
			if canIncrement(pr.Root()) != increment {
				continue
			}
			if increment {
				watched[int32(len(p.steps))] = pr.Root()
			}
			p.steps = append(p.steps, step{eval: pr.Root().Eval, to: users[pr.String()]})
		}
		if !increment {
			p.always = len(p.steps)
		}
	}
	p.incremental = newIncremental(watched)
	return p
}

// own reports whether the truth of a predicate depends on the reminder that it belongs to, as that of a
// cadence does.
func own(p *trigger.Predicate) bool {
	own := false
	p.Root().Leaves(func(l *condition.Leaf) { own = own || l.Kind == condition.Cadence })
	return own
}
