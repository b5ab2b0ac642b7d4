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

// Share is the part of a reminder in the addition to the runs. Own are the reminder's tokens.
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

// Added is the addition of reminders to the runs of an account.
type Added struct {
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

	bare, sent Total             // without reminders, and with them
	shares     map[string]*Share // by id
}

// Priced is a price, and how many calls had it.
type Priced struct {
	Price
	Calls int
	Longs int // calls whose prompts were longer than Above
}

// Play adds a run whose requests were sent in this order.
func (a *Account) Play(calls []Call, prices Prices) {
	if len(calls) == 0 {
		return
	}
	if a.Unpriced == nil {
		a.Unpriced, a.Prices, a.shares = map[string]int{}, map[string]Priced{}, map[string]*Share{}
	}
	a.Runs++
	var blame []Text // the texts that were put last, which changes in the cache are put down to
	for _, b := range simulate(calls, prices) {
		a.call(&b)
		if len(b.Fired) > 0 {
			blame = b.Fired
		}
		a.blame(blame, a.own(&b))
	}
}

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
	a.bare.add(b.bare.Total)
	a.sent.add(b.sent.Total)
	if !b.priced {
		a.Unpriced[b.Model]++
		return
	}
	a.Priced++
	a.Answers += b.price.At(b.bare.Prompt).Cost(model.Tokens{Output: int64(r.Output)})
	p := a.Prices[b.Model]
	p.Price = b.price
	p.Calls++
	if r := b.price; r.Above > 0 && b.bare.Prompt > r.Above {
		p.Longs++
	}
	a.Prices[b.Model] = p
}

func (a *Account) of(id string) *Share {
	s := a.shares[id]
	if s == nil {
		s = &Share{ID: id}
		a.shares[id] = s
	}
	return s
}

// own adds the tokens of each text of a call to its reminder. It returns all other differences to the call
// without texts.
func (a *Account) own(b *billed) (rest Total) {
	for _, t := range b.Fired {
		s := a.of(t.ID)
		s.Fires++
		s.Tokens += t.Tokens
	}
	rates := b.price.At(b.sent.Prompt)
	var own Total
	for _, t := range b.sent.texts {
		s := a.of(t.id)
		s.Calls++
		s.Own = s.Own.Plus(t.use)
		reads := rates.Cost(model.Tokens{Read: int64(t.use.Read)})
		s.Reads += reads
		s.Fresh += rates.Cost(t.use.Tokens()) - reads
		own.Usage = own.Plus(t.use)
	}
	own.Dollars = rates.Cost(own.Tokens())
	return Total{b.sent.Minus(b.bare.Usage).Minus(own.Usage), b.sent.Dollars - b.bare.Dollars - own.Dollars}
}

// blame distributes a difference that is no text's own among texts, by their lengths.
func (a *Account) blame(texts []Text, rest Total) {
	if rest == (Total{}) || len(texts) == 0 {
		return
	}
	sum := 0
	for _, t := range texts {
		sum += t.Tokens
	}
	left := rest
	for i, t := range texts {
		part := left
		if i < len(texts)-1 {
			part = rest.part(t.Tokens, sum)
			left.Usage = left.Minus(part.Usage)
			left.Dollars -= part.Dollars
		}
		s := a.of(t.ID)
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

// Added returns the addition of the reminders.
func (a *Account) Added() Added {
	out := Added{Total: a.sent, More: Total{a.sent.Minus(a.bare.Usage), a.sent.Dollars - a.bare.Dollars}}
	for _, id := range slices.Sorted(maps.Keys(a.shares)) {
		out.Shares = append(out.Shares, *a.shares[id])
	}
	return out
}
