package eval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

// Options says how an Evaluator works. The zero Options keeps state in memory, has no budget and orders by
// priority.
type Options struct {
	// Store keeps the state of the runs; nil is a new state.Memory.
	Store state.Store
	// Clock returns the time of a turn that has none; nil is time.Now. It must be safe for concurrent use. Where
	// it returns the zero time, the time is not known: no fact of time is, and no time passes.
	Clock func() time.Time
	// Tokens counts the tokens of a text for the budget; nil is a quarter of its bytes, rounded up. It must be
	// pure and safe for concurrent use.
	Tokens func(text string) int
	Budget reminder.Budget // limits the tokens of the texts that fire; zero is no limit
	Order  reminder.Order  // the order in which due texts are put before the model

	// Decided, if it is not nil, is called with each turn that Commit has stored, before Commit returns, on its
	// goroutine and with its context: for metrics, traces and views of what fired, with which text and why. It
	// is called once for a turn; a decision that was stored before (Again) is not told again. The decision is
	// the caller's once Decided returns.
	Decided func(ctx context.Context, run string, d *Decision)

	// Holdout says in which runs the texts of reminders with a holdout are held back: by the hash of the run
	// and the reminder, unless a test settles it.
	Holdout reminder.Holdout
}

// Evaluator decides which reminders are due in any number of runs. New makes one; the zero Evaluator has no
// reminders. It may be used concurrently.
type Evaluator struct {
	made sync.Once
	prog atomic.Pointer[programs]
	opts Options

	mu      sync.Mutex // guards what prog is made of
	set     *compile.Set
	rollout Rollout
	control Control
}

// programs are those in use.
type programs struct {
	*program          // of all runs but those that next has
	next     *program // nil: no run has it
	rollout  Rollout  // of next
	digest   func() uint64
}

// run returns the program of a run.
func (ps *programs) run(name string) *program {
	if ps.next != nil && firing.Fraction(name, ps.rollout.Name) < ps.rollout.Share {
		return ps.next
	}
	return ps.program
}

// last returns the program that decided the last turn of a run whose root nobody tells, as far as that is
// known.
func (ps *programs) last(run string, s *state.Snapshot) *program {
	if d := s.Decision(); ps.next != nil && d != nil && d.Rules != "" {
		for _, p := range []*program{ps.next, ps.program} {
			if p.rules.Digest == d.Rules {
				return p
			}
		}
	}
	return ps.run(run)
}

// Rollout says which runs have a set of their own: those that a hash of the run and Name puts below Share, as
// for a holdout. So a run that has it keeps it as the share grows. A subagent has the set of its Turn.Root.
type Rollout struct {
	Name  string
	Share float64      // of the runs, 0 to 1
	Set   *compile.Set // of the schema of the other; nil: there is none
}

// program is a set with the values that are derived from it once.
type program struct {
	set     *compile.Set
	shadow  map[string]bool // of Control
	rules   *firing.Rules
	moments []int       // the reminders whose trigger is read at another moment than a turn
	derived []fact.Fact // those that are computed, and that the set reads
	reads   []fact.ID   // the facts that the set mentions
	work    sync.Pool   // of *work

	mu     sync.Mutex          // guards joined
	joined map[string]*program // with the reminders that were added to a run, by their definitions
}

// New returns an Evaluator of the reminders in set; nil stands for an empty set.
func New(set *compile.Set, opts Options) *Evaluator {
	ev := &Evaluator{opts: opts, set: set}
	ev.ready()
	return ev
}

// ready makes the parts that Options leave out, once.
func (ev *Evaluator) ready() { ev.made.Do(ev.make) }

func (ev *Evaluator) make() {
	if ev.opts.Store == nil {
		ev.opts.Store = state.NewMemory()
	}
	if ev.opts.Clock == nil {
		ev.opts.Clock = time.Now
	}
	ev.mu.Lock()
	defer ev.mu.Unlock()
	ev.use()
}

// programs returns those in use.
func (ev *Evaluator) programs() *programs {
	ev.ready()
	return ev.prog.Load()
}

// store returns the store of the runs, as the request of a context reads it.
func (ev *Evaluator) store(ctx context.Context) state.Store {
	ev.ready()
	return readset.Over(ctx, ev.opts.Store)
}

// load returns run, or the run of ctx when run is "", and its state.
func (ev *Evaluator) load(ctx context.Context, run string) (string, *state.Snapshot, state.Revision, error) {
	run, err := runOf(ctx, run)
	if err != nil {
		return "", nil, 0, err
	}
	s, rev, err := ev.store(ctx).Load(ctx, run)
	return run, s, rev, err
}

// Reload replaces the set of reminders; nil stands for an empty set. A Prepare that has begun goes on with
// the old set.
//
// In each run a reminder with the same mode and trigger as before keeps its state. A reminder whose mode or
// trigger changed is armed, and keeps only its counters. A reminder that was removed and comes back goes on
// where it was.
func (ev *Evaluator) Reload(set *compile.Set) {
	ev.RollOut(set, Rollout{})
}

// RollOut is Reload with another set for a share of the runs. Each set in use is told by Decision.Set.
// A run that changes from one to the other sees a reload: what both sets hold goes on where it was.
func (ev *Evaluator) RollOut(set *compile.Set, r Rollout) {
	ev.ready()
	ev.mu.Lock()
	defer ev.mu.Unlock()
	ev.set, ev.rollout = set, r
	ev.use()
}

// Control says which reminders are switched off, and which are in shadow, by their ids.
type Control struct {
	// Off are as if they were not in any set: a text that was sent stays where it is, and one that comes back
	// goes on where it was.
	Off []string
	// Shadow are decided and counted, and their texts are never sent (Due.HeldOut), those of the tier safety and
	// those fired by hand among them. Outcomes count as those of a trial.
	Shadow []string
}

// Control switches reminders of the sets in use, and of those that come later, in place of an earlier
// Control. A Prepare that has begun goes on as before.
func (ev *Evaluator) Control(c Control) {
	ev.ready()
	ev.mu.Lock()
	defer ev.mu.Unlock()
	ev.control = c
	ev.use()
}

// use puts into use what prog is made of.
func (ev *Evaluator) use() {
	if ev.set == nil {
		ev.set, _ = compile.New(nil, compile.Options{})
	}
	shadow := map[string]bool{}
	for _, id := range ev.control.Shadow {
		shadow[id] = true
	}
	ps := &programs{program: newProgram(ev.set.Without(ev.control.Off...), shadow), rollout: ev.rollout}
	if next := ev.rollout.Set; next != nil {
		ps.next = newProgram(next.Without(ev.control.Off...), shadow)
	}
	ps.digest = sync.OnceValue(ps.sum)
	ev.prog.Store(ps)
}

// sum returns Evaluator.Digest.
func (ps *programs) sum() uint64 {
	h := sha256.New()
	enc := json.NewEncoder(h) // of values that JSON can hold, into what takes all
	for _, p := range []*program{ps.program, ps.next} {
		if p == nil {
			continue
		}
		for _, id := range slices.Sorted(slices.Values(p.set.IDs())) {
			i, _ := p.set.Index(id)
			_ = enc.Encode(p.set.Reminder(i))
			_ = enc.Encode(p.shadow[id])
		}
		_ = enc.Encode([]any{ps.rollout.Name, ps.rollout.Share})
	}
	return binary.BigEndian.Uint64(h.Sum(nil)) >> 16
}

// newProgram prepares a set for the turns of runs.
func newProgram(set *compile.Set, shadow map[string]bool) *program {
	p := &program{set: set, shadow: shadow, reads: set.Facts(),
		rules: firing.NewRules(remindersOf(set), set.Patterns()...)}
	p.rules.Identical = slices.Contains(p.reads, fact.IdenticalCalls)
	for i := range set.Len() {
		if set.Trigger(i).Moment() != fact.Turn {
			p.moments = append(p.moments, i)
		}
	}
	for _, name := range set.Schema().Names() {
		if f, _ := set.Schema().Lookup(name); f.Compute != nil && slices.Contains(p.reads, f.ID) {
			p.derived = append(p.derived, f)
		}
	}
	p.rules.Digest = set.Digest()
	p.work.New = func() any { return p.newWork() }
	return p
}

// Adopt brings the state of a run up to the set in use, as the next turn of the run would. It is for a host
// that reloads more than once between two turns and wants the run to see each set. If run is "", it is the
// run of ctx.
func (ev *Evaluator) Adopt(ctx context.Context, run string) error {
	base := ev.programs()
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) {
		p, err := base.last(run, s).of(s)
		if err != nil {
			return nil, err
		}
		return firing.Reload(s, p.rules), nil
	})
}

// remindersOf returns the reminders of a set, with the identities of their conditions in place of their
// texts: a reload in other words changes nothing.
func remindersOf(set *compile.Set) []reminder.Reminder {
	list := make([]reminder.Reminder, set.Len())
	for i := range list {
		list[i] = set.Reminder(i).Reminder
		list[i].Trigger = set.Trigger(i).Identity()
		list[i].Rearm = ""
		if rearm := set.Rearm(i); rearm != nil {
			list[i].Rearm = rearm.Identity()
		}
		if expect := set.Expect(i); expect != nil {
			list[i].Expect = expect.Identity()
		}
	}
	return list
}

// Versions returns the reminder.Record.Version of each reminder of a set that says what it expects, by id.
func Versions(set *compile.Set) map[string]string {
	rules, versions := firing.NewRules(remindersOf(set)), map[string]string{}
	for i := range rules.Len() {
		if v := rules.Version(i); v != "" {
			versions[rules.Reminder(i).ID] = v
		}
	}
	return versions
}

// Now returns the time of Options.Clock.
func (ev *Evaluator) Now() time.Time {
	ev.ready()
	return ev.opts.Clock()
}

// Digest returns 48 bits that stand for the reminders of the sets in use, to the letter, with the Rollout and
// what Control has switched. Evaluators of the same reminders have the same one, on every machine.
func (ev *Evaluator) Digest() uint64 { return ev.programs().digest() }

// Names returns the ids of the reminders of the sets in use, in byte order.
func (ev *Evaluator) Names() []string { return ev.programs().names() }

// names returns the ids of the reminders of both programs, in byte order.
func (ps *programs) names() []string {
	ids := ps.set.IDs()
	if ps.next != nil {
		ids = append(ids, ps.next.set.IDs()...)
		slices.Sort(ids)
		ids = slices.Compact(ids)
	}
	return ids
}

// Set returns the set in use; with RollOut, that of the runs that are not rolled out to.
func (ev *Evaluator) Set() *compile.Set { return ev.programs().set }

// SetOf returns the set in use for a run. The run of a subagent is that of its root.
func (ev *Evaluator) SetOf(run string) *compile.Set { return ev.programs().run(run).set }

// Remind fires a reminder by hand: it is due on the run's next turn that can carry text, whatever its trigger
// and limits say. Two calls before that turn fire it once. A name that is not the id of a reminder is an
// *UnknownError. If run is "", it is the run of ctx.
func (ev *Evaluator) Remind(ctx context.Context, run, name string) error {
	base := ev.programs()
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) {
		p, err := base.last(run, s).of(s)
		if err != nil {
			return nil, err
		}
		if err := p.checkNames(name); err != nil && !slices.Contains(base.names(), name) {
			return nil, err
		}
		return firing.Remind(s, name), nil
	})
}

// Missed is Decision.Missed for a host that no longer has the decision. The ids name texts of the run's last
// decision that never reached the model; other ids are ignored. If run is "", it is the run of ctx.
func (ev *Evaluator) Missed(ctx context.Context, run string, ids ...string) error {
	return ev.change(ctx, run, func(s *state.Snapshot) (*state.Snapshot, error) {
		return firing.Missed(s, ids...), nil
	})
}

// checkNames returns an *UnknownError for the first name that is not the id of a reminder.
func (p *program) checkNames(names ...string) error {
	for _, name := range names {
		if _, ok := p.set.Index(name); !ok {
			return unknown(name, p.set.IDs())
		}
	}
	return nil
}

// change is state.Update of a run, or of the run of ctx.
func (ev *Evaluator) change(ctx context.Context, run string,
	edit func(*state.Snapshot) (*state.Snapshot, error)) error {
	run, err := runOf(ctx, run)
	if err != nil {
		return err
	}
	return state.Update(ctx, ev.store(ctx), run, edit)
}

// End says that a run has ended: expectations that nothing has answered are recorded as open (LANGUAGE.md §4,
// Effect). A run that goes on all the same goes on as it was, without them. The zero time stands for the time
// of Options.Clock. It is not an error if the run does not exist. If run is "", it is the run of ctx.
func (ev *Evaluator) End(ctx context.Context, run string, at time.Time) error {
	run, err := runOf(ctx, run)
	if err != nil {
		return err
	}
	if at.IsZero() {
		at = ev.Now()
	}
	return state.End(ctx, ev.store(ctx), run, "", at)
}

// Forget deletes the state of a run, so its next turn is the first turn of a new run. It is no error if the
// run does not exist. If run is "", it is the run of ctx. Where the run is over, call End before.
func (ev *Evaluator) Forget(ctx context.Context, run string) error {
	run, err := runOf(ctx, run)
	if err != nil {
		return err
	}
	return ev.store(ctx).Delete(ctx, run)
}
