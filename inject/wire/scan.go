package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// span is the bytes of the body from from up to, but not including, to.
type span struct{ from, to int }

func (s span) of(b []byte) []byte { return b[s.from:s.to] }

// scanner walks forward over JSON, at most MaxDepth levels deep. A strict scanner accepts what encoding/json accepts. Any other
// accepts more: it jumps from quote to quote, and in values that are only skipped from bracket to bracket, whatever stands
// between. The first error stays.
type scanner struct {
	b      []byte
	i      int // the next byte
	depth  int
	err    *Error
	strict bool
}

// fail notes an error at the next byte, unless there is one already. It returns false.
func (s *scanner) fail(kind error, reason string) bool {
	if s.err == nil {
		s.err = &Error{Kind: kind, Offset: s.i, Reason: reason}
	}
	return false
}

// syntax is fail for a syntax error; at the end of the body the reason is that.
func (s *scanner) syntax(reason string) bool {
	if s.i >= len(s.b) {
		reason = "the body ends too early"
	}
	return s.fail(ErrSyntax, reason)
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// space skips white space.
func (s *scanner) space() {
	if s.i < len(s.b) && s.b[s.i] > ' ' { // the common case
		return
	}
	s.blanks()
}

func (s *scanner) blanks() {
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
func (s *scanner) end() bool {
	if s.space(); s.i < len(s.b) {
		return s.syntax("expected nothing more")
	}
	return true
}

// enter steps behind the opening bracket of an object or array, which is next.
func (s *scanner) enter() bool {
	if s.depth++; s.depth > MaxDepth {
		return s.fail(ErrDepth, "too many levels of arrays and objects")
	}
	s.i++
	return true
}

// more steps to the next element of an array or member of an object, of which end is the closing bracket; first is whether it
// would be the first one. At the end it steps behind the bracket and returns false, as on an error.
func (s *scanner) more(first bool, end byte) bool {
	if s.err != nil {
		return false
	}
	if i := s.i; !first && i+1 < len(s.b) && s.b[i] == ',' && s.b[i+1] > ' ' { // the common case
		s.i++
		return true
	}
	s.space()
	switch c := s.peek(); {
	case c == end && s.i < len(s.b):
		s.i++
		s.depth--
		return false
	case first:
	case c != ',':
		return s.syntax("expected a comma or the end of an array or object")
	default:
		s.i++
		s.space()
	}
	return true
}

// member steps to the value of the next member of an object, and returns the inside of its key. ok is false at the end of the
// object and on an error.
func (s *scanner) member(first bool) (key span, ok bool) {
	if !s.more(first, '}') {
		return span{}, false
	}
	if s.peek() != '"' {
		return span{}, s.syntax("expected a key")
	}
	if key, ok = s.str(); !ok {
		return key, false
	}
	if i := s.i; i+1 < len(s.b) && s.b[i] == ':' && s.b[i+1] > ' ' { // the common case
		s.i++
		return key, true
	}
	s.space()
	if s.peek() != ':' {
		return key, s.syntax("expected a colon")
	}
	s.i++
	s.space()
	return key, true
}

// value skips the next value.
func (s *scanner) value() bool {
	switch c := s.peek(); {
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
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	default:
		return s.syntax("expected a value")
	}
}

// nested skips an object or array, whose opening bracket is next and whose closing bracket is end.
func (s *scanner) nested(end byte) bool {
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
		if !s.value() {
			return false
		}
	}
}

// skip is nested for a scanner that is not strict: it goes from bracket to bracket.
func (s *scanner) skip() bool {
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

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return s.syntax("expected a value")
	}
	s.i += len(w)
	return true
}

func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.i++
	}
	if s.peek() == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		if s.i++; !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.i
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.i++
	}
	return s.i > from || s.syntax("expected a digit")
}

// validate returns what is wrong with b as one JSON value, nil if nothing is.
func validate(b []byte) error {
	s := scanner{b: b, strict: true}
	if s.space(); s.value() && s.end() {
		return nil
	}
	return s.err
}

// str skips the string that is next, and returns its inside.
func (s *scanner) str() (span, bool) {
	s.i++
	if s.strict {
		return s.strictStr()
	}
	from := s.i
	if !s.pass() {
		return span{}, false
	}
	return span{from, s.i - 1}, true
}

// pass skips the rest of a string, of which the opening quote is behind. A quote with an odd number of backslashes before it does
// not end the string.
func (s *scanner) pass() bool {
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

// strictStr is str for a strict scanner; the opening quote is behind.
func (s *scanner) strictStr() (span, bool) {
	from := s.i
	for {
		s.i += plain(s.b[s.i:])
		switch c := s.peek(); {
		case s.i >= len(s.b):
			return span{}, s.syntax("")
		case c == '"':
			s.i++
			return span{from, s.i - 1}, true
		case c == '\\':
			if !s.escape() {
				return span{}, false
			}
		default:
			return span{}, s.syntax("a control character in a string")
		}
	}
}

func (s *scanner) escape() bool {
	s.i++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
		return true
	case 'u':
		s.i++
		for range 4 {
			if _, ok := nibble(s.peek()); !ok {
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

// plain returns how many bytes of a string stand before the next quote, backslash or control character. It looks at eight bytes
// at a time: (w-ones)&^w&highs marks the lowest zero byte of w exactly, and above that byte perhaps others that are not zero.
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
