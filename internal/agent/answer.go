package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// Encode returns a text in the form that the agent takes as the answer to this event, nil where the event
// takes no text: then it is what Still returns. The text is for the model, except for an event that Arms,
// where it is for the person.
func (h *Hooks) Encode(e Event, text string) []byte {
	switch {
	case e.Arms:
		return fill(h.Says["arms"], e, text)
	case !e.CanInject && e.File == "":
		return h.Still(e)
	case h.Compose != nil:
		if b := h.Compose(e, text); b != nil {
			return b
		}
	}
	said := h.Says["*"]
	for _, name := range []string{string(e.Kind), e.Name} {
		if more, ok := h.Says[name]; ok {
			said = more
		}
	}
	if other := h.Says["{"]; other != nil && strings.HasPrefix(strings.TrimSpace(text), "{") {
		said = other
	}
	return fill(said, e, text)
}

// Hold returns the answer that holds a call back or keeps the agent at work, with text as the reason.
func (h *Hooks) Hold(e Event, text string) []byte {
	if e.Moment == fact.Stopping {
		return fill(h.Holds["stopping"], e, text)
	}
	return fill(h.Holds["before_tool"], e, text)
}

// Still returns the answer that the agent must have where nothing is due, nil for none.
func (h *Hooks) Still(e Event) []byte { return fill(h.Quiet[string(e.Kind)], e, "") }

// Notices reports whether the agent shows the person what is said to them beside a text.
func (h *Hooks) Notices() bool { return bytes.Contains(h.Says["*"], []byte(notice)) }

// notice stands for what is said to the person beside the text.
const notice = `"{notice}"`

// fill returns an answer of Hooks.Says with the values of an event; nil for none.
func fill(said json.RawMessage, e Event, text string) []byte {
	if len(said) == 0 {
		return nil
	}
	if said[0] == '"' { // plain
		return []byte(strings.ReplaceAll(stringOf(said), "{text}", text))
	}
	var line bytes.Buffer
	_ = json.Compact(&line, said)
	var b strings.Builder
	rest := line.String()
	if i := strings.Index(rest, notice); i >= 0 && e.Notice == "" {
		rest = rest[:strings.LastIndexByte(rest[:i], ',')] + rest[i+len(notice):]
	}
	for {
		before, after, found := strings.Cut(rest, "{")
		name, behind, ends := strings.Cut(after, "}")
		b.WriteString(before)
		if !found {
			return []byte(b.String())
		}
		value := ""
		switch {
		case !ends || strings.ContainsAny(name, `"{`): // the brace of an object
			b.WriteByte('{')
			rest = after
			continue
		case name == "text":
			value = text
		case name == "event":
			value = e.Name
		case name == "notice":
			value = e.Notice
		default:
			value = e.stdin.str(name)
		}
		quoted := encode(value)
		b.Write(quoted[1 : len(quoted)-1])
		rest = behind
	}
}
