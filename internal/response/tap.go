package response

import (
	"encoding/base64"
	"errors"
	"io"
)

// Tap watches the bytes of a response and reads off them how many tokens the model call took. It changes
// nothing, delays nothing and keeps no part of the response: its memory is the same for all. A Tap is for one
// response, and for one goroutine at a time.
//
// By the first bytes it tells whether a response is one JSON value, a stream of server-sent events, Gemini's
// array of chunks or Bedrock's binary events, and by the names of members which API it is from. It does not
// matter how the response is cut into pieces. The response must not be compressed. Of a response that cannot
// be read everything is unknown.
type Tap struct {
	v    Vocabulary
	how  tapMode
	text feed  // reads a JSON value: the response, or the data of an event
	note notes // the findings of text
	sse  sse
	bin  frames
	bom  int // bytes of a byte order mark that were skipped

	done [6]byte // first bytes of the event's data, to find [DONE]
	size int     // bytes of the event's data so far

	inner *inner // of binary events, else nil

	all, last numbers // of the response so far, and of its last iteration
	id, model string
	final     bool // nothing that may come can change all and last
}

// inner reads the JSON value that is in the "bytes" of a binary event, in base64.
type inner struct {
	text  feed
	note  notes
	used  bool    // the event has a "bytes"
	quad  [4]byte // base64 characters that are not decoded yet
	quads int     // how many there are in quad
}

type tapMode uint8

const (
	tapUnknown tapMode = iota
	tapValue
	tapList
	tapEvents
	tapFrames
)

// NewTap returns a Tap for one response in the words of v.
func NewTap(v Vocabulary) *Tap {
	t := &Tap{v: v}
	t.note.events = v.Events
	t.text.notes, t.text.words, t.sse.to = &t.note, v.Words, t
	t.text.reset()
	return t
}

// Write reads the next piece of the response. It always returns len(p) and no error, and does not keep p.
func (t *Tap) Write(p []byte) (int, error) {
	n := len(p)
	if t.final {
		return n, nil
	}
	if t.how == tapUnknown {
		p = t.sniff(p)
	}
	switch t.how {
	case tapValue, tapList:
		t.value(p)
	case tapEvents:
		t.sse.write(p)
	case tapFrames:
		t.bin.write(p)
	}
	return n, nil
}

// sniff skips white space and a byte order mark, decides by the next byte what the response is, and returns p
// from there on.
func (t *Tap) sniff(p []byte) []byte {
	const bom = "\xef\xbb\xbf"
	for i, c := range p {
		switch {
		case t.bom < len(bom) && c == bom[t.bom]:
			t.bom++
			continue
		case c == ' ', c == '\n', c == '\r', c == '\t':
			continue
		case c == '{':
			t.how = tapValue
		case c == '[':
			t.how = tapList
		case c == 0:
			t.how = tapFrames
		default:
			t.how = tapEvents
		}
		if t.how == tapFrames {
			t.bin.data, t.bin.event, t.text.raw = t.text.write, t.frame, t.base64
			t.inner = &inner{}
			t.inner.note.events = t.v.Events
			t.inner.text.notes, t.inner.text.words = &t.inner.note, t.v.Words
			t.inner.text.reset()
		}
		return p[i:]
	}
	return nil
}

// value reads a piece of a response that is one JSON value. In an array each element is a chunk that is
// settled on its own. An element ends at a bracket, so p is read from bracket to bracket.
func (t *Tap) value(p []byte) {
	if t.how == tapValue {
		t.text.write(p)
		if t.text.state == feedDone {
			t.settle(&t.note)
		}
		return
	}
	for len(p) > 0 {
		n := 0
		for n < len(p) && p[n] != '}' && p[n] != ']' {
			n++
		}
		n = min(n+1, len(p))
		t.text.write(p[:n])
		p = p[n:]
		if t.note.elements {
			t.settle(&t.note)
			t.note.begin()
		}
		if t.text.state == feedDone && !t.text.broken {
			t.final = true
		}
	}
}

// data reads a piece of an event's data.
func (t *Tap) data(p []byte) {
	if t.size < len(t.done) {
		copy(t.done[t.size:], p)
	}
	t.size += len(p)
	t.text.write(p)
}

// event ends an event of a stream.
func (t *Tap) event() {
	if t.size == len(t.done) && string(t.done[:]) == "[DONE]" {
		t.final = true
	} else if t.text.end() {
		t.settle(&t.note)
	}
	t.size = 0
	t.text.reset()
}

// frame ends a binary event.
func (t *Tap) frame() {
	if in := t.inner; in.used {
		if in.text.end() && in.quads == 0 {
			t.settle(&in.note)
		}
		in.text.reset()
		in.used, in.quads = false, 0
	} else if t.text.end() {
		t.settle(&t.note)
	}
	t.text.reset()
}

// base64 decodes a piece of the "bytes" of a binary event.
func (t *Tap) base64(p []byte) {
	var three [3]byte
	in := t.inner
	in.used = true
	for _, c := range p {
		in.quad[in.quads] = c
		if in.quads++; in.quads == len(in.quad) {
			in.quads = 0
			n, err := base64.StdEncoding.Decode(three[:], in.quad[:])
			if err != nil {
				in.text.broken = true
				return
			}
			in.text.write(three[:n])
		}
	}
}

// settle takes in the findings of one JSON value.
func (t *Tap) settle(n *notes) {
	if t.final {
		return
	}
	if t.id == "" {
		t.id = string(n.id.b[:n.id.n])
	}
	if t.model == "" {
		t.model = string(n.model.b[:n.model.n])
	}
	if t.how == tapValue {
		t.all, t.last, t.final = n.all, n.last, true
		return
	}
	switch n.event {
	case Start: // its output tokens are those at the time when it was sent
		t.all, t.last = n.all, n.last
		t.all.drop(Output)
	case Delta: // its numbers are totals, not differences
		if n.all.noPrompt() {
			n.all.drop(Input, Read, Written)
		}
		t.all.over(&n.all)
		if n.last.seen != 0 {
			t.last = n.last
		}
	case Stop:
		t.final = true
	case End:
		t.all, t.last, t.final = n.all, n.last, true
	case untyped:
		if n.all.seen != 0 {
			t.all, t.last = n.all, n.last
			t.final = t.how == tapFrames // Converse tells it once, at the end
		}
	}
}

// End says that the response is over. whole is whether it came to its regular end; then a last event that is
// missing does not matter. Else what was not certain before stays unknown.
func (t *Tap) End(whole bool) {
	if !whole || t.final {
		return
	}
	if t.how == tapEvents {
		t.sse.line()
		t.sse.end()
	}
	t.final = t.how == tapEvents || t.how == tapFrames
}

// Certain reports whether the rest of the response cannot change what Usage returns.
func (t *Tap) Certain() bool { return t.final }

// Usage returns the numbers that are certain by now. It may be called at any time, best after End.
func (t *Tap) Usage() Usage {
	var u Usage
	if t.final {
		u = t.all.usage(&t.last)
	}
	u.ID, u.Model = t.id, t.model
	return u
}

// Reader returns a reader of r that shows t each piece, and calls End at the end of r or at an error.
func (t *Tap) Reader(r io.Reader) io.Reader { return &tapped{r, t} }

type tapped struct {
	r io.Reader
	t *Tap
}

func (r *tapped) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if n > 0 && n <= len(p) {
		_, _ = r.t.Write(p[:n])
	}
	if err != nil {
		r.t.End(errors.Is(err, io.EOF))
	}
	return n, err
}
