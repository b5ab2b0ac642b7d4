// Package promptcache computes the effect of prompt caches: how many tokens of each prompt are read from the
// cache, how many are written to it, and how many are neither. Package model says how each model is cached.
// This package knows neither prices in money nor request formats.
//
// A Prompt is a request as a cache sees it: a list of units, each with the text that tells it from others and
// the number of bytes that the model reads of it. A Cache serves prompts and remembers them. A Prompt may
// grow at its end at little cost; Cut takes away the units at its end that were there for one request only.
//
// A token is four bytes. Nothing here reads a clock: time is an argument. A Cache and a Prompt are for one
// goroutine at a time; the functions may be called concurrently.
package promptcache

import (
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/model"
)

// Cache is the prompt cache of one account: digests of prefixes, and how long they live. The zero Cache is
// empty.
type Cache struct {
	entries map[uint64]entry
	looks   bool // nothing is remembered; see Count
}

// entry is a prefix that is cached.
type entry struct {
	end   time.Time // when it is forgotten; the zero time: never
	bytes int       // length of the prefix
}

// Serve returns the reads and writes of a prompt at that time, and remembers the prompt.
func (c *Cache) Serve(p *Prompt, now time.Time) Usage {
	u := Usage{Prompt: p.Tokens()}
	switch p.cache.Kind {
	case model.Marked:
		c.marked(&u, p, now)
	case model.Stepped:
		u.Read = c.stepped(p, now)
	case model.Endings:
		c.endings(&u, p, now)
	}
	return u
}

// Count is Serve without remembering anything.
func (c *Cache) Count(p *Prompt, now time.Time) Usage {
	looking := Cache{c.entries, true}
	return looking.Serve(p, now)
}

// Holds reports whether the first n units of a prompt are cached; for kind Stepped, whether all whole steps
// in them are.
func (c *Cache) Holds(p *Prompt, n int, now time.Time) bool {
	if p.cache.Kind == model.Stepped {
		n = p.upTo(n).stride.n
		return n == 0 || c.has(p.steps[n-1], now)
	}
	return c.has(p.upTo(n).sum, now)
}

// Warm puts the first n units of a prompt into the cache, as if another request had.
func (c *Cache) Warm(p *Prompt, n int, now time.Time) {
	if p.cache.Kind == model.Stepped {
		c.keepSteps(p, 0, p.upTo(n).stride.n, now)
		return
	}
	c.put(p.upTo(n), now, p.cache.TTL)
}

// Forget drops the entries of all prefixes that are longer than so many tokens.
func (c *Cache) Forget(tokens int) {
	maps.DeleteFunc(c.entries, func(_ uint64, e entry) bool { return reminder.Tokens(e.bytes) > tokens })
}

// has reports whether the prefix with this digest is cached at that time.
func (c *Cache) has(sum uint64, now time.Time) bool {
	e, ok := c.entries[sum]
	return ok && (e.end.IsZero() || now.Before(e.end))
}

// put caches a prefix for ttl, 0 for ever. An entry that lives longer stays as it is.
func (c *Cache) put(u prefix, now time.Time, ttl time.Duration) {
	if c.looks {
		return
	}
	end := time.Time{}
	if ttl > 0 {
		end = now.Add(ttl)
	}
	if old, ok := c.entries[u.sum]; ok && (old.end.IsZero() || !end.IsZero() && old.end.After(end)) {
		return
	}
	if c.entries == nil {
		c.entries = map[uint64]entry{}
	}
	c.entries[u.sum] = entry{end, u.bytes}
}

// lookback is how many positions a breakpoint looks back for an entry, its own included (Anthropic, prompt
// caching).
const lookback = 20

// marked reads and writes at the client's breakpoints. An entry that is read lives on for the lifetime that
// the breakpoint asks for.
func (c *Cache) marked(u *Usage, p *Prompt, now time.Time) {
	life := func(m Mark) time.Duration {
		if m.Hour {
			return time.Hour
		}
		return p.cache.TTL
	}
	read := 0
	for _, m := range p.Marks {
		at := p.units[m.Unit]
		if reminder.Tokens(at.bytes) < p.cache.Minimum {
			continue
		}
		for k := m.Unit; k >= 0 && p.units[k].position > at.position-lookback; k-- {
			if c.has(p.units[k].sum, now) {
				c.put(p.units[k], now, life(m))
				read = max(read, reminder.Tokens(p.units[k].bytes))
				break
			}
		}
	}
	u.Read = read
	written := read
	for _, m := range p.Marks {
		at := p.units[m.Unit]
		n := reminder.Tokens(at.bytes)
		if n < p.cache.Minimum {
			continue
		}
		c.put(at, now, life(m))
		if n > written {
			u.Write += n - written
			if m.Hour {
				u.Hour += n - written
			}
			written = n
		}
	}
}

// stepped returns how many tokens of a prompt are cached, in whole steps, and caches all its steps. Whenever
// a step is cached, those in front of it are, for no less long; so the last one can be found by binary
// search.
func (c *Cache) stepped(p *Prompt, now time.Time) int {
	n := sort.Search(len(p.steps), func(i int) bool { return !c.has(p.steps[i], now) })
	from := n
	if p.cache.TTL > 0 {
		from = 0 // the lifetimes of all begin anew
	}
	c.keepSteps(p, from, len(p.steps), now)
	if read := n * p.cache.Step; read >= p.cache.Minimum {
		return read
	}
	return 0
}

// keepSteps caches steps from up to, but not including, to.
func (c *Cache) keepSteps(p *Prompt, from, to int, now time.Time) {
	for i := from; i < to; i++ {
		c.put(prefix{sum: p.steps[i], bytes: (i + 1) * 4 * p.cache.Step}, now, p.cache.TTL)
	}
}

// The breakpoints of kind Endings that count.
const (
	firstMarks   = 2  // explicit breakpoints that are looked up, from the beginning of the prompt
	latestMarks  = 50 // and from its end
	endingsBack  = 20 // eligible endings before the last one that are looked up
	explicitMost = 3  // explicit breakpoints at which is written, from the end
)

// endings reads and writes as GPT-5.6 does: only at exact boundaries, not at the longest common prefix.
func (c *Cache) endings(u *Usage, p *Prompt, now time.Time) {
	explicit := make([]int, len(p.Marks))
	for i, m := range p.Marks {
		explicit[i] = m.Unit
	}
	var look, write []int
	look = append(look, explicit[:min(firstMarks, len(explicit))]...)
	look = append(look, tail(explicit, latestMarks)...)
	look = append(append(look, p.Initial...), tail(p.Endings, 1+endingsBack)...)
	write = append(write, tail(explicit, explicitMost)...)
	write = append(write, tail(p.Endings, 1)...)
	for _, i := range look {
		if n := reminder.Tokens(p.units[i].bytes); n >= p.cache.Minimum && c.has(p.units[i].sum, now) {
			c.put(p.units[i], now, p.cache.TTL)
			u.Read = max(u.Read, n)
		}
	}
	slices.Sort(write)
	for _, i := range write {
		if n := reminder.Tokens(p.units[i].bytes); n >= p.cache.Minimum {
			c.put(p.units[i], now, p.cache.TTL)
			u.Write = max(u.Write, n-u.Read)
		}
	}
}

// tail returns the last n elements of a list, or all.
func tail(list []int, n int) []int { return list[max(0, len(list)-n):] }
