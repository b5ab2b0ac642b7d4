package promptcache

import (
	"maps"
	"time"

	"github.com/aside-go/aside/internal/model"
)

// Cache is the prompt cache of one account: digests of prefixes, and how long they live. The zero Cache is empty.
type Cache struct {
	entries map[uint64]entry
	looks   bool // nothing is remembered; see Count
}

// entry is a prefix that is cached.
type entry struct {
	end   time.Time // when it is forgotten; the zero time: never
	bytes int       // length of the prefix
}

// Serve returns what a prompt reads and writes at that time, and remembers the prompt.
func (c *Cache) Serve(p *Prompt, now time.Time) Usage {
	u := Usage{Prompt: p.Tokens()}
	switch p.rules.Kind {
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

// Holds reports whether the first n units of a prompt are cached; for kind Stepped, whether all whole steps in them are.
func (c *Cache) Holds(p *Prompt, n int, now time.Time) bool {
	if p.rules.Kind == model.Stepped {
		n = p.upTo(n).stride.n
		return n == 0 || c.has(p.steps[n-1], now)
	}
	return c.has(p.upTo(n).sum, now)
}

// Warm puts the first n units of a prompt into the cache, as if another request had.
func (c *Cache) Warm(p *Prompt, n int, now time.Time) {
	if p.rules.Kind == model.Stepped {
		c.keepSteps(p, 0, p.upTo(n).stride.n, now)
		return
	}
	c.put(p.upTo(n), now, p.rules.TTL)
}

// Forget drops the entries of all prefixes that are longer than so many tokens.
func (c *Cache) Forget(tokens int) {
	maps.DeleteFunc(c.entries, func(_ uint64, e entry) bool { return Tokens(e.bytes) > tokens })
}

// has reports whether the prefix with this digest is cached at that time.
func (c *Cache) has(sum uint64, now time.Time) bool {
	e, ok := c.entries[sum]
	return ok && (e.end.IsZero() || now.Before(e.end))
}

// put caches a prefix for ttl, 0 for ever. An entry that lives longer stays as it is.
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
