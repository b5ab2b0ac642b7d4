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

	lasting map[string]any // facts that hold until the host reports new ones, by name
}

// step holds the events since the previous turn.
type step struct {
	user, compacted, resumed bool
	tools, failed            []string
	responded                bool // a model answered
	hasText                  bool // and the text of the answer is known
	output, messages         any  // the facts last_response_tokens and message_count; nil is unknown
}

// varPrefix begins the names of declared facts.
const varPrefix = "vars."

// Observe returns a new Observer, which knows no earlier events. The name of the run is for readers of the
// code; it makes no difference.
func (ev *Evaluator) Observe(run string) *Observer {
	return &Observer{ev: ev, lasting: map[string]any{}}
}

// UserMessage reports that a person submitted a message: user_message, prompt. Do not report tool results,
// context updates or anything else that the host itself sends in the role of the user.
func (o *Observer) UserMessage(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.user = true
	o.lasting["prompt"] = text
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
	o.step.output = nil
	delete(o.lasting, "context_tokens")
	if u.Known {
		o.step.output = u.ResponseTokens
		o.lasting["context_tokens"] = u.ContextTokens
	}
}

// ResponseText reports the text of the model's answer: response. Call it before or after Response, but before
// the next Turn. An answer that calls tools and says nothing has the text "".
func (o *Observer) ResponseText(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.hasText = true
	o.lasting["response"] = text
}

// Compacted reports that the history was compacted: compacted. It makes context_tokens unknown until the next
// call of Response or ContextTokens.
func (o *Observer) Compacted() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.compacted = true
	delete(o.lasting, "context_tokens")
}

// ContextTokens reports the number of tokens in the context: context_tokens. It is for a host that knows the
// number from a compaction, or counts the tokens itself, and not for the usage of a response.
func (o *Observer) ContextTokens(n int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lasting["context_tokens"] = n
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
	o.lasting["thread_type"] = typ
}

// Model sets the model that is used, and the size of its context window in tokens: provider, model,
// context_window. An empty name or a window of 0 or less is unknown; without a window, so is context_usage.
// All three hold until they are set again.
func (o *Observer) Model(provider, model string, window int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hold("provider", provider, provider != "")
	o.hold("model", model, model != "")
	o.hold("context_window", int64(window), window > 0)
}

// Messages sets the number of messages in the next request: message_count.
func (o *Observer) Messages(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step.messages = int64(n)
}

// Var sets a declared fact, whose name may be given with or without "vars.". It holds until it is set again;
// nil makes it unknown. A name that is not declared and a value of another type are a *FactError, and change
// nothing.
func (o *Observer) Var(name string, v any) error {
	if !strings.HasPrefix(name, varPrefix) {
		name = varPrefix + name
	}
	schema := o.ev.prog.Load().set.Schema()
	if err := setFact(schema.NewFrame(), name, v); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hold(name, v, v != nil)
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
	if s.responded && !s.hasText {
		delete(o.lasting, "response")
	}
	o.forgetUndeclared(schema)
	f := make(map[string]any, 8+len(o.lasting))
	maps.Copy(f, o.lasting)
	f["user_message"], f["compacted"], f["resumed"] = s.user, s.compacted, s.resumed
	if len(s.tools) > 0 || s.responded || !s.resumed {
		f["tool_used"], f["last_tool_call_failed"] = notNil(s.tools), len(s.failed) > 0
		f[fact.FailedTools] = notNil(s.failed)
	}
	if s.output != nil {
		f["last_response_tokens"] = s.output
	}
	if s.messages != nil {
		f["message_count"] = s.messages
	}
	return Turn{Facts: f}
}

// hold sets a lasting fact, or makes it unknown.
func (o *Observer) hold(name string, v any, known bool) {
	if known {
		o.lasting[name] = v
	} else {
		delete(o.lasting, name)
	}
}

// forgetUndeclared deletes the values of declared facts that do not fit the schema: a reload may have changed
// it.
func (o *Observer) forgetUndeclared(schema *fact.Schema) {
	var frame *fact.Frame
	for name, v := range o.lasting {
		if !strings.HasPrefix(name, varPrefix) {
			continue
		}
		if frame == nil {
			frame = schema.NewFrame()
		}
		if frame.SetValue(name, v) != nil {
			delete(o.lasting, name)
		}
	}
}

// notNil returns list, or an empty list for nil: no tool was called, and that is known.
func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
