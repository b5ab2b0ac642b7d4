package wire

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/inject"
)

// maxBack is how many messages are read from the end. Where more are needed, the body is read forward.
const maxBack = 64

// readTail reads a vendor's body from its end: the members behind the list of messages, and the last messages until enough says
// that they are enough for a plan; and of what stands in front of the list, what must be known. It recognises the list by its
// last element, for it mostly does not reach the beginning of the list. It returns nil where it is not sure. The body is taken to
// be JSON.
func (f *format) readTail(b []byte, o Options, enough func(*body) bool) *body {
	d := &body{f: f, b: b}
	d.parts = parts{messages: make([]message, 0, 4), blocks: make([]block, 0, 8), texts: make([]foreignText, 0, 8)} // mostly suffices
	r := &tailReader{reader{scanner: scanner{b: b}, f: f, doc: d}, backScanner{b: b}}
	end := r.readBehind()
	if end < 0 || !r.readFront(o) {
		return nil
	}
	d.list.to, d.partial = end, true
	for at := d.messages[0].from; ; { // where the first of the messages begins that were read
		switch at = blankBefore(b, at); {
		case at == 0:
			return nil
		case b[at-1] == ',':
			at--
		case b[at-1] != '[' || !r.isMessageList(at-1):
			return nil
		default:
			d.partial, d.list.from = false, at-1
		}
		slices.Reverse(d.messages)
		if !d.partial || enough(d) {
			return d
		}
		slices.Reverse(d.messages)
		at = blankBefore(b, at)
		from := r.back.value(at)
		if from < 0 || len(d.messages) == maxBack || !r.element(from, at) {
			return nil
		}
		at = from
	}
}

// readBefore reads the texts of those messages, in front of the ones that were read, in which one of places stands. places are
// offsets in the body, in ascending order; other messages are stepped over. It returns false where it is not sure.
func (d *body) readBefore(places []int) bool {
	r := &tailReader{reader{scanner: scanner{b: d.b}, f: d.f, doc: d}, backScanner{b: d.b}}
	for at := d.messages[0].from; len(places) > 0; {
		at = blankBefore(d.b, at)
		if at == 0 || d.b[at-1] != ',' {
			return at > 0 && d.b[at-1] == '[' && r.isMessageList(at-1) // the others stand in front of the list
		}
		to := blankBefore(d.b, at-1)
		if at = r.back.value(to); at < 0 {
			return false
		}
		n, _ := slices.BinarySearch(places, at)
		if n < len(places) {
			kept := *d
			if !r.element(at, to) {
				return false
			}
			kept.texts = d.texts
			*d = kept
		}
		places = places[:n]
	}
	return true
}

// tailReader reads messages, and steps backward between them.
type tailReader struct {
	reader
	back backScanner
}

// element reads the message at b[from:to], and reports whether it is one.
func (r *tailReader) element(from, to int) bool {
	r.i, r.depth = from, 2
	r.message()
	return r.err == nil && r.i == to
}

// isMessageList reports whether the array that begins at i is the value of the member for the messages.
func (r *tailReader) isMessageList(i int) bool {
	if i = blankBefore(r.b, i); i == 0 || r.b[i-1] != ':' {
		return false
	}
	i = blankBefore(r.b, i-1)
	from := r.back.string(i)
	return from >= 0 && is(r.b, span{from + 1, i - 1}, r.f.messages)
}

// readFront reads the body from its beginning until it knows the model, or, for some models and APIs, up to the list of messages.
// It returns false where it is not sure.
func (r *tailReader) readFront(o Options) bool {
	later := r.doc.head // the members behind the messages, which were read already: the last of two with the same name counts
	r.i, r.depth = 0, 0
	if r.space(); r.peek() != '{' || !r.enter() {
		return false
	}
	for first := true; ; first = false {
		if r.doc.head.model != "" && !r.f.items && !o.row(r.doc.head.model).Strips || r.f.promptParts != "" {
			break
		}
		key, ok := r.member(first)
		if !ok {
			return false
		}
		if is(r.b, key, r.f.messages) {
			break
		}
		if r.otherMember(key); r.err != nil {
			return false
		}
	}
	r.doc.head.after(later)
	return true
}

// after takes in what members behind the messages say.
func (h *head) after(later head) {
	if later.model != "" {
		h.model = later.model
	}
	if later.version != "" {
		h.version = later.version
	}
	h.thinking = h.thinking || later.thinking
	h.stateful = h.stateful || later.stateful
	h.cached = h.cached || later.cached
}

// readBehind reads the members behind the list of messages, and the last message. It returns where the list ends, -1 if that is
// not sure.
func (r *tailReader) readBehind() int {
	b := r.b
	i := blankBefore(b, len(b))
	if i == 0 || b[i-1] != '}' {
		return -1
	}
	i = blankBefore(b, i-1)
	var members [][2]span // key and value, the last member first
	for i > 0 {
		if b[i-1] == ']' && r.endsInMessage(i) {
			for _, m := range slices.Backward(members) {
				r.doc.noteMember(m[0], m[1])
			}
			return i
		}
		from := r.back.value(i)
		if from < 0 {
			return -1
		}
		value := span{from, i}
		if i = blankBefore(b, from); i == 0 || b[i-1] != ':' {
			return -1
		}
		i = blankBefore(b, i-1)
		start := r.back.string(i)
		if start < 0 || is(b, span{start + 1, i - 1}, r.f.messages) {
			return -1
		}
		members = append(members, [2]span{{start + 1, i - 1}, value})
		if i = blankBefore(b, start); i == 0 || b[i-1] != ',' {
			return -1
		}
		i = blankBefore(b, i-1)
	}
	return -1
}

// endsInMessage reports whether the last element of the array that ends at i is a message. If it is, it has been read.
func (r *tailReader) endsInMessage(i int) bool {
	end := blankBefore(r.b, i-1)
	from := r.back.value(end)
	if from < 0 || r.b[from] != '{' {
		return false
	}
	d := r.doc
	ok := r.element(from, end)
	if m := &d.messages[0]; ok && r.f.items && d.word(m.role) == "" {
		ok = strings.HasSuffix(d.word(m.kind), "_output") || strings.HasSuffix(d.word(m.kind), "_call")
	} else {
		ok = ok && (d.word(m.role) != "" || r.f.promptParts != "") && (m.form != inject.FormNone || m.calls.from < m.calls.to)
	}
	if !ok {
		r.err, d.messages, d.blocks, d.texts, d.calls = nil, nil, nil, nil, nil
	}
	return ok
}
