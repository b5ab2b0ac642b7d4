package wire

import (
	"strings"

	"github.com/aside-go/aside/inject"
)

// read finds the messages of a body. Of members that are there twice the last one counts, as for most readers; what the
// earlier ones of a message say is neutralised too.
func (f *format) read(b []byte) (*body, error) {
	r := &reader{scanner: scanner{b: b}, f: f, doc: &body{f: f, b: b}}
	if r.top(); r.err != nil {
		return nil, r.err
	}
	return r.doc, nil
}

// reader reads a body.
type reader struct {
	scanner
	f     *format
	doc   *body
	whole bool // every string of a block counts, for it is a document
}

func (r *reader) top() {
	r.space()
	at, found := r.i, false
	if r.peek() != '{' {
		r.value()
	} else if r.enter() {
		for first := true; ; first = false {
			key, ok := r.member(first)
			if !ok {
				break
			}
			if is(r.b, key, r.f.messages) {
				at = r.i
				found = r.listed()
				continue
			}
			r.beside(key)
		}
	}
	if r.err == nil && r.end() && !found {
		r.i = at
		r.fail(ErrShape, `expected an object with an array "`+r.f.messages+`"`)
	}
}

// perMessage is about how many bytes of a long conversation there are for each message of it.
const perMessage = 2 << 10

// listed reads the list of messages, and reports whether it is one.
func (r *reader) listed() bool {
	d := r.doc
	d.messages, d.blocks, d.texts, d.calls, d.isLone = nil, nil, nil, nil, false
	d.list.from = r.i
	c := r.peek()
	switch {
	case c == '[':
		n := (len(r.b)-r.i)/perMessage + 4
		d.messages, d.blocks, d.texts = make([]message, 0, n), make([]block, 0, n), make([]place, 0, n)
		r.enter()
		for first := true; r.more(first, ']'); first = false {
			r.message()
		}
	case c == '"' && r.f.items:
		d.lone, d.isLone = r.text(inject.StandResult), true
	default:
		r.value()
		return false
	}
	d.list.to = r.i
	return true
}

// beside reads a member of the body that is not its messages, whose value is next.
func (r *reader) beside(key span) {
	from := r.i
	r.value()
	if r.f.vendor && r.err == nil {
		r.doc.note(key, span{from, r.i})
	}
}

// note keeps what a member of the body says.
func (d *body) note(key, at span) {
	v := at.of(d.b)
	null := string(v) == "null"
	switch name := d.says(key); name {
	case "model", "modelId":
		if v[0] == '"' {
			d.head.model = d.says(span{at.from + 1, at.to - 1})
		}
	case "anthropic_version":
		if v[0] == '"' {
			d.head.version = d.says(span{at.from + 1, at.to - 1})
		}
	case "thinking":
		d.head.thinking = v[0] == '{' && !strings.Contains(string(v), `"disabled"`)
	case "additionalModelRequestFields":
		d.head.thinking = strings.Contains(string(v), `"thinking"`) || strings.Contains(string(v), `"reasoning_config"`)
	case "previous_response_id":
		if d.f.items && !null {
			d.head.stateful, d.head.previous = true, at
		}
	case "conversation":
		if d.f.items && !null {
			d.head.stateful, d.head.conversation = true, at
		}
	case "cachedContent", "cached_content":
		d.head.cached = !null
	default:
		for _, p := range d.f.prompt {
			if name == p {
				d.head.prompt, d.head.promptKey = at, key.from-1
			}
		}
	}
}

func (r *reader) message() {
	d := r.doc
	m := message{span: span{from: r.i}, blocks: span{len(d.blocks), len(d.blocks)}, calls: span{len(d.calls), len(d.calls)}}
	texts := len(d.texts)
	if r.peek() != '{' {
		r.value()
	} else if r.enter() {
		for first := true; ; first = false {
			key, ok := r.member(first)
			if !ok {
				break
			}
			switch {
			case is(r.b, key, r.f.role):
				m.role = r.word()
			case is(r.b, key, r.f.content):
				r.content(&m)
			case !r.aside(&m, key):
				r.value()
			}
		}
	}
	m.class = r.f.classOf(&m)
	trusted, role := !inject.Untrusted(m.role), m.role
	if r.f.vendor {
		if trusted = m.class == classSystem || m.class == classAssistant; m.class == classUser {
			role = "user"
		} else {
			role = ""
		}
	}
	if trusted {
		d.texts = d.texts[:texts]
	}
	for i, p := range d.texts[texts:] {
		switch p.stand {
		case inject.StandUser:
			d.texts[texts+i].stand = inject.StandOf(role, inject.FormText)
		case inject.StandBlock:
			d.texts[texts+i].stand = inject.StandOf(role, inject.FormBlocks)
			d.texts[texts+i].many = m.blocks.to-m.blocks.from > 1
		}
	}
	m.to = r.i
	d.messages = append(d.messages, m)
}

// aside reads a member of a message that stands beside its role and content, if it is one that counts.
func (r *reader) aside(m *message, key span) bool {
	switch string(key.of(r.b)) {
	case "type":
		if !r.f.items {
			return false
		}
		m.kind = r.word()
	case "call_id", "tool_call_id":
		m.id = r.id()
	case "output":
		if !r.f.items {
			return false
		}
		r.result()
	case "function_call": // of Chat, before there were ids
		m.nameless = r.peek() == '{'
		r.value()
	case "tool_calls":
		if r.f.keyed || r.peek() != '[' {
			return false
		}
		m.calls.from = len(r.doc.calls)
		r.enter()
		for first := true; r.more(first, ']'); first = false {
			r.doc.calls = append(r.doc.calls, r.idOf("id"))
		}
		m.calls.to = len(r.doc.calls)
	default:
		return false
	}
	return true
}

// id reads a value and returns what it says if it is a string.
func (r *reader) id() span {
	if r.peek() != '"' {
		r.value()
		return span{}
	}
	at, _ := r.str()
	return at
}

// idOf reads a value and returns its member of this name, if that is a string.
func (r *reader) idOf(name string) (id span) {
	if r.peek() != '{' {
		r.value()
		return id
	}
	r.enter()
	for first := true; ; first = false {
		key, ok := r.member(first)
		if !ok {
			return id
		}
		if is(r.b, key, name) {
			id = r.id()
		} else {
			r.value()
		}
	}
}
