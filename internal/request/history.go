package request

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/response"
)

// history is the state of a conversation before the next model call, as its messages tell. Indexes are those
// of said; -1 means none.
type history struct {
	d *body.Body
	headers
	meta   string       // Codex's turn metadata, "" if there is none
	client *agent.Agent // the agent whose request this is, nil if that is unknown
	detail Detail
	where  agent.Where

	said                    []message
	turns, users, callTotal int          // responses of the model, messages of persons, calls of tools
	last                    body.Speaker // who wrote the last message that counts
	// the previous response lies in said[from:to]; results for it follow from there on
	from, to               int
	callCount, resultCount int         // calls and results from said[from] on
	responded              bool        // there is a response
	refs                   []string    // ids of items of the previous response that are kept elsewhere
	unseen                 bool        // there are results of calls that are not here
	prompt, before         int         // the last message of a person, and the one before that
	prompted               bool        // said[prompt] is known to be the last prompt of a person
	tail                   int         // the last message in a user's place
	first                  body.Span   // the text with which the system prompt begins
	fresh                  bool        // no message of the model or of a tool follows said[tail]
	spare                  []body.Span // of words, used again for each message
}

// newHistory goes over the messages of d.
func newHistory(d *body.Body, h headers) *history {
	y := &history{d: d, headers: h, said: make([]message, len(d.Messages)), prompt: -1, before: -1, tail: -1}
	y.meta = y.codexMeta()
	for i := range d.Messages {
		y.said[i] = y.ascribe(&d.Messages[i])
	}
	y.first = d.Opening
	if !y.first.Found() && len(y.said) > 0 && y.said[0].Class == body.System {
		if texts := y.texts(nil, 0); len(texts) > 0 {
			y.first = texts[0]
		}
	}
	for i := range y.said {
		switch m := &y.said[i]; m.by {
		case body.ByNobody:
		case body.ByModel:
			y.addModel(i, m)
		default:
			y.resultCount += m.resultCount
			y.addOther(i, m)
		}
	}
	return y
}

// addModel takes in message i, which is the model's. Messages of the model without others between them are
// one response.
func (y *history) addModel(i int, m *message) {
	if y.last != body.ByModel {
		y.turns++
		y.unseen = y.unseen || y.resultCount > y.callCount
		y.from, y.callCount, y.resultCount = i, 0, 0
		y.responded, y.refs = true, nil
	}
	y.to, y.callCount, y.resultCount = i+1, y.callCount+m.callCount, y.resultCount+m.resultCount
	y.callTotal += m.callCount
	if m.Elsewhere {
		y.refs = append(y.refs, y.d.Says(m.Refers))
	}
	y.fresh, y.last = false, body.ByModel
}

// addOther takes in message i, which stands in the place of a user or a tool.
func (y *history) addOther(i int, m *message) {
	if y.fresh = m.by != body.ByTool || m.spoke; y.fresh {
		y.tail = i
	}
	switch {
	case m.by == body.ByUser:
		y.users++
		y.before, y.prompt, y.prompted = y.prompt, i, true
	case m.by == body.ByHost && y.last == body.ByUser && !m.summary:
		return // a person has still spoken last; a summary, though, stands in the middle of a turn
	}
	y.last = m.by
}

// fill copies the findings into q.
func (y *history) fill(q *Request) {
	q.Model = cmp.Or(y.d.Model, q.Model)
	q.Provider = y.d.Says(y.d.Provider)
	q.Stream = q.Stream || y.d.Stream
	q.Tools, q.Schema, q.Partial = y.d.Tools, y.d.Schema, y.d.Partial
	q.Kept = y.d.Keeps
	if !y.d.List.Found() {
		return
	}
	known := y.pair(q)
	q.responded, q.client, q.where = y.responded, y.client, y.where
	q.CallsKnown = known && (y.responded || !y.d.Partial && len(y.said) > 0)
	if !y.d.Partial {
		q.Messages, q.Turns, q.UserTurns = count(len(y.said)), count(y.turns+1), count(y.users)
		if !y.unseen {
			q.ToolCalls = count(y.callTotal)
		}
	}
	if y.responded && !slices.ContainsFunc(y.refs, mayBeWords) {
		var texts []body.Span
		for i := y.from; i < y.to; i++ {
			if y.said[i].by == body.ByModel {
				texts = y.texts(texts, i)
			}
		}
		q.Response = Text{y.join(texts, false), true}
	}
}

func count(n int) response.Count { return response.Count{N: int64(n), Known: true} }

// pair fills q.Calls with the calls of the previous response and gives each its result, by id, or else by
// name and order. known is false where calls or results are missing.
func (y *history) pair(q *Request) (known bool) {
	var results []body.Call
	for i := y.from; i < len(y.said); i++ {
		m := &y.said[i]
		for c := range y.d.Calls(m.Message) {
			switch {
			case c.IsCall() && m.by == body.ByModel && i < y.to:
				q.Calls = append(q.Calls, y.call(c))
			case c.IsResult() && m.by != body.ByNobody:
				results = append(results, *c)
			}
		}
	}
	byID := make(map[string][]int, len(q.Calls)) // results of calls with one id come in their order
	for i, c := range q.Calls {
		byID[c.ID] = append(byID[c.ID], i)
	}
	q.refs = slices.DeleteFunc(slices.Clone(y.refs), func(id string) bool { return !mayBeCall(id) })
	known = len(q.refs) == 0
	next := 0 // the first call without an id that has no result
	for _, p := range results {
		if id := idOf(p); id.Found() {
			if of := byID[y.d.Says(id)]; len(of) > 0 {
				y.settle(&q.Calls[of[0]], &p)
				if len(of) > 1 {
					byID[y.d.Says(id)] = of[1:]
				}
				continue
			}
		} else {
			for next < len(q.Calls) && q.Calls[next].ID != "" {
				next++
			}
			if next < len(q.Calls) && (p.Name.To == p.Name.From || q.Calls[next].Tool == y.d.Says(p.Name)) {
				y.settle(&q.Calls[next], &p)
				next++
				continue
			}
		}
		lost := Call{ID: y.d.Says(idOf(p))}
		y.settle(&lost, &p)
		q.lost = append(q.lost, lost)
		known, y.unseen = false, true
	}
	return known
}

// idOf returns the id of a call, or of the item that the call is.
func idOf(c body.Call) body.Span {
	if c.ID.From < c.ID.To {
		return c.ID
	}
	return c.Item
}

// texts appends the texts of message i; nothing if i is -1 or the message says nothing.
func (y *history) texts(to []body.Span, i int) []body.Span {
	if i < 0 || !y.said[i].spoke {
		return to
	}
	return y.words(to, y.said[i].Message)
}

// join returns the texts at these places, joined with line ends. With hosts, it leaves out the texts that are
// wholly a host's, and a host's preamble in front of a person's words.
func (y *history) join(at []body.Span, hosts bool) string {
	var parts []string
	for _, t := range at {
		if hosts && isHostText(y.d, t) {
			continue
		}
		s := y.d.Says(t)
		if hosts {
			s = agent.TrimPreamble(s)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n")
}

// promptKey returns the PromptKey of a person's message: a hash of its number among the messages of persons
// and of its text, and one of the text alone.
func promptKey(ordinal int, text string) string {
	var few [512]byte
	said := append(binary.BigEndian.AppendUint64(few[:0], uint64(ordinal)), text...)
	sum, alone := sha256.Sum256(said), sha256.Sum256(said[8:])
	return base64.RawURLEncoding.EncodeToString(append(sum[:9], alone[:9]...))
}

// SamePrompt reports whether two PromptKeys are of messages that say the same.
func SamePrompt(a, b string) bool { return a[len(a)/2:] == b[len(b)/2:] }
