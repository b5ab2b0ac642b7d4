package body

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/model"
)

// Draft is a body while texts are put into it or taken out. It knows whose turn it is, and which parts are
// ours.
type Draft struct {
	*Body
	Wrap  mark.Wrapper
	Takes model.Delivery // the texts that the model takes
	model string
	opts  Options
	// ours have no mark, and all of them are looked for: only where texts would be put now is the form enough
	bare        bool
	ourMessages []bool // for each message, whether we added it
	// the last message that a person submitted; -1 if there is none, or nothing may be put there any more
	turn int
	last int // the last message that is not ours, -1 if there is none
}

// draft returns the draft of a body in which nothing is known to be ours, and notes the model in report.
func (d *Body) draft(w mark.Wrapper, opts Options, report *Report) *Draft {
	report.Model = cmp.Or(d.Model, opts.Model)
	dr := &Draft{Body: d, Wrap: w, opts: opts, ourMessages: make([]bool, len(d.Messages)), turn: -1,
		last: len(d.Messages) - 1, model: report.Model}
	if opts.Takes != nil {
		dr.Takes = opts.Takes(report.Model)
	}
	return dr
}

// look finds out whose turn it is and which messages are ours. bare says that ours have no mark, and that all
// of them are looked for.
func (dr *Draft) look(bare bool) {
	dr.bare, dr.last = bare, -1
	n := len(dr.Messages)
	for i := range dr.Messages {
		dr.ourMessages[i] = (!bare || i == n-1 || i == 0) && dr.isAdded(&dr.Messages[i])
	}
	for _, i := range dr.besideUser() {
		dr.ourMessages[i] = dr.isAdded(&dr.Messages[i])
	}
	if dr.opts.Mark == "" && !slices.Contains(dr.ourMessages, false) {
		for i := range dr.ourMessages { // a text goes with a message of the client's, but for a system prompt
			dr.ourMessages[i] = dr.Messages[i].Class == System
		}
	}
	for i := n - 1; i >= 0; i-- {
		if dr.ourMessages[i] {
			continue
		}
		if dr.last < 0 {
			dr.last = i
		}
		m := &dr.Messages[i]
		if m.Class != User || m.ToolResult || dr.automatic(m) {
			continue
		}
		if bare && i > 0 && dr.isAdded(m) { // the one message that an earlier request had behind the turn
			dr.ourMessages[i] = true
			bare = false
			continue
		}
		dr.turn = i
		break
	}
	if dr.turn >= 0 && dr.isBound(dr.turn) {
		dr.turn = -1
	}
	if dr.turn >= 0 && dr.bare {
		if i := dr.Behind(dr.turn); i < n && !dr.ourMessages[i] {
			dr.ourMessages[i] = dr.isAdded(&dr.Messages[i])
		}
	}
}

// Added reports whether we added message i.
func (dr *Draft) Added(i int) bool { return dr.ourMessages[i] }

// Behind returns before which message a message goes that belongs to message i: behind the system messages of
// the client's that follow message i, but before one of ours.
func (dr *Draft) Behind(i int) int {
	for i++; i < len(dr.Messages) && dr.Messages[i].Class == System && !dr.ourMessages[i]; i++ {
		if dr.bare && dr.isAdded(&dr.Messages[i]) {
			break
		}
	}
	return i
}

// isAdded reports whether a message is one that we added: written as we write it, to the byte, with nothing
// in it but ours.
func (dr *Draft) isAdded(m *Message) bool {
	f := dr.Format
	role := dr.Says(m.Role)
	if !slices.Contains(f.Roles, role) || m.Content.To+1 != m.To {
		return false
	}
	if start := string(dr.Bytes[m.From:m.Content.From]); start != string(f.open(nil, role, false)) &&
		(f.Lapse == "" || start != string(f.open(nil, role, true))) {
		return false
	}
	blocks := dr.Blocks(m)
	if !f.NoStrings {
		return m.Form == StringContent && dr.Wrap.Whole(dr.Says(blocks[0].Text))
	}
	for _, b := range blocks {
		if !dr.isOurs(b) {
			return false
		}
	}
	// a blank behind the last block says that the array is the client's
	return len(blocks) > 0 && !(dr.likeWritten(m, 0) && dr.Bytes[blocks[len(blocks)-1].To] == ' ')
}

// isOurs reports whether we added a block.
func (dr *Draft) isOurs(b Block) bool { return dr.matches(dr.Wrap, b) }

// matches reports whether a block is written as we write one, with a text that a wrapper recognises.
func (dr *Draft) matches(w mark.Wrapper, b Block) bool {
	return b.IsText && dr.asMarked(b) && mayOpen(b.Text.Of(dr.Bytes)) &&
		w.Block(dr.Says(b.Text))
}

// automatic reports whether a user message is nothing but tags in which agents write. Ours do not count:
// neither blocks nor the end of a string.
func (dr *Draft) automatic(m *Message) bool {
	theirs := 0
	for _, b := range dr.Blocks(m) {
		if dr.isOurs(b) {
			continue
		}
		if theirs++; !b.IsText || !mayOpen(b.Text.Of(dr.Bytes)) {
			return false // the common case, without decoding
		}
		end := -1
		if m.Form == StringContent && dr.lengthens() {
			end = dr.Wrap.Tail(dr.Says(b.Text))
		}
		if !dr.IsHostTag(b.Text, end) {
			return false
		}
	}
	return theirs > 0
}

// lengthens reports whether texts may stand at the end of a user's string.
func (dr *Draft) lengthens() bool {
	return dr.Format.Fixed || dr.Format.OwnMessages && dr.allows(model.User)
}

// IsHostTag reports whether a text is wholly one tag in which an agent writes, neutralised or not: the first
// end bytes of what the string says whose inside is at, or all of it if end is negative.
func (d *Body) IsHostTag(at Span, end int) bool {
	if !mayOpen(at.Of(d.Bytes)) {
		return false // the common case, without decoding
	}
	text := d.Says(at)
	if end >= 0 {
		text = text[:end]
	}
	text = strings.ReplaceAll(mark.Neutralise(strings.TrimSpace(text)), "&lt;", "<")
	for _, t := range agent.Tags() {
		if strings.HasPrefix(text, "<"+t.Name) && strings.HasSuffix(text, "</"+t.Name+">") {
			return true
		}
	}
	return false
}

// mayOpen reports whether the inside of a JSON string may begin with a tag, after blanks. If not, it need not
// be decoded.
func mayOpen(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " ")
	return len(raw) > 0 && (raw[0] == '<' || raw[0] == '&' || raw[0] == '\\' || raw[0] >= 0x80)
}

// trailing returns the index of the first of our blocks that end a message's content, the number of blocks if
// there are none. A blank behind a comma says that the block before the comma is the client's, though it may
// look like ours; see attach.
func (dr *Draft) trailing(m *Message) int {
	blocks := dr.Blocks(m)
	n := len(blocks)
	if m.Form != BlockContent {
		return n
	}
	for n > 0 && dr.isOurs(blocks[n-1]) {
		n--
		if n > 0 && blocks[n].From != blocks[n-1].To+1 {
			break
		}
	}
	return n
}

// isBound reports whether the model has answered behind message i, or behind the system prompt where i is -1,
// and binds its thinking to every byte before it. A text put there now would make the request an error.
func (dr *Draft) isBound(i int) bool {
	return dr.Takes.Binds && dr.lastAnswer() > i
}

// allows reports whether texts may stand at a place, by the list of the model or of the API.
func (dr *Draft) allows(p model.Place) bool { return slices.Contains(dr.places(), p) }

// places returns the places where the model takes texts, best first.
func (dr *Draft) places() []model.Place {
	if dr.Takes.Places == nil || dr.Format.Fixed {
		return dr.Format.Places
	}
	return dr.Takes.Places
}

// Round is the rule of most APIs about tool calls: the calls of the last answer before message i must have
// been answered behind it. missing is whether a result is not there; server is whether a tool that the API
// itself runs has not ended.
func (dr *Draft) Round(i int) (missing, server bool) {
	asked, answered, running := dr.LastCalls(i)
	return dr.unanswered(asked, answered), running
}

// LastCalls returns the ids of the calls in the last answer before message i, and those of their results up
// to message i. running is whether a tool that the API itself runs has not ended. A call or a result without
// an id has the zero span.
func (dr *Draft) LastCalls(i int) (asked, answered []Span, running bool) {
	last := i
	for i >= 0 && (dr.ourMessages[i] || dr.Messages[i].Class != Assistant) {
		i--
	}
	if i < 0 {
		return nil, nil, false
	}
	var started, ended []Span
	for c := range dr.Calls(&dr.Messages[i]) {
		switch c.Kind {
		case Called:
			asked = append(asked, c.ID)
		case ServerCalled:
			started = append(started, c.ID)
		case ServerAnswered:
			ended = append(ended, c.ID)
		}
	}
	if len(started) > 0 {
		n := dr.countIDs(ended)
		running = slices.ContainsFunc(started, func(id Span) bool { return n[dr.Says(id)] == 0 })
	}
	for i++; i <= last; i++ {
		if dr.ourMessages[i] {
			continue
		}
		for c := range dr.Calls(&dr.Messages[i]) {
			if c.Kind == Answered {
				answered = append(answered, c.ID)
			}
		}
	}
	return asked, answered, running
}

// unanswered reports whether one of calls has no answer of its own. Both are ids. An answer without an id
// answers any call, as some clients of compatible servers write it.
func (dr *Draft) unanswered(calls, answers []Span) bool {
	left := dr.countIDs(answers)
	for _, id := range calls {
		name := dr.Says(id)
		if left[name] == 0 {
			name = ""
		}
		if left[name] == 0 {
			return true
		}
		left[name]--
	}
	return false
}

// countIDs returns how often each id occurs.
func (dr *Draft) countIDs(ids []Span) map[string]int {
	n := make(map[string]int, len(ids))
	for _, id := range ids {
		n[dr.Says(id)]++
	}
	return n
}
