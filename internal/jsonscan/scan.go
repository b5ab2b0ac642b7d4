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
)

// Cursor walks over a JSON text and decodes what it is asked for. What is skipped is not checked, but for
// matching quotes and brackets. After an error bad is true, and stays so, and every method returns at once.
type Cursor struct {
	b   []byte
	i   int
	bad bool
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
	if c.bad || c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

// Open steps into an object or list, whose opening bracket is given; false where the next value is anything
// else.
func (c *Cursor) Open(bracket byte) bool {
	if c.Peek() != bracket {
		c.bad = true
		return false
	}
	c.i++
	return true
}

// Member steps to the next member of the object that open stepped into. It returns the key as it is written,
// without quotes; ok is false after the last member. The caller must read the value before the next call.
func (c *Cursor) Member() (key []byte, ok bool) {
	switch c.Peek() {
	case ',':
		c.i++
		c.blank()
	case '}':
		c.i++
		return nil, false
	}
	if c.Peek() != '"' {
		c.bad = true
		return nil, false
	}
	key = c.Raw()
	if c.bad || c.Peek() != ':' {
		c.bad = true
		return nil, false
	}
	c.i++
	return key[1 : len(key)-1], true
}

// Element steps to the next element of the list that open stepped into; false after the last one. The caller
// must read the element before the next call.
func (c *Cursor) Element() bool {
	switch c.Peek() {
	case ',':
		c.i++
	case ']':
		c.i++
		return false
	case 0:
		c.bad = true
		return false
	}
	return true
}

// Raw reads the next value and returns its JSON text, a slice of the cursor's; nil after an error.
func (c *Cursor) Raw() []byte {
	first := c.Peek()
	start := c.i
	switch first {
	case 0, ',', ':', ']', '}':
		c.bad = true
		return nil
	case '"':
		c.text()
	case '{', '[':
		c.nested()
	default:
		for c.i < len(c.b) && !delimiter[c.b[c.i]] {
			c.i++
		}
	}
	if c.bad {
		return nil
	}
	return c.b[start:c.i]
}

// delimiter marks the bytes that end a number or a word.
var delimiter = [256]bool{',': true, '}': true, ']': true, ' ': true, '\t': true, '\r': true, '\n': true,
	'"': true, ':': true}

// structural marks the bytes that nested must look at.
var structural = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true}

// text skips a string.
func (c *Cursor) text() {
	if c.i = StringEnd(c.b, c.i+1); c.i < 0 {
		c.i, c.bad = len(c.b), true
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
	depth := 0
	for c.i < len(c.b) {
		ch := c.b[c.i]
		if !structural[ch] {
			c.i++
			continue
		}
		switch ch {
		case '"':
			if c.text(); c.bad {
				return
			}
			continue
		case '{', '[':
			depth++
		default:
			depth--
		}
		c.i++
		if depth == 0 {
			return
		}
	}
	c.bad = true
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

// Unquote returns the text of a JSON string; "" for any other value.
func Unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
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
		for c.Open('{'); !c.bad; {
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
		for c.Open('{'); !c.bad; {
			key, more := c.Member()
			if !more {
				return
			}
			c.blank()
			at := c.i
			if !yield(key) {
				return
			}
			if c.i == at && !c.bad {
				c.Raw()
			}
		}
	}
}

// Elements reads a list and yields its Elements as they are written, with their indices. It yields nothing
// where raw is no list, and ends early at an error.
func Elements(raw []byte) iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		c := Cursor{b: raw}
		if c.Peek() != '[' {
			return
		}
		c.Open('[')
		for i := 0; c.Element() && !c.bad; i++ {
			value := c.Raw()
			if c.bad || !yield(i, value) {
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
func (c *Cursor) Bad() bool { return c.bad }

// Member returns the JSON text of an object's member; nil where there is none, and where raw is no object.
func Member(raw []byte, name string) []byte {
	c := Cursor{b: raw}
	if c.Peek() != '{' {
		return nil
	}
	for key, value := range c.Members() {
		if string(key) == name && !c.bad {
			return value
		}
	}
	return nil
}

// Time reads a time stamp. ok is false for anything but a string with a time of RFC 3339.
func Time(raw []byte) (t time.Time, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return t, false
	}
	err := t.UnmarshalText(raw[1 : len(raw)-1])
	return t, err == nil && t.Year() > 1
}
