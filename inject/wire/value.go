package wire

import (
	"bytes"

	"github.com/aside-go/aside/compile/fact"
)

// nameOf returns the decoded name of a member. The result may be a part of b.
func nameOf(b []byte, key span) []byte {
	raw := key.of(b)
	if len(raw) < len(`\u0061`) || bytes.IndexByte(raw, '\\') < 0 { // the shorter escapes stand for characters that no name has
		return raw
	}
	return unescapeAll(nil, raw)
}

// field is member, but returns the decoded name, which may be a part of the body.
func (s *scanner) field(first bool) (name []byte, ok bool) {
	key, ok := s.member(first)
	if !ok {
		return nil, false
	}
	return nameOf(s.b, key), true
}

// eachMember reads the next value. If that is an object, it calls member before the value of each of its members, and member must
// read that value.
func (s *scanner) eachMember(member func(name []byte)) {
	if s.peek() != '{' {
		s.value()
		return
	}
	s.enter()
	for first := true; ; first = false {
		name, ok := s.field(first)
		if !ok {
			return
		}
		member(name)
	}
}

// named reads the next value. If that is an object, it returns the inside of its member of this name, if that is a string; else
// the zero span.
func (s *scanner) named(name string) (at span) {
	s.eachMember(func(n []byte) {
		if string(n) == name {
			at = s.quoted()
		} else {
			s.value()
		}
	})
	return at
}

// quoted reads the next value and returns the inside of it, if it is a string; else the zero span.
func (s *scanner) quoted() span {
	if s.peek() != '"' {
		s.value()
		return span{}
	}
	at, _ := s.str()
	return at
}

// isTrue reads the next value and reports whether it is true.
func (s *scanner) isTrue() bool {
	yes := s.peek() == 't'
	return s.value() && yes
}

// nonEmpty reads the next value and says whether it is an array with elements.
func (s *scanner) nonEmpty() fact.Truth {
	from, list := s.i+1, s.peek() == '['
	if !s.value() || !list {
		return fact.False
	}
	inside := scanner{b: s.b[:s.i], i: from}
	inside.space()
	return fact.Of(inside.peek() != ']')
}
