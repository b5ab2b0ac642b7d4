package hook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/state"
)

// moment decides the moment beside the turn that the event is, and returns what is to be printed. It opens no
// turn and counts nothing (LANGUAGE.md §1). Where no rule is read at this moment, it does not touch the run.
func (r *run) moment(ctx context.Context) (out []byte, err error) {
	e := &r.event
	// it may tell figures, or of an answer
	if r.side != safety && (e.Kind == agent.Stop || r.agent.Rounds == agent.RoundsAsked) {
		err = r.note(ctx)
		r.phase.end(r.side)
	}
	ev, failed := r.evaluator()
	if err = errors.Join(err, failed); compile.ReadsAt(ev.Set(), e.Moment) {
		err = errors.Join(err, state.Retry(func() (err error) {
			out, err = r.attemptMoment(ctx, ev)
			return err
		}))
	}
	switch {
	case out != nil && r.agent.TellsRequests(): // an event tells of the model call that follows
		return out, err
	case out != nil && e.Moment == fact.Stopping: // none does
		r.mute, r.noted = true, true
		_, failed = r.turn(ctx)
	case r.held && (r.agent.Rounds == agent.RoundsEnd || r.agent.Untold): // no event reports the call's result
		r.mute = true
		e.Kind, e.Calls = agent.ToolFailed, slices.Clone(e.Calls)
		e.Calls[0].Failed = fact.True
		_, failed = r.turn(ctx)
	case out == nil && r.agent.Before &&
		e.Kind == agent.ToolCall: // the event is also all that tells of the call
		out, failed = r.turn(ctx)
	default:
		return out, err
	}
	return out, errors.Join(err, failed)
}

// attemptMoment is one try at a moment. It returns state.ErrConflict where another hook has written in
// between.
func (r *run) attemptMoment(ctx context.Context, ev *eval.Evaluator) ([]byte, error) {
	e := &r.event
	s, n, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	t := r.momentTurn(&n)
	if t.Call != nil {
		if known := n.call(e.Calls[0]); known != nil && known.Asked && !known.Held && !known.Told {
			return nil, nil // the same event once more
		}
		n.know(e.Calls[0], func(c *callNote) { *c = callNote{Key: c.Key, ID: c.ID, Asked: true} })
	}
	d, err := ev.Prepare(ctx, r.name, t)
	if err == nil && len(d.Fired) > 0 && t.Call != nil && len(d.Paused) == 0 &&
		(!e.CanInject || r.agent.Before) { // the texts wait for a turn
		d.Discard()
		t.Silent = true
		d, err = ev.Prepare(ctx, r.name, t)
	}
	switch {
	case err != nil:
		return nil, err
	case len(d.Fired) == 0:
		return nil, renderErrors(d)
	case !bytes.Equal(bytesOf(d.Notes()), bytesOf(s.Notes())):
		return nil, state.ErrConflict
	}
	text, rest, missed := fit("", d.Due)
	later := []string{n.Rest, rest}
	for _, x := range d.Due {
		if slices.Contains(missed, x.ID) {
			later = append(later, x.Text)
		}
	}
	n.Rest = strings.Join(slices.DeleteFunc(later, func(s string) bool { return s == "" }), separator)
	if e.Moment == fact.Stopping && text != "" {
		n.Reason = digest(strings.TrimSpace(text))
	}
	if t.Call != nil && len(d.Paused) > 0 {
		n.know(e.Calls[0], func(c *callNote) { c.Held = true })
	}
	if len(d.Paused) > 0 && r.agent.Gaps && !r.agent.Later {
		n.Turn.Owed = "file"
	}
	if err := r.commit(ctx, d, &n, text); err != nil {
		return nil, err
	}
	switch {
	case text == "":
		return nil, renderErrors(d)
	case e.Moment == fact.Stopping, len(d.Paused) > 0:
		r.held = t.Call != nil
		return r.agent.Hold(*e, text), renderErrors(d)
	}
	return r.agent.Encode(*e, text), renderErrors(d)
}

// settle takes the turn of a model call that no event has told, in which nothing could be said: all calls of
// the answer before it were held back, and now the session's file has another answer.
func (r *run) settle(ctx context.Context) error {
	if !r.agent.Gaps || r.agent.Later || r.event.Kind != agent.ToolCall && r.event.Kind != agent.Stop {
		return nil
	}
	s, n, err := r.load(ctx)
	if err != nil || n.Turn.Owed == "" {
		return err
	}
	ev, failed := r.evaluator()
	past, _, err := r.past(ctx, r.since(s, &n))
	return errors.Join(failed, err, r.passed(ctx, ev, past))
}

// momentTurn returns the moment as the evaluator takes it, with the facts that the event tells.
func (r *run) momentTurn(n *runNotes) eval.Turn {
	e, facts := &r.event, map[string]any{}
	at := r.where(facts)
	t := eval.Turn{Moment: e.Moment, Root: e.Session, Agent: r.call.Agent, Place: at.Place(), Facts: facts}
	n.tellThread(r.agent, e, t.Facts)
	tellText(t.Facts, "response", e.Message) // the answer that is about to end the work
	tellText(t.Facts, "model", e.Model)
	tellText(t.Facts, "mode", cmp.Or(e.Mode, n.Mode))
	if e.Moment == fact.BeforeTool {
		c := r.agent.Call(e.Calls[0].Name, e.Calls[0].Input, nil, at)
		t.Call, t.More = &c, n.Turn.asks(r.agent, e)
	}
	return t
}
