package cost

import (
	"maps"
	"slices"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
)

// Total is the tokens of prompts and their price.
type Total struct {
	promptcache.Usage
	Dollars float64 // of those calls whose price is known
}

func (t *Total) add(u Total) {
	t.Usage = t.Usage.Plus(u.Usage)
	t.Dollars += u.Dollars
}

// Share is the part of a reminder in the addition of a way to the runs. Own are the reminder's tokens.
// Moved are the client's tokens that were written, or sent without the cache, although the run without
// reminders reads them: since these are fewer reads and as many other tokens, Moved.Prompt is 0. The sum
// over all reminders of Own and Moved is the addition in tokens, that of Fresh, Reads and Harm the addition
// in dollars.
type Share struct {
	ID     string
	Fires  int
	Tokens int // of all firings, with the tags
	Calls  int // in how many requests its texts were, summed over its firings
	Own    promptcache.Usage
	Moved  promptcache.Usage
	Fresh  float64 // dollars for the tokens of Own that were not read from the cache
	Reads  float64 // dollars for the tokens of Own that were
	Harm   float64 // dollars for Moved
}

// Dollars returns the cost of the reminder.
func (s Share) Dollars() float64 { return s.Fresh + s.Reads + s.Harm }

// Added is the addition of a way to the runs of an account.
type Added struct {
	Way    Way
	Total  Total   // of all requests
	More   Total   // Total beyond the runs without reminders
	Shares []Share // by id
}

// Account sums up runs.
type Account struct {
	Runs, Calls int
	Cached      int     // calls whose reads and writes are known
	Measured    int     // calls whose prompt's length is known
	Spoke       int     // calls whose Output is known
	Output      int     // tokens of answers
	Answers     float64 // dollars for answers

	Priced   int               // calls whose price is known
	Unpriced map[string]int    // by model, calls whose price is not known
	Prices   map[string]Priced // by model

	bare    Total
	ways    [Naive + 1]*sums // nil: the model of some run does not take this way
	auto    *sums            // with the default of each model
	refused map[Way]string   // the model that does not take a way
}

// Priced is a price, and how many calls had it.
type Priced struct {
	Price
	Calls int
	Longs int // calls whose prompts were longer than Above
}

// sums collects an Added.
type sums struct {
	total  Total
	shares map[string]*Share // by id
	blame  []Text            // the texts that were put last, which changes in the cache are put down to
}

// Play adds a run whose requests were sent in this order.
func (a *Account) Play(calls []Call, prices Prices) {
	if len(calls) == 0 {
		return
	}
	a.begin(calls)
	s := newSimulation(calls, prices)
	to := a.targets(calls[0].Model)
	for b, ok := s.next(); ok; b, ok = s.next() {
		a.call(&b)
		for w, list := range to {
			for _, x := range list {
				x.call(Way(w), &b)
			}
		}
	}
}

// targets returns, by way, the sums that a run counts in: each way in its own, and the default of the model
// also in auto.
func (a *Account) targets(model string) (to [Naive + 1][]*sums) {
	for w := Native; w <= Naive; w++ {
		if x := a.ways[w]; x != nil {
			to[w] = append(to[w], x)
		}
	}
	w := takenBy(model).standard()
	to[w] = append(to[w], a.auto)
	return to
}

// begin prepares the account for a run: a way that the model of one of its calls does not take is dropped.
func (a *Account) begin(calls []Call) {
	if a.Unpriced == nil {
		a.Unpriced, a.Prices = map[string]int{}, map[string]Priced{}
		a.refused = map[Way]string{}
		a.auto = newSums()
		for w := range a.ways {
			a.ways[w] = newSums()
		}
	}
	a.Runs++
	for _, c := range calls {
		for w, yes := range takenBy(c.Model) {
			if !yes && a.ways[w] != nil {
				a.ways[w], a.refused[Way(w)] = nil, c.Model
			}
		}
	}
}

func newSums() *sums { return &sums{shares: map[string]*Share{}} }

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
	a.bare.add(b.ways[None].Total)
	if !b.priced {
		a.Unpriced[b.Model]++
		return
	}
	a.Priced++
	a.Answers += b.price.At(b.ways[None].Prompt).Cost(model.Tokens{Output: int64(r.Output)})
	p := a.Prices[b.Model]
	p.Price = b.price
	p.Calls++
	if r := b.price; r.Above > 0 && b.ways[None].Prompt > r.Above {
		p.Longs++
	}
	a.Prices[b.Model] = p
}

func (x *sums) of(id string) *Share {
	s := x.shares[id]
	if s == nil {
		s = &Share{ID: id}
		x.shares[id] = s
	}
	return s
}

// call adds a call: the tokens of each text to its reminder, and all other differences to the texts that were
// put last.
func (x *sums) call(w Way, b *billed) {
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
	var own Total
	for _, t := range got.texts {
		s := x.of(t.id)
		s.Calls++
		s.Own = s.Own.Plus(t.use)
		reads := rates.Cost(model.Tokens{Read: int64(t.use.Read)})
		s.Reads += reads
		s.Fresh += rates.Cost(t.use.Tokens()) - reads
		own.Usage = own.Plus(t.use)
	}
	own.Dollars = rates.Cost(own.Tokens())
	x.share(Total{got.Minus(base.Usage).Minus(own.Usage), got.Dollars - base.Dollars - own.Dollars})
}

// share distributes all differences but the texts' own tokens among the texts that were put last, by their
// lengths.
func (x *sums) share(rest Total) {
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

// part returns n/sum of t, in whole tokens. What is part of a difference is one, too: tokens that are read
// less are written or plain.
func (t Total) part(n, sum int) Total {
	of := func(v int) int { return v * n / max(sum, 1) }
	return Total{promptcache.Usage{Prompt: of(t.Prompt), Read: of(t.Read), Write: of(t.Write), Hour: of(t.Hour)},
		t.Dollars * float64(n) / float64(max(sum, 1))}
}

// Base returns the total without reminders: the recorded tokens, and computed ones where nothing was
// recorded.
func (a *Account) Base() Total { return a.bare }

// Added returns the addition of a way. ok is false where a model does not take the way; refused is that
// model.
func (a *Account) Added(w Way) (x Added, refused string, ok bool) {
	if w == None || a.ways[w] == nil {
		return x, a.refused[w], false
	}
	return a.ways[w].report(w, a.bare), "", true
}

// Default returns the addition of reminders in the default way of each model.
func (a *Account) Default() Added { return a.auto.report(None, a.bare) }

func (x *sums) report(w Way, base Total) Added {
	out := Added{Way: w, Total: x.total, More: Total{x.total.Minus(base.Usage), x.total.Dollars - base.Dollars}}
	for _, id := range slices.Sorted(maps.Keys(x.shares)) {
		out.Shares = append(out.Shares, *x.shares[id])
	}
	return out
}
