package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/test/modelapi"
)

type role uint8

const (
	person  role = iota // a prompt, a summary, or whatever else stands in a user's place
	outcome             // results of calls
	model
)

// message is an entry of the clean history, in one form for all APIs.
type message struct {
	role    role
	text    string // of a person
	summary bool   // the text is the summary of a compaction
	note    string // what the host adds; only some clients send it
	parts   []part
	results []result
	by      mind   // whose answer it is
	id      string // of an answer that the server keeps
	age     int    // how often the client was restarted since
}

// part is a piece of an answer: one of text, thought, call and item is set.
type part struct {
	text      string
	thought   string
	signature string
	call      *call
	item      raw // of Responses, as it came
}

type call struct {
	id, name, args string
	signature      string // of Gemini
}

// mind is who answers. What one has thought is sent to no other one.
type mind struct {
	api   modelapi.API
	model string
}

type result struct {
	id, name, text string
	failed         bool
}

func (m message) calls() []call {
	var out []call
	for _, p := range m.parts {
		if p.call != nil {
			out = append(out, *p.call)
		}
	}
	return out
}

// said returns the texts of an answer, joined.
func (m message) said() string {
	s := ""
	for _, p := range m.parts {
		s += p.text
	}
	return s
}

// thoughtless returns the message without its thinking, and without what is bound to it.
func (m message) thoughtless() message {
	m.parts = slices.DeleteFunc(slices.Clone(m.parts), func(p part) bool {
		return p.thought != "" ||
			p.signature != "" && p.call == nil
	})
	return m
}

// thread is a conversation: that of the agent itself, or of a subagent.
type thread struct {
	name    string // of the subagent; "" of the agent itself
	history []message
	made    int // model calls that succeeded
	resumed int // how often the client was restarted
	window  int // how often the history was compacted
}

// shown returns the thread as the agent's model is shown it: without what others have thought.
func (a *Agent) shown(t *thread) *thread {
	out := *t
	out.history = slices.Clone(t.history)
	for i, m := range out.history {
		if m.role == model && m.by != a.mind() {
			out.history[i] = m.foreign()
		}
	}
	return &out
}

// idBack returns the id of a call as it came.
func idBack(id string) string {
	if strings.HasPrefix(id, ownID) {
		return ""
	}
	return id
}

func (a *Agent) mind() mind { return mind{a.opts.API, a.model} }

// foreign returns the answer of another model, or of another API, in the words that all of them understand.
func (m message) foreign() message {
	m = m.thoughtless()
	m.parts = slices.Clone(m.parts)
	for i := range m.parts {
		p := &m.parts[i]
		if p.item = nil; p.call != nil {
			c := *p.call
			c.signature = ""
			p.call = &c
		}
	}
	return m
}

// ownID begins the ids of calls that came without one.
const ownID = "own_"

// named gives each call an id, for APIs that want one.
func (t *thread) named() {
	for i, m := range t.history {
		calls := 0
		for _, p := range m.parts {
			if p.call == nil {
				continue
			}
			if p.call.id == "" {
				p.call.id = fmt.Sprintf("%s%d_%d", ownID, i, calls)
				if i+1 < len(t.history) {
					t.history[i+1].results[calls].id = p.call.id
				}
			}
			calls++
		}
	}
}

// last returns the last message; the zero message if there is none.
func (t *thread) last() message {
	if len(t.history) == 0 {
		return message{}
	}
	return t.history[len(t.history)-1]
}

// answered reports whether the history ends with a text of the model, so that a prompt may follow.
func (t *thread) answered() bool { m := t.last(); return m.role == model && len(m.calls()) == 0 }

// prompted reports whether the last message is a new prompt of a person. Behind a request that failed for
// good it is not, in Converse, where the prompt and the one before it become one message.
func (t *thread) prompted(api modelapi.API) bool {
	n := len(t.history)
	return n > 0 && t.history[n-1].role == person && !t.history[n-1].summary && t.name == "" &&
		(api != modelapi.Converse || n == 1 || t.history[n-2].role == model)
}

// kept returns the id of the last answer that the server keeps, "" if there is none, and the messages behind
// it.
func (t *thread) kept() (id string, rest []message) {
	for i := len(t.history) - 1; i >= 0; i-- {
		if m := t.history[i]; m.role == model && m.id != "" {
			return m.id, t.history[i+1:]
		}
	}
	return "", t.history
}
