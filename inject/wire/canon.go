package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// canon makes a hash of a JSON value that is the same for all ways of writing it: whatever the order of members, the
// blanks, the escapes, the spelling of numbers; a null member is no member. It is for calls and results without an id.
type canon struct {
	scanner
	text []byte // of the string read last, if it had escapes
}

// newCanon takes a value that has been scanned.
func newCanon(b []byte) *canon { return &canon{scanner: scanner{b: b}} }

// plain returns what a string says, given what stands between its quotes. It is valid until the next call.
func (c *canon) plain(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	c.text = unescapeAll(slices.Grow(c.text[:0], len(raw)), raw)
	return c.text
}

// matters are the members of a call, a result and what is around them that make it what it is; ids and markers are not among
// them.
var matters = map[string]bool{
	"functionCall": true, "function_call": true, "functionResponse": true, "function_response": true, "toolUse": true, "toolResult": true,
	"tool_calls": true, "function": true, "name": true, "args": true, "arguments": true, "input": true, "response": true, "content": true,
	"output": true, "action": true,
}

// shells are those of them inside which the same holds again.
var shells = map[string]bool{
	"functionCall": true, "function_call": true, "functionResponse": true, "function_response": true, "toolUse": true, "toolResult": true,
	"tool_calls": true, "function": true,
}

// matter returns the hash of what matters in the object, or the array of such, that is next.
func (c *canon) matter() (sum uint64) {
	switch c.space(); c.peek() {
	case '[':
		c.enter()
		for first := true; c.more(first, ']'); first = false {
			sum = mix(sum, c.matter())
		}
		return sum
	case '{':
		return c.object(func(key string) (uint64, bool) {
			switch {
			case shells[key]:
				return c.matter(), true
			case matters[key]:
				return c.of(key), true
			}
			c.scanner.value()
			return 0, false
		})
	}
	return c.value()
}

// of returns the hash of a member's value: of arguments that are JSON in a string, what they say.
func (c *canon) of(key string) uint64 {
	if key != "arguments" || c.peek() != '"' {
		return c.value()
	}
	at, _ := c.str()
	said := c.plain(at.of(c.b))
	if json.Valid(said) {
		return newCanon(said).value()
	}
	return xxhash.Sum64(said)
}

// value returns the hash of the value that is next.
func (c *canon) value() (sum uint64) {
	switch c.space(); c.peek() {
	case '"':
		at, _ := c.str()
		return mix('"', xxhash.Sum64(c.plain(at.of(c.b))))
	case '[':
		c.enter()
		sum = '['
		for first := true; c.more(first, ']'); first = false {
			sum = mix(sum, c.value())
		}
		return sum
	case '{':
		return c.object(func(key string) (uint64, bool) {
			if key == "cache_control" || key == "cachePoint" {
				c.scanner.value()
				return 0, false
			}
			return c.value(), true
		})
	}
	from := c.i
	c.scanner.value()
	raw := string(c.b[from:c.i])
	if f, err := strconv.ParseFloat(raw, 64); err == nil && (f != math.Trunc(f) || math.Abs(f) < 1<<53) {
		return mix('0', math.Float64bits(f+0)) // 1, 1.0 and 1e0 are one number, as are 0 and -0
	}
	return xxhash.Sum64String(raw)
}

// object returns the hash of an object's members, in whatever order they are.
func (c *canon) object(member func(key string) (uint64, bool)) uint64 {
	sum := uint64('{')
	c.enter()
	for first := true; ; first = false {
		at, ok := c.member(first)
		if !ok {
			return mix('{', sum)
		}
		if c.peek() == 'n' {
			c.scanner.value()
			continue
		}
		key := string(c.plain(at.of(c.b)))
		if v, counts := member(key); counts {
			sum += mix(xxhash.Sum64String(key), v)
		}
	}
}

// mix returns a hash of two.
func mix(a, b uint64) uint64 {
	a = (a ^ b>>32 ^ b<<32) * 0x9e3779b97f4a7c15
	a ^= a >> 29
	a = (a ^ b) * 0xbf58476d1ce4e5b9
	return a ^ a>>32
}
