// Package jsonscan walks over JSON texts and decodes only what it is asked for, at the speed of a scan for
// quotes and brackets. It is for files of hundreds of megabytes of which a few members count. A Cursor is for
// one goroutine. Encode writes JSON.
package jsonscan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strconv"
	"time"
	"unicode/utf8"
)

// Cursor walks over a JSON text and decodes what it is asked for. In a value that is skipped it checks only
// that quotes and brackets match. After the first mistake Bad is true, and every method returns at once.
type Cursor struct {
	b     []byte
	i     int
	key   int  // where the last key begins
	first bool // the next member or element is the first one
	depth int
	most  int // levels of objects and lists; 0 is any number
	err   *Error
}

// Error is the first mistake in a text.
type Error struct {
	Offset int
	Reason string
	Deep   bool // the text has more levels than the cursor may read
}

// At returns a cursor at an offset of a JSON text, which reads at most so many levels of objects and lists
// from there.
func At(b []byte, offset, levels int) Cursor { return Cursor{b: b, i: offset, most: levels} }

// Err returns the first mistake, nil where there is none.
func (c *Cursor) Err() *Error { return c.err }

// fail notes a mistake at the next byte, unless there is one already.
func (c *Cursor) fail(reason string) {
	switch {
	case c.err != nil:
	case c.i >= len(c.b):
		c.err = &Error{Offset: c.i, Reason: "the text ends too early"}
	default:
		c.err = &Error{Offset: c.i, Reason: reason}
	}
}

func (c *Cursor) blank() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

// Peek returns the first byte of the next value, 0 at the end.
func (c *Cursor) Peek() byte {
	c.blank()
	if c.err != nil || c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

// Open steps into an object or list, whose opening bracket is given; false where the next value is anything
// else.
func (c *Cursor) Open(bracket byte) bool {
	if c.Peek() != bracket {
		c.fail("expected an object or a list")
		return false
	}
	if c.depth++; c.tooDeep(c.depth) {
		return false
	}
	c.i++
	c.first = true
	return true
}

func (c *Cursor) tooDeep(depth int) bool {
	if c.most == 0 || depth <= c.most {
		return false
	}
	c.fail("too many levels of arrays and objects")
	c.err.Deep = true
	return true
}

// more steps to the next member or element, or at the end behind the closing bracket.
func (c *Cursor) more(end byte) bool {
	first := c.first
	c.first = false
	switch next := c.Peek(); {
	case next == end:
		c.i++
		c.depth--
		return false
	case next == ',' && !first:
		c.i++
		c.blank()
	case next == 0 || !first:
		c.fail("expected a comma or the end of an array or object")
		return false
	}
	return true
}

// Member steps to the next member of the object that Open stepped into. It returns the key as it is written,
// without quotes; ok is false after the last member. The caller must read the value before the next call.
func (c *Cursor) Member() (key []byte, ok bool) {
	if !c.more('}') {
		return nil, false
	}
	if c.Peek() != '"' {
		c.fail("expected a key")
		return nil, false
	}
	from := c.i + 1
	if c.text(); c.err != nil {
		return nil, false
	}
	key = c.b[from : c.i-1]
	if c.Peek() != ':' {
		c.fail("expected a colon")
		return nil, false
	}
	c.i++
	c.blank()
	c.key = from
	return key, true
}

// Element steps to the next element of the list that Open stepped into; false after the last one. The caller
// must read the element before the next call.
func (c *Cursor) Element() bool { return c.more(']') }

// Skip reads the next value; false after a mistake.
func (c *Cursor) Skip() bool {
	switch c.Peek() {
	case '"':
		c.text()
	case '{', '[':
		c.nested()
	default:
		from := c.i
		for c.i < len(c.b) && word[c.b[c.i]] {
			c.i++
		}
		if c.i == from {
			c.fail("expected a value")
		}
	}
	return c.err == nil
}

// Raw reads the next value and returns its JSON text, a slice of the cursor's; nil after a mistake.
func (c *Cursor) Raw() []byte {
	c.blank()
	from := c.i
	if !c.Skip() {
		return nil
	}
	return c.b[from:c.i]
}

// word marks the bytes of numbers and words.
var word = func() (is [256]bool) {
	for _, c := range []byte("+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		is[c] = true
	}
	return is
}()

// structural marks the bytes that nested must look at.
var structural = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true}

// text skips a string.
func (c *Cursor) text() {
	if c.i = StringEnd(c.b, c.i+1); c.i < 0 {
		c.i = len(c.b)
		c.fail("")
	}
}

// StringEnd returns the offset behind the quote that ends a JSON string whose inside begins at from, -1 where
// the string has no end. A quote ends the string unless an odd number of backslashes stands before it. Each
// run of backslashes is counted once, so the time is linear.
func StringEnd(b []byte, from int) int {
	for i := from; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		quote := i + n
		slash := quote
		for slash > from && b[slash-1] == '\\' {
			slash--
		}
		if i = quote + 1; (quote-slash)%2 == 0 {
			return i
		}
	}
}

// nested skips an object or list.
func (c *Cursor) nested() {
	depth := c.depth
	for c.i < len(c.b) {
		ch := c.b[c.i]
		if !structural[ch] {
			c.i++
			continue
		}
		switch ch {
		case '"':
			if c.text(); c.err != nil {
				return
			}
			continue
		case '{', '[':
			if depth++; c.tooDeep(depth) {
				return
			}
		default:
			depth--
		}
		c.i++
		if depth == c.depth {
			return
		}
	}
	c.fail("")
}

// Str reads the next value and returns its text if it is a string, else "".
func (c *Cursor) Str() string { return Unquote(c.Raw()) }

// Count reads the next value and returns it if it is a whole number that is not below zero.
func (c *Cursor) Count() (int64, bool) {
	n, err := strconv.ParseInt(string(c.Raw()), 10, 64)
	return n, err == nil && n >= 0
}

// Encode returns v as JSON on one line without its end, with <, > and & as they are: texts hold tags.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Unquote returns the text of a JSON string, with U+FFFD for what is no UTF-8; "" for any other value.
func Unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Members reads an object and yields its keys and values as they are written. After an error, which may be in
// the value that was yielded last, it ends early.
func (c *Cursor) Members() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for c.Open('{'); c.err == nil; {
			key, more := c.Member()
			if !more || !yield(key, c.Raw()) {
				return
			}
		}
	}
}

// Keys reads an object and yields its keys. The body of the loop may read the value; otherwise the value is
// skipped. After an error the loop ends early.
func (c *Cursor) Keys() iter.Seq[[]byte] {
	return func(yield func(key []byte) bool) {
		for c.Open('{'); c.err == nil; {
			key, more := c.Member()
			if !more {
				return
			}
			at := c.i
			if !yield(key) {
				return
			}
			if c.i == at && c.err == nil {
				c.Raw()
			}
		}
	}
}

// Elements reads a list and yields its Elements as they are written, with their indices. It yields nothing
// where raw is not a list, and ends early at an error.
func Elements(raw []byte) iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		c := Cursor{b: raw}
		if c.Peek() != '[' {
			return
		}
		c.Open('[')
		for i := 0; c.Element(); i++ {
			value := c.Raw()
			if c.err != nil || !yield(i, value) {
				return
			}
		}
	}
}

// Of returns a cursor at the beginning of a JSON text.
func Of(b []byte) *Cursor { return &Cursor{b: b} }

// ReadLine returns the next line of r with its line feed, which is valid until the next call. A line of more
// than most bytes is dropped, and long is true. In *buf a line is kept that the buffer of r has no room for.
// After the last line err is io.EOF, with or without a line.
func ReadLine(r *bufio.Reader, buf *[]byte, most int) (line []byte, long bool, err error) {
	if line, err = r.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
		return line, false, err
	}
	*buf = append((*buf)[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.ReadSlice('\n')
		if long = long || len(*buf)+len(line) > most; !long {
			*buf = append(*buf, line...)
		}
	}
	return *buf, long, err
}

// Offset returns where in the text the cursor is.
func (c *Cursor) Offset() int { return c.i }

// Since returns the text from an offset to the cursor.
func (c *Cursor) Since(offset int) []byte { return c.b[offset:c.i] }

// Bad reports whether the text has turned out not to be JSON, or another value than was asked for.
func (c *Cursor) Bad() bool { return c.err != nil }

// AtEnd reports whether the cursor is at the end of the text.
func (c *Cursor) AtEnd() bool { return c.i >= len(c.b) }

// Seek moves the cursor to the beginning of a value in the object or list that it is in.
func (c *Cursor) Seek(offset int) { c.i = offset }

// Key returns where the key of the last member begins, behind its quote.
func (c *Cursor) Key() int { return c.key }

// Member returns the JSON text of an object's member; nil where there is none, and where raw is no object.
func Member(raw []byte, name string) []byte {
	c := Cursor{b: raw}
	if c.Peek() != '{' {
		return nil
	}
	for key, value := range c.Members() {
		if string(key) == name && c.err == nil {
			return value
		}
	}
	return nil
}

// In returns the JSON text that raw has at a path of members; nil where there is none.
func In(raw []byte, path ...string) []byte {
	for _, name := range path {
		raw = Member(raw, name)
	}
	return raw
}

// Time reads a time stamp. ok is false for anything but a string with a time of RFC 3339.
func Time(raw []byte) (t time.Time, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return t, false
	}
	err := t.UnmarshalText(raw[1 : len(raw)-1])
	return t, err == nil && t.Year() > 1
}
