package eval

import (
	"maps"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
)

// Usage is the usage that a model API reported for one call.
type Usage struct {
	ContextTokens  int64 // tokens of the prompt, cached ones included
	ResponseTokens int64 // tokens of the output, reasoning included
	Known          bool  // whether the API reported them; if not, both facts are unknown
}

// Observer turns the events of a run into the facts of its next turn. Create one with Evaluator.Observe when
// the run begins, report every event from then on, and call Turn before each model call. The comment of each
// method names the facts that it sets.
//
// An Observer may be used concurrently. The order of the calls matters: if tools run in parallel, report them
// in the order in which the model called them, so that the same conversation always leads to the same facts.
type Observer struct {
	ev *Evaluator

	mu   sync.Mutex // guards all fields below
	step step

	// Values that hold until the host reports new ones.
	prompt, answer, threadType *string
	modelName, provider        *string
	context, window            *int64
	vars                       map[string]any
}

// step holds the events since the previous turn.
type step struct {
	user, compacted, resumed bool
	tools, failed            []string
	responded                bool // a model answered
	hasText                  bool // and the text of the answer is known
	output                   *int64
	messages                 *int64
}

// Observe returns a new Observer, which knows no earlier events. The name of the run is for readers of the
// code; it makes no difference.
func (ev *Evaluator) Observe(run string) *Observer {
	return &Observer{ev: ev, vars: map[string]any{}}
}

// UserMessage reports that a person submitted a message: user_message, prompt. Do not report tool results,
// context updates or anything else that the host itself sends in the role of the user.
func (o *Observer) UserMessage(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.user, o.prompt = true, &text
}

// ToolCall reports that a tool was called, and its error if it failed: tool_used, last_tool_call_failed.
func (o *Observer) ToolCall(name string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.tools = append(o.step.tools, name)
	if err != nil {
		o.step.failed = append(o.step.failed, name)
	}
}

// Response reports that the model answered: last_response_tokens, context_tokens. It makes the fact response
// unknown, unless ResponseText reports the text of this answer.
func (o *Observer) Response(u Usage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.responded = true
	o.step.output, o.context = nil, nil
	if u.Known {
		o.step.output, o.context = &u.ResponseTokens, &u.ContextTokens
	}
}

// ResponseText reports the text of the model's answer: response. Call it before or after Response, but before
// the next Turn. An answer that calls tools and says nothing has the text "".
func (o *Observer) ResponseText(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.hasText, o.answer = true, &text
}

// Compacted reports that the history was compacted: compacted. It makes context_tokens unknown until the next
// call of Response or ContextTokens.
func (o *Observer) Compacted() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.compacted, o.context = true, nil
}

// ContextTokens reports the number of tokens in the context: context_tokens. It is for a host that knows the
// number from a compaction, or counts the tokens itself, and not for the usage of a response.
func (o *Observer) ContextTokens(n int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.context = &n
}

// Resumed reports that the run was resumed: resumed.
func (o *Observer) Resumed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.resumed = true
}

// Thread sets the type of the thread: thread_type. It holds until it is set again.
func (o *Observer) Thread(typ string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.threadType = &typ
}

// Model sets the model that is used, and the size of its context window in tokens: provider, model,
// context_window. An empty name or a window of 0 or less is unknown; without a window, so is context_usage.
// All three hold until they are set again.
func (o *Observer) Model(provider, model string, window int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.provider, o.modelName, o.window = known(provider), known(model), nil
	if window > 0 {
		w := int64(window)
		o.window = &w
	}
}

// Messages sets the number of messages in the next request: message_count.
func (o *Observer) Messages(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := int64(n)
	o.step.messages = &m
}

// Var sets a declared fact, whose name may be given with or without "vars.". It holds until it is set again;
// nil makes it unknown. A name that is not declared and a value of another type are a *FactError, and change
// nothing.
func (o *Observer) Var(name string, v any) error {
	if !strings.HasPrefix(name, "vars.") {
		name = "vars." + name
	}
	schema := o.ev.prog.Load().set.Schema()
	if err := setFact(schema.NewFrame(), name, v); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if v == nil {
		delete(o.vars, name)
	} else {
		o.vars[name] = v
	}
	return nil
}

// Turn returns the facts of the next model call as a Turn, to which the host may add Key, At, Remind, Silent
// and Mark. Each event is part of one Turn only, so a host that prepares the turn again uses the same Turn
// again.
//
// tool_used, last_tool_call_failed, user_message, compacted and resumed are always known, with one exception:
// on the first turn after Resumed, tool_used and last_tool_call_failed are unknown if neither a tool nor a
// response was reported since.
func (o *Observer) Turn() Turn {
	schema := o.ev.prog.Load().set.Schema()
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.step
	o.step = step{}
	f := make(map[string]any, 16+len(o.vars))
	f["user_message"], f["compacted"], f["resumed"] = s.user, s.compacted, s.resumed
	if len(s.tools) > 0 || s.responded || !s.resumed {
		f["tool_used"], f["last_tool_call_failed"] = notNil(s.tools), len(s.failed) > 0
		f[fact.FailedTools] = notNil(s.failed)
	}
	if s.responded && !s.hasText {
		o.answer = nil
	}
	put(f, "prompt", o.prompt)
	put(f, "response", o.answer)
	put(f, "thread_type", o.threadType)
	put(f, "model", o.modelName)
	put(f, "provider", o.provider)
	put(f, "context_tokens", o.context)
	put(f, "context_window", o.window)
	put(f, "last_response_tokens", s.output)
	put(f, "message_count", s.messages)
	if len(o.vars) > 0 {
		frame := schema.NewFrame()
		maps.DeleteFunc(o.vars, func(name string, v any) bool { // a reload may have changed what is declared
			return frame.SetValue(name, v) != nil
		})
		maps.Copy(f, o.vars)
	}
	return Turn{Facts: f}
}

// notNil returns list, or an empty list for nil: no tool was called, and that is known.
func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func put[T any](facts map[string]any, name string, v *T) {
	if v != nil {
		facts[name] = *v
	}
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
