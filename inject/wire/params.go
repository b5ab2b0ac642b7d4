package wire

import (
	"bytes"

	"github.com/aside-go/aside/compile/fact"
)

// params is what the facts need of the members of the body other than the messages.
type params struct {
	model    span
	provider span
	opening  span // the first text of the system prompt
	tools    fact.Truth
	stream   bool
	schema   bool // the answer must be JSON of a given schema
	partial  bool // the server keeps the conversation
	ids      bodyIDs
}

// param reads the value of a member of the body, of which name is the decoded name.
func (r *reader) param(name []byte) {
	p := &r.doc.params
	switch string(name) {
	case "model":
		p.model = r.quoted()
	case "provider":
		if at := r.quoted(); !r.f.vendor {
			p.provider = at
		}
	case "stream":
		p.stream = r.isTrue()
	case "tools", "functions":
		p.tools = r.nonEmpty()
	case "toolConfig":
		r.eachMember(func(name []byte) {
			if string(name) == "tools" && r.f.keyed && r.f.promptParts == "" {
				p.tools = r.nonEmpty()
			} else {
				r.value()
			}
		})
	case "system", "instructions", "systemInstruction", "system_instruction":
		p.opening = r.opening()
	case "generationConfig", "generation_config":
		r.eachMember(func(name []byte) {
			p.schema = p.schema || bytes.Contains(name, []byte("esponseSchema")) || bytes.Contains(name, []byte("esponseJsonSchema"))
			r.value()
		})
	case "response_format", "text":
		from := r.i
		r.value()
		p.schema = p.schema || bytes.Contains(r.b[from:r.i], []byte(`"json_schema"`))
	case "cachedContent", "cached_content":
		p.partial = r.quoted().to > 0 || p.partial
	default:
		if !p.ids.id(r, name) {
			r.value()
		}
	}
}

// opening reads a system prompt of any form, and returns the inside of the first text in it.
func (r *reader) opening() (at span) {
	switch r.peek() {
	case '"':
		return r.quoted()
	case '[':
		r.enter()
		for first := true; r.more(first, ']'); first = false {
			if first {
				at = r.opening()
			} else {
				r.value()
			}
		}
	case '{':
		r.eachMember(func(name []byte) {
			switch string(name) {
			case "text":
				at = r.quoted()
			case "parts", "content":
				at = r.opening()
			default:
				r.value()
			}
		})
	default:
		r.value()
	}
	return at
}

// noteMember keeps in d.head what editing needs of a member of the body. key is the inside of the member's name, at its value.
func (d *body) noteMember(key, at span) {
	v := at.of(d.b)
	null := string(v) == "null"
	switch name := nameOf(d.b, key); string(name) {
	case "model", "modelId":
		if v[0] == '"' {
			d.head.model = d.says(span{at.from + 1, at.to - 1})
		}
	case "anthropic_version":
		if v[0] == '"' {
			d.head.version = d.says(span{at.from + 1, at.to - 1})
		}
	case "thinking":
		d.head.thinking = thinks(v)
	case "additionalModelRequestFields":
		d.head.thinking = false
		s := scanner{b: v}
		s.eachMember(func(name []byte) {
			from := s.i
			if s.value() && (string(name) == "thinking" || string(name) == "reasoning_config") {
				d.head.thinking = thinks(v[from:s.i])
			}
		})
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
		for _, p := range d.f.promptKeys {
			if string(name) == p {
				d.head.prompt, d.head.promptKey = at, key.from-1
			}
		}
	}
}

// thinks reports whether the value of a member such as "thinking" switches thinking on.
func thinks(v []byte) bool { return v[0] == '{' && !bytes.Contains(v, []byte(`"disabled"`)) }
