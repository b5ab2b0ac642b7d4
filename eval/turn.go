package eval

import (
	"context"
	"errors"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/state"
)

// Turn is the host's knowledge before one model call.
type Turn struct {
	// Key names the turn. After a crash or a lost answer, the same key stands for the same turn and gets the
	// same decision. "" is always a new turn. Prepare refuses the key of an older turn with state.ErrOldKey, and
	// also a key that ends in a lower number than the last turn's key and is otherwise the same.
	Key string
	// At is the time of the turn; the zero time stands for the time of Options.Clock.
	At time.Time
	// Facts are the known facts by name, in the forms that fact.Frame.SetValue takes. A fact that is absent or
	// nil is unknown, with some exceptions that Prepare fills in: the counts of the run (turn_count,
	// user_turn_count, tool_calls, failures_in_row, output_tokens, elapsed, idle), and context_usage if
	// context_tokens and context_window are known.
	//
	// fact.FailedTools, which is not a fact, may hold the list of those tools in tool_used that failed.
	//
	// Prepare only reads the map and its lists, and not after it has returned.
	Facts map[string]any
	// Fill, if it is not nil, sets facts in a frame that already holds those of Facts, so a host with facts in
	// variables needs no map. Each Prepare calls Fill once, and Decide may call Prepare several times. Fill must
	// not keep the frame. Prepare only reads the lists in the frame, and not after it has returned.
	Fill func(f *fact.Frame)
	// Remind are the ids of reminders to fire by hand on this turn.
	Remind []string
	// Silent says that this turn can carry no text; the texts that fire wait for a turn that can.
	Silent bool
	// Mark is a token that tells the texts of this run from the texts of others. The run keeps the first that is
	// not "".
	Mark string

	observed observed // facts of an Observer; Facts and Fill go before them
}

// work is the memory of one evaluation. Later turns use it again.
type work struct {
	frame  *fact.Frame
	truths *compile.Truths
	at     time.Time

	// Functions for state.Input, created once.
	judge  func(*state.Run) (trigger, rearm []fact.Truth)
	render func(i int) (string, error)
}

func (p *program) newWork() *work {
	w := &work{frame: p.set.Schema().NewFrame(), truths: p.set.NewTruths()}
	w.judge = func(run *state.Run) (trigger, rearm []fact.Truth) {
		addCounts(w.frame, run)
		p.set.Eval(w.frame, w.truths)
		return w.truths.Trigger, w.truths.Rearm
	}
	w.render = func(i int) (string, error) { return p.set.Render(i, w.frame, w.at) }
	return w
}

// release returns w to the pool after a turn.
func (p *program) release(w *work) {
	w.frame.Reset()
	p.work.Put(w)
}

// Prepare decides a turn of a run without storing anything: the decision counts only after Commit. If run is
// "", it is the run of ctx. A turn whose key was committed before gets the decision that is stored.
//
// Prepare joins a *FactError for each fact that cannot be used, and an *UnknownError for a name in t.Remind
// that is not the id of a reminder. The key of an older turn is state.ErrOldKey. Prepare also returns the
// errors of the store.
func (ev *Evaluator) Prepare(ctx context.Context, run string, t Turn) (*Decision, error) {
	run, err := runOf(ctx, run)
	if err != nil {
		return nil, err
	}
	p := ev.prog.Load()
	w := p.work.Get().(*work)
	defer p.release(w)
	if err := errors.Join(setFacts(w.frame, &t), p.checkNames(t.Remind...)); err != nil {
		return nil, err
	}
	prev, rev, err := ev.opts.Store.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	d := &Decision{ev: ev, prog: p, run: run, turnKey: t.Key, rev: rev, unkept: w.frame.Unkept()}
	if w.at = t.At; w.at.IsZero() {
		w.at = ev.opts.Clock()
	}
	next, dec, err := state.Step(prev, p.rules, ev.input(prev, w, &t))
	if err != nil {
		return nil, err
	}
	if next == prev {
		return d, d.become(next, dec)
	}
	d.Decision, d.Mark, d.next = dec, next.Tag(), next
	return d, nil
}

// input returns the turn in the form that state.Step takes; w holds the host's facts.
func (ev *Evaluator) input(prev *state.Snapshot, w *work, t *Turn) state.Input {
	f := w.frame
	in := state.Input{
		Key: t.Key, At: w.at, Order: ev.opts.Order, Budget: ev.opts.Budget, Tokens: ev.opts.Tokens,
		UserMessage: f.Truth(fact.UserMessage),
		Compacted:   f.Truth(fact.Compacted),
		Resumed:     f.Truth(fact.Resumed),
		Failed:      f.Truth(fact.LastToolCallFailed),
		Remind:      t.Remind, Silent: t.Silent, Tag: t.Mark,
		Judge: w.judge, Render: w.render, Facts: f.Kept(prev.Facts()),
	}
	in.Tools, in.ToolsKnown = f.Set(fact.ToolUsed)
	if in.ResponseKnown = f.Known(fact.LastResponseTokens); in.ResponseKnown {
		in.ResponseTokens = int64(f.Num(fact.LastResponseTokens))
	}
	if in.OutputKnown = f.Known(fact.OutputTokens); in.OutputKnown {
		in.OutputTokens = int64(f.Num(fact.OutputTokens))
	}
	return in
}

// Decide prepares a turn and commits it, and does both again if another writer of the run was quicker. Its
// errors are those of Prepare and Commit.
func (ev *Evaluator) Decide(ctx context.Context, run string, t Turn) (*Decision, error) {
	if t.At.IsZero() {
		t.At = ev.opts.Clock()
	}
	var d *Decision
	err := state.Retry(func() (err error) {
		if d, err = ev.Prepare(ctx, run, t); err != nil {
			return err
		}
		return d.Commit(ctx)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}
