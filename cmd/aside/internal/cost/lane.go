package cost

import (
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
)

// lane is a run sent in one way: its prompt, and its cache.
type lane struct {
	way   Way
	model string
	p     *promptcache.Prompt
	c     promptcache.Cache
	units []unit // those of p that stay in later requests
	ends  []int  // the last units of earlier requests, for caches that look for these
	stays
}

// lookback is how many ends of earlier requests a cache looks for at most.
const lookback = 20

// unit is a piece of the conversation, or a reminder's text.
type unit struct {
	piece
	text *Text // nil: the client's
}

// sent is the result of sending a request.
type sent struct {
	promptcache.Usage
	texts []placed
	read  int // how many texts of stays are not in texts, since all of them was read from the cache
}

// placed is the part of a text in the usage of one request.
type placed struct {
	id  string
	use promptcache.Usage
}

// turn changes the conversation to that of a request.
func (l *lane) turn(id string, rules model.Cache, s step) {
	if l.p == nil || id != l.model {
		l.model, l.p = id, promptcache.New(id, rules)
		for _, u := range l.units {
			l.p.Add(u.cached())
		}
	}
	if s.keep >= 0 {
		n := l.at(s.keep)
		l.units = l.units[:n]
		l.p.Cut(n)
		l.ends = l.ends[:sort.SearchInts(l.ends, n)]
		l.stays.cut(n)
	}
	for _, p := range s.add {
		l.add(unit{piece: p})
	}
}

func (l *lane) add(u unit) {
	l.units = append(l.units, u)
	l.p.Add(u.cached())
}

func (u unit) cached() promptcache.Unit {
	return promptcache.Unit{Raw: u.name, Bytes: 4 * u.tokens, Joined: u.joined}
}

// at returns how many units there are up to an offset, without the texts right after that.
func (l *lane) at(offset int) int {
	n := sort.Search(len(l.units), func(i int) bool { return l.units[i].to > offset })
	for n > 0 && l.units[n-1].text != nil {
		n--
	}
	return n
}

// mark sets the breakpoints of a request: the client's, the last of which is on unit last, and one at the offset extra, unless that is 0.
func (l *lane) mark(s step, extra int, last int) {
	l.p.Marks = l.p.Marks[:0]
	l.p.Initial = l.p.Initial[:0]
	for i, m := range s.marks {
		at := l.at(m.at) - 1
		if i == len(s.marks)-1 {
			at = last
		}
		l.breakAt(at, m.hour)
		if i == 0 && len(s.marks) > 1 && at >= 0 {
			l.p.Initial = append(l.p.Initial, at)
		}
	}
	if extra > 0 {
		l.breakAt(l.at(extra)-1, false)
	}
	if l.p.Endings = nil; len(s.marks) > 0 {
		l.p.Endings = append(slices.Clone(l.ends[max(0, len(l.ends)-lookback):]), last)
	}
	if l.p.Rules().Kind == model.Endings {
		l.p.Marks = l.p.Marks[:0] // with such caches clients set no breakpoints
		if extra > 0 {
			l.p.Initial = append(l.p.Initial, l.at(extra)-1)
		}
	}
}

func (l *lane) breakAt(unit int, hour bool) {
	if unit < 0 {
		return
	}
	n, is := slices.BinarySearchFunc(l.p.Marks, unit, func(m promptcache.Mark, unit int) int { return m.Unit - unit })
	if !is {
		l.p.Marks = slices.Insert(l.p.Marks, n, promptcache.Mark{})
	}
	l.p.Marks[n] = promptcache.Mark{Unit: unit, Hour: hour || l.p.Marks[n].Hour}
}

// count returns the usage of a request without texts. The cache stays as it is.
func (l *lane) count(s step, now time.Time) promptcache.Usage {
	l.mark(s, 0, l.at(s.ends)-1)
	return l.c.Count(l.p, now)
}

// send sends the n-th request of the run, after turn has changed the conversation. extra is the offset of one more breakpoint, 0 for
// none.
func (l *lane) send(c Call, s step, n, extra int, now time.Time) sent {
	last := l.at(s.ends) - 1
	first := l.p.Len()
	texts := l.way.puts(c)
	for i, t := range texts {
		u := unit{piece{"text " + strconv.Itoa(n) + "." + strconv.Itoa(i), s.ends, t.Tokens, l.way == Naive}, &texts[i]}
		switch l.way {
		case Anchored:
			l.stays.add(len(l.units), t)
			l.add(u)
		case Naive:
			last = l.p.Len()
			fallthrough
		default:
			l.p.Add(u.cached())
		}
	}
	if s.rest > 0 {
		l.p.Add(promptcache.Unit{Raw: "rest " + strconv.Itoa(n), Bytes: 4 * s.rest})
	}
	l.mark(s, extra, last)
	out := sent{Usage: l.c.Serve(l.p, now)}
	out.read = sort.Search(len(l.ours), func(i int) bool { return l.p.TokensTo(l.ours[i].unit+1) > out.Read })
	for _, x := range l.ours[out.read:] {
		if x.unit < first {
			out.texts = append(out.texts, l.share(out.Usage, x.ID, x.unit))
		}
	}
	for i, t := range texts {
		out.texts = append(out.texts, l.share(out.Usage, t.ID, first+i))
	}
	if l.p.Rules().Outputs { // the cache stores the answer, too
		for _, p := range s.reply {
			l.p.Add(unit{piece: p}.cached())
		}
		l.c.Serve(l.p, now)
	}
	l.p.Cut(len(l.units))
	l.ends = append(l.ends, l.at(s.ends)-1)
	return out
}

// share returns the part of unit at in the usage u of a request. The tokens of a prompt are read up to one place, then written up to
// another, and then neither.
func (l *lane) share(u promptcache.Usage, id string, at int) placed {
	from, to := l.p.TokensTo(at), l.p.TokensTo(at+1)
	within := func(end int) int { return min(max(end-from, 0), to-from) }
	read := within(u.Read)
	return placed{id, promptcache.Usage{
		Prompt: to - from,
		Read:   read,
		Write:  within(u.Read+u.Write) - read,
		Hour:   within(u.Read+u.Hour) - read,
	}}
}
