package cost

import (
	"slices"
	"sort"
	"strconv"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/model"
)

// step is the change of a request to the conversation of its run. Offsets are in tokens of the client's
// conversation, without the texts of reminders.
type step struct {
	keep  int     // the offset up to which the history is kept; -1: all of it
	add   []piece // appended then
	rest  int     // tokens after the last breakpoint, in this request only
	read  int     // the offset up to which the cache was read, as recorded; -1: not recorded
	marks []mark  // the client's breakpoints
	ends  int     // the offset at which the request ends, without rest
	reply []piece // the answer
	known bool    // the length of the prompt was recorded
}

// piece is a piece of a conversation.
type piece struct {
	name   string // unique in the run
	to     int    // the offset at which the piece ends
	tokens int
	joined bool // promptcache.Unit.Joined
}

// mark is a breakpoint at an offset.
type mark struct {
	at   int
	hour bool
}

// plan reconstructs the requests of a run, so that their usage is the recorded usage. rules returns the
// cache rules of a model.
func plan(calls []Call, rules func(id string) model.Cache) []step {
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

// planner is the state of a conversation between two requests.
type planner struct {
	cuts   []int // the offsets at which some request stopped reading or writing, sorted
	system int   // the offset where tools and system prompt end, at which each request has a breakpoint
	end    int   // the offset where the conversation ends
	ends   []int // the offsets where its pieces end
	answer int   // tokens of the latest answer
	epoch  int   // how often the history was rewritten
}

// cuts returns the offsets at which pieces must end, sorted.
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

// prefix returns the offset where tools and system prompt end, as far as the recording shows: up to there was
// read when the rest of the conversation was not in the cache. It is 0 where that never happened. Then the
// whole first request is taken for them, which is too much by the first prompt.
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

// step returns the step of the next call, the i-th from 0. next is the recorded read of the call after it:
// where that is more than this call has read and written, and no more than its prompt, the breakpoint was
// after tokens that were billed as plain input.
func (p *planner) step(i int, c Call, rules model.Cache, next int) step {
	s := step{keep: -1, read: -1, known: c.Recorded.Prompt > 0}
	r := c.Recorded
	length, end := r.Prompt, r.Prompt
	switch {
	case length == 0: // unknown: take the conversation so far, and an estimate of the new part
		length = p.end + max(reminder.Tokens(c.New), 1)
		if c.Rewritten {
			length = p.system + max(reminder.Tokens(c.New), 1)
		}
		end = length
	case r.Cached && rules.Kind != model.Stepped && r.Read+r.Write > 0:
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

// marks returns the breakpoints of a request that ends at an offset; none where the recording says that
// nothing was cached.
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

// cutBack removes the pieces that end after an offset.
func (p *planner) cutBack(to int) {
	for len(p.ends) > 0 && p.ends[len(p.ends)-1] > to {
		p.ends = p.ends[:len(p.ends)-1]
	}
	p.end = 0
	if n := len(p.ends); n > 0 {
		p.end = p.ends[n-1]
	}
}

// pieces returns the pieces from the end of the conversation up to an offset: the answer to the request
// before, then the new messages to the model. They take a number of positions of a cache's lookback.
func (p *planner) pieces(to, positions int) []piece {
	out := p.cut(nil, p.end, min(p.end+p.answer, to))
	out = p.cut(out, min(p.end+p.answer, to), to)
	for n := range out {
		out[n].joined = n >= positions
	}
	for n := len(out); 0 < n && n < positions; n++ { // add empty pieces, since only their number counts
		last := out[len(out)-1]
		out = append(out, piece{name: last.name + "+" + strconv.Itoa(n), to: last.to})
	}
	return out
}

// cut appends the pieces from an offset to another, which end at each of p.cuts between them.
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
