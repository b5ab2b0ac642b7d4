package cost

import (
	"slices"
	"sort"
	"strconv"

	"github.com/aside-go/aside/inject/wire/cache"
)

// step is what a request changes in the conversation of its run. Offsets are tokens of the conversation as the client has it,
// without any text of ours.
type step struct {
	keep  int     // offset from which on the history is another; -1: it goes on
	add   []piece // behind it
	rest  int     // tokens behind the last breakpoint, in this request alone
	read  int     // offset to which the recording says that the cache was read; -1: it does not say
	marks []mark  // breakpoints of the client
	ends  int     // offset at which the request ends, but for rest
	reply []piece // the answer
	known bool    // the length of the prompt was recorded
}

// piece is a stretch of a conversation.
type piece struct {
	name   string // no other stretch of the run has it
	to     int    // offset at which it ends
	tokens int
	joined bool
}

// mark is a breakpoint at an offset.
type mark struct {
	at   int
	hour bool
}

// plan finds out how the requests of a run must have been made up for its usage to be what was recorded. rules are those of the
// model of each call.
func plan(calls []Call, rules func(model string) cache.Rules) []step {
	p := planner{cuts: cuts(calls), system: prefix(calls)}
	if at, is := slices.BinarySearch(p.cuts, p.system); !is {
		p.cuts = slices.Insert(p.cuts, at, p.system)
	}
	out := make([]step, len(calls))
	for i, c := range calls {
		next := 0
		if i+1 < len(calls) {
			next = calls[i+1].Recorded.Read
		}
		out[i] = p.step(i, c, rules(c.Model), next)
	}
	return out
}

// planner is where a conversation has come to.
type planner struct {
	cuts   []int // offsets at which some request stopped to read or to write, sorted
	system int   // offset of a breakpoint that each request has: of what comes before the conversation
	end    int   // of the conversation
	ends   []int // of its pieces
	answer int   // tokens of the latest answer
	epoch  int   // how often the history was rewritten
}

// cuts returns the offsets at which pieces must end.
func cuts(calls []Call) (list []int) {
	for _, c := range calls {
		if r := c.Recorded; r.Cached {
			list = append(list, r.Read, r.Read+r.Hour, r.Read+r.Write)
		}
		if r := c.Recorded; r.Read+r.Write == 0 {
			list = append(list, r.Prompt)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// prefix returns to where tools and system prompt reach, as far as the recording shows: to what was read when the rest of the
// conversation was not in the cache. 0 where that never happened; then it is taken to be the whole of the first request, which is
// too much by its prompt.
func prefix(calls []Call) int {
	if calls[0].System > 0 {
		return calls[0].System
	}
	least, before := 0, -1
	for _, c := range calls {
		r := c.Recorded
		if r.Cached && r.Read > 0 && r.Read != before && (least == 0 || r.Read < least) {
			least = r.Read
		}
		before = r.Read + r.Write
	}
	return least
}

// step takes the next call, the i-th from 0. next is what the one behind it has read: where that is more than this one has read and
// written, and no more than it has sent, the breakpoint stood behind what was billed plainly.
func (p *planner) step(i int, c Call, rules cache.Rules, next int) step {
	s := step{keep: -1, read: -1, known: c.Recorded.Prompt > 0}
	r := c.Recorded
	length, end := r.Prompt, r.Prompt
	switch {
	case length == 0: // unknown: what was there, and what is new
		length = p.end + max(cache.Tokens(c.New), 1)
		if c.Rewritten {
			length = p.system + max(cache.Tokens(c.New), 1)
		}
		end = length
	case r.Cached && rules.Kind != cache.Stepped && r.Read+r.Write > 0:
		if end = r.Read + r.Write; next > end && next <= length {
			end = next
		}
	}
	s.rest, s.ends = length-end, end
	if r.Cached {
		s.read = r.Read
	}
	if i > 0 && (c.Rewritten || end < p.end) {
		s.keep = p.system
		if r.Cached {
			s.keep = r.Read
		}
		p.cutBack(min(s.keep, end))
		s.keep = p.end
		p.epoch++
		p.answer = 0
	}
	s.add = p.pieces(end, c.Blocks)
	for _, x := range s.add {
		p.ends = append(p.ends, x.to)
	}
	if i == 0 && p.system == 0 {
		p.system = end
	}
	s.marks = p.marks(r, end)
	p.end, p.answer = end, r.Output
	s.reply = p.cut(nil, end, end+r.Output)
	return s
}

// marks returns the breakpoints of a request that ends at an offset; none where the recording says that it was not cached.
func (p *planner) marks(r Recorded, end int) (out []mark) {
	if r.Cached && r.Read+r.Write == 0 {
		return nil
	}
	if p.system <= end {
		out = append(out, mark{p.system, r.Hour > 0 && p.system <= r.Read+r.Hour})
	}
	if 0 < r.Hour && r.Hour < r.Write {
		out = append(out, mark{r.Read + r.Hour, true})
	}
	return append(out, mark{end, r.Hour > 0 && r.Hour >= r.Write})
}

// cutBack leaves the pieces up to an offset.
func (p *planner) cutBack(to int) {
	for len(p.ends) > 0 && p.ends[len(p.ends)-1] > to {
		p.ends = p.ends[:len(p.ends)-1]
	}
	p.end = 0
	if n := len(p.ends); n > 0 {
		p.end = p.ends[n-1]
	}
}

// pieces returns the stretches from the end of the conversation to a new one: the answer to the request before, then what is told
// to the model. They take so many positions.
func (p *planner) pieces(to, positions int) []piece {
	out := p.cut(nil, p.end, min(p.end+p.answer, to))
	out = p.cut(out, min(p.end+p.answer, to), to)
	for n := range out {
		out[n].joined = n >= positions
	}
	for n := len(out); 0 < n && n < positions; n++ { // blocks without a length: only how many there are counts
		last := out[len(out)-1]
		out = append(out, piece{name: last.name + "+" + strconv.Itoa(n), to: last.to})
	}
	return out
}

// cut appends the stretches from an offset to another, which end wherever some request stopped to read.
func (p *planner) cut(out []piece, from, to int) []piece {
	put := func(at int) {
		if at > from {
			out = append(out, piece{name: strconv.Itoa(p.epoch) + ":" + strconv.Itoa(from), to: at, tokens: at - from})
			from = at
		}
	}
	for i := sort.SearchInts(p.cuts, from+1); i < len(p.cuts) && p.cuts[i] < to; i++ {
		put(p.cuts[i])
	}
	put(to)
	return out
}
