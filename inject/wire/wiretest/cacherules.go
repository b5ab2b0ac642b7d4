package wiretest

import (
	"hash/maphash"
	"slices"
	"time"
)

// lookback is how many positions a breakpoint looks back, itself counted (Anthropic, prompt caching).
const lookback = 20

// marked reads and writes at the client's breakpoints. An entry that is read lives as long again as its breakpoint says.
func (c *Cache) marked(u *Usage, units []unit, rule Caching, now time.Time) {
	life := func(m *Mark) time.Duration {
		if m.Hour {
			return time.Hour
		}
		return rule.TTL
	}
	read := 0
	for i, at := range units {
		if at.mark == nil || Tokens(at.bytes) < rule.Minimum {
			continue
		}
		for k := i; k >= 0 && units[k].position > at.position-lookback; k-- {
			if c.has(units[k].end, now) {
				c.put(units[k].end, now, life(at.mark))
				read = max(read, Tokens(units[k].bytes))
				break
			}
		}
	}
	u.Read = read
	written := read
	for _, at := range units {
		n := Tokens(at.bytes)
		if at.mark == nil || n < rule.Minimum {
			continue
		}
		c.put(at.end, now, life(at.mark))
		if n > written {
			u.Write += n - written
			if at.mark.Hour {
				u.Hour += n - written
			}
			written = n
		}
	}
}

// stepped finds the longest prefix that was seen before, in whole steps, and remembers this one.
func (c *Cache) stepped(units []unit, model string, rule Caching, now time.Time) int {
	read := 0
	sums := stepSums(units, model, rule.Step)
	for i, s := range sums {
		if n := (i + 1) * rule.Step; c.has(s, now) && n >= rule.Minimum && n > read {
			read = n
		}
	}
	for _, s := range sums {
		c.put(s, now, rule.TTL)
	}
	return read
}

// stepSums returns a digest for each whole step of a prompt. A step ends in the middle of a unit, where only the bytes of
// its text that are in the prefix count.
func stepSums(units []unit, model string, step int) []uint64 {
	size := max(1, step) * 4
	var out []uint64
	sum, have := maphash.String(seed, model), 0
	before := 0
	for _, u := range units {
		left := u.bytes - before
		before = u.bytes
		text := u.raw
		if len(u.text) == left {
			text = u.text
		}
		sum = mix(sum, "unit")
		for left > 0 {
			n := min(left, size-have)
			head := text[:min(n, len(text))]
			text = text[len(head):]
			sum = mix(sum, head)
			left -= n
			if have += n; have == size {
				out = append(out, sum)
				have = 0
			}
		}
		sum = mix(sum, text)
	}
	return out
}

const (
	firstMarks   = 2  // explicit breakpoints that are looked up, from the beginning
	latestMarks  = 50 // and from the end
	endingsBack  = 20 // earlier eligible endings
	explicitMost = 3  // writes at explicit breakpoints
)

// endings reads and writes as GPT-5.6 does: exact boundaries, no longest common prefix.
func (c *Cache) endings(u *Usage, units []unit, p *Prompt, rule Caching, now time.Time) {
	var explicit, eligible, look, write []int
	for i, at := range units {
		if at.mark != nil {
			explicit = append(explicit, i)
		}
		if at.ending {
			eligible = append(eligible, i)
		}
		if at.initial && !p.Explicit {
			look = append(look, i)
		}
	}
	look = append(look, explicit[:min(firstMarks, len(explicit))]...)
	look = append(look, tail(explicit, latestMarks)...)
	write = append(write, tail(explicit, explicitMost)...)
	if n := len(eligible); n > 0 && !p.Explicit {
		look = append(look, tail(eligible, 1+endingsBack)...)
		write = append(write, eligible[n-1])
	}
	for _, i := range look {
		if n := Tokens(units[i].bytes); n >= rule.Minimum && c.has(units[i].end, now) {
			c.put(units[i].end, now, rule.TTL)
			u.Read = max(u.Read, n)
		}
	}
	slices.Sort(write)
	for _, i := range write {
		if n := Tokens(units[i].bytes); n >= rule.Minimum {
			c.put(units[i].end, now, rule.TTL)
			u.Write = max(u.Write, n-u.Read)
		}
	}
}

// tail returns the last n of a list.
func tail(list []int, n int) []int { return list[max(0, len(list)-n):] }
