package cache

import (
	"maps"
	"time"
)

// Cache is the prompt cache of one account: digests of prefixes, and how long they live. The zero Cache is empty.
type Cache struct {
	entries map[uint64]entry
	looks   bool // it remembers nothing
}

type entry struct {
	end   time.Time // the zero time: never
	bytes int       // of the prefix
}

// Serve counts a prompt as the cache sees it at that time, and remembers it.
func (c *Cache) Serve(p *Prompt, now time.Time) Usage {
	u := Usage{Prompt: p.Tokens()}
	switch p.rules.Kind {
	case Marked:
		c.marked(&u, p, now)
	case Stepped:
		u.Read = c.stepped(p, now)
	case Endings:
		c.endings(&u, p, now)
	}
	return u
}

// Count is Serve, but remembers nothing.
func (c *Cache) Count(p *Prompt, now time.Time) Usage {
	looking := Cache{c.entries, true}
	return looking.Serve(p, now)
}

// Holds reports whether the cache has the first n units of a prompt; of kind Stepped, all whole steps in them.
func (c *Cache) Holds(p *Prompt, n int, now time.Time) bool {
	if p.rules.Kind == Stepped {
		n = p.upTo(n).stride.n
		return n == 0 || c.has(p.steps[n-1], now)
	}
	return c.has(p.upTo(n).sum, now)
}

// Warm puts the first n units of a prompt into the cache, as if a request of somebody else's had.
func (c *Cache) Warm(p *Prompt, n int, now time.Time) {
	if p.rules.Kind == Stepped {
		c.keepSteps(p, 0, p.upTo(n).stride.n, now)
		return
	}
	c.put(p.upTo(n), now, p.rules.TTL)
}

// Forget drops all entries of prefixes that are longer than so many tokens.
func (c *Cache) Forget(tokens int) {
	maps.DeleteFunc(c.entries, func(_ uint64, e entry) bool { return Tokens(e.bytes) > tokens })
}

// has reports whether an entry lives.
func (c *Cache) has(sum uint64, now time.Time) bool {
	e, ok := c.entries[sum]
	return ok && (e.end.IsZero() || now.Before(e.end))
}

func (c *Cache) put(u unit, now time.Time, ttl time.Duration) {
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
