package wire

import (
	"bytes"
	"slices"

	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// view is a vendor's body as a plan needs it: whose turn it is, and what is ours already.
type view struct {
	*body
	seal     mark.Wrapper
	bare     bool   // ours have no mark, and all of them are looked for: only where texts would be put now is the form enough
	ours     []bool // for each message, whether it is one that we added
	turn     int    // the last message that a person submitted; -1 if there is none, or nothing may be put there any more
	last     int    // the last message that is not ours, -1 if there is none
	model    Model
	opts     Options
	replayed bool // later requests repeat what is put, so nothing may depend on how the client writes a message this time
}

// view finds out whose turn it is and which messages are ours.
func (d *body) view(seal mark.Wrapper, bare bool, model Model, opts Options) *view {
	v := &view{body: d, seal: seal, bare: bare, ours: make([]bool, len(d.messages)), turn: -1, last: -1, model: model, opts: opts}
	n := len(d.messages)
	for i := range d.messages {
		v.ours[i] = (!bare || i == n-1 || i == 0) && v.isAdded(&d.messages[i])
	}
	if opts.Mark == "" && !slices.Contains(v.ours, false) {
		for i := range v.ours { // a text goes with a message of the client's, but for a system prompt
			v.ours[i] = d.messages[i].class == classSystem
		}
	}
	for i := n - 1; i >= 0; i-- {
		if v.ours[i] {
			continue
		}
		if v.last < 0 {
			v.last = i
		}
		m := &d.messages[i]
		if m.class != classUser || m.toolResult || v.automatic(m) {
			continue
		}
		if bare && i > 0 && v.isAdded(m) { // the one message that an earlier request had behind the turn
			v.ours[i] = true
			bare = false
			continue
		}
		v.turn = i
		break
	}
	if v.turn >= 0 && v.isBound(v.turn) {
		v.turn = -1
	}
	if v.turn >= 0 && v.bare {
		if i := v.behind(v.turn); i < n && !v.ours[i] {
			v.ours[i] = v.isAdded(&d.messages[i])
		}
	}
	return v
}

// behind returns before which message a message goes that belongs to message i: behind the system messages of the client's that
// follow message i, but before one of ours.
func (v *view) behind(i int) int {
	for i++; i < len(v.messages) && v.messages[i].class == classSystem && !v.ours[i]; i++ {
		if v.bare && v.isAdded(&v.messages[i]) {
			break
		}
	}
	return i
}

// isAdded reports whether a message is one that we added: written as we write it, to the byte, with nothing in it but ours.
func (v *view) isAdded(m *message) bool {
	role := v.word(m.role)
	if !slices.Contains(v.f.addedRoles, role) || m.content.to+1 != m.to {
		return false
	}
	if start := string(v.b[m.from:m.content.from]); start != string(v.f.open(nil, role, false)) &&
		(!v.f.anthropic || start != string(v.f.open(nil, role, true))) {
		return false
	}
	if !v.f.keyed {
		return m.form == outline.StringContent && v.seal.Ours(v.says(v.of(m)[0].text), mark.InUser).Whole
	}
	blocks := v.of(m)
	for _, b := range blocks {
		if !v.isOurs(b) {
			return false
		}
	}
	return len(blocks) > 0 && !v.markedTheirs(m)
}

// isOurs reports whether a block is one that we added.
func (v *view) isOurs(b block) bool {
	return b.isText && v.body.asWritten(b) && mayBeginWrapped(b.text.of(v.b)) && v.seal.Ours(v.says(b.text), mark.InBlock).Block
}

// automatic reports whether a user message is nothing but tags of hosts. Blocks of ours do not count.
func (v *view) automatic(m *message) bool {
	theirs := 0
	for _, b := range v.of(m) {
		if v.isOurs(b) {
			continue
		}
		if theirs++; !b.isText || !mayOpen(b.text.of(v.b)) || !isHostTag(v.says(b.text)) {
			return false
		}
	}
	return theirs > 0
}

// trailing returns the index of the first of our blocks that end a message's content, the number of blocks if there are none. A
// blank behind a comma says that the block before the comma is the client's, though it may look like ours; see attach.
func (v *view) trailing(m *message) int {
	blocks := v.of(m)
	n := len(blocks)
	if m.form != outline.BlockContent {
		return n
	}
	for n > 0 && v.isOurs(blocks[n-1]) {
		n--
		if n > 0 && blocks[n].from != blocks[n-1].to+1 {
			break
		}
	}
	return n
}

// toolRound checks that what the model called before message i has been answered. missing is whether a result is not there;
// server is whether a tool that the vendor runs has not ended.
func (v *view) toolRound(i int) (missing, server bool) {
	if v.f.items {
		return v.itemRound(i), false
	}
	last := i
	for i >= 0 && (v.ours[i] || v.messages[i].class != classAssistant) {
		i--
	}
	if i < 0 {
		return false, false
	}
	m := &v.messages[i]
	answers := v.answers(i+1, last)
	calls := v.calls[m.calls.from:m.calls.to]
	if m.nameless {
		calls = append(slices.Clone(calls), span{})
	}
	var running, done []span
	for _, b := range v.of(m) {
		switch b.kind {
		case kindCall:
			calls = append(calls[:len(calls):len(calls)], b.id)
		case kindServerCall:
			running = append(running, b.id)
		case kindServerResult:
			done = append(done, b.id)
		}
	}
	if len(running) > 0 {
		ended := v.countIDs(done)
		server = slices.ContainsFunc(running, func(id span) bool { return ended[v.says(id)] == 0 })
	}
	if v.f.promptParts != "" { // Gemini: ids are optional, so results are counted
		return len(answers) < len(calls), server
	}
	return v.unanswered(calls, answers), server
}

// unanswered reports whether one of calls has no answer of its own. Both are ids. An answer without an id answers any call, as
// some clients of compatible servers write it.
func (v *view) unanswered(calls, answers []span) bool {
	same := func(a, b span) bool { return bytes.Equal(a.of(v.b), b.of(v.b)) }
	if len(calls) <= len(answers) && slices.EqualFunc(calls, answers[:len(calls)], same) {
		return false // the common case: answers in the order of the calls
	}
	left := v.countIDs(answers)
	for _, id := range calls {
		name := v.says(id)
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
func (v *view) countIDs(ids []span) map[string]int {
	n := make(map[string]int, len(ids))
	for _, id := range ids {
		n[v.says(id)]++
	}
	return n
}

// answers returns the ids of the results in the messages from from to last, both included.
func (v *view) answers(from, last int) (ids []span) {
	for i := from; i <= last; i++ {
		m := &v.messages[i]
		if v.ours[i] {
			continue
		}
		if m.class == classTool {
			ids = append(ids, m.id)
		}
		for _, b := range v.of(m) {
			if b.kind == kindResult {
				ids = append(ids, b.id)
			}
		}
	}
	return ids
}

// itemRound is toolRound where calls and results are items of their own. They are matched by id, going backward from message i:
// developer messages may stand between a call and its result, and results of parallel calls may stand between the calls. open is
// the number of results whose call has not been reached yet.
func (v *view) itemRound(i int) (missing bool) {
	answers := map[string]int{}
	open := 0
	called := false
	for last := i; i >= 0; i-- {
		m := &v.messages[i]
		switch {
		case i == last && m.class == classUser:
		case v.ours[i], m.class == classSystem:
		case m.class == classTool && m.id.from > 0:
			if called && open == 0 {
				return false // the result belongs to the round before
			}
			answers[v.says(m.id)]++
			open++
		case m.class == classAssistant && !v.reasoning(m) && v.word(m.role) == "" && m.id.from > 0: // a call
			id := v.says(m.id)
			if called = true; answers[id] == 0 {
				return true
			}
			answers[id]--
			open--
		case m.class == classUser, open == 0 && (called || m.class == classAssistant && !v.reasoning(m)):
			return false // where the round begins
		}
	}
	return false
}
