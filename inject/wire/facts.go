package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// actor is who stands behind a message, as far as its form tells (WIRE.md §2).
type actor uint8

const (
	actorNone   actor = iota // nobody that counts: system, developer, what is not known
	actorModel               // the model
	actorTool                // a tool round
	actorHost                // the host, in a user's place
	actorPerson              // a person
	actorOther               // somebody that the form does not tell
)

// said is what one message holds. Its slices are used again for the next.
type said struct {
	role    []byte
	name    []byte
	texts   []span // insides of strings
	calls   []rawCall
	beside  []rawCall // those that stand beside the content
	results []rawResult
	media   bool // it holds what only people send: an image, a document
	content bool // it has content of a form that is known
	hidden  bool // it stands for something that is kept elsewhere
}

type rawCall struct {
	id, name span
	alias    string // the name, where the type of the call is all the name it has
	failed   fact.Truth
}

type rawResult struct {
	id, name span
	failed   fact.Truth
}

func (m *said) reset() {
	*m = said{texts: m.texts[:0], calls: m.calls[:0], beside: m.beside[:0], results: m.results[:0]}
}

// factReader reads a body and keeps of its messages only what the next model call can be judged by.
type factReader struct {
	scanner
	api API
	m   said // the message that is read

	found    bool // the list of messages was there
	partial  bool
	model    span
	provider span
	first    span // the text that the system prompt begins with
	tools    fact.Truth
	stream   bool
	schema   bool
	ids      bodyIDs

	messages, turns, users, calls int
	last                          actor // of the last message that counts
	fresh                         bool  // tail is of the last message
	unseen                        bool  // results came for calls that are not here
	prev                          said  // the previous response, with the results that came for it
	responded                     bool
	prompt, before, tail          []span // the last message of a person, the one before it, the last in a user's place
	prompted                      bool
	beforeWas                     bool
}

// forget drops what was read: of a body that cannot be read to its end nothing is believed.
func (r *factReader) forget() {
	*r = factReader{scanner: scanner{b: r.b}, api: r.api, tools: fact.Unknown}
}

// restart is called before a list of messages: of several the last one counts.
func (r *factReader) restart() {
	r.messages, r.turns, r.users, r.calls, r.last = 0, 0, 0, 0, actorNone
	r.fresh, r.unseen, r.responded, r.prompted, r.beforeWas = false, false, false, false, false
	r.prev.reset()
	r.prompt, r.before, r.tail = r.prompt[:0], r.before[:0], r.tail[:0]
}

// add takes in the message that was read.
func (r *factReader) add(who actor) {
	switch who {
	case actorNone:
		return
	case actorModel:
		r.answer()
		r.fresh = false
	default:
		r.results()
		r.asked(who)
		return
	}
	r.last = who
}

// answer takes in a message of the model. Several next to each other are one response.
func (r *factReader) answer() {
	r.calls += len(r.m.calls)
	if r.last == actorModel {
		r.prev.texts = append(r.prev.texts, r.m.texts...)
		r.prev.calls = append(r.prev.calls, r.m.calls...)
		r.prev.results = append(r.prev.results, r.m.results...)
		r.prev.hidden = r.prev.hidden || r.m.hidden
		return
	}
	r.turns++
	r.responded = true
	r.unseen = r.unseen || len(r.prev.results) > len(r.prev.calls)
	r.prev, r.m = r.m, r.prev
}

func (r *factReader) results() { r.prev.results = append(r.prev.results, r.m.results...) }

// asked takes in a message in the place of a user or a tool.
func (r *factReader) asked(who actor) {
	if r.fresh = who != actorTool || len(r.m.texts) > 0; r.fresh {
		r.tail = append(r.tail[:0], r.m.texts...)
	}
	switch {
	case who == actorPerson:
		r.users++
		r.before, r.prompt = r.prompt, r.before
		r.prompt = append(r.prompt[:0], r.m.texts...)
		r.beforeWas, r.prompted = r.prompted, true
	case who == actorHost && r.last == actorPerson && !r.summary():
		return // what a host puts behind a prompt does not make it less of one; a summary goes on amid its turn
	}
	r.last = who
}

// fill writes what was read into a Request.
func (r *factReader) fill(q *Request) {
	if v := r.str1(r.model); v != "" {
		q.Model = v
	}
	q.Provider = r.str1(r.provider)
	q.Stream = q.Stream || r.stream
	q.Tools, q.Schema, q.Partial = r.tools, r.schema, r.partial
	if !r.found {
		return
	}
	q.Messages = Count{int64(r.messages), !r.partial}
	q.Turns, q.UserTurns = Count{int64(r.turns + 1), !r.partial}, Count{int64(r.users), !r.partial}
	known := r.pair(q)
	q.CallsKnown = known && (r.responded || !r.partial && r.messages > 0)
	q.ToolCalls = Count{int64(r.calls), !r.partial && !r.unseen}
	for _, c := range [...]*Count{&q.Messages, &q.Turns, &q.UserTurns, &q.ToolCalls} {
		if !c.Known {
			*c = Count{}
		}
	}
	if r.responded && !r.prev.hidden {
		q.Response = Text{r.join(r.prev.texts, false), true}
	}
}

// pair puts calls and results together, by id, else by name and order. known is whether the calls are all there.
func (r *factReader) pair(q *Request) (known bool) {
	if len(r.prev.calls) > 0 {
		q.Calls = make([]Call, len(r.prev.calls))
	}
	byID := make(map[string]int, min(len(r.prev.calls), 64))
	for i, c := range r.prev.calls {
		q.Calls[i] = Call{ID: r.str1(c.id), Name: r.str1(c.name), Failed: c.failed}
		if q.Calls[i].Name == "" {
			q.Calls[i].Name = c.alias
		}
		if id := q.Calls[i].ID; id != "" {
			byID[id] = i
		}
	}
	known = !r.prev.hidden
	next := 0 // the first call without an id that has no result
	for _, p := range r.prev.results {
		if p.id.to > p.id.from {
			if i, ok := byID[r.str1(p.id)]; ok {
				q.Calls[i].Failed = p.failed
				continue
			}
		} else {
			for next < len(q.Calls) && q.Calls[next].ID != "" {
				next++
			}
			if next < len(q.Calls) && (p.name.to == p.name.from || q.Calls[next].Name == r.str1(p.name)) {
				q.Calls[next].Failed = p.failed
				next++
				continue
			}
		}
		known, r.unseen = false, true
	}
	if !known && len(q.Calls) == 0 {
		q.Calls = nil
	}
	return known
}

// join returns the texts, one behind the other, with line ends between them. Those that are wholly a host's are left out if
// hosts is true, and what a host puts in front of a person's words.
func (r *factReader) join(at []span, hosts bool) string {
	var parts []string
	for _, t := range at {
		if hosts && r.tagged(t) {
			continue
		}
		s := decode(r.b, t).s
		if hosts {
			s = afterPreamble(s)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n")
}

// str1 returns what the inside of a string says.
func (r *factReader) str1(at span) string {
	if at.to <= at.from {
		return ""
	}
	return decode(r.b, at).s
}

// key returns the name of a member, which it may borrow.
func (r *factReader) key(at span) []byte {
	raw := at.of(r.b)
	if len(raw) < len(`\u0061`) || bytes.IndexByte(raw, '\\') < 0 { // no name needs a shorter escape
		return raw
	}
	return []byte(decode(r.b, at).s)
}

// promptKey names a message of a person by its place among them and by what it says.
func promptKey(ordinal int, text string) string {
	h := sha256.New()
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(ordinal))
	h.Write(n[:])
	h.Write([]byte(text))
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}
