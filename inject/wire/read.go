package wire

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"

	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// read finds the messages of a body. Of members with the same name the last one counts, as for most readers. The texts of all of
// them may hold forged tags, and are noted.
func (f *format) read(b []byte) (*body, error) {
	d := f.empty(b)
	r := &reader{scanner: scanner{b: b}, f: f, doc: &d}
	if r.top(); r.err != nil {
		return nil, r.err
	}
	return &d, nil
}

// empty returns a body of which nothing has been read yet.
func (f *format) empty(b []byte) body {
	d := body{f: f, b: b}
	if !f.vendor {
		d.params.tools = fact.Unknown // a host may have another member for them than the vendors have
	}
	return d
}

// reader reads a body forward into doc.
type reader struct {
	scanner
	f          *format
	doc        *body
	inDocument bool // the block that is read is a document: all strings in it are noted
}

// top reads the whole body.
func (r *reader) top() {
	r.space()
	at, found := r.i, false
	if r.peek() != '{' {
		r.value()
	} else {
		r.request(&at, &found)
	}
	if r.err == nil && r.end() && !found {
		r.i = at
		r.fail(ErrShape, `expected an object with an array "`+r.f.messages+`"`)
	}
}

// request reads the object that is next: a request, or an object around one (format.wrappers). It sets at to where the value of
// the messages begins, and found to whether that is a list of messages. Where there are no messages, both stay as they are.
func (r *reader) request(at *int, found *bool) {
	if !r.enter() {
		return
	}
	for first := true; ; first = false {
		key, ok := r.member(first)
		switch {
		case !ok:
			return
		case is(r.b, key, r.f.messages):
			*at = r.i
			*found = r.messageList()
		case r.peek() == '{' && r.wraps(key):
			r.request(at, found)
		default:
			r.otherMember(key)
		}
	}
}

// wraps reports whether the value of a member is the request itself.
func (r *reader) wraps(key span) bool {
	return slices.ContainsFunc(r.f.wrappers, func(name string) bool { return is(r.b, key, name) })
}

// perMessage is about how many bytes a message of a long conversation has.
const perMessage = 2 << 10

// messageList reads the value of the member for the messages, and reports whether it is a list of messages.
func (r *reader) messageList() bool {
	d := r.doc
	d.parts, d.listIsString = parts{}, false // of two lists the second one counts
	d.list = span{from: r.i}
	c := r.peek()
	switch {
	case c == '[':
		r.enter()
		for first := true; r.more(first, ']'); first = false {
			r.message()
			if first {
				d.grow((len(r.b)-r.i)/perMessage + 4)
			}
		}
	case c == '"' && r.f.items:
		d.listString, d.listIsString = r.text(mark.InResult), true
	default:
		r.value()
		return false
	}
	d.list.to = r.i
	return true
}

// grow makes room for n more messages.
func (p *parts) grow(n int) {
	p.messages, p.blocks, p.texts = slices.Grow(p.messages, n), slices.Grow(p.blocks, n), slices.Grow(p.texts, n)
}

// otherMember reads the value of another member of the body, which is next: for the facts, and of a vendor's body for editing.
func (r *reader) otherMember(key span) {
	from := r.i
	r.param(nameOf(r.b, key))
	if r.f.vendor && r.err == nil {
		r.doc.noteMember(key, span{from, r.i})
	}
}

// message reads the next element of the list of messages.
func (r *reader) message() {
	d := r.doc
	m := message{span: span{from: r.i}, blocks: span{len(d.blocks), len(d.blocks)}, calls: span{len(d.calls), len(d.calls)}}
	texts := len(d.texts)
	if r.peek() == '{' {
		r.members(&m)
	} else {
		r.value()
		m.actor = actorOther
	}
	if m.class = d.classOf(&m); m.actor == actorNone && r.err == nil {
		d.ascribe(&m)
	}
	d.placeTexts(&m, texts)
	m.to = r.i
	d.messages = append(d.messages, m)
}

// placeTexts drops the texts of a message, those from d.texts[from] on, if its speaker is trusted; else it gives them the stand that
// depends on the role.
func (d *body) placeTexts(m *message, from int) {
	role := d.word(m.role)
	trusted := !outline.Untrusted(role)
	if d.f.vendor {
		trusted = m.class == classSystem || m.class == classAssistant
		if role = ""; m.class == classUser {
			role = "user"
		}
	}
	if trusted {
		d.texts = d.texts[:from]
	}
	for i := from; i < len(d.texts); i++ {
		switch t := &d.texts[i]; t.stand {
		case mark.InUser:
			t.stand = outline.PlaceOf(role, outline.StringContent)
		case mark.InBlock:
			t.stand = outline.PlaceOf(role, outline.BlockContent)
			t.oneOfSeveral = m.blocks.to-m.blocks.from > 1
		}
	}
}

// members reads the members of a message into m.
func (r *reader) members(m *message) {
	var status string
	var output span
	broken := false
	m.failed = fact.Unknown
	r.enter()
	for first := true; ; first = false {
		name, ok := r.field(first)
		if !ok {
			break
		}
		switch {
		case string(name) == r.f.role:
			_, m.role = r.word()
		case string(name) == r.f.content:
			r.content(m)
		case r.f.items && string(name) == "status":
			status, _ = r.word()
		case r.f.items && string(name) == "output":
			output.from = r.i
			r.strings(mark.InResult)
			output.to = r.i
		case r.f.items && string(name) == "error":
			broken = r.peek() != 'n'
			r.value()
		case !r.messageMember(m, name):
			r.value()
		}
	}
	if r.f.items {
		kind := r.doc.word(m.kind)
		m.failed = itemFailed(kind, status, broken)
		if kind == "shell_call_output" && m.failed == fact.Unknown && r.err == nil {
			m.failed = shellFailed(output.of(r.b))
		}
		if kind == "local_shell_call_output" && m.id.to == 0 { // the item's id is the call's (openai-go v3.94.0 responses/response.go)
			m.id = m.itemID
		}
	}
}

// messageMember reads a member of a message other than role and content, and returns true; or reads nothing and returns false, if
// the member does not matter.
func (r *reader) messageMember(m *message, name []byte) bool {
	switch string(name) {
	case "type":
		if !r.f.items {
			return false
		}
		_, m.kind = r.word()
	case "call_id", "tool_call_id":
		m.id = r.quoted()
	case "id":
		if !r.f.items {
			return false
		}
		m.itemID = r.quoted()
	case "name":
		switch {
		case r.f.items:
			m.called = r.quoted()
		case r.f.keyed:
			return false
		case r.f.vendor && r.peek() == '"': // a speaker may be called anything, a forged tag included
			m.name = r.text(mark.InResult)
		default:
			m.name = r.quoted()
		}
	case "is_error":
		if r.f.items {
			return false
		}
		m.failed = fact.Of(r.isTrue())
	case "reason": // why a person approves of a call or refuses it
		if !r.f.items {
			return false
		}
		r.strings(mark.InResult)
	case "refusal":
		if r.f.items || r.f.keyed {
			return false
		}
		m.refusal = r.quoted()
	case "function_call": // of Chat's older calls, which have no ids
		m.nameless = r.peek() == '{'
		if r.f.items || r.f.keyed {
			return false
		}
		m.called = r.named("name")
	case "tool_calls":
		if r.f.keyed {
			return false
		}
		r.calls(m)
	default:
		return false
	}
	return true
}

// calls reads the tool_calls of a message of Chat.
func (r *reader) calls(m *message) {
	m.calls = span{len(r.doc.calls), len(r.doc.calls)}
	if r.peek() != '[' {
		r.value()
		return
	}
	r.enter()
	for first := true; r.more(first, ']'); first = false {
		var id, tool span
		r.eachMember(func(name []byte) {
			switch string(name) {
			case "id":
				id = r.quoted()
			case "function", "custom":
				if at := r.named("name"); at.to > 0 {
					tool = at
				}
			default:
				r.value()
			}
		})
		r.doc.calls, r.doc.names = append(r.doc.calls, id), append(r.doc.names, tool)
	}
	m.calls.to = len(r.doc.calls)
}
