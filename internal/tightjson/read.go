// Package tightjson reads and writes JSON in the one form in which encoding/json writes structs: without blanks, the members of an
// object in a fixed order, each at most once. It does so without reflection. The tables that encoding/json makes of a type cost a
// process that lives for a few milliseconds more than all that it reads by them.
//
// It is for what one program writes and reads again. What is in another form is not read here but left to encoding/json, which takes
// all forms: where a Reader reads, it reads what encoding/json reads, and what is appended here is what encoding/json writes. The tests
// hold both together.
package tightjson

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Reader reads one value, from its beginning on. Whatever is not in the form fails it: from there on it reads zeros and finds no
// member, and End says so. Texts that it returns are parts of what it reads. The zero Reader reads nothing.
type Reader struct {
	s  string
	at int
}

// NewReader returns a Reader of s.
func NewReader(s string) *Reader { return &Reader{s: s} }

// Fail makes an end of reading: what was read is not what the caller takes.
func (r *Reader) Fail() { r.s, r.at = "", 1 }

func (r *Reader) failed() bool { return r.at > len(r.s) }

// End reports whether all was read, and nothing failed.
func (r *Reader) End() bool { return r.at == len(r.s) && r.at > 0 }

// Open reads the sign that an object or a list begins with, and Close that it ends with.
func (r *Reader) Open(sign byte) { r.Close(sign) }

// Close reads one sign.
func (r *Reader) Close(sign byte) {
	if r.next() != sign {
		r.Fail()
		return
	}
	r.at++
}

// next is the byte that is read next, 0 at the end.
func (r *Reader) next() byte {
	if r.at >= len(r.s) {
		return 0
	}
	return r.s[r.at]
}

// opened reports whether nothing was read yet of the object or list that the sign begins.
func (r *Reader) opened(sign byte) bool { return r.at > 0 && r.at <= len(r.s) && r.s[r.at-1] == sign }

// Member reads the name of the next member of an object if it is this one, and the comma before it.
func (r *Reader) Member(name string) bool {
	at := r.at
	if !r.opened('{') {
		if r.next() != ',' {
			return false
		}
		at++
	}
	end := at + len(name) + len(`"":`)
	if end > len(r.s) || r.s[at] != '"' || r.s[at+1:end-2] != name || r.s[end-2:end] != `":` {
		return false
	}
	r.at = end
	return true
}

// More reads up to the next item of a list; false means that none follows.
func (r *Reader) More() bool {
	switch {
	case r.opened('['):
		return r.next() != ']'
	case r.next() != ',':
		return false
	}
	r.at++
	return true
}

// Int reads a whole number.
func (r *Reader) Int() int64 {
	from := r.at
	if r.next() == '-' {
		r.at++
	}
	digits := r.at
	for c := r.next(); c >= '0' && c <= '9'; c = r.next() {
		r.at++
	}
	switch c := r.next(); {
	case r.at == digits, r.s[digits] == '0' && r.s[from:r.at] != "0", c == '.', c == 'e', c == 'E':
		r.Fail()
		return 0
	}
	n, err := strconv.ParseInt(r.s[from:r.at], 10, 64)
	if err != nil {
		r.Fail()
		return 0
	}
	return n
}

// Count reads a whole number from 0 to most.
func (r *Reader) Count(most int64) int64 {
	n := r.Int()
	if n < 0 || n > most {
		r.Fail()
		return 0
	}
	return n
}

// Float reads a number.
func (r *Reader) Float() float64 {
	from := r.at
	if c := r.next(); c != '-' && (c < '0' || c > '9') {
		r.Fail()
		return 0
	}
	r.pass(value(r.s, r.at, 0))
	if r.failed() {
		return 0
	}
	n, err := strconv.ParseFloat(r.s[from:r.at], 64)
	if err != nil || math.IsInf(n, 0) {
		r.Fail()
		return 0
	}
	return n
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	for word, is := range [...]string{"false", "true"} {
		if strings.HasPrefix(r.s[min(r.at, len(r.s)):], is) {
			r.at += len(is)
			return word == 1
		}
	}
	r.Fail()
	return false
}

// Text reads a string.
func (r *Reader) Text() string {
	from := r.at + 1
	r.pass(quoted(r.s, r.at))
	if r.failed() {
		return ""
	}
	s := r.s[from : r.at-1]
	plain := true
	for i := range len(s) {
		if s[i] == '\\' || s[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	switch {
	case plain:
		return s
	case !utf8.ValidString(s):
		r.Fail()
		return ""
	}
	return r.unescaped(s)
}

// MemberInt reads the next member of an object if it is this one, and otherwise nothing; so do those below.
func (r *Reader) MemberInt(name string) int64 {
	if !r.Member(name) {
		return 0
	}
	return r.Int()
}

// MemberBool reads a member that is true or false.
func (r *Reader) MemberBool(name string) bool { return r.Member(name) && r.Bool() }

// MemberText reads a member that is a string.
func (r *Reader) MemberText(name string) string {
	if !r.Member(name) {
		return ""
	}
	return r.Text()
}

// MemberTexts reads a member that is a list of strings.
func (r *Reader) MemberTexts(name string) []string {
	if !r.Member(name) {
		return nil
	}
	return r.Texts()
}

// Texts reads a list of strings. It is not nil.
func (r *Reader) Texts() []string {
	texts := []string{}
	for r.Open('['); r.More(); {
		texts = append(texts, r.Text())
	}
	r.Close(']')
	return texts
}

// unescaped is a string without escapes. Those of halves of a surrogate pair fail: nobody writes them.
func (r *Reader) unescaped(s string) string {
	head, rest, escaped := strings.Cut(s, `\`)
	if !escaped {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(head)
	for escaped {
		i := strings.IndexByte(escapes, rest[0])
		switch {
		case i >= 0:
			b.WriteByte(meant[i])
			rest = rest[1:]
		default: // \u and four digits, as quoted has seen
			n, _ := strconv.ParseUint(rest[1:5], 16, 16)
			if n >= 0xd800 && n < 0xe000 {
				r.Fail()
				return ""
			}
			b.WriteRune(rune(n))
			rest = rest[5:]
		}
		if rest != "" && rest[0] == '\\' {
			rest = rest[1:]
			continue
		}
		head, rest, escaped = strings.Cut(rest, `\`)
		b.WriteString(head)
	}
	return b.String()
}

const (
	escapes = `"\/bfnrt`
	meant   = "\"\\/\b\f\n\r\t"
)

// Raw reads any value, and returns it as it stands there.
func (r *Reader) Raw() string {
	from := r.at
	r.pass(value(r.s, r.at, 0))
	if r.failed() {
		return ""
	}
	return r.s[from:r.at]
}

// pass goes on to where a value ends; below 0 is where none was found.
func (r *Reader) pass(end int) {
	if end < 0 {
		r.Fail()
		return
	}
	r.at = end
}
