package wire

import (
	"bytes"

	"github.com/aside-go/aside/compile/fact"
)

// nameOf returns the name of a member, which it may borrow.
func nameOf(b []byte, key span) []byte {
	raw := key.of(b)
	if len(raw) < len(`\u0061`) || bytes.IndexByte(raw, '\\') < 0 { // no name needs a shorter escape
		return raw
	}
	return unescapeAll(nil, raw)
}

// field goes to the next member's value and returns its name, which may be borrowed.
func (s *scanner) field(first bool) (name []byte, ok bool) {
	key, ok := s.member(first)
	if !ok {
		return nil, false
	}
	return nameOf(s.b, key), true
}

// eachMember reads a value, and asks member to read each value in it, if it is an object.
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

// named reads a value and returns its member of this name, if it is an object and that is a string.
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

// quoted reads a value and returns the inside of it if it is a string; none: 0.
func (s *scanner) quoted() span {
	if s.peek() != '"' {
		s.value()
		return span{}
	}
	at, _ := s.str()
	return at
}

// isTrue reports whether the value that is next is true; it is read.
func (s *scanner) isTrue() bool {
	yes := s.peek() == 't'
	return s.value() && yes
}

// nonEmpty reports whether the value that is next is an array with elements; it is read.
func (s *scanner) nonEmpty() fact.Truth {
	from, list := s.i+1, s.peek() == '['
	if !s.value() || !list {
		return fact.False
	}
	inside := scanner{b: s.b[:s.i], i: from}
	inside.space()
	return fact.Of(inside.peek() != ']')
}
