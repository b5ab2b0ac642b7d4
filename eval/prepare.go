package eval

import (
	"context"
	"errors"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/state"
)

// work is what the evaluation of one turn needs. It is used again for other turns.
type work struct {
	frame  *fact.Frame
	truths *compile.Truths
	at     time.Time
	facts  []byte // room for record

	// Functions for state.Input, which are made only once.
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

// release takes w back when a turn no longer needs it.
func (p *program) release(w *work) {
	w.frame.Reset()
	p.work.Put(w)
}

// Prepare decides a turn of a run without storing anything: the decision counts only after Commit. If run is "", it is the run
// of ctx. A turn whose key was committed before gets the decision that is stored.
//
// Every fact that cannot be used is a *FactError; they are joined. A name in t.Remind that is not the id of a reminder is an
// *UnknownError, the key of an older turn is state.ErrOldKey, and errors of the store come through.
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
	d := &Decision{ev: ev, prog: p, run: run, key: t.Key, rev: rev, texts: textsOf(w.frame)}
	if w.at = t.At; w.at.IsZero() {
		w.at = ev.opts.Clock()
	}
	next, dec, err := state.Step(prev, p.rules, ev.input(w, &t))
	if err != nil {
		return nil, err
	}
	if next == prev {
		return d, d.become(next, dec)
	}
	d.Decision, d.Mark, d.next = *dec, next.Tag(), next
	return d, nil
}

// input returns the turn in the form that state.Step takes; w holds the host's facts.
func (ev *Evaluator) input(w *work, t *Turn) state.Input {
	f := w.frame
	in := state.Input{
		Key: t.Key, At: w.at, Order: ev.opts.Order, Budget: ev.opts.Budget, Tokens: ev.opts.Tokens,
		UserMessage: f.Truth(fact.UserMessage),
		Compacted:   f.Truth(fact.Compacted),
		Resumed:     f.Truth(fact.Resumed),
		Failed:      f.Truth(fact.LastToolCallFailed),
		Remind:      t.Remind, Silent: t.Silent, Tag: t.Mark,
		Judge: w.judge, Render: w.render, Facts: record(w),
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

// Decide prepares a turn and commits it, and does both again if another writer of the run was quicker. Its errors are those of
// Prepare and Commit.
func (ev *Evaluator) Decide(ctx context.Context, run string, t Turn) (*Decision, error) {
	return ev.DecideWith(ctx, run, t, nil)
}

// DecideWith is Decide for a host that has something to commit together with the decision. Between Prepare and Commit it calls
// with, which may call Carry. It calls with again for each new attempt, and what an earlier call did no longer counts. If the
// decision has Again set, the turn was committed before, perhaps by another process, and nothing can be carried. If with
// returns an error, the decision is discarded and DecideWith returns the error.
func (ev *Evaluator) DecideWith(ctx context.Context, run string, t Turn, with func(*Decision) error) (*Decision, error) {
	if with == nil {
		with = func(*Decision) error { return nil }
	}
	if t.At.IsZero() {
		t.At = ev.opts.Clock()
	}
	var d *Decision
	var refused error // by with, whatever error that is
	err := state.Retry(func() (err error) {
		if d, err = ev.Prepare(ctx, run, t); err != nil {
			return err
		}
		again := d.Again
		if refused = with(d); refused != nil {
			d.Discard()
			return nil
		}
		if err = d.Commit(ctx); errors.Is(err, state.ErrIndeterminate) {
			err = d.Commit(ctx)
		}
		if err == nil && d.Again && !again { // another process has committed this very turn meanwhile
			refused = with(d)
		}
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}
