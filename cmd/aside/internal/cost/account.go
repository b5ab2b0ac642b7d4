package cost

import (
	"cmp"
	"slices"

	"github.com/aside-go/aside/cmd/aside/internal/price"
	"github.com/aside-go/aside/inject/wire/cache"
)

// Total is what prompts came to.
type Total struct {
	cache.Usage
	Dollars float64 // of the calls whose price is known
}

func (t *Total) add(u Total) {
	t.Usage = t.Usage.Plus(u.Usage)
	t.Dollars += u.Dollars
}

// Share is what a reminder came to in one way. Own, its tokens, and Moved, the client's tokens that were written or sent plainly
// where they would have been read, are what the way adds to the run; so are Fresh, Reads and Harm in dollars. A token that was
// moved and one that was read instead are a pair, so that Moved.Prompt is 0.
type Share struct {
	ID     string
	Fires  int
	Tokens int // of all firings, with the tags
	Calls  int // how many requests have held it, each time that it stood there counted
	Own    cache.Usage
	Moved  cache.Usage
	Fresh  float64 // dollars for what of its own was not read from the cache
	Reads  float64 // and for what was
	Harm   float64 // dollars for what it has moved
}

// Dollars is what the reminder costs.
func (s Share) Dollars() float64 { return s.Fresh + s.Reads + s.Harm }

// Added is what a way adds to a run.
type Added struct {
	Way    Way
	Total  Total // of all requests
	More   Total // beyond the run as it was recorded
	Shares []Share
}

// Account is what runs come to.
type Account struct {
	Runs, Calls int
	Cached      int // calls of which is known what was read and what was written
	Measured    int // calls of which the length is known
	Spoke       int // calls whose answer is known
	Output      int
	Answers     float64 // dollars for these

	Priced   int               // calls whose price is known
	Unpriced map[string]int    // calls by model, whose price is not
	Prices   map[string]Priced // by model

	base    Total
	ways    [Naive + 1]*added // nil: some run's model does not take it
	auto    *added
	refused map[Way]string // by which model
	models  map[string]takes
}

// Priced is a price, and how many calls cost it.
type Priced struct {
	price.Row
	Calls int
	Longs int // of Calls, whose prompts were so long that they cost more
}

// added is Added as it grows.
type added struct {
	total  Total
	shares map[string]*Share
	order  []string
	blame  []Text // who was put last: what becomes of the cache follows from it
}

// Play adds a run whose requests were sent in this order.
func (a *Account) Play(calls []Call, prices price.List) {
	if len(calls) == 0 {
		return
	}
	a.begin(calls)
	p := newPlayer(calls, prices)
	to := a.targets(calls[0].Model)
	for w, l := range p.lanes {
		l.over = func(t Text, requests int, millionths float64) {
			for _, x := range to[w] {
				x.stayed(t, requests, millionths)
			}
		}
	}
	for b, ok := p.next(); ok; b, ok = p.next() {
		a.call(&b)
		for w, list := range to {
			for _, x := range list {
				x.call(Way(w), &b)
			}
			m := &b.ways[w]
			m.lane.note(m.read, b.price.At(m.Prompt).Read)
		}
	}
	for _, l := range p.lanes {
		l.cut(0)
	}
}

// targets returns to what the ways of a run are added: each to its own, one of them also to what goes out by default.
func (a *Account) targets(model string) (to [Naive + 1][]*added) {
	for w := Native; w <= Naive; w++ {
		if x := a.ways[w]; x != nil {
			to[w] = append(to[w], x)
		}
		if w == a.takes(model).standard() {
			to[w] = append(to[w], a.auto)
		}
	}
	return to
}

// begin makes room for a run.
func (a *Account) begin(calls []Call) {
	if a.Unpriced == nil {
		a.Unpriced, a.Prices = map[string]int{}, map[string]Priced{}
		a.refused, a.models = map[Way]string{}, map[string]takes{}
		a.auto = newAdded()
		for w := range a.ways {
			a.ways[w] = newAdded()
		}
	}
	a.Runs++
	for _, c := range calls {
		for w, yes := range a.takes(c.Model) {
			if !yes && a.ways[w] != nil {
				a.ways[w], a.refused[Way(w)] = nil, c.Model
			}
		}
	}
}

func (a *Account) takes(model string) takes {
	t, ok := a.models[model]
	if !ok {
		t = takenBy(model)
		a.models[model] = t
	}
	return t
}

func newAdded() *added { return &added{shares: map[string]*Share{}} }

func (a *Account) call(b *billed) {
	a.Calls++
	r := b.Recorded
	if r.Cached {
		a.Cached++
	}
	if b.known {
		a.Measured++
	}
	if r.Spoke {
		a.Spoke++
		a.Output += r.Output
	}
	a.base.add(b.ways[None].Total)
	if !b.priced {
		a.Unpriced[b.Model]++
		return
	}
	a.Priced++
	a.Answers += b.price.At(b.ways[None].Prompt).Answer(r.Output)
	p := a.Prices[b.Model]
	p.Row = b.price
	p.Calls++
	if r := b.price; r.Above > 0 && b.ways[None].Prompt > r.Above {
		p.Longs++
	}
	a.Prices[b.Model] = p
}

func (x *added) of(id string) *Share {
	s := x.shares[id]
	if s == nil {
		s = &Share{ID: id}
		x.shares[id] = s
		x.order = append(x.order, id)
	}
	return s
}

// call adds a call: to each text its own tokens, and to those that were put last what else is different.
func (x *added) call(w Way, b *billed) {
	for _, t := range b.Fired {
		s := x.of(t.ID)
		s.Fires++
		s.Tokens += t.Tokens
	}
	if put := w.puts(b.Call); len(put) > 0 {
		x.blame = put
	}
	got, base := &b.ways[w], &b.ways[None]
	x.total.add(got.Total)
	rates := b.price.At(got.Prompt)
	read := got.lane.tokens(got.read)
	own := Total{Usage: cache.Usage{Prompt: read, Read: read}}
	for _, t := range got.texts {
		s := x.of(t.id)
		s.Calls++
		s.Own = s.Own.Plus(t.use)
		reads := rates.Prompt(cache.Usage{Prompt: t.use.Read, Read: t.use.Read})
		s.Reads += reads
		s.Fresh += rates.Prompt(t.use) - reads
		own.Usage = own.Plus(t.use)
	}
	own.Dollars = rates.Prompt(own.Usage)
	x.share(Total{got.Minus(base.Usage).Minus(own.Usage), got.Dollars - base.Dollars - own.Dollars})
}

// stayed adds what a text came to in requests that have read all of it from the cache.
func (x *added) stayed(t Text, requests int, millionths float64) {
	s := x.of(t.ID)
	s.Calls += requests
	s.Own = s.Own.Plus(cache.Usage{Prompt: t.Tokens * requests, Read: t.Tokens * requests})
	s.Reads += float64(t.Tokens) * millionths / 1e6
}

// share adds what is different beside the texts themselves to those that were put last.
func (x *added) share(rest Total) {
	blame := x.blame
	if rest == (Total{}) || len(blame) == 0 {
		return
	}
	sum := 0
	for _, t := range blame {
		sum += t.Tokens
	}
	left := rest
	for i, t := range blame {
		part := left
		if i < len(blame)-1 {
			part = rest.part(t.Tokens, sum)
			left.Usage = left.Minus(part.Usage)
			left.Dollars -= part.Dollars
		}
		s := x.of(t.ID)
		s.Moved = s.Moved.Plus(part.Usage)
		s.Harm += part.Dollars
	}
}

// part returns n of sum parts, in whole tokens. The parts of a difference are a difference: what is read less is written or plain.
func (t Total) part(n, sum int) Total {
	of := func(v int) int { return v * n / max(sum, 1) }
	return Total{cache.Usage{Prompt: of(t.Prompt), Read: of(t.Read), Write: of(t.Write), Hour: of(t.Hour)}, t.Dollars * float64(n) / float64(max(sum, 1))}
}

// Base returns what the run came to without reminders: what was recorded, where it was.
func (a *Account) Base() Total { return a.base }

// Added returns what a way adds. ok is false where a model does not take it, which refused names.
func (a *Account) Added(w Way) (x Added, refused string, ok bool) {
	if w == None || a.ways[w] == nil {
		return x, a.refused[w], false
	}
	return a.ways[w].report(w, a.base), "", true
}

// Default returns what reminders add that go out as each model takes them best.
func (a *Account) Default() Added { return a.auto.report(None, a.base) }

func (x *added) report(w Way, base Total) Added {
	out := Added{Way: w, Total: x.total, More: Total{x.total.Minus(base.Usage), x.total.Dollars - base.Dollars}}
	for _, id := range x.order {
		out.Shares = append(out.Shares, *x.shares[id])
	}
	slices.SortFunc(out.Shares, func(a, b Share) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
