package evidence_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aside-go/aside/internal/evidence"
)

// message is one of a simulated conversation.
type message struct {
	role  byte   // 'p' of a person, 'a' an answer, 'r' the result of a call
	words uint64 // digest of what it says; 0 is nothing
	n     int    // bytes of that
	id    uint64 // of its call; 0: none
	mint  bool   // the id looks minted
	call  bool
	turn  int // in truth: of an answer, the turn that it answers, counted over all conversations; 0: none
	uid   uint64
}

// client is an agent with a history of its own, and a way to cut it.
type client struct {
	r *rand.Rand
	w *world

	family      int
	app         *app
	texts, ids  string
	edit        string
	left, count int
	size, win   int
	rewrites    bool // it re-encodes one answer in twenty
	base        int
	summary     message
	remint      uint64
	history     []message
	turns       int
	result      message // of the latest call
}

// app is a program that many clients run: they begin alike, and call alike.
type app struct {
	first message
	calls []message
}

// edits are the ways in which clients send their history.
var edits = []string{"whole", "head and tail", "first pair and tail", "middle cut once", "window",
	"summary alone", "summary and one round", "summary and two rounds", "rolling summary, one round",
	"rolling summary, three rounds",
	"final answers", "blanked results", "calls dropped", "rewind", "fork", "retry", "restore", "switch"}

// world is what all clients share.
type world struct {
	r             *rand.Rand
	apps          []app
	short, medium []message
	says, results []message
	calls         []message
	family        int
}

func (w *world) fresh() uint64 { return w.r.Uint64() | 1 }

func (w *world) words(sizes ...int) (list []message) {
	for _, n := range sizes {
		list = append(list, message{words: w.fresh(), n: n})
	}
	return list
}

func newWorld(seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 7))}
	w.short = w.words(2, 2, 3, 4, 5, 5, 8, 12, 14, 18, 20, 22)
	w.medium = w.words(66, 68, 70, 75, 80, 84, 90, 96, 100, 110, 120, 130, 140, 150, 160, 180, 210,
		230, 250, 280)
	w.says = w.words(2, 3, 3, 5, 8, 8, 12, 13)
	w.results = w.words(1, 2, 11, 12)
	w.calls = w.words(12, 20, 30, 45, 60, 80, 130, 240, 20, 30, 40, 15, 25, 90)
	for range 40 {
		a := app{first: w.words([]int{30, 200, 900}[w.r.IntN(3)])[0]}
		for range 25 {
			a.calls = append(a.calls, w.words([]int{15, 25, 40, 60, 90, 150, 260}[w.r.IntN(7)])...)
		}
		w.apps = append(w.apps, a)
	}
	return w
}

// often draws from a list whose beginning is much more frequent than its end.
func often(r *rand.Rand, list []message) message {
	return list[(int(min(1/(1-r.Float64()), 1e6))-1)%len(list)]
}

func (w *world) newClient() *client {
	w.family++
	r := w.r
	c := &client{r: r, w: w, family: w.family, app: &w.apps[r.IntN(len(w.apps))],
		texts: []string{"long", "mixed", "stock", "tools"}[r.IntN(4)],
		edit:  edits[r.IntN(len(edits))], left: min(120, 3+int(-22*math.Log(1-r.Float64()))), size: 1 + r.IntN(5),
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
	if r.IntN(2) == 0 {
		m.words, m.n = c.app.first.words, c.app.first.n
	}
	c.history = []message{m}
	return c
}

// say is a message of a person.
func (c *client) say() message {
	m := message{role: 'p', words: c.w.fresh(), n: 5 + c.r.IntN(400)}
	if c.r.IntN(100) < 45 {
		s := often(c.r, c.w.says)
		m.words, m.n = s.words, s.n
	}
	m.uid = c.w.fresh()
	return m
}

// answer is the model's answer, as it stands in the response.
func (c *client) answer(turn int) message {
	r, w := c.r, c.w
	m := message{role: 'a', turn: turn, uid: w.fresh()}
	m.call = r.IntN(100) < 65 || c.texts == "tools" && r.IntN(100) < 70
	x := r.IntN(100)
	take := func(s message) { m.words, m.n = s.words, s.n }
	own := func(from, to int) { m.words, m.n = w.fresh(), from+r.IntN(to-from) }
	switch c.texts {
	case "tools":
		if !m.call || x >= 80 {
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
	if m.call {
		called := message{words: w.fresh(), n: 15 + r.IntN(1500)}
		if y := r.IntN(100); y < 45 {
			called = often(r, c.app.calls)
		} else if y < 60 {
			called = often(r, w.calls)
		}
		m.words, m.n = mix(m.words, called.words), m.n+called.n
		c.count++
		switch c.ids {
		case "unique", "reminted once", "reminted each time":
			m.id, m.mint = w.fresh(), true
		case "restart":
			m.id = 1
		case "counter":
			m.id = uint64(100 + c.count)
		case "hash":
			m.id, m.mint = mix(called.words, 3), true
		}
		c.result = message{words: mix(called.words, c.app.first.words), n: called.n}
	}
	if m.n == 0 {
		take(w.short[0])
	}
	return m
}

// mix is a digest of two.
func mix(a, b uint64) uint64 {
	h := fnv.New64a()
	for _, x := range []uint64{a, b} {
		for range 8 {
			_, _ = h.Write([]byte{byte(x)})
			x >>= 8
		}
	}
	return h.Sum64() | 1
}

// take takes an answer into the history, in the form in which the client writes it.
func (c *client) take(m message) {
	if c.ids == "reminted once" && m.call {
		m.id = c.w.fresh()
	}
	if c.rewrites && c.r.IntN(100) < 6 {
		m.words = c.w.fresh()
	}
	c.history = append(c.history, m)
	if !m.call {
		c.history = append(c.history, c.say())
		return
	}
	r := message{role: 'r', words: c.w.fresh(), n: 1 + c.r.IntN(5000), id: m.id, uid: c.w.fresh()}
	if y := c.r.IntN(100); y < 40 {
		r.words, r.n = c.result.words, 300
	} else if y < 70 {
		s := often(c.r, c.w.results)
		r.words, r.n = s.words, s.n
	}
	c.history = append(c.history, r)
}

// request is the history as the client sends it.
func (c *client) request() []message {
	h := c.history
	n := len(h)
	tail := func(head int) []message {
		if n <= head+2*c.size {
			return h
		}
		return append(slices.Clone(h[:head]), h[n-2*c.size:]...)
	}
	rounds, rolling := 0, false
	var req []message
	switch c.edit {
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
			for from < n-1 && h[from].role != 'p' {
				from++
			}
			if from == n-1 && n > 2 && c.size > 2 {
				from = n - 3
			}
			req = h[from:]
		}
	case "summary alone":
		req = c.summed(0)
	case "summary and one round":
		req = c.summed(1)
	case "summary and two rounds":
		req = c.summed(2)
	case "rolling summary, one round":
		rounds, rolling = 1, true
	case "rolling summary, three rounds":
		rounds, rolling = 3, true
	case "final answers":
		last := n - 1
		for h[last].role != 'p' {
			last--
		}
		for _, m := range h[:last] {
			if m.role == 'p' || m.role == 'a' && !m.call {
				req = append(req, m)
			}
		}
		req = append(req, h[last:]...)
	case "blanked results":
		req = slices.Clone(h)
		for i := range max(n-2*c.size, 0) {
			if req[i].role == 'r' && req[i].n > 15 {
				req[i].words, req[i].n = 99, 20
			}
		}
	case "calls dropped":
		for i, m := range h {
			if i >= n-2*c.size || m.role != 'r' && !m.call {
				req = append(req, m)
			}
		}
	default:
		req = h
	}
	if rolling {
		if req = h; n > 2*rounds+1 {
			req = append([]message{{role: 'p', words: c.w.fresh(), n: 900}}, h[n-2*rounds:]...)
		}
	}
	again := c.remint
	if c.ids == "reminted each time" {
		again = c.w.fresh()
	}
	if again != 0 {
		req = slices.Clone(req)
		for i, m := range req {
			if m.role == 'a' && m.id != 0 {
				req[i].id = mix(m.id, again)
			}
		}
	}
	return req
}

// summed is the history with a summary in place of its beginning, and so many rounds before the last message.
func (c *client) summed(rounds int) []message {
	n := len(c.history)
	if n-c.base > 9+4*c.size+2*rounds {
		c.base = n - 2*rounds - 1
		c.summary = message{role: 'p', words: c.w.fresh(), n: 900}
	}
	if c.base == 0 {
		return c.history
	}
	return append([]message{c.summary}, c.history[c.base+min(1, rounds+n-c.base-1):]...)
}

// back goes back to an earlier place, and says something else there, or the same.
func (c *client) back() {
	k := 1 + c.r.IntN(min(6, len(c.history)/2))
	h := slices.Clone(c.history[:len(c.history)-2*k])
	if len(h) < 2 {
		return
	}
	if last := len(h) - 1; h[last].role == 'p' && c.r.IntN(100) < 70 {
		h[last] = c.say()
	}
	c.history = h
}

// parent returns the turn in truth that the history goes on from, 0 for none.
func (c *client) parent() int {
	for _, m := range slices.Backward(c.history) {
		if m.role == 'a' {
			return m.turn
		}
	}
	return 0
}

// of returns what a request tells.
func of(req []message) evidence.Request {
	q := evidence.Request{First: req[0].words}
	for i, m := range req {
		if m.role == 'a' {
			q.Answers = append(q.Answers, said(m, req[:i]))
		}
	}
	return q
}

// said is an answer behind messages.
func said(m message, before []message) evidence.Said {
	s := evidence.Said{Words: m.words, Len: m.n}
	if m.mint {
		s.IDs = []uint64{m.id}
	}
	if len(before) > 0 {
		b := before[len(before)-1]
		s.Before = evidence.Message{Words: b.words, Len: b.n}
	}
	for _, b := range before {
		s.Asked = mix(s.Asked, b.words)
	}
	return s
}
