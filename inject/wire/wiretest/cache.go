package wiretest

import (
	"hash/maphash"
	"time"
)

// Cache is the prompt cache of one account: digests of prefixes, and how long they live. The zero Cache is empty. It is not
// for concurrent use; a Fake guards its own.
type Cache struct {
	entries map[uint64]time.Time // when they end; the zero time: never
}

var seed = maphash.MakeSeed() // only equality within one process is asked for

// unit is a stretch of a prompt that a cache takes whole: a block, with what is told of it.
type unit struct {
	text     string // what the model reads
	raw      string // what is compared
	end      uint64 // digest of the prompt up to and with this unit
	bytes    int    // of the prompt up to and with this unit
	mark     *Mark
	position int  // of Marked: runs of calls and of results are one
	ending   bool // of Endings: the last unit of an eligible message
	initial  bool // of Endings: the last unit of the initial developer block
}

// Serve counts the tokens of a prompt as its model's cache sees it at that time, and remembers it.
func (c *Cache) Serve(p *Prompt, m Model, now time.Time) Usage {
	if m.StripsThinking {
		p = p.forget()
	}
	units := p.units(m)
	if c.entries == nil {
		c.entries = map[uint64]time.Time{}
	}
	total := 0
	if n := len(units); n > 0 {
		total = units[n-1].bytes
	}
	u := Usage{Prompt: Tokens(total)}
	switch m.Cache.Rule {
	case Marked:
		c.marked(&u, units, m.Cache, now)
	case Stepped:
		u.Read = c.stepped(units, p.Model, m.Cache, now)
	case Endings:
		c.endings(&u, units, p, m.Cache, now)
	}
	return u
}

// tokens counts a prompt without any cache.
func (p *Prompt) tokens(m Model) int {
	return new(Cache).Serve(p, Model{StripsThinking: m.StripsThinking}, time.Time{}).Prompt
}

// forget leaves out the thinking before the last user message that holds more than tool results.
func (p *Prompt) forget() *Prompt {
	for i := len(p.Messages) - 1; i >= 0; i-- {
		m := p.Messages[i]
		if m.Role != "user" {
			continue
		}
		for _, b := range m.Blocks {
			if b.Kind != ToolResult {
				out := *p
				out.Messages = append(p.without("").Messages[:i:i], p.Messages[i:]...)
				return &out
			}
		}
	}
	return p
}

// units flattens a prompt: tools, system, messages. Turn-scoped messages that are cleared take no part.
func (p *Prompt) units(m Model) []unit {
	var out []unit
	sum, bytes, position := maphash.String(seed, p.Model), 0, 0
	last := Kind(255)
	put := func(role string, b Block) {
		if b.Kind != last || b.Kind != ToolUse && b.Kind != ToolResult {
			position++
		}
		last = b.Kind
		bytes += b.Bytes
		sum = mix(sum, role, b.Raw)
		out = append(out, unit{text: b.Text, raw: b.Raw, end: sum, bytes: bytes, mark: b.lastMark(), position: position})
	}
	for _, b := range p.Tools {
		put("tools", b)
	}
	sum = mix(sum, "system", p.salt[0])
	for _, b := range p.System {
		put("system", b)
	}
	first := len(out)
	sum = mix(sum, "messages", p.salt[1])
	users := 0
	for _, msg := range p.Messages {
		if msg.Role == "user" {
			users++
		}
	}
	auto := -1
	for i, msg := range p.Messages {
		if msg.Role == "user" {
			users--
		}
		if msg.ClearAt == "next_user_message" && users > 0 {
			continue
		}
		for _, b := range msg.Blocks {
			put(msg.Role, b)
			if msg.ClearAt == "" && b.Kind != Thinking {
				auto = len(out) - 1
			}
		}
		if m.Cache.Rule == Endings && len(out) > 0 {
			out[len(out)-1].ending, out[len(out)-1].initial = p.eligible(i), p.initial(i)
		}
	}
	if p.API == Responses && first > 0 && m.Cache.Rule == Endings {
		out[first-1].initial = out[first-1].initial || len(p.Messages) == 0 || !developer(p.Messages[0].Role)
	}
	if p.Auto != nil && auto >= 0 {
		out[auto].mark = p.Auto
	}
	return out
}

func (b Block) lastMark() *Mark {
	if b.Mark != nil {
		return b.Mark
	}
	for i := len(b.Inner) - 1; i >= 0; i-- {
		if m := b.Inner[i].Mark; m != nil {
			return m
		}
	}
	return nil
}

func developer(role string) bool { return role == "developer" || role == "system" }

// initial reports whether message i is the last of the developer messages with which a prompt begins.
func (p *Prompt) initial(i int) bool {
	for _, m := range p.Messages[:i+1] {
		if !developer(m.Role) {
			return false
		}
	}
	return i == len(p.Messages)-1 || !developer(p.Messages[i+1].Role)
}

// eligible reports whether an implicit breakpoint may stand at the end of message i: a user message, the last tool
// response of a group, the last developer message of the initial group (OpenAI's prompt caching guide).
func (p *Prompt) eligible(i int) bool {
	switch m := p.Messages[i]; {
	case m.Role == "user":
		return true
	case m.Role == "tool":
		return i == len(p.Messages)-1 || p.Messages[i+1].Role != "tool"
	}
	return p.initial(i)
}

func mix(sum uint64, parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for i := range 8 {
		h.WriteByte(byte(sum >> (8 * i)))
	}
	for _, s := range parts {
		h.WriteString(s)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// has reports whether an entry lives.
func (c *Cache) has(sum uint64, now time.Time) bool {
	end, ok := c.entries[sum]
	return ok && (end.IsZero() || now.Before(end))
}

func (c *Cache) put(sum uint64, now time.Time, ttl time.Duration) {
	end := time.Time{}
	if ttl > 0 {
		end = now.Add(ttl)
	}
	if old, ok := c.entries[sum]; ok && (old.IsZero() || !end.IsZero() && old.After(end)) {
		return
	}
	c.entries[sum] = end
}
