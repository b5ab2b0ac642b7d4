package eval

import (
	"context"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/state"
)

// Explanation says why a reminder fired or did not fire on the last turn of a run, and its state since.
type Explanation struct {
	ID   string
	Mode reminder.Mode
	Turn int // the last turn of the run, from 1
	// when the trigger is read. Beside the turn, it is explained as it stands since the last turn: with what the
	// user turn told so far, or before a call that nobody knows; Fired then says that it fired since.
	Moment fact.Moment

	// The last turn.
	Trigger trigger.Part  // the trigger, each part with what it read and its truth
	Rearm   *trigger.Part // the same of the rearm condition; nil if there is none
	// facts that they read and that were known on that turn, but are unknown here since their text is not kept
	Unkept []string
	Fired  bool // by its trigger or by hand
	Due    bool // its text was put before the model
	// its text waits for a turn that can carry it: nobody has read it yet
	Offered bool
	// it fired, and its text was not sent, since this run is held out of the reminder
	HeldOut bool
	Held    []reminder.Held // what kept it from firing although its trigger was true or it was asked for by hand

	// The state after the last turn.
	Armed    bool
	Rearms   fact.Texts    // of one that is not armed: the texts of which a new one arms it again
	Fires    int           // how often its trigger has fired it in this run
	MaxFires int           // 0 is no limit
	LastFire int           // turn on which its trigger last fired it; 0 is never
	Cooldown reminder.Span // the rest of it
	// Turn as configured, Run the rest of it for all reminders; 0 is no limit, -1 is nothing left
	Budget reminder.Budget
	Queued bool // asked for by hand, and waiting for a turn that can carry text

	// What the model is expected to do after a firing (LANGUAGE.md §4, Effect).
	Expect  string             // in canonical form; "": nothing
	Until   int                // the last turn of the latest expectation that is open; 0: none is open
	Ignored int                // ignored firings in a row
	Ended   []reminder.Outcome // of the expectations that ended on the last turn

	// The next turns.
	Next string // in words
	// what its trigger needs to become true; or, if that is what arms it again, to be false between two turns,
	// where no event holds
	Needs      trigger.Need
	RearmNeeds trigger.Need // what its rearm condition needs to become true, if that is what arms it again
}

// Explain explains all reminders on the last committed turn of a run, by id. If run is "", it
// is the run of ctx. For a run that has had no turn it returns ErrNoTurn.
//
// The facts are those of the decision, without texts that are not stored. A condition on them has the truth
// that it had, but for one that asks the run's history beside: it may be unknown in the explanation although
// it was not on the turn. Unkept then names the fact, and Fired and Held still tell the decision. The
// triggers are those of the set in use, even if a reload has changed them since.
func (ev *Evaluator) Explain(ctx context.Context, run string) ([]Explanation, error) {
	run, s, _, err := ev.load(ctx, run)
	if err != nil {
		return nil, err
	}
	p, err := ev.programs().last(run, s).of(s)
	if err != nil {
		return nil, err
	}
	last := s.Decision()
	if last == nil {
		return nil, ErrNoTurn
	}
	f := p.set.Schema().NewFrame()
	missing, err := recall(f, s, fact.Values{})
	if err != nil {
		return nil, err
	}
	f.Recall(compile.RecallAt(fact.Turn))
	addCounts(f, s.Run())
	return p.explainAll(f, s, missing, ev.opts.Budget), nil
}

// explainAll explains all reminders. It brings the frame to the state between two turns.
func (p *program) explainAll(f *fact.Frame, s *state.Snapshot, missing []string,
	budget reminder.Budget) []Explanation {
	out := make([]Explanation, p.set.Len())
	at, _ := f.Moment()
	later := func(i int) bool { return at == fact.Turn && p.set.Trigger(i).Moment() != fact.Turn }
	for i := range out {
		if !later(i) {
			out[i] = p.explain(i, f, s, missing, budget)
		}
	}
	told := slices.Clone(f.Told())
	f.EndEvents()
	for i := range out {
		if later(i) {
			f.SetMemory(told)
			p.set.TellMoment(f, f, p.set.Trigger(i).Moment(), s.BeganUserTurn(), nil)
			out[i] = p.explain(i, f, s, missing, budget)
		}
		x, rule := &out[i], p.rules.Reminder(i)
		if !x.Armed && x.Rearm == nil && rule.For.IsZero() {
			f.SetSelf(x.ID)
			x.Needs = p.set.Trigger(i).Needs(f, fact.False)
		}
		x.Next = whatNext(x, rule)
	}
	return out
}

// Explain explains all reminders on the turn of d, whether it is committed or not. Unlike Evaluator.Explain
// it has all facts of the turn, and the set that decided it. After Discard it returns ErrNoTurn.
func (d *Decision) Explain() ([]Explanation, error) {
	if d.phase == discarded || d.prog == nil {
		return nil, ErrNoTurn
	}
	var out []Explanation
	err := d.withFacts(func(f *fact.Frame) { out = d.prog.explainAll(f, d.next, nil, d.ev.opts.Budget) })
	return out, err
}

// explain explains reminder i, all but Next.
func (p *program) explain(i int, f *fact.Frame, s *state.Snapshot, missing []string,
	budget reminder.Budget) Explanation {
	r, rule, last := p.set.Reminder(i), p.rules.Reminder(i), s.Decision()
	if last == nil { // at a moment before the first turn
		last = &reminder.Decision{}
	}
	st := s.Reminder(r.ID)
	f.SetSelf(r.ID)
	has := func(list []reminder.Due) bool {
		return slices.ContainsFunc(list, func(d reminder.Due) bool { return d.ID == r.ID })
	}
	x := Explanation{
		ID: r.ID, Mode: r.Mode, Turn: s.Turn(), Moment: p.set.Trigger(i).Moment(),
		Trigger: p.set.Trigger(i).Explain(f),
		Fired:   has(last.Fired), Due: has(last.Due), Offered: slices.Contains(s.Waiting(), r.ID),
		Armed:  st.Armed || rule.Mode == reminder.While,
		Rearms: st.Rearms.Alone(), Fires: st.Fires, LastFire: st.Last.Turn, MaxFires: rule.MaxFires,
		Queued: slices.Contains(s.Queued(), r.ID), Budget: budgetLeft(budget, s.Spent()),
	}
	reads := p.set.Trigger(i).Facts()
	if rearm := p.set.Rearm(i); rearm != nil {
		part := rearm.Explain(f)
		x.Rearm = &part
		reads = append(slices.Clone(reads), rearm.Facts()...)
	}
	if expect := p.set.Expect(i); expect != nil {
		x.Expect, x.Ignored = expect.String(), st.Ignored
		if st.Open > 0 {
			x.Until = st.Opened + rule.Within
		}
	}
	if x.Moment != fact.Turn && st.Fires > 0 && st.Last.Turn == s.Turn() {
		x.Fired = true
	}
	for _, o := range last.Outcomes {
		if o.ID == r.ID {
			x.Ended = append(x.Ended, o)
		}
	}
	x.HeldOut = st.HeldOut && st.Last.Turn == s.Turn()
	for _, h := range last.Held {
		if h.ID == r.ID {
			x.Held = append(x.Held, h)
		}
	}
	for _, name := range missing {
		ft, ok := p.set.Schema().Lookup(name)
		if ok && slices.Contains(reads, ft.ID) &&
			(lacks(x.Trigger, name) || x.Rearm != nil && lacks(*x.Rearm, name)) {
			x.Unkept = append(x.Unkept, name)
		}
	}
	if st.Fires > 0 {
		x.Cooldown = s.Run().Left(rule.Cooldown, st.Last)
	}
	x.Needs, x.RearmNeeds = p.needs(i, f, &x)
	return x
}

// lacks reports whether a condition in p is unknown that names a fact.
func lacks(p trigger.Part, name string) bool {
	if len(p.Parts) == 0 {
		return p.Truth == fact.Unknown && strings.Contains(p.Text, name)
	}
	return slices.ContainsFunc(p.Parts, func(q trigger.Part) bool { return lacks(q, name) })
}

// budgetLeft returns the rest of a budget after so many tokens were spent: -1 if nothing is left, since 0
// means no limit.
func budgetLeft(b reminder.Budget, spent int64) reminder.Budget {
	if b.Run > 0 {
		if b.Run -= int(min(spent, int64(b.Run))); b.Run == 0 {
			b.Run = -1
		}
	}
	return b
}
