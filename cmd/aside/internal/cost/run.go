package cost

import (
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/price"
	"github.com/aside-go/aside/internal/model"
)

// bill is a call in one way.
type bill struct {
	Total
	texts []placed
	lane  *lane
	read  int // sent.read
}

// billed is a call in all ways.
type billed struct {
	Call
	step
	price  price.Row
	priced bool
	ways   [Naive + 1]bill
}

// takes says by way whether texts can go to a model.
type takes [Naive + 1]bool

// takenBy returns the ways that a model takes, by the table of models.
func takenBy(id string) takes {
	d := model.Of(id).Delivery
	return takes{Native: d.ClearAt != "", Anchored: true, Tail: !d.Binds, Naive: true}
}

// standard returns the default way.
func (t takes) standard() Way {
	if t[Native] {
		return Native
	}
	return Anchored
}

// rulesOf returns a function that returns the cache rules of a model. Where the recording says what was read and written, it decides
// that, and the rules on how long entries live and how short they may be are off.
func rulesOf(calls []Call) func(id string) model.Cache {
	recorded, writes := false, false
	for _, c := range calls {
		recorded = recorded || c.Recorded.Cached
		writes = writes || c.Recorded.Write > 0
	}
	return func(id string) model.Cache {
		r := model.Of(id).Cache
		unknown := r.Unknown != ""
		switch {
		case unknown && writes:
			r = model.Cache{Kind: model.Marked}
		case unknown && recorded:
			r = model.Cache{Kind: model.Stepped, Step: 1}
		}
		if recorded {
			r.Minimum, r.TTL = 0, 0
		}
		return r
	}
}

// player sends a run in every way, call by call.
type player struct {
	calls  []Call
	steps  []step
	rules  func(id string) model.Cache
	prices price.List
	lanes  []*lane
	n      int
}

func newPlayer(calls []Call, prices price.List) *player {
	p := &player{calls: calls, rules: rulesOf(calls), prices: prices}
	p.steps = plan(calls, p.rules)
	for w := None; w <= Naive; w++ {
		p.lanes = append(p.lanes, &lane{way: w, stays: stays{over: func(Text, int, float64) {}}})
	}
	return p
}

// next sends the next call; ok is false where there is none.
func (p *player) next() (b billed, ok bool) {
	if p.n == len(p.calls) {
		return b, false
	}
	b.Call, b.step = p.calls[p.n], p.steps[p.n]
	rules, now := p.rules(b.Model), time.Unix(0, 0)
	if !b.At.IsZero() && rules.TTL > 0 {
		now = b.At
	}
	for _, l := range p.lanes {
		l.turn(b.Model, rules, b.step)
	}
	extra := agree(p.lanes, b.step, now)
	b.price, b.priced = p.prices.Of(b.Model)
	for _, l := range p.lanes {
		got := l.send(b.Call, b.step, p.n, extra, now)
		b.ways[l.way] = bill{Total{Usage: got.Usage}, got.texts, l, got.read}
	}
	p.n++
	b.settle()
	return b, true
}

// agree changes the caches of all lanes so that they hold what the recording says was read by this request, and nothing longer. It
// returns the offset up to which was read where the request needs one more breakpoint there to find that entry, else 0.
func agree(lanes []*lane, s step, now time.Time) (extra int) {
	base := lanes[None]
	if s.read < 0 {
		return 0
	}
	got := base.count(s, now).Read
	if off := got - s.read; max(off, -off) <= slack(base.p.Rules()) {
		return 0
	}
	held := base.c.Holds(base.p, base.at(s.read), now)
	for _, l := range lanes {
		n := l.at(s.read)
		if got > s.read {
			l.c.Forget(l.p.TokensTo(n))
		}
		if !held {
			l.c.Warm(l.p, n, now)
		}
	}
	return s.read
}

// slack returns by how many tokens a computed and a recorded read may differ and still mean the same: 0, except for caches whose entries
// end at steps, since there bytes are counted.
func slack(r model.Cache) int {
	if r.Kind == model.Stepped {
		return max(r.Step, 16)
	}
	return 0
}

// settle sets what the call costs in each way: what was recorded, plus what was counted beyond the way without texts.
func (b *billed) settle() {
	base := b.ways[None].Usage
	for w := range b.ways {
		t := &b.ways[w].Total
		if b.Recorded.Cached {
			t.Usage = b.Recorded.Usage.Plus(t.Usage.Minus(base))
		}
		t.Dollars = b.price.At(t.Prompt).Prompt(t.Usage)
	}
}
