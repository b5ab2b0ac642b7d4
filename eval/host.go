package eval

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

type runKey struct{}

// WithRun returns a context that names a run. The methods of this package that take a context and a run use
// the run of the context if the run is "". Package inject/transport takes the run of a request from its
// context, too.
func WithRun(ctx context.Context, run string) context.Context {
	return context.WithValue(ctx, runKey{}, run)
}

// RunFrom returns the run that WithRun put into ctx, or "".
func RunFrom(ctx context.Context) string {
	run, _ := ctx.Value(runKey{}).(string)
	return run
}

// runOf returns run, or the run of ctx when run is "".
func runOf(ctx context.Context, run string) (string, error) {
	if run == "" {
		run = RunFrom(ctx)
	}
	if run == "" {
		return "", ErrNoRun
	}
	return run, nil
}

type turnKey struct{}

// WithTurn returns a context with what the host itself knows of one model call. It is for hosts whose turns
// somebody else prepares, such as package inject/transport, which reads facts off the request: give the
// context to the request. Prepare then lets the word of t stand over that of the Turn that it is given, fact
// by fact; of a fact that t does not tell, the other's stands. Of calls of the same tools, t's outcomes and
// the other's subjects are taken together.
//
// An Observer's Turn tells no events of a kind that the Observer was never told; once it was told of a call,
// or of a message of a person, it is taken to be told of all of them. Of t's fields, Facts, Fill, Place,
// Root, Agent, Mark, At, Remind and Silent count.
//
// The context is meant for one model call and its retries. Where several calls are made with it, t counts for
// the first turn that is committed. On later ones only that of t counts which goes on to hold: attributes,
// such as thread_type, declared facts that are not events, Place, Root and Agent.
func WithTurn(ctx context.Context, t Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, &hostTurn{Turn: t})
}

// hostTurn is the argument of a WithTurn, or what an Observer knows as a turn is prepared.
type hostTurn struct {
	Turn
	first atomic.Pointer[string] // key of the first turn that was committed with it

	of  *Observer // nil: of a WithTurn
	nth int       // how often of has told its events by then
}

// hostOf returns what the host tells by a context; nil: nothing.
func hostOf(ctx context.Context) *hostTurn {
	switch told := ctx.Value(turnKey{}).(type) {
	case *hostTurn:
		return told
	case *Observer:
		return told.tell()
	}
	return nil
}

// over reports whether another turn than that of the key was committed with h.
func (h *hostTurn) over(key string) bool {
	first := h.first.Load()
	return first != nil && (key == "" || *first != key)
}

// committed says that the turn of the key was committed.
func (h *hostTurn) committed(key string) {
	if h != nil {
		first := key // a copy, so that nothing is allocated where no host tells anything
		h.first.CompareAndSwap(nil, &first)
	}
}

// takeHost takes over what WithTurn has put into ctx, apart from the facts.
func (t *Turn) takeHost(ctx context.Context) {
	h := hostOf(ctx)
	if h == nil {
		return
	}
	host := h.Turn // not before: it is on the heap
	if t.told, t.over = h, h.over(t.Key); t.over {
		host.At, host.Remind, host.Silent = time.Time{}, nil, false
	}
	if host.Place != (fact.Place{}) {
		t.Place = host.Place
	}
	host.Place = t.Place
	t.host = &host
	t.Root, t.Agent = cmp.Or(host.Root, t.Root), cmp.Or(host.Agent, t.Agent)
	if host.Mark != "" {
		t.Mark = host.Mark
	}
	if !host.At.IsZero() {
		t.At = host.At
	}
	t.Remind = slices.Concat(t.Remind, host.Remind)
	t.Silent = t.Silent || host.Silent
}

// setFacts sets the facts of a turn in an empty frame: those that the host tells, then the others of t.
func (w *work) setFacts(t *Turn) error {
	if t.host == nil {
		return setFacts(w.frame, t, true)
	}
	if w.earlier == nil {
		w.earlier = w.frame.Schema().NewFrame()
	}
	defer w.earlier.Reset()
	err := errors.Join(setFacts(w.frame, t.host, false), setFacts(w.earlier, t, true))
	if t.over {
		w.frame.Unset(passes)
	}
	joinCalls(w.frame, w.earlier)
	w.frame.Inherit(w.earlier)
	return err
}

// passes reports whether a fact that a host told for one turn says nothing of the next one.
func passes(f fact.Fact) bool {
	declared := f.ID > fact.Idle
	return f.Kind == fact.Event || !declared && (f.Kind != fact.Attribute || f.ID == fact.Prompt ||
		f.ID == fact.Response)
}

// joinCalls adds to the calls that a host tells what another frame knows of them: only of calls of the same
// tools in the same order, as no others can be told apart.
func joinCalls(host, other *fact.Frame) {
	told, known := host.Batch()
	more, also := other.Batch()
	if !known || !also || !slices.EqualFunc(told, more, func(a, b fact.Call) bool { return a.Tool == b.Tool }) {
		return
	}
	failed, sure := host.Failed()
	calls := slices.Clone(more)
	for i, c := range told {
		if sure {
			c.Failed = fact.Of(slices.Contains(failed, c.Tool))
		}
		if c.Failed != fact.Unknown {
			calls[i].Failed = c.Failed
		}
		if c.Told || c.Class != fact.NoClass {
			calls[i].Class, calls[i].Told = c.Class, c.Told
			calls[i].Command, calls[i].Paths, calls[i].Subject = c.Command, c.Paths, c.Subject
			calls[i].Edits, calls[i].Unsaid = c.Edits, c.Unsaid
		}
		if c.WrittenTold {
			calls[i].Written, calls[i].WrittenTold = c.Written, true
		}
		if c.OutputTold {
			calls[i].Output, calls[i].OutputTold = c.Output, true
		}
	}
	if host.Known(fact.CallList) || other.Known(fact.CallList) {
		host.SetCalls(calls)
		return
	}
	host.SetTools(calls)
	host.SetOutcomes(calls)
}

// untold returns the facts that the set mentions and that are unknown.
func (p *program) untold(f *fact.Frame) (names []string) {
	for _, id := range p.reads {
		if !f.Known(id) {
			names = append(names, f.Schema().Fact(id).Name)
		}
	}
	return names
}
