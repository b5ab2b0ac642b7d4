package cost

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
)

// bill is a call, without texts or with them.
type bill struct {
	Total
	texts []portion // until the next call is sent
}

// billed is a call as it was recorded, and with texts.
type billed struct {
	Call
	step
	price      Price
	priced     bool
	bare, sent bill
}

// rulesOf returns a function that returns the cache rules of a model. Where the recording tells reads and
// writes, it decides them, and the rules on the lifetime and the least length of entries are off.
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

// simulate sends a run without texts and with them, call by call.
func simulate(calls []Call, prices Prices) iter.Seq2[int, billed] {
	return func(yield func(int, billed) bool) {
		rules := rulesOf(calls)
		bare := &variant{}
		sent := &variant{puts: true, lapses: model.Of(calls[0].Model).Delivery.ClearAt != ""}
		for n, s := range plan(calls, rules) {
			b := billed{Call: calls[n], step: s}
			r, now := rules(b.Model), time.Unix(0, 0)
			if !b.At.IsZero() && r.TTL > 0 {
				now = b.At
			}
			bare.turn(b.Model, r, s)
			sent.turn(b.Model, r, s)
			extra := agree(bare, sent, s, now)
			b.price, b.priced = prices.Of(b.Model)
			b.bare = bare.send(b.Call, s, n, extra, now)
			b.sent = sent.send(b.Call, s, n, extra, now)
			b.settle()
			if !yield(n, b) {
				return
			}
		}
	}
}

// agree changes the caches of both variants so that they hold the prefix that this request has read by the
// recording, and nothing longer. It returns the offset of that prefix where the request needs one more
// breakpoint there to find the entry, else 0.
func agree(bare, sent *variant, s step, now time.Time) (extra int) {
	if s.read < 0 {
		return 0
	}
	got := bare.count(s, now).Read
	if off := got - s.read; max(off, -off) <= slack(bare.p.Rules()) {
		return 0
	}
	held := bare.c.Holds(bare.p, bare.at(s.read), now)
	for _, v := range []*variant{bare, sent} {
		n := v.at(s.read)
		if got > s.read {
			v.c.Forget(v.p.TokensTo(n))
		}
		if !held {
			v.c.Warm(v.p, n, now)
		}
	}
	return s.read
}

// slack returns by how many tokens a computed and a recorded read may differ and still mean the same: 0,
// except for caches whose entries end at steps, since there bytes are counted.
func slack(r model.Cache) int {
	if r.Kind == model.Stepped {
		return max(r.Step, 16)
	}
	return 0
}

// settle sets the cost of the call: the recorded cost, plus the difference that the texts make.
func (b *billed) settle() {
	base := b.bare.Usage
	for _, t := range []*Total{&b.bare.Total, &b.sent.Total} {
		if b.Recorded.Cached {
			t.Usage = b.Recorded.Usage.Plus(t.Usage.Minus(base))
		}
		t.Dollars = b.price.At(t.Prompt).Cost(t.Tokens())
	}
}

// variant is a run sent without texts or with them: its prompt, and its cache.
type variant struct {
	puts   bool // the texts are sent
	lapses bool // with their turn; else they stay in later requests
	model  string
	p      *promptcache.Prompt
	c      promptcache.Cache
	units  []unit    // those of p that stay in later requests
	stay   []int     // the indexes of those units that are reminders' texts
	texts  []portion // memory for those of the latest request
	ends   []int     // the last units of earlier requests, for caches that look for these
}

// lookback is how many ends of earlier requests a cache looks for at most.
const lookback = 20

// unit is a piece of the conversation, or a reminder's text.
type unit struct {
	piece
	text *Text // nil: the client's
}

// portion is the part of a text in the usage of one request.
type portion struct {
	id  string
	use promptcache.Usage
}

// turn changes the conversation to that of a request.
func (v *variant) turn(id string, rules model.Cache, s step) {
	if v.p == nil || id != v.model {
		v.model, v.p = id, promptcache.New(id, rules)
		for _, u := range v.units {
			v.p.Add(u.cached())
		}
	}
	if s.keep >= 0 {
		n := v.at(s.keep)
		v.units = v.units[:n]
		v.p.Cut(n)
		v.ends = v.ends[:sort.SearchInts(v.ends, n)]
		v.stay = v.stay[:sort.SearchInts(v.stay, n)]
	}
	for _, p := range s.add {
		v.add(unit{piece: p})
	}
}

func (v *variant) add(u unit) {
	v.units = append(v.units, u)
	v.p.Add(u.cached())
}

func (u unit) cached() promptcache.Unit {
	return promptcache.Unit{Raw: u.name, Bytes: 4 * u.tokens, Joined: u.joined}
}

// at returns how many units there are up to an offset, without the texts right after that.
func (v *variant) at(offset int) int {
	n := sort.Search(len(v.units), func(i int) bool { return v.units[i].to > offset })
	for n > 0 && v.units[n-1].text != nil {
		n--
	}
	return n
}

// mark sets the breakpoints of a request: the client's, the last of which is on unit last, and one at the
// offset extra, unless that is 0.
func (v *variant) mark(s step, extra int, last int) {
	v.p.Marks = v.p.Marks[:0]
	v.p.Initial = v.p.Initial[:0]
	for i, m := range s.marks {
		at := v.at(m.at) - 1
		if i == len(s.marks)-1 {
			at = last
		}
		v.breakAt(at, m.hour)
		if i == 0 && len(s.marks) > 1 && at >= 0 {
			v.p.Initial = append(v.p.Initial, at)
		}
	}
	if extra > 0 {
		v.breakAt(v.at(extra)-1, false)
	}
	if v.p.Endings = nil; len(s.marks) > 0 {
		v.p.Endings = append(slices.Clone(v.ends[max(0, len(v.ends)-lookback):]), last)
	}
	if v.p.Rules().Kind == model.Endings {
		v.p.Marks = v.p.Marks[:0] // with such caches clients set no breakpoints
		if extra > 0 {
			v.p.Initial = append(v.p.Initial, v.at(extra)-1)
		}
	}
}

func (v *variant) breakAt(unit int, hour bool) {
	if unit < 0 {
		return
	}
	n, is := slices.BinarySearchFunc(v.p.Marks, unit, func(m promptcache.Mark, unit int) int {
		return m.Unit - unit
	})
	if !is {
		v.p.Marks = slices.Insert(v.p.Marks, n, promptcache.Mark{})
	}
	v.p.Marks[n] = promptcache.Mark{Unit: unit, Hour: hour || v.p.Marks[n].Hour}
}

// count returns the usage of a request without texts. The cache stays as it is.
func (v *variant) count(s step, now time.Time) promptcache.Usage {
	v.mark(s, 0, v.at(s.ends)-1)
	return v.c.Count(v.p, now)
}

// send sends the n-th request of the run, after turn has changed the conversation. extra is the offset of one
// more breakpoint, 0 for none.
func (v *variant) send(c Call, s step, n, extra int, now time.Time) bill {
	last := v.at(s.ends) - 1
	first := v.p.Len()
	var texts []Text
	if v.puts {
		texts = c.Fired
	}
	for i, t := range texts {
		u := unit{piece{name: fmt.Sprintf("text %d.%d", n, i), to: s.ends, tokens: t.Tokens}, &texts[i]}
		if v.lapses {
			v.p.Add(u.cached())
		} else {
			v.stay = append(v.stay, len(v.units))
			v.add(u)
		}
	}
	if s.rest > 0 {
		v.p.Add(promptcache.Unit{Raw: "rest " + strconv.Itoa(n), Bytes: 4 * s.rest})
	}
	v.mark(s, extra, last)
	out := bill{Total: Total{Usage: v.c.Serve(v.p, now)}, texts: v.texts[:0]}
	for _, at := range v.stay {
		if at < first {
			out.texts = append(out.texts, v.share(out.Usage, v.units[at].text.ID, at))
		}
	}
	for i, t := range texts {
		out.texts = append(out.texts, v.share(out.Usage, t.ID, first+i))
	}
	v.texts = out.texts
	if v.p.Rules().Outputs { // the cache stores the answer, too
		for _, p := range s.reply {
			v.p.Add(unit{piece: p}.cached())
		}
		v.c.Serve(v.p, now)
	}
	v.p.Cut(len(v.units))
	v.ends = append(v.ends, v.at(s.ends)-1)
	return out
}

// share returns the part of unit at in the usage u of a request. The tokens of a prompt are read up to one
// place, then written up to another, and then neither.
func (v *variant) share(u promptcache.Usage, id string, at int) portion {
	from, to := v.p.TokensTo(at), v.p.TokensTo(at+1)
	within := func(end int) int { return min(max(end-from, 0), to-from) }
	read := within(u.Read)
	return portion{id, promptcache.Usage{
		Prompt: to - from,
		Read:   read,
		Write:  within(u.Read+u.Write) - read,
		Hour:   within(u.Read+u.Hour) - read,
	}}
}
