package body

import (
	"slices"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/model"
)

// removal collects the parts of a body that are ours and go.
type removal struct {
	*Draft
	gone map[int]bool // messages
	s    Splices
}

// removeAll removes everything that is ours: with a mark wherever it stands, without a mark where texts would
// be put now, with any delivery.
func (dr *Draft) removeAll() Splices {
	r := removal{Draft: dr, gone: map[int]bool{}}
	for i := range dr.Messages {
		switch {
		case dr.ourMessages[i]:
			r.gone[i] = true
		case !dr.bare || i == dr.turn || i == dr.tail():
			r.fromMessage(&dr.Messages[i])
		}
	}
	r.fromPrompt()
	return r.done()
}

// removeStanding removes what stands already at the places to which due goes.
func (dr *Draft) removeStanding(due []reminder.Due) Splices {
	r := removal{Draft: dr, gone: map[int]bool{}}
	start, turn, tail := dr.divide(true, due)
	if len(tail.texts) > 0 {
		r.around(dr.tail())
		for _, i := range r.besideUser() {
			if r.ourMessages[i] && r.opts.Place == InSystem {
				r.gone[i] = true
			}
		}
	}
	if len(turn.texts) > 0 {
		r.around(dr.turn)
	}
	if len(start.texts) > 0 && !dr.isBound(-1) {
		r.fromPrompt()
	}
	return r.done()
}

// around removes the texts that stand with message i: in its content, and in messages of ours behind it.
func (r *removal) around(i int) {
	if i < 0 {
		return
	}
	r.fromMessage(&r.Messages[i])
	for j := r.Behind(i); j < len(r.Messages) && r.ourMessages[j]; j++ {
		r.gone[j] = true
	}
}

// fromMessage removes our texts from a message of the client's. With a mark, ours are known even if the run
// had another model when they were put.
func (r *removal) fromMessage(m *Message) {
	known := func(p model.Place) bool { return r.opts.Mark != "" || r.allows(p) }
	switch {
	case m.Class == User && r.Format.Fixed:
		r.fromEnd(m)
	case m.Class == User && !r.Format.OwnMessages:
		r.fromBlocks(m)
	case m.Class == User && !m.ToolResult && known(model.User) && r.carries(m):
		r.fromEnd(m)
	}
	if r.hasResult(m) && (known(model.Result) || m.Class == Tool && r.Format.Fixed) {
		if c := r.result(m); c != nil {
			r.fromEnd(c)
		}
	}
}

// fromEnd removes our texts at the end of a content whose form is kept (Draft.end).
func (r *removal) fromEnd(m *Message) {
	if m.Form != StringContent {
		r.fromBlocks(m)
		return
	}
	said := r.Blocks(m)[0].Text
	t := decode(r.Bytes, said)
	if at := r.Wrap.Tail(t.s); at >= 0 {
		r.s.Cut(t.offset(at), said.To)
	}
}

// fromBlocks removes our blocks at the end of a content. A content of nothing but such blocks stays. Blocks
// that attach had made of a string become that string again. A blank that was added because the client's
// array looks like ours (likeWritten) goes too.
func (r *removal) fromBlocks(m *Message) {
	blocks, kept := r.Blocks(m), r.trailing(m)
	if kept == 0 || kept == len(blocks) {
		return
	}
	end := blocks[len(blocks)-1].To
	switch next, like := r.Bytes[end], r.likeWritten(m, kept); {
	case like && next == ' ':
		r.s.Cut(blocks[kept-1].To, end+1)
	case like && next == ']' && kept == 1 && compact(blocks) &&
		!slices.ContainsFunc(blocks, func(b Block) bool { return !r.asWritten(b) }):
		r.s.Cut(m.Content.From, blocks[0].Text.From-1)
		r.s.Cut(blocks[0].Text.To+1, m.Content.To)
	default:
		r.s.Cut(blocks[kept-1].To, end)
	}
}

// fromPrompt removes our texts from the system prompt, and the whole prompt if we added it.
func (r *removal) fromPrompt() {
	if r.Format.Prompt.Members == nil {
		for i := range r.Messages {
			m := &r.Messages[i]
			switch {
			case r.ourMessages[i] && i == 0:
				r.gone[0] = true
			case r.ourMessages[i]:
			case m.Class != System:
				return
			default:
				r.fromEnd(m)
			}
		}
		return
	}
	m := r.promptContent()
	if m == nil {
		return
	}
	if r.List.To+1 == r.PromptKey && r.Bytes[r.List.To] == ',' && r.promptIsOurs(m) {
		r.s.Cut(r.List.To, r.Prompt.To)
		return
	}
	r.fromEnd(m)
}

// promptIsOurs reports whether a system prompt is nothing but ours, as we write one.
func (r *removal) promptIsOurs(m *Message) bool {
	var texts []string
	for _, b := range r.Blocks(m) {
		text := r.Says(b.Text)
		if !b.IsText || !r.Wrap.Whole(text) {
			return false
		}
		texts = append(texts, text)
	}
	return string(r.Format.writePrompt(texts)) == string(r.Bytes[r.PromptKey:r.Prompt.To])
}

// done returns the changes. Where only the one message stays that insertMessages made of a string, the list
// becomes that string again.
func (r *removal) done() Splices {
	n := len(r.Messages)
	if kept := n - len(r.gone); kept == 1 && n > 1 && r.gone[n-1] && !r.gone[0] &&
		r.likeString(n-1) {
		switch next := r.Bytes[r.Messages[n-1].To]; {
		case next == ' ':
			r.s.Cut(r.Messages[n-1].To, r.Messages[n-1].To+1)
		case next == ']' && compact(r.Messages):
			first := r.Messages[0]
			r.s.Cut(r.List.From, first.Content.From)
			r.s.Cut(first.Content.To, r.List.To)
			return r.s
		}
	}
	r.cutMessages()
	return r.s
}

// compact reports whether only a comma stands between the elements of an array.
func compact[T interface{ at() Span }](elements []T) bool {
	for i := 1; i < len(elements); i++ {
		if elements[i].at().From != elements[i-1].at().To+1 {
			return false
		}
	}
	return true
}

// cutMessages removes the messages that go, with their commas, as insertMessages puts them in: from the end
// of the last message before them that stays, or, at the beginning, up to the next one that stays.
func (r *removal) cutMessages() {
	list := r.Messages
	stays := false // one of those before
	for i, m := range list {
		switch {
		case !r.gone[i]:
			stays = true
		case stays:
			r.s.Cut(list[i-1].To, m.To)
		case i+1 < len(list):
			r.s.Cut(m.From, list[i+1].From)
		default:
			r.s.Cut(m.From, m.To)
		}
	}
}
