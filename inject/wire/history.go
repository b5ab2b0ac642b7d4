package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// history is what the messages of a body say about the next model call. Indexes are those of said; -1 means none.
type history struct {
	*body
	headers
	meta map[string]string // Codex's turn metadata, nil if there is none

	said                   []message // the messages of the body; of a list that is a string the one that it stands for
	turns, users, calls    int       // responses of the model, messages of persons, calls of tools
	last                   actor     // the actor of the last message that counts
	from, to               int       // the previous response lies in said[from:to]; results for it follow from there on
	callCount, resultCount int       // calls and results from said[from] on
	responded              bool      // there is a response
	hidden                 bool      // the previous response refers to items that are kept elsewhere
	unseen                 bool      // there are results of calls that are not here
	prompt, before         int       // the last message of a person, and the one before that
	prompted               bool      // said[prompt] is known to be the last prompt of a person
	tail                   int       // the last message in a user's place
	first                  span      // the text with which the system prompt begins
	fresh                  bool      // no message of the model or of a tool follows said[tail]
}

// newHistory goes over the messages of d.
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

// addModel takes in message i, which is the model's. Messages of the model without others between them are one response.
func (y *history) addModel(i int, m *message) {
	if y.last != actorModel {
		y.turns++
		y.unseen = y.unseen || y.resultCount > y.callCount
		y.from, y.callCount, y.resultCount = i, 0, 0
		y.responded, y.hidden = true, false
	}
	y.to, y.callCount, y.resultCount = i+1, y.callCount+m.callCount, y.resultCount+m.resultCount
	y.calls += m.callCount
	y.hidden = y.hidden || y.f.items && y.word(m.kind) == "item_reference" // mostly to an item of a response
	y.fresh, y.last = false, actorModel
}

// addOther takes in message i, which stands in the place of a user or a tool.
func (y *history) addOther(i int, m *message) {
	if y.fresh = m.actor != actorTool || m.spoke; y.fresh {
		y.tail = i
	}
	switch {
	case m.actor == actorPerson:
		y.users++
		y.before, y.prompt, y.prompted = y.prompt, i, true
	case m.actor == actorHost && y.last == actorPerson && !m.summary:
		return // a person has still spoken last; a summary, though, stands in the middle of a turn
	}
	y.last = m.actor
}

// fill writes what was read into q.
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

// pair fills q.Calls with the calls of the previous response and gives each its result, by id, or else by name and order. known
// is false where calls or results are missing.
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

// finder returns a function that finds a call by its id: it returns the index, -1 if there is none.
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

// callOrResult is a call or the result of one.
type callOrResult struct {
	id, name span
	kind     string // of a call without a name: its type, without "_call"
	failed   fact.Truth
}

// uses appends the calls in message i.
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

// results appends the results in message i.
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
	if len(to) == before { // the message itself is a result
		to = append(to, callOrResult{id: m.id, name: m.name, failed: m.failed})
	}
	return to
}

// callID returns the id of the call that an item is, or is the result of.
func (m *message) callID() span {
	if m.id.to == 0 {
		return m.itemID
	}
	return m.id
}

// texts appends the texts of message i; nothing if i is -1 or the message says nothing.
func (y *history) texts(to []span, i int) []span {
	if i < 0 || !y.said[i].spoke {
		return to
	}
	if y.listIsString {
		return append(to, y.listString)
	}
	return y.words(to, &y.said[i])
}

// join returns the texts at these places, joined with line ends. With hosts, it leaves out the texts that are wholly a host's,
// and a host's preamble in front of a person's words.
func (y *history) join(at []span, hosts bool) string {
	var few [8]string
	parts := few[:0]
	for _, t := range at {
		if hosts && isHostText(t.of(y.b)) {
			continue
		}
		s := y.says(t)
		if hosts {
			s = agent.TrimPreamble(s)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n")
}

// promptKey returns the PromptKey of a person's message: a hash of its number among the messages of persons and of its text.
func promptKey(ordinal int, text string) string {
	var few [512]byte
	said := append(binary.BigEndian.AppendUint64(few[:0], uint64(ordinal)), text...)
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:16])
}
