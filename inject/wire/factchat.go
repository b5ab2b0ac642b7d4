package wire

import (
	"bytes"

	"github.com/aside-go/aside/compile/fact"
)

// plain reads a message whose blocks have a "type": of Anthropic, of Chat, and of the generic shape, which may mix them.
func (r *factReader) plain() {
	var answers span // the call that a tool message answers
	var old, name span
	failed := fact.Unknown
	r.object(func(key []byte) {
		switch string(key) {
		case "role":
			r.m.role = r.word()
		case "content":
			r.content(r.typed)
		case "name":
			name = r.text()
			r.m.name = name.of(r.b)
		case "tool_call_id":
			answers = r.text()
		case "is_error":
			failed = fact.Of(r.isTrue())
		case "tool_calls":
			r.toolCalls()
		case "function_call":
			old = r.named("name")
		default:
			r.value()
		}
	})
	if old.to > 0 {
		r.m.calls = append(r.m.calls, rawCall{name: old, failed: fact.Unknown})
	}
	r.m.calls = append(r.m.calls, r.m.beside...)
	who := r.who()
	if who == actorTool && string(r.m.role) != "user" {
		if len(r.m.results) == 0 {
			r.m.results = append(r.m.results, rawResult{id: answers, name: name, failed: failed})
		}
		r.m.texts = r.m.texts[:0] // a tool's, not a user's
	}
	r.add(who)
}

// named reads a value and returns its member of this name, if it is an object and that is a string.
func (r *factReader) named(name string) (at span) {
	r.inside(func(key []byte) {
		if string(key) == name {
			at = r.text()
		} else {
			r.value()
		}
	})
	return at
}

// toolCalls reads the tool_calls of Chat.
func (r *factReader) toolCalls() {
	r.m.beside = r.m.beside[:0]
	if r.peek() != '[' {
		r.value()
		return
	}
	r.list(func() {
		c := rawCall{failed: fact.Unknown}
		r.inside(func(key []byte) {
			switch string(key) {
			case "id":
				c.id = r.text()
			case "function", "custom":
				if name := r.named("name"); name.to > 0 {
					c.name = name
				}
			default:
				r.value()
			}
		})
		r.m.beside = append(r.m.beside, c)
	})
}

// typed reads a block that is told by its "type", which may come last.
func (r *factReader) typed() {
	var kind []byte
	var text, id, name, of span
	said, failed := false, false
	r.object(func(key []byte) {
		switch string(key) {
		case "type":
			kind = r.word()
		case "text", "refusal":
			said = r.peek() == '"'
			text = r.text()
		case "id":
			id = r.text()
		case "name":
			name = r.text()
		case "tool_use_id":
			of = r.text()
		case "is_error":
			failed = r.isTrue()
		case "content":
			failed = r.serverError() || failed
		default:
			r.value()
		}
	})
	switch string(kind) {
	case "text", "input_text", "output_text", "refusal":
		if said {
			r.m.texts = append(r.m.texts, text)
		}
	case "tool_use", "server_tool_use", "mcp_tool_use":
		r.m.calls = append(r.m.calls, rawCall{id: id, name: name, failed: fact.Unknown})
	case "thinking", "redacted_thinking", "reasoning", "compaction":
	default:
		switch {
		case string(kind) == "tool_result", bytes.HasSuffix(kind, []byte("_tool_result")):
			r.m.results = append(r.m.results, rawResult{id: of, failed: fact.Of(failed)})
		default:
			r.m.media = true
		}
	}
}

// serverError reads the content of a block, and reports whether it is the error of a server's tool, such as
// {"type":"web_search_tool_result_error","error_code":…}.
func (r *factReader) serverError() (yes bool) {
	r.inside(func(key []byte) {
		if string(key) == "type" {
			yes = bytes.HasSuffix(r.word(), []byte("_tool_result_error"))
		} else {
			r.value()
		}
	})
	return yes
}
