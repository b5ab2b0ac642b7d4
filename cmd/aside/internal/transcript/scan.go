package transcript

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
)

// cursor walks over a JSON text and decodes what it is asked for. What is skipped is not checked, but for matching quotes and brackets.
// After an error bad is true, and stays so, and every method returns at once.
type cursor struct {
	b   []byte
	i   int
	bad bool
}

func (c *cursor) blank() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

// peek returns the first byte of the next value, 0 at the end.
func (c *cursor) peek() byte {
	c.blank()
	if c.bad || c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

// open steps into an object or list, whose opening bracket is given; false where the next value is anything else.
func (c *cursor) open(bracket byte) bool {
	if c.peek() != bracket {
		c.bad = true
		return false
	}
	c.i++
	return true
}

// member steps to the next member of the object that open stepped into. It returns the key as it is written, without quotes; ok is false
// after the last member. The caller must read the value before the next call.
func (c *cursor) member() (key []byte, ok bool) {
	switch c.peek() {
	case ',':
		c.i++
		c.blank()
	case '}':
		c.i++
		return nil, false
	}
	if c.peek() != '"' {
		c.bad = true
		return nil, false
	}
	key = c.raw()
	if c.bad || c.peek() != ':' {
		c.bad = true
		return nil, false
	}
	c.i++
	return key[1 : len(key)-1], true
}

// element steps to the next element of the list that open stepped into; false after the last one. The caller must read the element
// before the next call.
func (c *cursor) element() bool {
	switch c.peek() {
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

// raw reads the next value and returns its JSON text, a slice of the cursor's; nil after an error.
func (c *cursor) raw() []byte {
	first := c.peek()
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
var delimiter = [256]bool{',': true, '}': true, ']': true, ' ': true, '\t': true, '\r': true, '\n': true, '"': true, ':': true}

// structural marks the bytes that nested must look at.
var structural = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true}

// text skips a string. A quote ends the string unless an odd number of backslashes stands before it. Each run of backslashes is counted
// once, so the time is linear.
func (c *cursor) text() {
	for from := c.i + 1; ; {
		n := bytes.IndexByte(c.b[min(c.i+1, len(c.b)):], '"')
		if n < 0 {
			c.i, c.bad = len(c.b), true
			return
		}
		quote := c.i + 1 + n
		slash := quote
		for slash > from && c.b[slash-1] == '\\' {
			slash--
		}
		if c.i = quote; (quote-slash)%2 == 0 {
			c.i++
			return
		}
	}
}

// nested skips an object or list.
func (c *cursor) nested() {
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

// str reads the next value and returns its text if it is a string, else "".
func (c *cursor) str() string { return unquote(c.raw()) }

// count reads the next value and returns it if it is a whole number that is not below zero.
func (c *cursor) count() (int64, bool) {
	n, err := strconv.ParseInt(string(c.raw()), 10, 64)
	return n, err == nil && n >= 0
}

// unquote returns the text of a JSON string; "" for any other value.
func unquote(raw []byte) string {
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

// members reads an object and yields its keys and values as they are written. After an error, which may be in the value that was yielded
// last, it ends early.
func (c *cursor) members() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for c.open('{'); !c.bad; {
			key, more := c.member()
			if !more || !yield(key, c.raw()) {
				return
			}
		}
	}
}

// keys reads an object and yields its keys. The body of the loop may read the value; otherwise the value is skipped. After an error the
// loop ends early.
func (c *cursor) keys() iter.Seq[[]byte] {
	return func(yield func(key []byte) bool) {
		for c.open('{'); !c.bad; {
			key, more := c.member()
			if !more {
				return
			}
			c.blank()
			at := c.i
			if !yield(key) {
				return
			}
			if c.i == at && !c.bad {
				c.raw()
			}
		}
	}
}

// elements reads a list and yields its elements as they are written, with their indices. It yields nothing where raw is no list, and ends
// early at an error.
func elements(raw []byte) iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		c := cursor{b: raw}
		if c.peek() != '[' {
			return
		}
		c.open('[')
		for i := 0; c.element() && !c.bad; i++ {
			value := c.raw()
			if c.bad || !yield(i, value) {
				return
			}
		}
	}
}
