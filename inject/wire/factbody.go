package wire

import (
	"bytes"

	"github.com/aside-go/aside/compile/fact"
)

// read reads the body. Of members that are there twice the last one counts.
func (r *factReader) read() {
	r.tools = fact.False
	if r.api == Messages {
		r.tools = fact.Unknown // who knows where such a host says it
	}
	r.space()
	if r.peek() != '{' {
		r.value()
	} else {
		r.object(func(key []byte) {
			if !r.head(key) {
				r.value()
			}
		})
	}
	if r.err == nil && r.end() && !r.found {
		r.i = 0
		r.fail(ErrShape, `expected an object with a list "`+listName(r.api)+`"`)
	}
}

func listName(a API) string {
	switch a {
	case Responses:
		return "input"
	case Gemini:
		return "contents"
	default:
		return "messages"
	}
}

// object reads an object, which is next, and asks member to read each value.
func (r *factReader) object(member func(key []byte)) {
	r.enter()
	for first := true; ; first = false {
		key, ok := r.member(first)
		if !ok {
			return
		}
		member(r.key(key))
	}
}

// list reads an array, which is next, and asks element to read each.
func (r *factReader) list(element func()) {
	r.enter()
	for first := true; r.more(first, ']'); first = false {
		element()
	}
}

// inside reads a value that is an object as object does, and passes over any other.
func (r *factReader) inside(member func(key []byte)) {
	if r.peek() != '{' {
		r.value()
		return
	}
	r.object(member)
}

// text reads a value and returns the inside of it if it is a string.
func (r *factReader) text() span {
	if r.peek() != '"' {
		r.value()
		return span{}
	}
	at, _ := r.str()
	return at
}

// is true if the value that is next is; it is read.
func (r *factReader) isTrue() bool {
	yes := r.peek() == 't'
	return r.value() && yes
}

// some reports whether the value that is next is an array with elements; it is read.
func (r *factReader) some() fact.Truth {
	n := 0
	if r.peek() != '[' {
		r.value()
	} else {
		r.list(func() { n++; r.value() })
	}
	return fact.Of(n > 0)
}

// head reads a member of the body, if it is one that counts.
func (r *factReader) head(key []byte) bool {
	if string(key) == listName(r.api) {
		r.found = false
		r.restart()
		switch c := r.peek(); {
		case c == '[':
			r.found = true
			r.list(r.message)
		case c == '"' && r.api == Responses:
			r.found = true
			r.lone()
		default:
			return false
		}
		return true
	}
	switch string(key) {
	case "model":
		r.model = r.text()
	case "provider":
		if r.api != Messages {
			return false
		}
		r.provider = r.text()
	case "stream":
		r.stream = r.isTrue()
	case "tools", "functions":
		r.tools = r.some()
	case "toolConfig":
		r.inside(func(key []byte) {
			if string(key) == "tools" && r.api == Converse {
				r.tools = r.some()
			} else {
				r.value()
			}
		})
	case "system", "instructions", "systemInstruction", "system_instruction":
		r.first = r.opening()
	case "generationConfig", "generation_config":
		r.inside(func(key []byte) {
			r.schema = r.schema || bytes.Contains(key, []byte("esponseSchema")) || bytes.Contains(key, []byte("esponseJsonSchema"))
			r.value()
		})
	case "response_format", "text":
		from := r.i
		r.value()
		r.schema = r.schema || bytes.Contains(r.b[from:r.i], []byte(`"json_schema"`))
	case "cachedContent", "cached_content":
		r.partial = r.partial || r.text().to > 0
	default:
		return r.ids.head(r, key)
	}
	return true
}

// opening reads a system prompt of any form, and returns the first text in it.
func (r *factReader) opening() (at span) {
	switch r.peek() {
	case '"':
		return r.text()
	case '[':
		first := true
		r.list(func() {
			if !first {
				r.value()
				return
			}
			first, at = false, r.opening()
		})
	case '{':
		r.object(func(key []byte) {
			switch string(key) {
			case "text":
				at = r.text()
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

// message reads a message, or an item.
func (r *factReader) message() {
	r.messages++
	r.m.reset()
	if r.peek() != '{' {
		r.value()
		r.add(actorOther)
		return
	}
	switch r.api {
	case Responses:
		r.item()
	case Gemini:
		r.object(func(key []byte) {
			switch string(key) {
			case "role":
				r.m.role = r.word()
			case "parts":
				r.content(r.part)
			default:
				r.value()
			}
		})
		r.add(r.who())
	case Converse:
		r.object(func(key []byte) {
			switch string(key) {
			case "role":
				r.m.role = r.word()
			case "content":
				r.content(r.keyed)
			default:
				r.value()
			}
		})
		r.add(r.who())
	default:
		r.plain()
	}
}

// word reads a value and returns what it says if it is a string. It may borrow it.
func (r *factReader) word() []byte {
	at := r.text()
	if at.to == 0 {
		return nil
	}
	return r.key(at)
}

// content reads the content of a message: a string, or blocks.
func (r *factReader) content(block func()) {
	r.m.texts, r.m.calls, r.m.results, r.m.media, r.m.content = r.m.texts[:0], r.m.calls[:0], r.m.results[:0], false, false
	switch r.peek() {
	case '"':
		r.m.texts = append(r.m.texts, r.text())
		r.m.content = true
	case '[':
		r.m.content = true
		r.list(func() {
			switch r.peek() {
			case '{':
				block()
			case '"': // as SDKs write it and servers mostly do not take it
				r.m.texts = append(r.m.texts, r.text())
			default:
				r.value()
			}
		})
	default:
		r.value()
	}
}

// who says who stands behind the message, by its form.
func (r *factReader) who() actor {
	switch string(r.m.role) {
	case "assistant", "model":
		return actorModel
	case "system", "developer":
		if r.messages == 1 && len(r.m.texts) > 0 && r.first.to == 0 {
			r.first = r.m.texts[0]
		}
		return actorNone
	case "tool", "function":
		return actorTool
	case "user":
		return r.inUserPlace()
	case "":
		if r.api == Gemini {
			return r.inUserPlace()
		}
	}
	return actorOther
}

// inUserPlace says who stands behind a message in a user's place: rules 2, 3 and 5 of WIRE.md §2.
func (r *factReader) inUserPlace() actor {
	switch {
	case len(r.m.results) > 0:
		return actorTool
	case !r.m.content:
		return actorOther
	case hostName(r.m.name):
		return actorHost
	case r.m.media || len(r.m.texts) == 0:
		return actorPerson
	}
	for _, t := range r.m.texts {
		if !r.tagged(t) {
			return actorPerson
		}
	}
	return actorHost
}
