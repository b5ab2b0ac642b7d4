package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

// Span is the bytes of a body from From up to, but not including, To.
type Span struct{ From, To int }

// Of returns the bytes.
func (s Span) Of(b []byte) []byte { return b[s.From:s.To] }

func (s Span) at() Span { return s } // of a message or a block

// Found reports whether the span is of anything: spans of what is missing are zero.
func (s Span) Found() bool { return s.To > 0 }

// Scanner walks forward over JSON, at most MaxDepth levels deep, and knows where everything stands.
type Scanner struct {
	jsonscan.Cursor
	words []string // the latest that Word has returned: few roles and types make up a body
}

// scan returns a Scanner at the offset from of b.
func scan(b []byte, from int) Scanner { return Scanner{Cursor: jsonscan.At(b, from, MaxDepth)} }

// mistake returns the first mistake, nil where there is none.
func (s *Scanner) mistake() *Error {
	err := s.Err()
	if err == nil {
		return nil
	}
	kind := ErrSyntax
	if err.Deep {
		kind = ErrDepth
	}
	return &Error{Kind: kind, Offset: err.Offset, Reason: err.Reason}
}

// Validate returns the first mistake in b as one JSON value, nil if there is none.
func Validate(b []byte) error {
	var value json.RawMessage
	err := json.Unmarshal(b, &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	s := scan(b, 0)
	if !s.Skip() && s.Err().Deep {
		return s.mistake()
	}
	at := int(syntax.Offset) - 1 // Offset is behind the byte that is wrong
	if at == len(b)-1 && strings.Contains(syntax.Error(), "unexpected end") {
		at++
	}
	return &Error{Kind: ErrSyntax, Offset: max(at, 0), Reason: syntax.Error()}
}

// nameOf returns the decoded name of a member. The result may be the key itself.
func nameOf(key []byte) []byte {
	// the shorter escapes stand for characters that no name has
	if len(key) < len(`\u0061`) || bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	return unescapeAll(nil, key)
}

// EachMember reads the next value. If that is an object, it calls member before the value of each of its
// members, which is skipped where member does not read it.
func (s *Scanner) EachMember(member func(name []byte)) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	for key := range s.Keys() {
		member(nameOf(key))
	}
}

// Named reads the next value. If that is an object, it returns the inside of its member of this name, if that
// is a string; else the zero Span.
func (s *Scanner) Named(name string) (at Span) {
	s.EachMember(func(n []byte) {
		if string(n) == name {
			at = s.Quoted()
		}
	})
	return at
}

// Quoted reads the next value and returns the inside of it, if it is a string; else the zero Span.
func (s *Scanner) Quoted() Span {
	quoted := s.Peek() == '"'
	at := s.Span()
	if !quoted || s.Bad() {
		return Span{}
	}
	return Span{at.From + 1, at.To - 1}
}

// IsTrue reads the next value and reports whether it is true.
func (s *Scanner) IsTrue() bool {
	yes := s.Peek() == 't'
	return s.Skip() && yes
}

// NonEmpty reads the next value and says whether it is an array with elements.
func (s *Scanner) NonEmpty() fact.Truth {
	empty := true
	s.EachElement(func() {
		empty = false
		s.Skip()
	})
	return fact.Of(!empty)
}

// EachElement reads the next value. If that is an array, it calls element before each of its elements, and
// element must read it.
func (s *Scanner) EachElement(element func()) {
	if s.Peek() != '[' {
		s.Skip()
		return
	}
	for s.Open('['); s.Element(); {
		element()
	}
}

// Span reads the next value and returns where it stands.
func (s *Scanner) Span() Span {
	return s.Around(func() { s.Skip() })
}

// Word reads the next value and returns it decoded, if it is a string; else "".
func (s *Scanner) Word() string {
	raw := s.Raw()
	if len(raw) <= len(`""`) || raw[0] != '"' {
		return ""
	}
	for _, w := range s.words {
		if w == string(raw[1:len(raw)-1]) {
			return w
		}
	}
	w := decode(raw, Span{1, len(raw) - 1}).s
	if len(s.words) < 16 && len(w) == len(raw)-2 { // else it has an escape
		s.words = append(s.words, w)
	}
	return w
}

// Around returns where the value stands that read reads.
func (s *Scanner) Around(read func()) Span {
	s.Peek() // is behind the blanks
	from := s.Offset()
	read()
	return Span{from, s.Offset()}
}
