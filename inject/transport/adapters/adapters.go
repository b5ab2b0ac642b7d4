// Package adapters puts reminders into the requests of Go frameworks. The packages below it are a page each,
// one for a framework: adk, eino, fantasy, genkit, goopenai, langchaingo. They are modules of their own, so
// that nobody who embeds aside depends on them.
//
// An adapter does two things. It gives the framework an http.Client that puts the reminders into the requests
// on their way, so that nothing of them gets into the messages that the framework stores. And it tells, from
// the framework's own messages and callbacks, what a request does not: which tools failed, whatever the API
// has for that.
//
//	client := adapters.Client(ev, transport.Options{})
//	ctx, obs := adapters.Begin(ctx, ev, "run-7") // per run; a subagent begins its own
//	...                                          // the framework, with client, the adapter's hook and ctx
//
// With an engine (package eval/engine) that is
//
//	client := eng.Client(nil)
//	r := eng.Run("run-7")
//	ctx = adapters.With(r.Context(ctx), r.Observer())
//
// Without Begin the hooks do nothing, and the facts are those of the request alone. The Observer takes facts
// of the host's own: vars, the thread type, the directory. It must not be told of calls, which the adapter
// tells.
//
// All functions may be called concurrently; the model calls of one run are made one after the other.
package adapters

import (
	"context"
	"maps"
	"net/http"
	"sync"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
)

// Client returns a client that puts reminders into requests.
func Client(ev *eval.Evaluator, opts transport.Options) *http.Client {
	return &http.Client{Transport: transport.New(ev, opts)}
}

// run is what is known of a run between two model calls.
type run struct {
	obs *eval.Observer

	mu      sync.Mutex       // guards results
	results map[string]error // of the calls since the last model call, by id
}

type runKey struct{}

// Begin returns a context for the model calls of a run, and the Observer that takes the host's own facts. The
// context is for the whole run, or for a part of it. A subagent's run begins within the context of a tool.
func Begin(ctx context.Context, ev *eval.Evaluator, name string) (context.Context, *eval.Observer) {
	obs := ev.Observe(name)
	return With(eval.WithRun(ctx, name), obs), obs
}

// With is Begin for a context that names a run, with the Observer that the host has of it: those of an
// engine's Run.
func With(ctx context.Context, obs *eval.Observer) context.Context {
	return context.WithValue(ctx, runKey{}, &run{obs: obs, results: map[string]error{}})
}

// Result notes that a tool was run: err is nil if it did not fail. It is for hosts that run the tools
// themselves; the adapters for frameworks that run them call it.
func Result(ctx context.Context, id string, err error) {
	if r, ok := ctx.Value(runKey{}).(*run); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.results[id] = err
	}
}

// Call is a use of a tool, by the id that the model gave it.
type Call struct{ ID, Tool string }

// Turn returns the context for one model call. The calls are those whose results stand behind the model's
// last answer, in the order of that answer. It is for adapters.
func Turn(ctx context.Context, calls []Call) context.Context {
	r, ok := ctx.Value(runKey{}).(*run)
	if !ok {
		return ctx
	}
	r.mu.Lock()
	results := maps.Clone(r.results)
	clear(r.results)
	r.mu.Unlock()
	for _, c := range calls {
		err, known := results[c.ID]
		if !known {
			err = eval.ErrNoOutcome
		}
		r.obs.ToolCall(c.Tool, err)
	}
	return eval.WithTurn(ctx, r.obs.Turn())
}
