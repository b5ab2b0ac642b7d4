package body

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/aside-go/aside/compile/fact"
)

// Span is the bytes of a body from From up to, but not including, To.
type Span struct{ From, To int }

// Of returns the bytes.
func (s Span) Of(b []byte) []byte { return b[s.From:s.To] }

// Found reports whether the span is of anything: spans of what is missing are zero.
func (s Span) Found() bool { return s.To > 0 }

// Scanner walks forward over JSON, at most MaxDepth levels deep. A strict Scanner accepts what encoding/json
// accepts. Any other accepts more: it jumps from quote to quote, and in values that are only skipped from
// bracket to bracket, whatever stands between. The first error stays.
type Scanner struct {
	b      []byte
	i      int // the next byte
	depth  int
	err    *Error
	strict bool
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
	if s.i < len(s.b) && s.b[s.i] > ' ' { // the common case
		return
	}
	s.blanks()
}

func (s *Scanner) blanks() {
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
	if i := s.i; !first && i+1 < len(s.b) && s.b[i] == ',' && s.b[i+1] > ' ' { // the common case
		s.i++
		return true
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
	if i := s.i; i+1 < len(s.b) && s.b[i] == ':' && s.b[i+1] > ' ' { // the common case
		s.i++
		return key, true
	}
	s.Space()
	if s.Peek() != ':' {
		return key, s.syntax("expected a colon")
	}
	s.i++
	s.Space()
	return key, true
}

// Value skips the next value.
func (s *Scanner) Value() bool {
	switch c := s.Peek(); {
	case c == '"':
		_, ok := s.str()
		return ok
	case c == '{' || c == '[':
		if s.strict {
			return s.nested(c + 2) // the closing bracket: '}' is '{'+2, ']' is '['+2
		}
		return s.skip()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	default:
		return s.syntax("expected a value")
	}
}

// nested skips an object or array, whose opening bracket is next and whose closing bracket is end.
func (s *Scanner) nested(end byte) bool {
	if !s.enter() {
		return false
	}
	for first := true; ; first = false {
		if end == '}' {
			if _, ok := s.member(first); !ok {
				return s.err == nil
			}
		} else if !s.more(first, end) {
			return s.err == nil
		}
		if !s.Value() {
			return false
		}
	}
}

// skip is nested for a Scanner that is not strict: it goes from bracket to bracket.
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

func (s *Scanner) literal(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return s.syntax("expected a value")
	}
	s.i += len(w)
	return true
}

func (s *Scanner) number() bool {
	if s.Peek() == '-' {
		s.i++
	}
	if s.Peek() == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.Peek() == '.' {
		if s.i++; !s.digits() {
			return false
		}
	}
	if c := s.Peek(); c == 'e' || c == 'E' {
		s.i++
		if c := s.Peek(); c == '+' || c == '-' {
			s.i++
		}
		return s.digits()
	}
	return true
}

func (s *Scanner) digits() bool {
	from := s.i
	for c := s.Peek(); c >= '0' && c <= '9'; c = s.Peek() {
		s.i++
	}
	return s.i > from || s.syntax("expected a digit")
}

// Validate returns the first mistake in b as one JSON value, nil if there is none.
func Validate(b []byte) error {
	s := Scanner{b: b, strict: true}
	if s.Space(); s.Value() && s.end() {
		return nil
	}
	return s.err
}

// str skips the string that is next, and returns its inside.
func (s *Scanner) str() (Span, bool) {
	s.i++
	if s.strict {
		return s.strictStr()
	}
	from := s.i
	if !s.pass() {
		return Span{}, false
	}
	return Span{from, s.i - 1}, true
}

// pass skips the rest of a string, of which the opening quote is behind. A quote with an odd number of
// backslashes before it does not end the string.
func (s *Scanner) pass() bool {
	for from := s.i; ; {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			s.i = len(s.b)
			return s.syntax("")
		}
		quote := s.i + n
		slash := quote
		for slash > from && s.b[slash-1] == '\\' {
			slash--
		}
		if s.i = quote + 1; (quote-slash)%2 == 0 {
			return true
		}
	}
}

// strictStr is str for a strict Scanner; the opening quote is behind.
func (s *Scanner) strictStr() (Span, bool) {
	from := s.i
	for {
		s.i += plain(s.b[s.i:])
		switch c := s.Peek(); {
		case s.i >= len(s.b):
			return Span{}, s.syntax("")
		case c == '"':
			s.i++
			return Span{from, s.i - 1}, true
		case c == '\\':
			if !s.escape() {
				return Span{}, false
			}
		default:
			return Span{}, s.syntax("a control character in a string")
		}
	}
}

func (s *Scanner) escape() bool {
	s.i++
	switch s.Peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
		return true
	case 'u':
		s.i++
		for range 4 {
			if _, ok := nibble(s.Peek()); !ok {
				return s.syntax("expected four hexadecimal digits")
			}
			s.i++
		}
		return true
	default:
		return s.syntax("an unknown escape in a string")
	}
}

func nibble(c byte) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0'), true
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10, true
	default:
		return 0, false
	}
}

// plain returns how many bytes of a string stand before the next quote, backslash or control character. It
// looks at eight bytes at a time: (w-ones)&^w&highs marks the lowest zero byte of w exactly, and above that
// byte perhaps others that are not zero.
func plain(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(b)-i >= 8; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, e := w^(ones*'"'), w^(ones*'\\')
		m := ((q-ones)&^q | (e-ones)&^e | (w-ones*0x20)&^w) & highs
		if m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < 0x20 {
			break
		}
	}
	return i
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
	s.enter()
	for first := true; ; first = false {
		key, ok := s.member(first)
		if !ok {
			return
		}
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
	s.enter()
	for first := true; s.more(first, ']'); first = false {
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
