package response

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"

	"github.com/aside-go/aside/internal/jsonscan"
)

// Tap watches the bytes of a response and reads off them how many tokens the model call took. It changes
// nothing, delays nothing, and keeps no more than one event at a time. A Tap is for one response, and for one
// goroutine at a time.
//
// By the first bytes it tells whether a response is one JSON value, a stream of server-sent events, Gemini's
// array of chunks or Bedrock's binary events, and by the names of members which API it is from. It does not
// matter how the response is cut into pieces. The response must not be compressed. Of a response that cannot
// be read, or has an event of more than maxEvent bytes, everything that is not certain stays unknown.
type Tap struct {
	v     Vocabulary
	form  form
	buf   []byte // the value, frame or line that has not ended
	event []byte // the data of the server-sent event that has not ended
	lines int    // how many lines of data it has
	wasCR bool   // the last byte was a CR; an LF behind it belongs to it
	over  bool   // the response cannot be read, or is read to its end

	all, last numbers // of the response so far, and of its last iteration
	each      numbers // of all its iterations together
	id, model string
	final     bool // nothing that may come can change all, last and each

	read   func(value []byte, a *Answer) // nil: the answer is not read
	answer Answer
}

// maxEvent is how many bytes an event may have.
const maxEvent = 16 << 20

// form is the form of a response.
type form uint8

const (
	unknownForm form = iota
	oneValue
	listOfChunks
	textEvents
	binaryEvents
)

// NewTap returns a Tap for one response, whose members have the names in v. read adds one value of the
// response to the answer: a whole body, or an event of a stream. nil: the Tap reads no answer.
func NewTap(v Vocabulary, read func(value []byte, a *Answer)) *Tap { return &Tap{v: v, read: read} }

// Answer returns the answer as far as it has come, nil where it is not read. It is whole when Certain is
// true.
func (t *Tap) Answer() *Answer {
	if t.read == nil {
		return nil
	}
	return &t.answer
}

// Write reads the next piece of the response. It always returns len(p) and no error, and does not keep p.
func (t *Tap) Write(p []byte) (int, error) {
	n := len(p)
	if t.form == unknownForm {
		p = t.sniff(p)
	}
	if t.final || t.over {
		return n, nil
	}
	switch t.form {
	case oneValue, listOfChunks:
		if t.keep(p) && bytes.LastIndexAny(p, "}]") == len(bytes.TrimRight(p, " \r\n\t"))-1 {
			t.value()
		}
	case textEvents:
		t.text(p)
	case binaryEvents:
		if t.keep(p) {
			t.frames()
		}
	}
	return n, nil
}

// sniff skips white space and a byte order mark, decides by the next byte what the response is, and returns p
// from there on.
func (t *Tap) sniff(p []byte) []byte {
	const bom = "\xef\xbb\xbf"
	t.buf = append(t.buf, p...)
	p = bytes.TrimLeft(bytes.TrimLeft(t.buf, " \n\r\t"), bom)
	if len(p) == 0 {
		return nil
	}
	t.buf = nil
	switch p[0] {
	case '{':
		t.form = oneValue
	case '[':
		t.form = listOfChunks
	case 0:
		t.form = binaryEvents
	default:
		t.form = textEvents
	}
	return p
}

// keep appends p to t.buf, as far as an event may be long.
func (t *Tap) keep(p []byte) bool {
	if len(t.buf)+len(t.event)+len(p) > maxEvent {
		t.over, t.buf, t.event = true, nil, nil
		return false
	}
	t.buf = append(t.buf, p...)
	return true
}

// value reads the response that is one JSON value, if it is whole. In an array each element is a chunk that
// is settled on its own.
func (t *Tap) value() {
	value := jsonscan.Of(t.buf).Raw()
	if value == nil {
		return
	}
	if t.over = true; !json.Valid(value) {
		return
	}
	if t.form == oneValue {
		t.settle(value)
		return
	}
	for _, chunk := range jsonscan.Elements(value) {
		t.settle(chunk)
	}
	t.final = true
}

// settle takes in the findings of one JSON value.
func (t *Tap) settle(value []byte) {
	n, ok := t.v.read(value)
	if ok && n.bytes != "" && t.form == binaryEvents {
		inner, err := base64.StdEncoding.DecodeString(n.bytes)
		n, ok = t.v.read(inner)
		value, ok = inner, ok && err == nil
	}
	if !ok || t.final {
		return
	}
	if t.read != nil {
		t.read(value, &t.answer)
	}
	t.id, t.model = cmp.Or(t.id, n.id), cmp.Or(t.model, n.model)
	if t.form == oneValue {
		n.event = End
	}
	switch n.event {
	case Start: // its output tokens are those at the time when it was sent
		t.all, t.last, t.each = n.all, n.last, n.each
		delete(t.all, Output)
	case Delta: // its numbers are totals, not differences
		// a prompt of 0 tokens: of a gateway that knows only the output
		if n.all.count(Input).Known && n.all.count(Input, Read, Written).N == 0 {
			maps.DeleteFunc(n.all, func(w Word, _ int64) bool { return w == Input || w == Read || w == Written })
		}
		if t.all == nil {
			t.all = numbers{}
		}
		maps.Copy(t.all, n.all)
		if n.last != nil {
			t.last, t.each = n.last, n.each
		}
	case Stop:
		t.final = true
	case End:
		t.all, t.last, t.each, t.final = n.all, n.last, n.each, true
	case untyped:
		if n.all != nil {
			t.all, t.last, t.each = n.all, n.last, n.each
			t.final = t.form == binaryEvents // Converse tells it once, at the end
		}
	}
}

// End says that the response is over. whole is whether it came to its regular end; then a last event that is
// missing does not matter. Else what was not certain before stays unknown.
func (t *Tap) End(whole bool) {
	if !whole || t.final || t.over {
		return
	}
	switch t.form {
	case oneValue, listOfChunks:
		t.value()
	case textEvents:
		t.line()
		t.dispatch()
		t.final = true
	case binaryEvents:
		t.final = true
	}
}

// Certain reports whether the rest of the response cannot change what Usage returns.
func (t *Tap) Certain() bool { return t.final }

// Usage returns the numbers that are certain by now. It may be called at any time, best after End.
func (t *Tap) Usage() Usage {
	var u Usage
	if t.final {
		u = t.all.usage(t.last)
		u.Bill = t.all.bill()
		if t.each != nil {
			u.Bill = t.each.bill()
		}
	}
	u.ID, u.Model = t.id, t.model
	return u
}
