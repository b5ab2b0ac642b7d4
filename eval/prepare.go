package eval

import (
	"context"
	"errors"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/state"
)

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
	defer func() {
		w.frame.Reset()
		p.work.Put(w)
	}()
	if err := errors.Join(take(w.frame, t.Facts), p.has(t.Remind...)); err != nil {
		return nil, err
	}
	prev, rev, err := ev.opts.Store.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	if t.At.IsZero() {
		t.At = ev.opts.Clock()
	}
	next, dec, err := state.Step(prev, p.rules, ev.input(p, w, t))
	if err != nil {
		return nil, err
	}
	d := &Decision{Decision: *dec, Mark: next.Tag(), Again: next == prev, ev: ev, run: run, turn: t, next: next, rev: rev, notes: next.Notes()}
	if d.Again {
		d.phase = committed
		if err := again(w.frame, next, t.Facts); err != nil {
			return nil, err
		}
	}
	d.Facts = values(w.frame)
	d.Why, d.Parts = p.why(w.frame, d.Fired)
	return d, nil
}

// input is the turn as the machine takes it; w holds the host's facts.
func (ev *Evaluator) input(p *program, w *work, t Turn) state.Input {
	f := w.frame
	in := state.Input{
		Key: t.Key, At: t.At, Order: ev.opts.Order, Budget: ev.opts.Budget, Tokens: ev.opts.Tokens,
		UserMessage: f.Truth(fact.UserMessage),
		Compacted:   f.Truth(fact.Compacted),
		Resumed:     f.Truth(fact.Resumed),
		Failed:      f.Truth(fact.LastToolCallFailed),
		Remind:      t.Remind, Silent: t.Silent, Tag: t.Mark,
		Facts: record(f),
	}
	in.Tools, in.ToolsKnown = f.Set(fact.ToolUsed)
	if in.ResponseKnown = f.Known(fact.LastResponseTokens); in.ResponseKnown {
		in.ResponseTokens = int64(f.Num(fact.LastResponseTokens))
	}
	in.Judge = func(run *state.Run) (trigger, rearm []fact.Truth) {
		count(f, run)
		p.set.Eval(f, w.truths)
		return w.truths.Trigger, w.truths.Rearm
	}
	in.Render = func(i int) (string, error) { return p.set.Render(i, f, t.At) }
	return in
}

// again fills the frame with the facts of the turn that was decided before. What its snapshot did not keep comes from the
// host, who tells the same turn again.
func again(f *fact.Frame, s *state.Snapshot, facts map[string]any) error {
	f.Reset()
	missing, err := recall(f, s)
	if err != nil {
		return err
	}
	for _, name := range missing {
		_ = f.SetValue(name, facts[name]) // was accepted when the turn was taken
	}
	count(f, s.Run())
	return nil
}

// why says of each of fired what made its trigger true, and of those whose facts are still here how.
func (p *program) why(f *fact.Frame, fired []terms.Due) (why map[string]string, parts map[string]compile.Part) {
	if len(fired) == 0 {
		return nil, nil
	}
	why, parts = make(map[string]string, len(fired)), make(map[string]compile.Part, len(fired))
	for _, due := range fired {
		i, ok := p.set.Index(due.ID)
		switch {
		case due.Manual:
			why[due.ID] = "manual"
		case ok: // else it is gone with a reload since the turn was first decided
			f.SetSelf(due.ID)
			trigger := p.set.Trigger(i)
			if part := trigger.Explain(f); part.Truth == fact.True {
				why[due.ID], parts[due.ID] = part.Why(), part
			} else { // decided before, on facts that are no longer here
				why[due.ID] = trigger.String()
			}
		}
	}
	return why, parts
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
