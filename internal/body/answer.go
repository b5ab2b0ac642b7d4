package body

import (
	"slices"

	"github.com/aside-go/aside/internal/response"
)

// Step is an answer of the model in a conversation.
type Step struct {
	Before string // Head of the conversation as it stood when the model was asked
	Answer string // response.Answer.Key
	// the id of the last item of the answer to which the body refers; "": it holds what Answer is made of
	Item string
}

// Steps returns the answers of the model to which the conversation has gone on, oldest first, and the Head of
// the request that a further answer would answer. These are the names by which every process knows a
// conversation: Before and Answer are the same in each later request, and are known when the answer has come.
// An answer that ends the conversation is no Step: the next response goes on with it.
func (c *Conversation) Steps() (steps []Step, asked string) {
	d := c.body
	k := &keyer{Body: d}
	start := k.server()
	k.h.Reset()
	k.hashUint(start)
	var answer response.Answer
	before, item, in := "", "", false
	keys := d.keys
	for i := range d.Messages {
		m := &d.Messages[i]
		models := m.Class == Assistant || m.Elsewhere
		switch {
		case models && !in:
			answer, before, item, in = response.Answer{}, spell(k.h.Sum64()), "", true
			fallthrough
		case models:
			if d.addTo(&answer, m); m.Elsewhere {
				item = d.Says(m.Refers)
			}
		case in && m.Class != System:
			if answer.ByID() {
				item = ""
			}
			steps, in = append(steps, Step{before, answer.Key(), item}), false
		}
		if len(keys) > 0 && keys[0].message == i {
			if !keys[0].loose {
				k.hashUint(keys[0].head)
			}
			keys = keys[1:]
		}
	}
	if in {
		return steps, before
	}
	return steps, spell(k.h.Sum64())
}

// addTo adds the words and calls of a message of the model to its answer. Of an item that is kept elsewhere
// only the reference is known.
func (d *Body) addTo(a *response.Answer, m *Message) {
	if m.Elsewhere {
		a.Say(m.Span.Of(d.Bytes))
		return
	}
	for _, b := range d.Blocks(m) {
		if !b.Thought && !m.Thought && b.Kind == NoCall && b.Said.From < b.Said.To {
			a.Say([]byte(d.Says(b.Said)))
		}
	}
	if m.Refusal.Found() {
		a.Say([]byte(d.Says(m.Refusal)))
	}
	for call := range d.Calls(m) {
		if call.Kind == Called {
			a.Add(d.Says(call.ID), d.Says(call.Name), slices.Clip(call.Input.Of(d.Bytes)))
		}
	}
}
