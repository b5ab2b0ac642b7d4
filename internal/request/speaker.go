package request

import (
	"bytes"
	"slices"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/body"
)

// message is a message as facts see it.
type message struct {
	*body.Message
	by                     body.Speaker // ByUser: a person
	spoke                  bool         // it holds words, of whoever the speaker is
	summary                bool         // a host's message that stands in place of earlier ones
	callCount, resultCount int          // calls and results in it
}

// ascribe returns a message with its speaker, and the number of calls and results in it.
func (y *history) ascribe(m *body.Message) message {
	out := message{Message: m, by: m.Speaker}
	words := y.words(y.spare[:0], m)
	y.spare = words
	out.spoke = len(words) > 0
	for c := range y.d.Calls(m) {
		if c.IsCall() {
			out.callCount++
		} else {
			out.resultCount++
		}
	}
	switch m.Speaker {
	case body.ByTool:
		out.spoke = false
	case body.ByUser:
		y.inUserPlace(&out, words)
	}
	return out
}

// inUserPlace says who a message in a user's place is from, and whether it is a summary: rules 2, 3 and 5 of
// WIRE.md §2. words are the texts in it.
func (y *history) inUserPlace(m *message, words []body.Span) {
	media := slices.ContainsFunc(y.d.Blocks(m.Message), func(b body.Block) bool { return b.Media })
	switch {
	case m.resultCount > 0:
		m.by = body.ByTool
		return
	case m.Form == body.NoContent && !m.spoke:
		m.by = body.BySomebody
		return
	case isHostName(m.Name.Of(y.d.Bytes)):
	case media || !m.spoke || slices.ContainsFunc(words, func(w body.Span) bool { return !isHostText(y.d, w) }):
		m.by = body.ByUser
		return
	}
	m.by = body.ByHost
	for _, w := range words {
		_, summary := agent.WroteNote(w.Of(y.d.Bytes))
		m.summary = m.summary || summary
	}
}

// words appends the texts of a message's content: of its blocks, or of a string, even in an API that takes no
// string content.
func (y *history) words(to []body.Span, m *body.Message) []body.Span {
	if at := m.Content; m.Form == body.NoContent && at.From < at.To && y.d.Bytes[at.From] == '"' {
		return append(to, body.Span{From: at.From + 1, To: at.To - 1})
	}
	for _, b := range y.d.Blocks(m) {
		if b.Said.Found() {
			to = append(to, b.Said)
		}
	}
	if m.Refusal.Found() {
		to = append(to, m.Refusal)
	}
	return to
}

// isHostName reports whether the name of a message says that a harness wrote the message.
func isHostName(name []byte) bool {
	return slices.Contains([]string{"system", "hook", "hooks", "context", "harness", "automation", "reminder",
		"notification"}, string(name))
}

// isHostText reports whether a text in a user's place is an agent's own: the string whose inside is at.
func isHostText(d *body.Body, at body.Span) bool {
	raw := at.Of(d.Bytes)
	if yes, _ := agent.WroteNote(raw); yes {
		return true
	}
	raw = bytes.TrimLeft(raw, " ")
	if len(raw) == 0 || raw[0] != '<' && raw[0] != '&' && raw[0] != '\\' {
		return false // the common case, without decoding
	}
	return agent.Wrote(d.Says(at)) != ""
}
