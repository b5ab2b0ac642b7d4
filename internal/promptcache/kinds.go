package promptcache

import (
	"slices"
	"sort"
	"time"
)

// lookback is how many positions a breakpoint looks back for an entry, its own included (Anthropic, prompt caching).
const lookback = 20

// marked reads and writes at the client's breakpoints. An entry that is read lives on for the lifetime that the breakpoint asks
// for.
func (c *Cache) marked(u *Usage, p *Prompt, now time.Time) {
	life := func(m Mark) time.Duration {
		if m.Hour {
			return time.Hour
		}
		return p.rules.TTL
	}
	read := 0
	for _, m := range p.Marks {
		at := p.units[m.Unit]
		if Tokens(at.bytes) < p.rules.Minimum {
			continue
		}
		for k := m.Unit; k >= 0 && p.units[k].position > at.position-lookback; k-- {
			if c.has(p.units[k].sum, now) {
				c.put(p.units[k], now, life(m))
				read = max(read, Tokens(p.units[k].bytes))
				break
			}
		}
	}
	u.Read = read
	written := read
	for _, m := range p.Marks {
		at := p.units[m.Unit]
		n := Tokens(at.bytes)
		if n < p.rules.Minimum {
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

// stepped returns how many tokens of a prompt are cached, in whole steps, and caches all its steps. Whenever a step is cached,
// those in front of it are, for no less long; so the last one can be found by binary search.
func (c *Cache) stepped(p *Prompt, now time.Time) int {
	n := sort.Search(len(p.steps), func(i int) bool { return !c.has(p.steps[i], now) })
	from := n
	if p.rules.TTL > 0 {
		from = 0 // the lifetimes of all begin anew
	}
	c.keepSteps(p, from, len(p.steps), now)
	if read := n * p.rules.Step; read >= p.rules.Minimum {
		return read
	}
	return 0
}

// keepSteps caches steps from up to, but not including, to.
func (c *Cache) keepSteps(p *Prompt, from, to int, now time.Time) {
	for i := from; i < to; i++ {
		c.put(unit{sum: p.steps[i], bytes: (i + 1) * 4 * p.rules.Step}, now, p.rules.TTL)
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
	write = append(write, tail(explicit, explicitMost)...)
	if !p.Explicit {
		look = append(append(look, p.Initial...), tail(p.Endings, 1+endingsBack)...)
		write = append(write, tail(p.Endings, 1)...)
	}
	for _, i := range look {
		if n := Tokens(p.units[i].bytes); n >= p.rules.Minimum && c.has(p.units[i].sum, now) {
			c.put(p.units[i], now, p.rules.TTL)
			u.Read = max(u.Read, n)
		}
	}
	slices.Sort(write)
	for _, i := range write {
		if n := Tokens(p.units[i].bytes); n >= p.rules.Minimum {
			c.put(p.units[i], now, p.rules.TTL)
			u.Write = max(u.Write, n-u.Read)
		}
	}
}

// tail returns the last n elements of a list, or all.
func tail(list []int, n int) []int { return list[max(0, len(list)-n):] }
