package engine

import (
	"context"
	"time"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
)

// Run is a conversation of an agent, or of a subagent. Engine.Run makes one.
type Run struct {
	e    *Engine
	name string
	obs  *eval.Observer
}

type runKey struct{}

// From returns the Run that Run.Context has put into a context; nil if there is none.
func From(ctx context.Context) *Run {
	r, _ := ctx.Value(runKey{}).(*Run)
	return r
}

// Run returns the run of that name, the same one each time until Run.End. The name is that in the state: a
// run of an earlier process goes on.
func (e *Engine) Run(name string) *Run {
	if e == nil || e.ev == nil {
		return &Run{name: name}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.runs[name]
	if r == nil {
		r = &Run{e: e, name: name, obs: e.ev.Observe(name)}
		e.runs[name] = r
	}
	return r
}

// Name returns the name of the run.
func (r *Run) Name() string {
	if r == nil {
		return ""
	}
	return r.name
}

// Context returns a context for model calls of the run, for one or for all of them: each call is decided by
// what the Run knows when it is made. From finds the Run in it.
func (r *Run) Context(ctx context.Context) context.Context {
	if r == nil || r.obs == nil {
		return ctx
	}
	return context.WithValue(r.obs.Context(ctx), runKey{}, r)
}

// open returns nil, or why nothing can be asked of the run.
func (r *Run) open() error {
	if r == nil {
		return eval.ErrNoRun
	}
	return r.e.open()
}

// Observer returns what the Run tells beside the requests, for what the requests do not tell: a failed call,
// the directory, the cost. Of a Run that is none it tells nobody.
func (r *Run) Observer() *eval.Observer {
	if r == nil || r.obs == nil {
		return new(eval.Observer)
	}
	return r.obs
}

// Set sets a fact of one's own, with or without "vars." before its name. It holds until it is set again; nil
// makes it unknown. A name that Options.Facts do not have and a value of another type are an *eval.FactError.
func (r *Run) Set(name string, v any) error {
	if err := r.open(); err != nil {
		return err
	}
	return r.obs.Set(name, v)
}

// Thread sets the type of the thread, such as "plan", by which thread_type and thread:plan go. It holds until
// it is set again.
func (r *Run) Thread(typ string) { r.Observer().Thread(typ) }

// Remind fires a reminder by hand: its text goes out with the next turn of the run. An unknown id is an
// *eval.UnknownError, which names the ids near it. transport.Options.Commands takes "/remind NAME" of a
// person.
func (r *Run) Remind(ctx context.Context, id string) error {
	if err := r.open(); err != nil {
		return err
	}
	return r.e.ev.Remind(ctx, r.name, id)
}

// Why explains each reminder on the last turn of the run: whether it fired, which conditions held with which
// values, and when it will fire. Before the first turn it returns eval.ErrNoTurn.
func (r *Run) Why(ctx context.Context) ([]eval.Explanation, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	return r.e.ev.Explain(ctx, r.name)
}

// Transcript returns the texts of the conversation for display, in their order: those of history, and the
// reminders where the model read them, each with why it fired, for an interface that shows them grey. history
// are the messages as the model API has them, without reminders. It is told by the state, so it is the same
// after a restart.
func (r *Run) Transcript(ctx context.Context, history []inject.Message) ([]inject.Segment, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	return r.e.tr.Transcript(ctx, r.name, history)
}

// End says that the run has ended: what a reminder expects and nobody has done is recorded as open, and the
// Engine knows the Run no more. A run of that name goes on from its state all the same.
func (r *Run) End(ctx context.Context) error {
	if err := r.open(); err != nil {
		return err
	}
	r.e.mu.Lock()
	if r.e.runs[r.name] == r {
		delete(r.e.runs, r.name)
	}
	r.e.mu.Unlock()
	return r.e.ev.End(ctx, r.name, time.Time{})
}
