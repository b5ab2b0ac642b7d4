// Package history plays agents that begin alike, say stock sentences, mint the ids of their calls in all
// ways, and cut their histories in all ways.
package history

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aside-go/aside/internal/evidence"
)

// Message is one of a simulated conversation.
type Message struct {
	Role   byte   // 'p' of a person, 'a' an answer, 'r' the result of a call
	Words  uint64 // digest of what it says; 0 is nothing
	N      int    // bytes of that
	ID     uint64 // of its call; 0: none
	Minted bool   // the id looks minted
	Call   bool

	// in truth
	Turn     int  // of an answer: the turn that it answers, counted over all conversations; 0: none
	Own      bool // nobody else says the same words
	OwnID    bool // nobody else has the id
	Reminted bool // the client has another id for it than the model
	Recoded  bool // the client has other words for it than the model
}

// Tells reports whether whoever has heard an answer knows by it alone whose it is.
func (m Message) Tells() bool {
	switch {
	case m.Recoded:
		return false
	case m.Reminted:
		return m.Own && m.N >= 5*evidence.Enough
	default:
		return m.OwnID || m.Own && m.N >= evidence.Enough
	}
}

// Client is an agent with a history of its own, and a way to cut it.
type Client struct {
	Family  int       // which conversation it is; those that fork are one
	Edit    string    // one of Edits
	Left    int       // how many turns it will take
	Turns   int       // how many it has taken
	History []Message // as it keeps it
	Moves   int       // how often it has gone to another model, key and process

	r          *rand.Rand
	w          *World
	app        *app
	texts, ids string
	count      int
	size, win  int
	remint     uint64 // not 0: it mints the ids in its history anew, by this
	rewrites   bool   // it re-encodes one answer in twenty
	base       int
	summary    Message
	result     Message // of the latest call
}

// app is a program that many clients run: they begin alike, and call alike.
type app struct {
	first Message
	calls []Message
}

// Edits are the ways in which clients send their history.
var Edits = []string{"whole", "head and tail", "first pair and tail", "middle cut once", "window",
	"summary alone", "summary and one round", "summary and two rounds", "rolling summary, one round",
	"rolling summary, three rounds",
	"final answers", "blanked results", "shortened results", "calls dropped", "rewind", "fork", "retry",
	"restore", "switch", "ids and form anew", "summary and one round, moved", "fleet"}

// World is what all clients share.
type World struct {
	r             *rand.Rand
	live          []*Client
	apps          []app
	short, medium []Message
	says, results []Message
	calls         []Message
	families      int
}

// Fresh returns a number that nobody else has.
func (w *World) Fresh() uint64 { return w.r.Uint64() | 1 }

func (w *World) drawn(sizes ...int) (list []Message) {
	for _, n := range sizes {
		list = append(list, Message{Words: w.Fresh(), N: n})
	}
	return list
}

// New returns a world in which a number of clients live at a time.
func New(seed uint64, clients int) *World {
	w := &World{r: rand.New(rand.NewPCG(seed, 7))}
	w.short = w.drawn(2, 2, 3, 4, 5, 5, 8, 12, 14, 18, 20, 22)
	w.medium = w.drawn(66, 68, 70, 75, 80, 84, 90, 96, 100, 110, 120, 130, 140, 150, 160, 180, 210,
		230, 250, 280)
	w.says = w.drawn(2, 3, 3, 5, 8, 8, 12, 13)
	w.results = w.drawn(1, 2, 11, 12)
	w.calls = w.drawn(12, 20, 30, 45, 60, 80, 130, 240, 20, 30, 40, 15, 25, 90)
	for range 40 {
		a := app{first: w.drawn([]int{30, 200, 900}[w.r.IntN(3)])[0]}
		for range 25 {
			a.calls = append(a.calls, w.drawn([]int{15, 25, 40, 60, 90, 150, 260}[w.r.IntN(7)])...)
		}
		w.apps = append(w.apps, a)
	}
	for range clients {
		w.live = append(w.live, w.newClient())
	}
	return w
}

// Next returns the client that sends the next request. It may have gone back to an earlier place of its
// history, or have come from another client by a fork.
func (w *World) Next() *Client {
	i := w.r.IntN(len(w.live))
	c := w.live[i]
	if c.Left <= 0 {
		c = w.newClient()
		w.live[i] = c
	}
	switch {
	case c.Edit == "rewind" && len(c.History) > 5 && w.Chance(12):
		c.back()
	case c.Edit == "fork" && len(c.History) > 3 && w.Chance(6) && len(w.live) < 600:
		d := *c
		d.History = slices.Clone(c.History)
		d.back()
		w.live = append(w.live, &d)
	case c.Edit == "switch" && c.remint == 0 && w.Chance(5),
		c.Edit == "restore" && c.Turns > 5 && c.remint == 0 && w.Chance(5):
		if c.remint = w.Fresh(); c.Edit == "restore" {
			c.History[0] = Message{Role: 'p', Words: w.Fresh(), N: 300}
		}
	}
	return c
}

// Chance reports true in so many of a hundred cases.
func (w *World) Chance(percent int) bool { return w.r.IntN(100) < percent }

// Draw returns a number from 0 on, below n.
func (w *World) Draw(n int) int { return w.r.IntN(n) }

// often draws from a list whose beginning is much more frequent than its end.
func often(r *rand.Rand, list []Message) Message {
	return list[(int(min(1/(1-r.Float64()), 1e6))-1)%len(list)]
}

func (w *World) newClient() *Client {
	w.families++
	r := w.r
	c := &Client{r: r, w: w, Family: w.families, app: &w.apps[r.IntN(len(w.apps))],
		texts: []string{"long", "mixed", "stock", "tools"}[r.IntN(4)],
		Edit:  Edits[r.IntN(len(Edits))], Left: min(120, 3+int(-22*math.Log(1-r.Float64()))), size: 1 + r.IntN(5),
		win: []int{3, 5, 9, 15, 25}[r.IntN(5)], rewrites: r.IntN(100) < 15}
	x := r.IntN(100)
	for _, k := range []struct {
		name string
		n    int
	}{{"unique", 40}, {"restart", 14}, {"counter", 10}, {"none", 14}, {"reminted once", 9},
		{"reminted each time", 5}, {"hash", 8}} {
		if x -= k.n; x < 0 {
			c.ids = k.name
			break
		}
	}
	m := c.say()
	if c.Edit == "fleet" { // who begins, says and answers the same as all others of it
		c.app, c.texts = &w.apps[0], "stock"
	}
	if r.IntN(2) == 0 || c.Edit == "fleet" {
		m.Words, m.N = c.app.first.Words, c.app.first.N
	}
	c.History = []Message{m}
	if r.IntN(100) < 3 { // nobody has heard its first turns
		for range 2 + r.IntN(18) {
			c.Take(c.Answer(0))
		}
	}
	return c
}

// say is a message of a person.
func (c *Client) say() Message {
	m := Message{Role: 'p', Words: c.w.Fresh(), N: 5 + c.r.IntN(400)}
	if c.r.IntN(100) < 45 || c.Edit == "fleet" {
		s := often(c.r, c.w.says)
		m.Words, m.N = s.Words, s.N
	}
	return m
}

// Answer is the model's answer, as it stands in the response.
func (c *Client) Answer(turn int) Message {
	r, w := c.r, c.w
	m := Message{Role: 'a', Turn: turn}
	m.Call = r.IntN(100) < 65 || c.texts == "tools" && r.IntN(100) < 70
	x := r.IntN(100)
	take := func(s Message) { m.Words, m.N, m.Own = s.Words, s.N, false }
	own := func(from, to int) { m.Words, m.N, m.Own = w.Fresh(), from+r.IntN(to-from), true }
	switch c.texts {
	case "tools":
		if !m.Call || x >= 80 {
			take(often(r, w.medium))
		}
	case "long":
		if own(80, 3000); x >= 95 {
			take(often(r, w.medium))
		} else if x >= 90 {
			take(often(r, w.short))
		}
	case "mixed":
		if own(80, 2000); x >= 85 {
			take(often(r, w.medium))
		} else if x >= 60 {
			take(often(r, w.short))
		} else if x >= 40 {
			own(8, 60)
		}
	default:
		if own(10, 900); x < 78 {
			take(often(r, w.short))
		} else if x < 95 {
			take(often(r, w.medium))
		}
	}
	if m.Call {
		called := Message{Words: w.Fresh(), N: 15 + r.IntN(1500), Own: true}
		if y := r.IntN(100); y < 45 {
			called = often(r, c.app.calls)
		} else if y < 60 {
			called = often(r, w.calls)
		}
		m.Words, m.N, m.Own = Mix(m.Words, called.Words), m.N+called.N, m.Own || called.Own
		c.count++
		switch c.ids {
		case "unique", "reminted once", "reminted each time":
			m.ID, m.Minted, m.OwnID = w.Fresh(), true, true
		case "restart":
			m.ID = 1
		case "counter":
			m.ID = uint64(100 + c.count)
		case "hash":
			m.ID, m.Minted = Mix(called.Words, 3), true
		}
		c.result = Message{Words: Mix(called.Words, c.app.first.Words), N: called.N}
	}
	if m.N == 0 {
		take(w.short[0])
	}
	return m
}

// Mix is a digest of two.
func Mix(a, b uint64) uint64 {
	h := fnv.New64a()
	for _, x := range []uint64{a, b} {
		for range 8 {
			_, _ = h.Write([]byte{byte(x)})
			x >>= 8
		}
	}
	return h.Sum64() | 1
}

// Take takes an answer into the history, in the form in which the client writes it.
func (c *Client) Take(m Message) {
	c.Turns++
	c.Left--
	if c.ids == "reminted once" && m.Call {
		m.ID, m.Reminted = c.w.Fresh(), true
	}
	if c.rewrites && c.r.IntN(100) < 6 {
		m.Words, m.Recoded = c.w.Fresh(), true
	}
	c.History = append(c.History, m)
	if !m.Call {
		c.History = append(c.History, c.say())
		return
	}
	r := Message{Role: 'r', Words: c.w.Fresh(), N: 1 + c.r.IntN(5000), ID: m.ID}
	if y := c.r.IntN(100); y < 40 {
		r.Words, r.N = c.result.Words, 300
	} else if y < 70 {
		s := often(c.r, c.w.results)
		r.Words, r.N = s.Words, s.N
	}
	c.History = append(c.History, r)
}

// Request is the history as the client sends it.
func (c *Client) Request() []Message {
	h := c.History
	n := len(h)
	tail := func(head int) []Message {
		if n <= head+2*c.size {
			return h
		}
		return append(slices.Clone(h[:head]), h[n-2*c.size:]...)
	}
	rounds, rolling := 0, false
	var req []Message
	switch c.Edit {
	case "head and tail":
		req = tail(1)
	case "first pair and tail":
		req = tail(3)
	case "middle cut once":
		if req = h; n > 13 {
			req = append(slices.Clone(h[:3]), h[min(5+2*c.size, 11):]...)
		}
	case "window":
		if req = h; n > c.win {
			from := n - c.win
			for from < n-1 && h[from].Role != 'p' {
				from++
			}
			if from == n-1 && n > 2 && c.size > 2 {
				from = n - 3
			}
			req = h[from:]
		}
	case "summary alone":
		req = c.summed(0)
	case "summary and one round", "summary and one round, moved":
		req = c.summed(1)
	case "summary and two rounds":
		req = c.summed(2)
	case "rolling summary, one round":
		rounds, rolling = 1, true
	case "rolling summary, three rounds":
		rounds, rolling = 3, true
	case "final answers":
		last := n - 1
		for h[last].Role != 'p' {
			last--
		}
		for _, m := range h[:last] {
			if m.Role == 'p' || m.Role == 'a' && !m.Call {
				req = append(req, m)
			}
		}
		req = append(req, h[last:]...)
	case "blanked results", "shortened results":
		req = slices.Clone(h)
		for i := range max(n-2*c.size, 0) {
			switch {
			case req[i].Role != 'r' || req[i].N <= 15:
			case c.Edit == "blanked results":
				req[i].Words, req[i].N = 99, 20
			default:
				req[i].Words, req[i].N = Mix(req[i].Words, 20), 20
			}
		}
	case "calls dropped":
		for i, m := range h {
			if i >= n-2*c.size || m.Role != 'r' && !m.Call {
				req = append(req, m)
			}
		}
	default:
		req = h
	}
	if rolling {
		if req = h; n > 2*rounds+1 {
			req = append([]Message{{Role: 'p', Words: c.w.Fresh(), N: 900}}, h[n-2*rounds:]...)
		}
	}
	again := c.remint
	if c.ids == "reminted each time" || c.Edit == "ids and form anew" {
		again = c.w.Fresh()
	}
	if again != 0 {
		req = slices.Clone(req)
		for i, m := range req {
			if m.ID != 0 {
				req[i].ID, req[i].Reminted = Mix(m.ID, again), m.Minted
			}
		}
	}
	return req
}

// summed is the history with a summary in place of its beginning, and so many rounds before the last message.
func (c *Client) summed(rounds int) []Message {
	n := len(c.History)
	if n-c.base > 9+4*c.size+2*rounds {
		if c.base = n - 2*rounds - 1; c.Edit == "summary and one round, moved" {
			c.Moves++
		}
		c.summary = Message{Role: 'p', Words: c.w.Fresh(), N: 900}
	}
	if c.base == 0 {
		return c.History
	}
	return append([]Message{c.summary}, c.History[c.base+min(1, rounds+n-c.base-1):]...)
}

// back goes back to an earlier place, and says something else there, or the same.
func (c *Client) back() {
	k := 1 + c.r.IntN(min(6, len(c.History)/2))
	h := slices.Clone(c.History[:len(c.History)-2*k])
	if len(h) < 2 {
		return
	}
	if last := len(h) - 1; h[last].Role == 'p' && c.r.IntN(100) < 70 {
		h[last] = c.say()
	}
	c.History = h
}

// Answered returns the history up to its newest answer.
func (c *Client) Answered() []Message {
	n := len(c.History)
	for n > 0 && c.History[n-1].Role != 'a' {
		n--
	}
	return c.History[:n]
}

// Parent returns the turn in truth that the history goes on from, 0 for none.
func (c *Client) Parent() int {
	for _, m := range slices.Backward(c.History) {
		if m.Role == 'a' {
			return m.Turn
		}
	}
	return 0
}

// Of returns what a request tells.
func Of(req []Message) evidence.Request {
	q := evidence.Request{First: req[0].Words}
	for i, m := range req {
		if m.Role == 'a' {
			q.Answers = append(q.Answers, Said(m, req[:i]))
		}
	}
	return q
}

// Said is an answer behind messages.
func Said(m Message, before []Message) evidence.Said {
	s := evidence.Said{Words: m.Words, Len: m.N}
	if m.Minted {
		s.IDs = []uint64{m.ID}
	}
	if len(before) > 0 {
		b := before[len(before)-1]
		s.Before = evidence.Message{Words: b.Words, Len: b.N}
	}
	for _, b := range before {
		s.Asked = Mix(s.Asked, b.Words)
	}
	return s
}
