package eval

import (
	"context"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/state"
)

// Explanation says why a reminder fired or did not on the last turn of a run, and how it stands since.
type Explanation struct {
	ID      string
	Mode    compile.Mode
	Trigger compile.Part  // each part with its value and truth on the last turn
	Rearm   *compile.Part // nil without one
	Fired   bool          // on the last turn, by itself or by name
	Due     bool          // its text was before the model on the last turn
	Held    []state.Held  // what stood against it on the last turn, though its trigger was true or it was asked for by name

	Armed    bool
	Fires    int          // by itself, in this run
	MaxFires int          // 0 is no limit
	LastFire int          // turn; 0 is never
	Cooldown terms.Span   // what is left of it after the last turn; zero when nothing is
	Budget   terms.Budget // what is left for the run's texts; Turn is the limit of one turn. 0 is no limit, -1 nothing left
	Queued   bool         // asked for by name, and waiting for a turn that can carry text
	Next     string       // what comes next, in words
	Needs    compile.Need // what the trigger needs to become true; of a reminder that is not armed and has no rearm, to become false
	// RearmNeeds is what rearm needs to become true, of a reminder that is not armed and has one.
	RearmNeeds compile.Need
	Unkept     []string // facts the trigger reads that were known on that turn but whose text is not kept: here they are unknown
	Turn       int      // the last turn
}

// Explain explains all reminders, in the order of Names, on the last committed turn of a run. run "" is the run of ctx.
//
// The facts are those that the turn was decided on, from what the state keeps: all but the texts of prompt and response, which
// are not stored. A trigger that reads one of them may show as unknown although it was not; Unkept then names the fact, and
// Fired and Held say what was decided all the same. Triggers are those of the set in use, also where a reload changed them
// since. A run that has had no turn is ErrNoTurn.
func (ev *Evaluator) Explain(ctx context.Context, run string) ([]Explanation, error) {
	run, err := runOf(ctx, run)
	if err != nil {
		return nil, err
	}
	p := ev.prog.Load()
	s, _, err := ev.opts.Store.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	last := s.Decision()
	if last == nil {
		return nil, ErrNoTurn
	}
	f := p.set.Schema().NewFrame()
	missing, err := recall(f, s)
	if err != nil {
		return nil, err
	}
	addCounts(f, s.Run())
	out := make([]Explanation, p.set.Len())
	for i := range out {
		out[i] = p.explain(i, f, s, missing, ev.opts.Budget)
	}
	return out, nil
}

// Explain explains all reminders on the turn of d as Evaluator.Explain does after Commit, but on all of its facts, the texts that no
// state keeps included, and with the set that decided. Of a decision that was discarded it is ErrNoTurn.
func (d *Decision) Explain() ([]Explanation, error) {
	if d.phase == discarded {
		return nil, ErrNoTurn
	}
	out := make([]Explanation, d.prog.set.Len())
	return out, d.withFacts(func(f *fact.Frame) {
		for i := range out {
			out[i] = d.prog.explain(i, f, d.next, nil, d.ev.opts.Budget)
		}
	})
}

// explain explains reminder i.
func (p *program) explain(i int, f *fact.Frame, s *state.Snapshot, missing []string, budget terms.Budget) Explanation {
	r, rule, last := p.set.Reminder(i), p.rules.Rule(i), s.Decision()
	st := s.Rule(r.ID)
	f.SetSelf(r.ID)
	has := func(list []terms.Due) bool {
		return slices.ContainsFunc(list, func(d terms.Due) bool { return d.ID == r.ID })
	}
	x := Explanation{
		ID: r.ID, Mode: r.Mode, Turn: s.Turn(),
		Trigger: p.set.Trigger(i).Explain(f),
		Fired:   has(last.Fired), Due: has(last.Due),
		Armed: st.Armed || rule.While, Fires: st.Fires, LastFire: st.Last.Turn, MaxFires: rule.MaxFires,
		Queued: slices.Contains(s.Queued(), r.ID), Budget: budgetLeft(budget, s.Spent()),
	}
	reads := p.set.Trigger(i).Facts()
	if rearm := p.set.Rearm(i); rearm != nil {
		part := rearm.Explain(f)
		x.Rearm = &part
		reads = append(slices.Clone(reads), rearm.Facts()...)
	}
	for _, h := range last.Held {
		if h.ID == r.ID {
			x.Held = append(x.Held, h)
		}
	}
	for _, name := range missing {
		if ft, ok := p.set.Schema().Lookup(name); ok && slices.Contains(reads, ft.ID) {
			x.Unkept = append(x.Unkept, name)
		}
	}
	if st.Fires > 0 {
		x.Cooldown = s.Run().Left(rule.Cooldown, st.Last)
	}
	x.Needs, x.RearmNeeds = p.needs(i, f, &x)
	x.Next = whatNext(&x, &rule)
	return x
}

// budgetLeft returns what is left of a budget after so many tokens were spent: -1 where nothing is, since 0 means no limit.
func budgetLeft(b terms.Budget, spent int64) terms.Budget {
	if b.Run > 0 {
		if b.Run -= int(min(spent, int64(b.Run))); b.Run == 0 {
			b.Run = -1
		}
	}
	return b
}
