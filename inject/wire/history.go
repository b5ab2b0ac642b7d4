package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// history is what a body's messages say, as far as the next model call can be judged by it. Messages are named by their
// indexes, -1 for none.
type history struct {
	*body
	headers
	meta map[string]string // Codex's turn metadata, nil if there is none

	said                   []message // those of the body
	turns, users, calls    int
	last                   actor // of the last message that counts
	from, to               int   // the previous response is among these messages; the results that came for it go on behind
	callCount, resultCount int   // calls and results since from
	responded              bool
	hidden                 bool // the previous response holds what is kept elsewhere
	unseen                 bool // results came for calls that are not here
	prompt, before         int  // the last message of a person, the one before it
	prompted               bool // what prompt says is known
	tail                   int  // the last message in a user's place
	first                  span // the text that the system prompt begins with
	fresh                  bool // nothing of the model's is behind it
}

// newHistory goes over the messages.
func newHistory(d *body, h headers) history {
	y := history{body: d, headers: h, said: d.messages, prompt: -1, before: -1, tail: -1}
	y.meta = y.codexMeta()
	if d.listIsString {
		y.said = []message{d.stringMessage()}
	}
	y.first = d.params.opening
	if y.first.to == 0 && len(y.said) > 0 && y.said[0].class == classSystem {
		if texts := y.texts(nil, 0); len(texts) > 0 {
			y.first = texts[0]
		}
	}
	for i := range y.said {
		switch m := &y.said[i]; m.actor {
		case actorNone:
		case actorModel:
			y.addModel(i, m)
		default:
			y.resultCount += m.resultCount
			y.addOther(i, m)
		}
	}
	return y
}

// addModel takes in a message of the model. Several next to each other are one response.
func (y *history) addModel(i int, m *message) {
	if y.last != actorModel {
		y.turns++
		y.unseen = y.unseen || y.resultCount > y.callCount
		y.from, y.callCount, y.resultCount = i, 0, 0
		y.responded, y.hidden = true, false
	}
	y.to, y.callCount, y.resultCount = i+1, y.callCount+m.callCount, y.resultCount+m.resultCount
	y.calls += m.callCount
	y.hidden = y.hidden || y.f.items && y.word(m.kind) == "item_reference" // mostly an item of a response
	y.fresh, y.last = false, actorModel
}

// addOther takes in a message in the place of a user or a tool.
func (y *history) addOther(i int, m *message) {
	if y.fresh = m.actor != actorTool || m.spoke; y.fresh {
		y.tail = i
	}
	switch {
	case m.actor == actorPerson:
		y.users++
		y.before, y.prompt, y.prompted = y.prompt, i, true
	case m.actor == actorHost && y.last == actorPerson && !m.summary:
		return // what a host puts behind a prompt does not make it less of one; a summary goes on amid its turn
	}
	y.last = m.actor
}

// fill writes what was read into a Request.
func (y *history) fill(q *Request) {
	p := &y.params
	if m := y.head.model; m != "" && string(p.model.of(y.b)) == m {
		q.Model = m
	} else if m := y.says(p.model); m != "" {
		q.Model = m
	}
	q.Provider = y.says(p.provider)
	q.Stream = q.Stream || p.stream
	q.Tools, q.Schema, q.Partial = p.tools, p.schema, p.partial
	if y.list.to == 0 {
		return
	}
	known := y.pair(q)
	q.CallsKnown = known && (y.responded || !p.partial && len(y.said) > 0)
	if !p.partial {
		q.Messages, q.Turns, q.UserTurns = count(len(y.said)), count(y.turns+1), count(y.users)
		if !y.unseen {
			q.ToolCalls = count(y.calls)
		}
	}
	if y.responded && !y.hidden {
		var few [8]span
		texts := few[:0]
		for i := y.from; i < y.to; i++ {
			if y.said[i].actor == actorModel {
				texts = y.texts(texts, i)
			}
		}
		q.Response = Text{y.join(texts, false), true}
	}
}

func count(n int) Count { return Count{int64(n), true} }

// pair puts calls and results together, by id, else by name and order. known is whether the calls are all there.
func (y *history) pair(q *Request) (known bool) {
	var few [8]callOrResult
	uses := few[:0]
	for i := y.from; i < y.to; i++ {
		if y.said[i].actor == actorModel {
			uses = y.uses(uses, i)
		}
	}
	if len(uses) > 0 {
		q.Calls = make([]Call, len(uses))
	}
	for i, c := range uses {
		q.Calls[i] = Call{ID: y.says(c.id), Name: y.says(c.name), Failed: c.failed}
		if q.Calls[i].Name == "" {
			q.Calls[i].Name = c.kind
		}
	}
	uses = uses[:0]
	for i := y.from; i < len(y.said); i++ {
		if y.said[i].actor != actorNone {
			uses = y.results(uses, i)
		}
	}
	find := finder(q.Calls)
	known = !y.hidden
	next := 0 // the first call without an id that has no result
	for _, p := range uses {
		if p.id.to > p.id.from {
			if i := find(y.says(p.id)); i >= 0 {
				q.Calls[i].Failed = p.failed
				continue
			}
		} else {
			for next < len(q.Calls) && q.Calls[next].ID != "" {
				next++
			}
			if next < len(q.Calls) && (p.name.to == p.name.from || q.Calls[next].Name == y.says(p.name)) {
				q.Calls[next].Failed = p.failed
				next++
				continue
			}
		}
		known, y.unseen = false, true
	}
	return known
}

// finder returns what finds a call by its id: its index, -1 if there is none.
func finder(calls []Call) func(id string) int {
	if len(calls) <= 16 {
		return func(id string) int {
			i := len(calls) - 1
			for i >= 0 && calls[i].ID != id {
				i--
			}
			return i
		}
	}
	at := make(map[string]int, len(calls))
	for i, c := range calls {
		at[c.ID] = i
	}
	return func(id string) int {
		if i, ok := at[id]; ok {
			return i
		}
		return -1
	}
}

// callOrResult is a call or a result.
type callOrResult struct {
	id, name span
	kind     string // the name, where the type of the call is all the name it has
	failed   fact.Truth
}

// uses appends the calls that message i holds.
func (y *history) uses(to []callOrResult, i int) []callOrResult {
	m := &y.said[i]
	if m.callCount == 0 {
		return to
	}
	if y.item(m) {
		u := callOrResult{id: m.callID(), name: m.called, failed: m.failed}
		if u.name.to == 0 {
			u.kind = strings.TrimSuffix(y.word(m.kind), "_call")
		}
		return append(to, u)
	}
	for _, b := range y.of(m) {
		if b.part&partCall != 0 {
			to = append(to, callOrResult{id: b.id, name: b.name, failed: fact.Unknown})
		}
	}
	if m.called.to > 0 {
		to = append(to, callOrResult{name: m.called, failed: fact.Unknown})
	}
	for n := m.calls.from; n < m.calls.to; n++ {
		to = append(to, callOrResult{id: y.body.calls[n], name: y.names[n], failed: fact.Unknown})
	}
	return to
}

// results appends the results that message i holds.
func (y *history) results(to []callOrResult, i int) []callOrResult {
	m := &y.said[i]
	if m.resultCount == 0 {
		return to
	}
	if y.item(m) {
		return append(to, callOrResult{id: m.callID(), failed: m.failed})
	}
	before := len(to)
	for _, b := range y.of(m) {
		if b.part&partResult != 0 {
			to = append(to, callOrResult{id: b.id, name: b.name, failed: b.failed})
		}
	}
	if len(to) == before { // it is one itself
		to = append(to, callOrResult{id: m.id, name: m.name, failed: m.failed})
	}
	return to
}

// callID returns the id of the call that an item is or answers.
func (m *message) callID() span {
	if m.id.to == 0 {
		return m.itemID
	}
	return m.id
}

// texts appends what message i says, nothing if there is none.
func (y *history) texts(to []span, i int) []span {
	if i < 0 || !y.said[i].spoke {
		return to
	}
	if y.listIsString {
		return append(to, y.listString)
	}
	return y.words(to, &y.said[i])
}

// join returns the texts, one behind the other, with line ends between them. Those that are wholly a host's are left out if
// hosts is true, and what a host puts in front of a person's words.
func (y *history) join(at []span, hosts bool) string {
	var few [8]string
	parts := few[:0]
	for _, t := range at {
		if hosts && isHostText(t.of(y.b)) {
			continue
		}
		s := y.says(t)
		if hosts {
			s = afterPreamble(s)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n")
}

// promptKey names a message of a person by its place among them and by what it says.
func promptKey(ordinal int, text string) string {
	var few [512]byte
	said := append(binary.BigEndian.AppendUint64(few[:0], uint64(ordinal)), text...)
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:16])
}
