package wire

import "github.com/aside-go/aside/inject"

// body is what was found in a request.
type body struct {
	f        *format
	b        []byte
	list     span // the array of messages, brackets included
	messages []message
	blocks   []block // of all messages, in order
	texts    []place // of all messages that may carry forged tags, in order
}

// message is where a message is, and what is in it.
type message struct {
	span
	role       string
	form       inject.Form
	content    span // quotes and brackets included
	blocks     span // of body.blocks
	toolResult bool
}

// block is where a block is; of string content only text.
type block struct {
	span
	text   span // what it says, quotes left out
	isText bool
}

// place is a text in which a forged tag may be.
type place struct {
	span
	stand inject.Stand // of string content, set once the role is known
}

// read finds the messages of a body. Of members that are there twice the last one counts, as for most readers; what the
// earlier ones of a message say is neutralised too.
func (f *format) read(b []byte) (*body, error) {
	r := &reader{scanner: scanner{b: b}, f: f, doc: &body{f: f, b: b}}
	if r.top(); r.err != nil {
		return nil, r.err
	}
	return r.doc, nil
}

// reader reads a body of the generic shape.
type reader struct {
	scanner
	f   *format
	doc *body
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
				at, found = r.i, r.peek() == '['
				r.doc.messages, r.doc.blocks, r.doc.texts = nil, nil, nil
				if found {
					r.array()
					continue
				}
			}
			r.value()
		}
	}
	if r.err == nil && r.end() && !found {
		r.i = at
		r.fail(ErrShape, `expected an object with an array "`+r.f.messages+`"`)
	}
}

// array reads the messages.
func (r *reader) array() {
	r.doc.list.from = r.i
	r.enter()
	for first := true; r.more(first, ']'); first = false {
		r.message()
	}
	r.doc.list.to = r.i
}

func (r *reader) message() {
	m := message{span: span{from: r.i}, blocks: span{len(r.doc.blocks), len(r.doc.blocks)}}
	texts := len(r.doc.texts)
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
			default:
				r.value()
			}
		}
	}
	if !inject.Untrusted(m.role) {
		r.doc.texts = r.doc.texts[:texts]
	}
	for i, p := range r.doc.texts[texts:] {
		switch p.stand {
		case inject.StandUser:
			r.doc.texts[texts+i].stand = inject.StandOf(m.role, inject.FormText)
		case inject.StandBlock:
			r.doc.texts[texts+i].stand = inject.StandOf(m.role, inject.FormBlocks)
		}
	}
	m.to = r.i
	r.doc.messages = append(r.doc.messages, m)
}

// word reads a value and returns what it says, "" if it is no string.
func (r *reader) word() string {
	if r.peek() != '"' {
		r.value()
		return ""
	}
	at, ok := r.str()
	if !ok {
		return ""
	}
	switch string(at.of(r.b)) { // the common ones, without an allocation
	case "user":
		return "user"
	case "assistant":
		return "assistant"
	case "text":
		return "text"
	}
	return decode(r.b, at).s
}

// content reads the content of a message.
func (r *reader) content(m *message) {
	m.content.from = r.i
	m.form, m.toolResult = inject.FormNone, false
	m.blocks.from = len(r.doc.blocks)
	switch r.peek() {
	case '"':
		if at, ok := r.str(); ok {
			m.form = inject.FormText
			r.doc.blocks = append(r.doc.blocks, block{text: at, isText: true})
			r.doc.texts = append(r.doc.texts, place{at, inject.StandUser})
		}
	case '[':
		m.form = inject.FormBlocks
		r.enter()
		for first := true; r.more(first, ']'); first = false {
			b, isResult := r.block()
			m.toolResult = m.toolResult || isResult
			r.doc.blocks = append(r.doc.blocks, b)
		}
	default:
		r.value()
	}
	m.blocks.to = len(r.doc.blocks)
	m.content.to = r.i
}

// block reads a block, and notes its texts: what a text block says, and what a tool result holds.
func (r *reader) block() (b block, isResult bool) {
	b.from = r.i
	if r.peek() != '{' {
		r.value()
		b.to = r.i
		return b, false
	}
	texts, kind, said := len(r.doc.texts), "", false
	r.enter()
	for first := true; ; first = false {
		key, ok := r.member(first)
		if !ok {
			break
		}
		switch {
		case is(r.b, key, "type"):
			kind = r.word()
		case is(r.b, key, "text") && r.peek() == '"':
			b.text, said = r.text(inject.StandBlock), true
		case is(r.b, key, "content"):
			r.result()
		default:
			r.value()
		}
	}
	b.to = r.i
	b.isText, isResult = kind == "text" && said, kind == "tool_result"
	kept := r.doc.texts[:texts]
	for _, p := range r.doc.texts[texts:] { // which of them count is known only now: the type may come last
		if result := p.stand == inject.StandResult; result && isResult || !result && kind == "text" {
			kept = append(kept, p)
		}
	}
	r.doc.texts = kept
	return b, isResult
}

// text reads a string and notes it.
func (r *reader) text(stand inject.Stand) span {
	at, ok := r.str()
	if ok {
		r.doc.texts = append(r.doc.texts, place{at, stand})
	}
	return at
}

// result reads the content of what may be a tool result: a string, or blocks.
func (r *reader) result() {
	texts := len(r.doc.texts)
	switch r.peek() {
	case '"':
		r.text(inject.StandResult)
	case '[':
		r.enter()
		for first := true; r.more(first, ']'); first = false {
			r.block()
		}
		for i := range r.doc.texts[texts:] {
			r.doc.texts[texts+i].stand = inject.StandResult
		}
	default:
		r.value()
	}
}
