package modelapi

import (
	"slices"
	"strings"
)

// Record is a request that has arrived, and what came of it.
type Record struct {
	N       int // number of the request, from 1
	Request Request
	Prompt  *Prompt // nil if it could not be read
	Answer  Answer
}

// Records returns the records of all requests so far, in order.
func (f *Fake) Records() []Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.records)
}

// Refused returns the records of the requests that were refused.
func (f *Fake) Refused() []Record {
	return slices.DeleteFunc(f.Records(), func(r Record) bool { return r.Answer.Refusal == nil })
}

// Found is a reminder in a prompt.
type Found struct {
	Text    string // between the tags
	Role    string // of the message; "system" in the system prompt
	Message int    // index, from 0; -1: the system prompt
	Block   int    // index, from 0
	Inside  bool   // in a tool result
	Path    string // of the block
}

// Reminders returns everything that stands in a reminder tag, with or without attributes, in the order of the
// prompt.
func (p *Prompt) Reminders() []Found {
	var out []Found
	for i, b := range p.System {
		out = append(out, reminders(b, Found{Role: "system", Message: -1, Block: i, Path: b.Path})...)
	}
	for i, m := range p.Messages {
		for k, b := range m.Blocks {
			out = append(out, reminders(b, Found{Role: m.Role, Message: i, Block: k, Inside: b.Kind == ToolResult,
				Path: b.Path})...)
		}
	}
	return out
}

func reminders(b Block, at Found) []Found {
	const tag = "system-reminder"
	var out []Found
	if b.Kind != Text && b.Kind != ToolResult {
		return nil
	}
	for rest := b.Text; ; {
		_, after, ok := strings.Cut(rest, "<"+tag)
		if !ok {
			return out
		}
		_, body, ok := strings.Cut(after, ">")
		if !ok {
			return out
		}
		text, next, ok := strings.Cut(body, "</"+tag+">")
		if !ok {
			return out
		}
		at.Text = strings.Trim(text, "\n")
		out = append(out, at)
		rest = next
	}
}

// Conversation returns the prompt as lines "role: text", for goldens and messages of tests. A call is written
// name(id), a result id = text.
func (p *Prompt) Conversation() []string {
	var out []string
	for _, b := range p.System {
		out = append(out, "system prompt: "+b.Text)
	}
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			role := m.Role
			if m.ClearAt != "" {
				role += " (until " + m.ClearAt + ")"
			}
			switch b.Kind {
			case ToolUse, ServerUse:
				out = append(out, role+": "+b.Name+"("+b.ID+")")
			case ToolResult, ServerResult:
				out = append(out, role+": "+b.ID+" = "+b.Text)
			case Thinking:
				out = append(out, role+": (thinks) "+b.Text)
			default:
				out = append(out, role+": "+b.Text)
			}
		}
	}
	return out
}
