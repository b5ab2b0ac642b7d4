package eval

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/state"
)

// Options says how an Evaluator works. The zero Options keeps state in memory, has no budget and orders by priority.
type Options struct {
	// Store keeps the state of the runs; nil is a store in memory of the Evaluator's own.
	Store state.Store
	// Clock says what time it is on a turn that does not bring its own; nil is time.Now. It must be safe for concurrent use.
	Clock func() time.Time
	// Tokens counts the tokens of a text for the budget; nil is bytes/4, rounded up. It must be pure and safe for concurrent use.
	Tokens func(text string) int
	Budget terms.Budget
	Order  terms.Order
}

// maxTries bounds how often a write is tried again after another process was quicker. Each failed try means that somebody
// else's write went through, so only this many writers at once on one run exhaust it.
const maxTries = 256

// Evaluator decides which reminders are due in any number of runs. Create one with New. It may be used concurrently.
type Evaluator struct {
	prog atomic.Pointer[program]
	opts Options
}

// program is a set with what is derived from it, once.
type program struct {
	set   *compile.Set
	rules *state.Rules
	work  sync.Pool // of *work
}

// New returns an Evaluator for set. A nil set is the empty one.
func New(set *compile.Set, opts Options) *Evaluator {
	if opts.Store == nil {
		opts.Store = state.NewMemory()
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	ev := &Evaluator{opts: opts}
	ev.Reload(set)
	return ev
}

// Reload replaces the set; a nil set is the empty one. Turns that are being prepared end with the set they began with. In each
// run a reminder whose mode and trigger are unchanged keeps its state, one whose trigger changed keeps its counters and is
// armed, and one that is gone and comes back starts anew, once a turn was committed without it or Adopt was called.
func (ev *Evaluator) Reload(set *compile.Set) {
	if set == nil {
		set, _ = compile.New(nil, compile.Options{})
	}
	p := &program{set: set, rules: state.NewRules(rulesOf(set))}
	p.work.New = func() any { return p.newWork() }
	ev.prog.Store(p)
}

// Adopt takes a run over to the set in use without a turn. Turns do so by themselves; Adopt is for a host that reloads more than
// once between two turns and wants the run to have seen each set. run "" is the run of ctx.
func (ev *Evaluator) Adopt(ctx context.Context, run string) error {
	rules := ev.prog.Load().rules
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) { return state.Reload(s, rules), nil })
}

// rulesOf tells the machine what it must know of each reminder; rule i is reminder i.
func rulesOf(set *compile.Set) []state.Rule {
	rules := make([]state.Rule, set.Len())
	for i := range rules {
		r := set.Reminder(i)
		rules[i] = state.Rule{
			ID:       r.ID,
			Version:  r.Mode.String() + " " + set.Trigger(i).String(),
			While:    r.Mode == compile.While,
			Rearm:    set.Rearm(i) != nil,
			For:      r.For,
			Cooldown: r.Cooldown,
			Keep:     r.Keep,
			MaxFires: r.MaxFires,
			Priority: r.Priority,
			Tier:     r.Tier,
			Attach:   r.Attach,
		}
	}
	return rules
}

// Names returns the ids of all reminders, in the order of their bytes: what Remind takes.
func (ev *Evaluator) Names() []string { return ev.prog.Load().set.IDs() }

// Set returns the set in use.
func (ev *Evaluator) Set() *compile.Set { return ev.prog.Load().set }

// Remind fires a reminder by hand: it goes out on the run's next turn that can carry text, whatever its trigger and limits
// say. Asking twice before that is asking once. An unknown name is an *UnknownError; run "" is the run of ctx.
func (ev *Evaluator) Remind(ctx context.Context, run, name string) error {
	if err := ev.prog.Load().checkNames(name); err != nil {
		return err
	}
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) { return state.Remind(s, name), nil })
}

// Missed is Decision.Missed for a host that no longer has the decision: the texts that the run's last decision fired and that
// never reached the model are due again on its next turn. Ids without such a text are ignored.
func (ev *Evaluator) Missed(ctx context.Context, run string, ids ...string) error {
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) { return state.Missed(s, ids...), nil })
}

// checkNames returns an *UnknownError for the first of names that is no reminder.
func (p *program) checkNames(names ...string) error {
	for _, name := range names {
		if _, ok := p.set.Index(name); !ok {
			return unknown(name, p.set.IDs())
		}
	}
	return nil
}

// change replaces the state of a run by what edit makes of it, and tries again when another writer was quicker. If edit
// returns nil or an error, nothing is written.
func (ev *Evaluator) change(ctx context.Context, run string, edit func(*state.Snapshot) (*state.Snapshot, error)) error {
	run, err := runOf(ctx, run)
	if err != nil {
		return err
	}
	var conflict error
	for range maxTries {
		prev, rev, err := ev.opts.Store.Load(ctx, run)
		if err != nil {
			return err
		}
		next, err := edit(prev)
		if next == nil || err != nil {
			return err
		}
		if _, conflict = ev.opts.Store.Save(ctx, run, rev, next); !errors.Is(conflict, state.ErrConflict) {
			return conflict
		}
	}
	return conflict
}

// Forget deletes all that is stored of a run; its next turn is the first of a new run. A run that is not there is no error.
func (ev *Evaluator) Forget(ctx context.Context, run string) error {
	run, err := runOf(ctx, run)
	if err != nil {
		return err
	}
	return ev.opts.Store.Delete(ctx, run)
}
