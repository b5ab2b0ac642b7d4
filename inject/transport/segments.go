package transport

import (
	"context"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/inject"
)

// Transcript returns the texts of a run's conversation for display, in their order: those of history, which
// holds none of ours, and the reminders that stood in the latest turn's request, each behind the message that
// it stands with. history are the messages of that request, and those that came after it. A reminder is never
// part of a block of history: its Block is -1. If run is "", it is the run of ctx.
//
// What is shown so is told by the state of the run, so it is the same after a restart, and no text of a user,
// a tool or a model is ever taken for a reminder. The errors are those of the store.
func (t *Transport) Transcript(ctx context.Context, run string, history []inject.Message) (
	[]inject.Segment, error) {
	t.begin()
	carried, _, err := t.ev.Notes(ctx, run)
	if err != nil {
		return nil, err
	}
	n, err := decode(carried)
	if err != nil {
		return nil, err
	}
	stands := n.stands(t.ev.Set())
	begin := slices.IndexFunc(history, func(m inject.Message) bool { return m.Role != "system" })
	var out []inject.Segment
	reminders := func(of, message int, role string) {
		for _, s := range stands {
			if s.Message == of {
				s.Message, s.Role = message, role
				out = append(out, s)
			}
		}
	}
	for i, m := range history {
		if i == begin { // behind the system prompt
			reminders(-1, i-1, "system")
		}
		if m.Blocks == nil {
			m.Blocks = []inject.Block{{Type: "text", Text: m.Text}}
		}
		for j, b := range m.Blocks {
			for _, text := range said(b) {
				out = append(out, inject.Segment{Role: m.Role, Message: i, Block: j, Text: text})
			}
		}
		reminders(i, i, m.Role)
	}
	return out, nil
}

// said returns the texts of a block of text, or of the result of a tool.
func said(b inject.Block) (texts []string) {
	if (b.Type == "text" || b.Type == "tool_result") && b.Text != "" {
		texts = append(texts, b.Text)
	}
	for _, inner := range b.Blocks {
		if b.Type == "tool_result" && inner.Type == "text" && inner.Text != "" {
			texts = append(texts, inner.Text)
		}
	}
	return texts
}

// stands returns the texts that stand in the run's requests, each with the message that it stands with. set
// knows the files of their rules.
func (n notes) stands(set *compile.Set) (all []inject.Segment) {
	for _, e := range n.Ledger.Entries {
		if e.Once || e.Missing > 0 {
			continue
		}
		for k, text := range e.Texts {
			s := inject.Segment{ID: e.IDs[k], Text: text, Reminder: true, Message: e.With - 1, Block: -1,
				File: fileOf(set, e.IDs[k])}
			if k < len(e.Fired) {
				f := e.Fired[k]
				s.Turn, s.Why, s.Tokens, s.Outcome = f.Turn, f.Why, f.Tokens, f.Outcome
			}
			all = append(all, s)
		}
	}
	return all
}

// fileOf returns the file of a reminder's rule, "" where the set has no such reminder.
func fileOf(set *compile.Set, id string) string {
	if i, ok := set.Index(id); ok {
		return set.Reminder(i).File
	}
	return ""
}
