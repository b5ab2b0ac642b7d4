package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

// Span is the bytes of a body from From up to, but not including, To.
type Span struct{ From, To int }

// Of returns the bytes.
func (s Span) Of(b []byte) []byte { return b[s.From:s.To] }

// Found reports whether the span is of anything: spans of what is missing are zero.
func (s Span) Found() bool { return s.To > 0 }

// Scanner walks forward over JSON, at most MaxDepth levels deep. It accepts more than JSON: it jumps from
// quote to quote, and in values that are only skipped from bracket to bracket, whatever stands between. The
// first error stays.
type Scanner struct {
	b     []byte
	i     int // the next byte
	depth int
	err   *Error
}

// fail notes an error at the next byte, unless there is one already. It returns false.
func (s *Scanner) fail(kind error, reason string) bool {
	if s.err == nil {
		s.err = &Error{Kind: kind, Offset: s.i, Reason: reason}
	}
	return false
}

// syntax is fail for a syntax error; at the end of the body the reason is that.
func (s *Scanner) syntax(reason string) bool {
	if s.i >= len(s.b) {
		reason = "the body ends too early"
	}
	return s.fail(ErrSyntax, reason)
}

// Peek returns the next byte, 0 at the end.
func (s *Scanner) Peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// Space skips white space.
func (s *Scanner) Space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\t', '\r':
			s.i++
		default:
			return
		}
	}
}

// end checks that only white space follows.
func (s *Scanner) end() bool {
	if s.Space(); s.i < len(s.b) {
		return s.syntax("expected nothing more")
	}
	return true
}

// enter steps behind the opening bracket of an object or array, which is next.
func (s *Scanner) enter() bool {
	if s.depth++; s.depth > MaxDepth {
		return s.fail(ErrDepth, "too many levels of arrays and objects")
	}
	s.i++
	return true
}

// more steps to the next element of an array or member of an object, of which end is the closing bracket;
// first is whether it would be the first one. At the end it steps behind the bracket and returns false, as on
// an error.
func (s *Scanner) more(first bool, end byte) bool {
	if s.err != nil {
		return false
	}
	s.Space()
	switch c := s.Peek(); {
	case c == end && s.i < len(s.b):
		s.i++
		s.depth--
		return false
	case first:
	case c != ',':
		return s.syntax("expected a comma or the end of an array or object")
	default:
		s.i++
		s.Space()
	}
	return true
}

// member steps to the value of the next member of an object, and returns the inside of its key. ok is false
// at the end of the object and on an error.
func (s *Scanner) member(first bool) (key Span, ok bool) {
	if !s.more(first, '}') {
		return Span{}, false
	}
	if s.Peek() != '"' {
		return Span{}, s.syntax("expected a key")
	}
	if key, ok = s.str(); !ok {
		return key, false
	}
	s.Space()
	if s.Peek() != ':' {
		return key, s.syntax("expected a colon")
	}
	s.i++
	s.Space()
	return key, true
}

// members steps into the object that is next, and yields the inside of each key. The loop must read the
// value.
func (s *Scanner) members() iter.Seq[Span] {
	return func(yield func(key Span) bool) {
		if !s.enter() {
			return
		}
		for first := true; ; first = false {
			key, ok := s.member(first)
			if !ok || !yield(key) {
				return
			}
		}
	}
}

// elements steps into the array that is next, and yields before each element. The loop must read it.
func (s *Scanner) elements() iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		if !s.enter() {
			return
		}
		for first := true; s.more(first, ']') && yield(struct{}{}); first = false {
		}
	}
}

// Value skips the next value.
func (s *Scanner) Value() bool {
	switch c := s.Peek(); {
	case c == '"':
		_, ok := s.str()
		return ok
	case c == '{' || c == '[':
		return s.skip()
	default:
		return s.scalar()
	}
}

// skip skips an object or array from bracket to bracket.
func (s *Scanner) skip() bool {
	for depth := s.depth; s.i < len(s.b); {
		switch s.b[s.i] {
		case '"':
			if s.i++; !s.pass() {
				return false
			}
			continue
		case '{', '[':
			if depth++; depth > MaxDepth {
				return s.fail(ErrDepth, "too many levels of arrays and objects")
			}
		case '}', ']':
			if depth--; depth == s.depth {
				s.i++
				return true
			}
		}
		s.i++
	}
	return s.syntax("")
}

// scalar skips a number, or a word as true, false and null are.
func (s *Scanner) scalar() bool {
	from := s.i
	for s.i < len(s.b) && isWord[s.b[s.i]] {
		s.i++
	}
	return s.i > from || s.syntax("expected a value")
}

// isWord marks the bytes of numbers and words.
var isWord = func() (is [256]bool) {
	for _, c := range []byte("+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		is[c] = true
	}
	return is
}()

// Validate returns the first mistake in b as one JSON value, nil if there is none.
func Validate(b []byte) error {
	var value json.RawMessage
	err := json.Unmarshal(b, &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	s := Scanner{b: b}
	if s.Space(); !s.Value() && s.err.Kind == ErrDepth {
		return s.err
	}
	at := int(syntax.Offset) - 1 // Offset is behind the byte that is wrong
	if at == len(b)-1 && strings.Contains(syntax.Error(), "unexpected end") {
		at++
	}
	return &Error{Kind: ErrSyntax, Offset: max(at, 0), Reason: syntax.Error()}
}

// str skips the string that is next, and returns its inside.
func (s *Scanner) str() (Span, bool) {
	s.i++
	from := s.i
	if !s.pass() {
		return Span{}, false
	}
	return Span{from, s.i - 1}, true
}

// pass skips the rest of a string, of which the opening quote is behind.
func (s *Scanner) pass() bool {
	if s.i = jsonscan.StringEnd(s.b, s.i); s.i < 0 {
		s.i = len(s.b)
		return s.syntax("")
	}
	return true
}

// nameOf returns the decoded name of a member. The result may be a part of b.
func nameOf(b []byte, key Span) []byte {
	raw := key.Of(b)
	// the shorter escapes stand for characters that no name has
	if len(raw) < len(`\u0061`) || bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return unescapeAll(nil, raw)
}

// EachMember reads the next value. If that is an object, it calls member before the value of each of its
// members, and member must read that value.
func (s *Scanner) EachMember(member func(name []byte)) {
	if s.Peek() != '{' {
		s.Value()
		return
	}
	for key := range s.members() {
		member(nameOf(s.b, key))
	}
}

// Named reads the next value. If that is an object, it returns the inside of its member of this name, if that
// is a string; else the zero Span.
func (s *Scanner) Named(name string) (at Span) {
	s.EachMember(func(n []byte) {
		if string(n) == name {
			at = s.Quoted()
		} else {
			s.Value()
		}
	})
	return at
}

// Quoted reads the next value and returns the inside of it, if it is a string; else the zero Span.
func (s *Scanner) Quoted() Span {
	if s.Peek() != '"' {
		s.Value()
		return Span{}
	}
	at, _ := s.str()
	return at
}

// IsTrue reads the next value and reports whether it is true.
func (s *Scanner) IsTrue() bool {
	yes := s.Peek() == 't'
	return s.Value() && yes
}

// NonEmpty reads the next value and says whether it is an array with elements.
func (s *Scanner) NonEmpty() fact.Truth {
	empty := true
	s.EachElement(func() {
		empty = false
		s.Value()
	})
	return fact.Of(!empty)
}

// EachElement reads the next value. If that is an array, it calls element before each of its elements, and
// element must read it.
func (s *Scanner) EachElement(element func()) {
	if s.Peek() != '[' {
		s.Value()
		return
	}
	for range s.elements() {
		element()
	}
}

// Raw reads the next value and returns its bytes.
func (s *Scanner) Raw() []byte { return s.Span().Of(s.b) }

// Span reads the next value and returns where it stands.
func (s *Scanner) Span() Span {
	from := s.i
	s.Value()
	return Span{from, s.i}
}

// Word reads the next value and returns it decoded, if it is a string; else "".
func (s *Scanner) Word() string {
	at := s.Quoted()
	if at.From == at.To {
		return ""
	}
	return decode(s.b, at).s
}

// Around returns where the value stands that read reads.
func (s *Scanner) Around(read func()) Span {
	from := s.i
	read()
	return Span{from, s.i}
}

// NewScanner returns a Scanner of a value.
func NewScanner(b []byte) *Scanner { return &Scanner{b: b} }
