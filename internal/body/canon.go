package body

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// canon hashes JSON values so that all ways to write a value have the same hash: the order of members, white
// space, escapes and the spelling of numbers do not count, and a null member is not a member. It is for calls
// and results without ids.
type canon struct {
	Scanner
	f    *Format
	text []byte // the last result of plain, if the string had escapes
}

// plain decodes the JSON string whose inside is raw. The result is valid until the next call.
func (c *canon) plain(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	c.text = unescapeAll(slices.Grow(c.text[:0], len(raw)), raw)
	return c.text
}

// inside reads the string that is next and returns its inside.
func (c *canon) inside() []byte {
	raw := c.Raw()
	return raw[min(1, len(raw)):max(len(raw)-1, 0)]
}

// matter returns the hash of the members in Format.Matters of the object that is next, or of the objects in
// the array that is next.
func (c *canon) matter() (sum uint64) {
	switch c.Peek() {
	case '[':
		for c.Open('['); c.Element(); {
			sum = mix(sum, c.matter())
		}
		return sum
	case '{':
		return c.object(func(key string) (uint64, bool) {
			holds, matters := c.f.Matters[key]
			switch {
			case holds:
				return c.matter(), true
			case matters:
				return c.of(key), true
			}
			c.Skip()
			return 0, false
		})
	}
	return c.hash()
}

// of returns the hash of the value that is next, of a member of this name. Arguments that are JSON in a
// string are hashed as that JSON.
func (c *canon) of(key string) uint64 {
	if key != "arguments" || c.Peek() != '"' {
		return c.hash()
	}
	said := c.plain(c.inside())
	if json.Valid(said) {
		return (&canon{Scanner: scan(said, 0), f: c.f}).hash()
	}
	return xxhash.Sum64(said)
}

// hash returns the hash of the value that is next.
func (c *canon) hash() (sum uint64) {
	switch c.Peek() {
	case '"':
		return mix('"', xxhash.Sum64(c.plain(c.inside())))
	case '[':
		sum = '['
		for c.Open('['); c.Element(); {
			sum = mix(sum, c.hash())
		}
		return sum
	case '{':
		return c.object(func(key string) (uint64, bool) {
			if slices.Contains(c.f.CacheMarks, key) {
				c.Skip()
				return 0, false
			}
			return c.hash(), true
		})
	}
	raw := string(c.Raw())
	if f, err := strconv.ParseFloat(raw, 64); err == nil && (f != math.Trunc(f) || math.Abs(f) < 1<<53) {
		return mix('0', math.Float64bits(f+0)) // 1, 1.0 and 1e0 are one number, as are 0 and -0
	}
	return xxhash.Sum64String(raw)
}

// object returns the hash of the members of the object that is next, in any order. member reads the value of
// a member and returns its hash, and whether the member counts.
func (c *canon) object(member func(key string) (uint64, bool)) uint64 {
	sum := uint64('{')
	for key := range c.Keys() {
		if c.Peek() == 'n' {
			c.Skip()
			continue
		}
		name := string(c.plain(key))
		if v, counts := member(name); counts {
			sum += mix(xxhash.Sum64String(name), v)
		}
	}
	return mix('{', sum)
}

// mix returns a hash of two numbers, of which the order counts.
func mix(a, b uint64) uint64 {
	a = (a ^ b>>32 ^ b<<32) * 0x9e3779b97f4a7c15
	a ^= a >> 29
	a = (a ^ b) * 0xbf58476d1ce4e5b9
	return a ^ a>>32
}
