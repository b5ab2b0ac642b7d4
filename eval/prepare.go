package eval

import (
	"context"
	"errors"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/state"
)

// work is what one turn needs while it is evaluated. It is used again for others.
type work struct {
	frame  *fact.Frame
	truths *compile.Truths
	at     time.Time
	facts  []byte // see record

	// Of state.Input; they are made once.
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

// Prepare decides a turn of a run and writes nothing: what comes out counts only after Commit. run "" is the run of ctx.
//
// A turn that was committed before returns the decision that is stored. Facts that cannot be used are *FactError, all of
// them joined; an unknown name in t.Remind is an *UnknownError; an older key is state.ErrOldKey. The errors of the store come
// through. Whatever the error, nothing was changed.
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

// input is the turn as the machine takes it; w holds the host's facts.
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
	return in
}

// Decide prepares a turn and commits it, and does both again while other writers of the run are quicker.
func (ev *Evaluator) Decide(ctx context.Context, run string, t Turn) (*Decision, error) {
	return ev.DecideWith(ctx, run, t, nil)
}

// DecideWith is Decide for a host that has something to commit with the decision: between Prepare and Commit it calls with, which
// may Carry it. With each attempt with is called anew, and what it did before counts no more; with Decision.Again the turn was
// committed before, by another process perhaps, and nothing can be carried. An error of with discards the decision and comes back.
func (ev *Evaluator) DecideWith(ctx context.Context, run string, t Turn, with func(*Decision) error) (*Decision, error) {
	if with == nil {
		with = func(*Decision) error { return nil }
	}
	if t.At.IsZero() {
		t.At = ev.opts.Clock()
	}
	var err error
	for range maxTries {
		var d *Decision
		if d, err = ev.Prepare(ctx, run, t); err != nil {
			return nil, err
		}
		again := d.Again
		if err = with(d); err != nil {
			d.Discard()
			return nil, err
		}
		if err = d.Commit(ctx); errors.Is(err, state.ErrIndeterminate) {
			err = d.Commit(ctx)
		}
		if err == nil && d.Again && !again { // another process was quicker with the same turn
			err = with(d)
		}
		if err == nil {
			return d, nil
		}
		if !errors.Is(err, state.ErrConflict) {
			return nil, err
		}
	}
	return nil, err
}
