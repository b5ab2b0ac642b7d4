package body

import (
	"bytes"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/response"
)

// Step is an answer of the model in a conversation.
type Step struct {
	Before uint64 // number of the Head of the conversation as it stood when the model was asked
	// the id of the last item of the answer to which the body refers; "": it holds what was said
	Item string

	from, End int // its messages, up to, but not including, End
}

// Steps returns the answers of the model to which the conversation has gone on, oldest first, and the Head of
// the request that a further answer would answer. Before is the same in each later request of a conversation
// that nobody edits. An answer that ends the conversation is no Step, since the next response goes on with
// it; a compaction stands in its place, too.
func (c *Conversation) Steps() (steps []Step, asked string) {
	if c.asked == "" {
		c.steps, c.asked = c.readSteps()
	}
	return c.steps, c.asked
}

func (c *Conversation) readSteps() (steps []Step, asked string) {
	d := c.body
	var s Step
	in, head, keys := false, d.begin, d.keys
	steps = make([]Step, 0, len(d.Messages)/2+1)
	for i := range d.Messages {
		m := &d.Messages[i]
		switch models := m.Class == Assistant || m.Elsewhere || len(d.compactionsIn(m)) > 0; {
		case models:
			if !in {
				s, in = Step{Before: head, from: i}, true
			}
			if s.End = i + 1; m.Elsewhere {
				s.Item = d.Says(m.Refers)
			}
		case in && m.Class != System:
			steps, in = append(steps, s), false
		}
		if len(keys) > 0 && keys[0].message == i {
			head, keys = keys[0].head, keys[1:]
		}
	}
	switch {
	case in && d.Compacts:
		steps = append(steps, s)
	case in:
		return steps, s.Head()
	}
	return steps, spell(head)
}

// Head returns the Head of the conversation as it stood when the model was asked.
func (s *Step) Head() string { return spell(s.Before) }

// Said returns what the model has said in a step, and to which message.
func (c *Conversation) Said(s Step) evidence.Said {
	if said, known := c.said[s.from]; known {
		return said
	}
	var a response.Answer
	for i := s.from; i < s.End; i++ {
		c.body.addTo(&a, &c.body.Messages[i])
	}
	said := a.Said()
	said.Before = c.Message(s.from)
	if c.said == nil {
		c.said = map[int]evidence.Said{}
	}
	c.said[s.from] = said
	return said
}

// Compaction names the latest compaction in the conversation, "" where there is none. It is the same in each
// later request that holds it.
func (c *Conversation) Compaction() string {
	d := c.body
	if len(d.Compacted) == 0 {
		return ""
	}
	return spell(xxhash.Sum64String(d.Says(d.Compacted[len(d.Compacted)-1])))
}

// compactionsIn returns what the compactions in a message hold.
func (d *Body) compactionsIn(m *Message) []Span {
	at := func(s Span, from int) int { return s.From - from }
	from, _ := slices.BinarySearchFunc(d.Compacted, m.From, at)
	to, _ := slices.BinarySearchFunc(d.Compacted, m.To, at)
	return d.Compacted[from:to]
}

// Message returns the last message before another one that is not the host's; below 0, of the conversation.
func (c *Conversation) Message(before int) (m evidence.Message) {
	if i := c.lastBefore(before); i >= 0 {
		return c.body.message(&c.body.Messages[i])
	}
	return m
}

// lastBefore returns the index of the message that Message reads, -1 if there is none.
func (c *Conversation) lastBefore(before int) int {
	if before < 0 {
		before = len(c.body.Messages)
	}
	for i := before - 1; i >= 0; i-- {
		if is := &c.body.Messages[i]; is.Class != System && !is.Thought {
			return i
		}
	}
	return -1
}

// Own returns the index of the message that an answer is to, the last one before it that is not the host's;
// of nil, of the last one of the conversation. It is -1 where there is none.
func (c *Conversation) Own(s *Step) int {
	if s == nil {
		return c.lastBefore(-1)
	}
	return c.lastBefore(s.from)
}

// message returns what a message that is not the model's says, without ids.
func (d *Body) message(m *Message) (e evidence.Message) {
	k := &keyer{Body: d}
	k.h.Reset()
	k.hashByte(byte(m.Class))
	results := false
	for c := range d.Calls(m) {
		if c.IsResult() {
			results = true
			e.Len += c.Output.To - c.Output.From
			k.hashOutput(c.Output.Of(d.Bytes))
		}
	}
	if !results {
		_ = k.hashWords(m)
		for _, b := range d.Blocks(m) {
			e.Len += b.Text.To - b.Text.From
		}
	}
	e.Words = k.h.Sum64()
	return e
}

// ReadMessages reads a list of messages, as Read reads one of a body.
func ReadMessages(f *Format, list []byte) (*Body, *Error) {
	return Read(f, slices.Concat([]byte(`{"`+f.Messages+`":`), list, []byte("}")))
}

// Answer adds messages of the model that a response holds as a whole to its answer. So the answer is the same
// as in a later request that holds it.
func (f *Format) Answer(a *response.Answer, messages ...[]byte) {
	list := slices.Concat([]byte{'['}, bytes.Join(messages, []byte{','}), []byte{']'})
	if d, unread := ReadMessages(f, list); unread == nil {
		for i := range d.Messages {
			if m := &d.Messages[i]; m.Class != User || !m.Role.Found() { // a compacted list holds the user's, too
				d.addTo(a, m)
			}
		}
	}
}

// addTo adds the words and calls of a message of the model to its answer. Of an item that is kept elsewhere
// only the reference is known.
func (d *Body) addTo(a *response.Answer, m *Message) {
	if m.Elsewhere {
		a.Say(m.Span.Of(d.Bytes))
		return
	}
	for _, at := range d.compactionsIn(m) {
		a.Compact(d.Says(at), -1)
	}
	for _, b := range d.Blocks(m) {
		if !b.Thought && !m.Thought && b.Kind == NoCall && b.Said.From < b.Said.To {
			a.Say(d.saying(b.Said))
		}
	}
	if m.Refusal.Found() {
		a.Say(d.saying(m.Refusal))
	}
	for call := range d.Calls(m) {
		if call.Kind == Called {
			a.Add(d.Says(call.ID), d.Says(call.Name), slices.Clip(call.Input.Of(d.Bytes)))
		}
	}
}

// Openings returns the texts of the first messages of a user, without those of the host. It reads at most as
// many messages as most.
func (c *Conversation) Openings(most int) (texts [][]byte) {
	for i := range c.body.Messages {
		m := &c.body.Messages[i]
		if m.Class != User {
			continue
		}
		if most--; most < 0 {
			break
		}
		for _, b := range c.body.Blocks(m) {
			if b.IsText && !c.body.IsHostTag(b.Text, -1) {
				texts = append(texts, []byte(c.body.Says(b.Text)))
			}
		}
	}
	return texts
}

// Between returns the key of the latest message that says something (Insertion.Says) between two answers, nil
// being the beginning, or the end, and that may be the one. It returns "" where there is none.
func (c *Conversation) Between(says uint64, after, before *Step, may func(message int) bool) string {
	from, to := 0, len(c.body.Messages)
	if after != nil {
		from = after.End
	}
	if before != nil {
		to = before.from
	}
	for i := to - 1; i >= from; i-- {
		m := &c.body.Messages[i]
		if (m.Class == User || m.Class == Tool) && may(i) && c.body.message(m).Words == says {
			return c.keyOf(i)
		}
	}
	return ""
}
