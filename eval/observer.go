package eval

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

// Usage is the usage that a model API reported for one call.
type Usage struct {
	ContextTokens  int64 // tokens of the prompt, cached ones included
	ResponseTokens int64 // tokens of the output, reasoning included
	Known          bool  // whether the API reported them; if not, both facts are unknown
}

// Observer turns the events of a run into the facts of its next turn. Create one with Evaluator.Observe when
// the run begins, report every event from then on, and give the model calls a context of Context, or call
// Turn before each. The comment of each method names the facts that it sets.
//
// An Observer may be used concurrently. The order of the calls matters: if tools run in parallel, report them
// in the order in which the model called them, so that the same conversation always leads to the same facts.
type Observer struct {
	ev  *Evaluator
	run string

	mu   sync.Mutex // guards what follows
	seen observed
	open events // that a turn was prepared with, and none was committed with; those of seen are newer
	nth  int    // how often a turn was prepared
}

// observed are the facts that an Observer has heard of.
type observed struct {
	some bool // whether there is an Observer; a turn of a host without one has the zero value
	// the host has reported messages of persons, and calls, in this run
	users, called bool
	events

	// These hold until the host reports new ones.
	prompt, thread, provider, model known[string]
	context, window                 known[int64]
	place                           fact.Place
	// the host reports calls with their subjects
	tells bool
	// what Set has set; never modified, as turns share it
	set map[string]any
}

// events are what happened since the previous turn.
type events struct {
	user, compacted, resumed bool
	responded                bool          // a model answered
	response                 known[string] // with this text
	uses                     []fact.Use    // the calls, of a host that tells no subjects
	calls                    []fact.Call   // the calls, of one that tells them
	output                   known[int64]  // the fact last_response_tokens
}

// known is a value that may be unknown.
type known[T any] struct {
	v  T
	ok bool
}

// varPrefix begins the names of declared facts.
const varPrefix = "vars."

// join returns the events of e and those of later, which came after them.
func (e events) join(later events) events {
	later.user = later.user || e.user
	later.compacted = later.compacted || e.compacted
	later.resumed = later.resumed || e.resumed
	later.responded = later.responded || e.responded
	if !later.response.ok {
		later.response = e.response
	}
	if len(e.uses) > 0 { // else nothing is copied
		later.uses = slices.Concat(e.uses, later.uses)
	}
	if len(e.calls) > 0 {
		later.calls = slices.Concat(e.calls, later.calls)
	}
	if !later.output.ok {
		later.output = e.output
	}
	return later
}

// Observe returns a new Observer of a run, which knows no earlier events.
func (ev *Evaluator) Observe(run string) *Observer {
	return &Observer{ev: ev, run: run, seen: observed{some: true}}
}

// Context returns a context that names the run (WithRun) and has what the Observer knows at each model call
// that is made with it, as WithTurn has for one call. So one context serves for a whole run. Each event is
// part of the first turn that is committed after it.
func (o *Observer) Context(ctx context.Context) context.Context {
	return context.WithValue(WithRun(ctx, o.run), turnKey{}, o)
}

// tell returns what the Observer knows, for a turn that is about to be prepared.
func (o *Observer) tell() *hostTurn {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.nth++
	return &hostTurn{Turn: o.facts(), of: o, nth: o.nth}
}

// facts moves the events of seen to open, and returns what is known with all of them.
func (o *Observer) facts() Turn {
	o.open, o.seen.events = o.open.join(o.seen.events), events{}
	seen := o.seen
	seen.events = o.open
	if seen.tells && len(seen.uses) > 0 {
		seen.uses, seen.calls = nil, slices.Concat(callsOf(seen.uses), seen.calls)
	}
	return Turn{observed: seen, Place: o.seen.place}
}

// heard says that a turn was committed with the events that h tells.
func (h *hostTurn) heard() {
	if h == nil || h.of == nil {
		return
	}
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if h.nth == h.of.nth { // else a turn that was prepared later tells them, too
		h.of.open = events{}
	}
}

// note changes what the observer has heard of.
func (o *Observer) note(change func(*observed)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.seen)
}

// UserMessage reports that a person submitted a message: user_message, prompt. Do not report tool results,
// context updates or anything else that the host itself sends in the role of the user.
func (o *Observer) UserMessage(text string) {
	o.note(func(s *observed) {
		s.user, s.users = true, true
		s.prompt = known[string]{text, true}
	})
}

// ToolCall reports that a tool was called, and its error if it failed: tool_used, last_tool_call_failed. With
// ErrNoOutcome last_tool_call_failed is unknown, unless another call failed. Call reports more of it.
func (o *Observer) ToolCall(name string, err error) {
	failed := fact.Of(err != nil)
	if err == ErrNoOutcome {
		failed = fact.Unknown
	}
	o.note(func(s *observed) {
		s.called = true
		if s.tells {
			s.calls = append(s.calls, fact.Call{Tool: name, Failed: failed})
		} else {
			s.uses = append(s.uses, fact.Use{Tool: name, Failed: failed})
		}
	})
}

// Call reports a use of a tool with its subject and output, as far as they are told: tool_used, command,
// path, output, calls, last_tool_call_failed. A host that reports its calls in this way reports all of them
// so.
func (o *Observer) Call(c fact.Call) {
	o.note(func(s *observed) {
		s.called, s.tells = true, true
		callpattern.Writes(&c, path.Clean)
		s.uses, s.calls = nil, append(append(s.calls, callsOf(s.uses)...), c)
	})
}

// callsOf returns calls of which nothing else is told.
func callsOf(uses []fact.Use) (calls []fact.Call) {
	for _, u := range uses {
		calls = append(calls, fact.Call{Tool: u.Tool, Failed: u.Failed})
	}
	return calls
}

// Place says where the paths of calls lie. It holds until it is set again.
func (o *Observer) Place(p fact.Place) { o.note(func(s *observed) { s.place = p }) }

// Response reports that the model answered: last_response_tokens, context_tokens. It makes the fact response
// unknown, unless ResponseText reports the text of this answer.
func (o *Observer) Response(u Usage) {
	o.note(func(s *observed) {
		s.responded = true
		s.output = known[int64]{u.ResponseTokens, u.Known}
		s.context = known[int64]{u.ContextTokens, u.Known}
	})
}

// ResponseText reports the text of the model's answer: response. Call it before or after Response, but before
// the next Turn. An answer that calls tools and says nothing has the text "".
func (o *Observer) ResponseText(text string) {
	o.note(func(s *observed) {
		s.response = known[string]{text, true}
	})
}

// Compacted reports that the history was compacted: compacted. It makes context_tokens unknown until the next
// call of Response or ContextTokens.
func (o *Observer) Compacted() {
	o.note(func(s *observed) {
		s.compacted = true
		s.context = known[int64]{}
	})
}

// ContextTokens reports the number of tokens in the context: context_tokens. It is for a host that knows the
// number from a compaction, or counts the tokens itself, and not for the usage of a response.
func (o *Observer) ContextTokens(n int64) {
	o.note(func(s *observed) { s.context = known[int64]{n, true} })
}

// Resumed reports that the run was resumed: resumed.
func (o *Observer) Resumed() { o.note(func(s *observed) { s.resumed = true }) }

// Thread sets the type of the thread: thread_type. It holds until it is set again.
func (o *Observer) Thread(typ string) {
	o.note(func(s *observed) { s.thread = known[string]{typ, true} })
}

// Model sets the model that is used, and the size of its context window in tokens: provider, model,
// context_window. An empty name or a window of 0 or less is unknown; without a window, so is context_usage.
// All three hold until they are set again.
func (o *Observer) Model(provider, model string, window int) {
	o.note(func(s *observed) {
		s.provider = known[string]{provider, provider != ""}
		s.model = known[string]{model, model != ""}
		s.window = known[int64]{int64(window), window > 0}
	})
}

// Set sets a fact that the host knows, such as a declared one, cwd, branch, mode or cost. It holds until it
// is set again; nil makes it unknown. The name of a declared fact may be given without "vars.". A name that
// does not exist, an event and a value of another type are a *FactError, and change nothing.
func (o *Observer) Set(name string, v any) error {
	ev := o.ev
	if ev == nil {
		ev = new(Evaluator)
	}
	schema := ev.programs().set.Schema()
	if known, ok := schema.Lookup(name); !ok && !strings.HasPrefix(name, varPrefix) || known.Kind == fact.Event {
		name = varPrefix + strings.TrimPrefix(name, varPrefix) // events have methods of their own
	}
	if err := setFact(schema.NewFrame(), name, v); err != nil {
		return err
	}
	o.note(func(s *observed) {
		set := maps.Clone(s.set)
		if set == nil {
			set = map[string]any{}
		}
		set[name] = v
		s.set = set
	})
	return nil
}

// Turn returns the facts of the next model call as a Turn, to which the host may add its fields. Each event
// is part of one Turn only, so a host that prepares the turn again uses the same Turn again.
//
// tool_used, last_tool_call_failed, user_message, compacted and resumed are always known, with two
// exceptions: that of ErrNoOutcome, and on the first turn after Resumed, tool_used and last_tool_call_failed
// are unknown if neither a tool nor a response was reported since.
func (o *Observer) Turn() Turn {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.facts()
	o.open = events{}
	return t
}

// tell sets the facts in an empty frame. It leaves out declared facts that do not fit the schema: a reload
// may have changed it. alone says that nobody else tells facts of the turn. Otherwise an event that the host
// did not report may be known to somebody else, unless the host reports all events of its kind.
func (s *observed) tell(f *fact.Frame, alone bool) {
	if !s.some {
		return
	}
	if alone || s.users {
		f.SetBool(fact.UserMessage, s.user)
	}
	if alone || s.compacted {
		f.SetBool(fact.Compacted, s.compacted)
	}
	if alone || s.resumed {
		f.SetBool(fact.Resumed, s.resumed)
	}
	if len(s.calls)+len(s.uses) > 0 || s.called && !alone || alone && (s.responded || !s.resumed) {
		s.setCalls(f)
	}
	setInt := func(id fact.ID, n known[int64]) {
		if n.ok {
			f.SetInt(id, n.v)
		}
	}
	setInt(fact.LastResponseTokens, s.output)
	setInt(fact.ContextTokens, s.context)
	setInt(fact.ContextWindow, s.window)
	setText := func(id fact.ID, text known[string]) {
		if text.ok {
			f.SetText(id, text.v)
		}
	}
	setText(fact.Prompt, s.prompt)
	setText(fact.Response, s.response)
	setText(fact.ThreadType, s.thread)
	setText(fact.Provider, s.provider)
	setText(fact.Model, s.model)
	for name, v := range s.set {
		_ = f.SetValue(name, v)
	}
}

// setCalls sets the facts that follow from the calls of the previous turn.
func (s *observed) setCalls(f *fact.Frame) {
	if s.tells {
		f.SetCalls(s.calls)
		return
	}
	f.SetUses(s.uses)
	failed := []string{}
	any := fact.False
	for _, u := range s.uses {
		any = any.Or(u.Failed)
		if u.Failed == fact.True {
			failed = append(failed, u.Tool)
		}
	}
	if any != fact.Unknown {
		f.SetBool(fact.LastToolCallFailed, any == fact.True)
		f.SetFailed(failed)
	}
}
