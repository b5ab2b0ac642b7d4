package body

import (
	"cmp"
	"slices"

	"github.com/aside-go/aside/internal/mark"
)

// Said is a piece of a text in a body: a reminder of ours, or what somebody else has said.
type Said struct {
	Text    string
	Ours    bool
	Role    string // of the message, as the body has it; "": it has none
	Message int    // index; -1: the system prompt that is a member of its own
	Block   int    // index in the content of the message
}

// Said returns the texts of the system prompt, of messages and of tool results in their order, each divided
// into reminders and the rest. Ours is what Strip takes out; without a mark nothing is. The model's thinking,
// and the calls of tools, are not texts.
func (d *Body) Said(opts Options) []Said {
	y := sayings{Draft: d.draft(mark.New(opts.Options), opts, new(Report))}
	if opts.Mark != "" {
		y.cuts = slices.DeleteFunc(d.Strip(opts), func(s splice) bool { return s.From == s.To })
		y.cuts.sort()
	}
	if m := y.promptContent(); m != nil {
		y.content(m, Said{Role: "system", Message: -1})
	}
	for i := range y.Messages {
		m := &y.Messages[i]
		at := Said{Role: y.Says(m.Role), Message: i}
		y.content(m, at)
		for c := range y.Calls(m) {
			if !c.IsResult() || c.Output == m.Content {
				continue // a call, or said already
			}
			if !slices.ContainsFunc(y.Blocks(m), func(b Block) bool { return b.Output == c.Output }) {
				y.result(c, at)
			}
		}
	}
	return y.list
}

// sayings collects what a body says.
type sayings struct {
	*Draft
	cuts Splices // that are ours, by place
	list []Said
}

// content adds the texts of a content.
func (y *sayings) content(m *Message, at Said) {
	for j, b := range slices.Clone(y.Blocks(m)) {
		at.Block = j
		switch {
		case b.IsResult():
			y.result(&b.Call, at)
		case b.IsText && !b.Thought:
			y.text(b.Text, at)
		default:
			y.text(b.Said, at)
		}
	}
}

// result adds the texts of the result of a call.
func (y *sayings) result(c *Call, at Said) {
	if m := y.reread(c.Output, Tool); m != nil {
		for _, b := range slices.Clone(y.Blocks(m)) {
			y.text(cmp.Or(b.Text, b.Said), at)
		}
	}
}

// text adds the text whose inside is at a span.
func (y *sayings) text(span Span, at Said) {
	add := func(from, to int, ours bool) {
		if from >= to {
			return
		}
		at.Text, at.Ours = decode(y.Bytes, Span{from, to}).s, ours
		if !ours {
			y.list = append(y.list, at)
			return
		}
		for _, at.Text = range y.Wrap.Units(at.Text) {
			y.list = append(y.list, at)
		}
	}
	from := span.From
	for _, c := range y.cuts {
		if c.To > from && c.From < span.To {
			add(from, c.From, false)
			add(max(from, c.From), min(c.To, span.To), true)
			from = c.To
		}
	}
	add(from, span.To, false)
}
