package eval

import (
	"maps"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
)

// Usage is what a model reported of one call.
type Usage struct {
	ContextTokens  int64 // the request's prompt, cached tokens included, the output not
	ResponseTokens int64 // the output, reasoning included
	Known          bool  // whether the two were reported at all; false leaves both facts unknown
}

// Observer turns what happens in a run into the facts of its next turn. Create one with Evaluator.Observe when the run
// begins, tell it everything from then on, and call Turn before each model call.
//
// An Observer may be shared by goroutines. The order of calls is the order of events: tools that ran side by side are
// told in the order of the batch, or the same conversation would not lead to the same facts.
type Observer struct {
	ev *Evaluator

	mu   sync.Mutex // guards all below; nothing is called while it is held
	step step

	// What lasts from step to step.
	prompt, response, thread *string
	model, provider          *string
	context, window          *int64
	vars                     map[string]any
}

// step is what happened since the previous turn.
type step struct {
	user, compacted, resumed bool
	tools, failed            []string
	responded                bool // a model answered
	told                     bool // and its text is known
	output                   *int64
	messages                 *int64
}

// Observe returns a new Observer. It reads nothing; run is only how the host tells its observers apart, and may be "".
func (ev *Evaluator) Observe(run string) *Observer {
	return &Observer{ev: ev, vars: map[string]any{}}
}

// UserMessage tells that a person submitted a message: user_message, prompt. Tool results, context updates and whatever
// else a host sends in the role of the user by itself are none.
func (o *Observer) UserMessage(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.user, o.prompt = true, &text
}

// ToolCall tells that a tool was called and how it ended: tool_used, last_tool_call_failed. A nil err is success.
func (o *Observer) ToolCall(name string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.tools = append(o.step.tools, name)
	if err != nil {
		o.step.failed = append(o.step.failed, name)
	}
}

// Response tells that a model answered: last_response_tokens, context_tokens. The text of an earlier response is no longer
// the previous one's: response is unknown until ResponseText tells it.
func (o *Observer) Response(u Usage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.responded = true
	o.step.output, o.context = nil, nil
	if u.Known {
		o.step.output, o.context = &u.ResponseTokens, &u.ContextTokens
	}
}

// ResponseText tells the text of the response that Response tells of, before or after it, in the same step. A response that
// calls tools and says nothing has the text "".
func (o *Observer) ResponseText(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.told, o.response = true, &text
}

// Compacted tells that the history was compacted: compacted. How much the context now holds is unknown until the next Response
// or ContextTokens reports it.
func (o *Observer) Compacted() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.compacted, o.context = true, nil
}

// ContextTokens tells how many tokens the context holds, where the host knows it by other means than a response's usage: the
// size after a compaction, or a total that it counts itself.
func (o *Observer) ContextTokens(n int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.context = &n
}

// Resumed tells that the run was resumed: resumed.
func (o *Observer) Resumed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.resumed = true
}

// Thread tells the type of the thread: thread_type. It lasts.
func (o *Observer) Thread(typ string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.thread = &typ
}

// Model tells which model is asked and how many tokens its window holds: provider, model, context_window. An empty name is
// not known; a window of 0 or less is not known, and then neither is context_usage. All three last.
func (o *Observer) Model(provider, model string, window int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.provider, o.model, o.window = known(provider), known(model), nil
	if window > 0 {
		w := int64(window)
		o.window = &w
	}
}

// Messages tells how many messages the request holds that is about to be sent: message_count.
func (o *Observer) Messages(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := int64(n)
	o.step.messages = &m
}

// Var tells a declared fact by its name, with or without "vars." before it. It lasts until it is told again; nil makes it
// unknown. A name that is not declared and a value of another type are a *FactError, and change nothing.
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

// Turn hands over what is known before the next model call and begins the next step. What happened is handed over once:
// a turn that was not committed is prepared again from the same value. Key, At, Remind and Silent are the host's to fill.
//
// tool_used, last_tool_call_failed, user_message, compacted and resumed are always known, but for the first turn after
// Resumed: if nothing was told of tools or responses then, the step before is not known.
func (o *Observer) Turn() Turn {
	schema := o.ev.prog.Load().set.Schema()
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.step
	o.step = step{}
	f := map[string]any{"user_message": s.user, "compacted": s.compacted, "resumed": s.resumed}
	if len(s.tools) > 0 || s.responded || !s.resumed {
		f["tool_used"], f["last_tool_call_failed"] = append([]string{}, s.tools...), len(s.failed) > 0
		f[fact.FailedTools] = append([]string{}, s.failed...)
	}
	if s.responded && !s.told {
		o.response = nil
	}
	put(f, "prompt", o.prompt)
	put(f, "response", o.response)
	put(f, "thread_type", o.thread)
	put(f, "model", o.model)
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
