package wire

import (
	"strings"

	"github.com/aside-go/aside/inject"
)

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
	case "model":
		return "model"
	case "text":
		return "text"
	case "tool_use":
		return "tool_use"
	case "tool_result":
		return "tool_result"
	}
	return decode(r.b, at).s
}

// content reads the content of a message.
func (r *reader) content(m *message) {
	m.content.from = r.i
	m.form, m.toolResult = inject.FormNone, false
	m.blocks.from = len(r.doc.blocks)
	switch c := r.peek(); {
	case c == '"' && !r.f.keyed:
		if at, ok := r.str(); ok {
			m.form = inject.FormText
			r.doc.blocks = append(r.doc.blocks, block{text: at, isText: true})
			r.doc.texts = append(r.doc.texts, place{span: at, stand: inject.StandUser})
		}
	case c == '[':
		m.form = inject.FormBlocks
		r.enter()
		for first := true; r.more(first, ']'); first = false {
			b := r.block()
			m.toolResult = m.toolResult || b.kind == kindResult
			r.doc.blocks = append(r.doc.blocks, b)
		}
	default:
		r.value()
	}
	m.blocks.to = len(r.doc.blocks)
	m.content.to = r.i
}

// block reads a block, and notes its texts: what a text block says, and what a tool result or a document holds.
func (r *reader) block() (b block) {
	b.from = r.i
	if r.peek() != '{' {
		r.value()
		b.to = r.i
		return b
	}
	texts, word, said := len(r.doc.texts), "", false
	r.enter()
	for first := true; ; first = false {
		key, ok := r.member(first)
		if !ok {
			break
		}
		switch {
		case !r.f.keyed && is(r.b, key, "type"):
			word = r.word()
		case is(r.b, key, "text") && r.peek() == '"':
			b.text, said = r.text(inject.StandBlock), true
		case r.f.keyed:
			r.keyed(&b, key)
		case is(r.b, key, "content"):
			b.content.from = r.i
			r.result()
			b.content.to = r.i
		case is(r.b, key, "id"), is(r.b, key, "tool_use_id"):
			b.id = r.id()
		case r.whole:
			r.strings(attached)
		default:
			r.value()
		}
	}
	b.to = r.i
	b.isText = said && (r.f.keyed && b.kind == kindOther || word == "text" || r.f.items && word == "input_text")
	document := false
	if !r.f.keyed {
		switch {
		case word == "tool_result":
			b.kind = kindResult
		case word == "tool_use":
			b.kind = kindCall
		case word == "server_tool_use":
			b.kind = kindServerCall
		case strings.HasSuffix(word, "_tool_result"):
			b.kind = kindServerResult
		case word == "thinking", word == "redacted_thinking":
			b.thought = true
		default:
			document = r.f.vendor && (word == "document" || word == "search_result")
		}
	}
	if document && !r.whole && r.err == nil { // which only its end may tell
		r.doc.texts, r.i, r.whole = r.doc.texts[:texts], b.from, true
		b = r.block()
		r.whole = false
		return b
	}
	r.keep(texts, &b, document)
	return b
}

// keep drops those of a block's texts that are none: which count is known only at its end, for the type may come last.
func (r *reader) keep(from int, b *block, document bool) {
	kept := r.doc.texts[:from]
	for _, p := range r.doc.texts[from:] {
		switch p.stand {
		case inject.StandResult:
			if b.kind != kindResult && !document {
				continue
			}
		case attached:
			if !document {
				continue
			}
			p.stand = inject.StandResult
		default:
			if !b.isText {
				continue
			}
		}
		kept = append(kept, p)
	}
	r.doc.texts = kept
}

// keyed reads a member of a block that is told by its members.
func (r *reader) keyed(b *block, key span) {
	switch string(key.of(r.b)) {
	case "thought": // of Gemini, beside a text
		b.thought = r.peek() == 't'
		r.value()
	case "reasoningContent":
		b.thought = true
		r.value()
	case "toolUse":
		b.kind, b.id = kindCall, r.idOf("toolUseId")
	case "functionCall", "function_call":
		b.kind, b.id = kindCall, r.idOf("id")
	case "toolResult":
		b.kind = kindResult
		r.keyedResult(b, "toolUseId", "content")
	case "functionResponse", "function_response":
		b.kind = kindResult
		r.keyedResult(b, "id", "response")
	default:
		r.value()
	}
}

// keyedResult reads the result of a call: its id, and what it holds.
func (r *reader) keyedResult(b *block, id, content string) {
	if r.peek() != '{' {
		r.value()
		return
	}
	r.enter()
	for first := true; ; first = false {
		key, ok := r.member(first)
		switch {
		case !ok:
			return
		case is(r.b, key, id):
			b.id = r.id()
		case is(r.b, key, content):
			b.content.from = r.i
			r.strings(inject.StandResult)
			b.content.to = r.i
		default:
			r.value()
		}
	}
}

// text reads a string and notes it.
func (r *reader) text(stand inject.Stand) span {
	at, ok := r.str()
	if ok {
		r.doc.texts = append(r.doc.texts, place{span: at, stand: stand})
	}
	return at
}

// strings reads a value and notes every string in it but keys.
func (r *reader) strings(stand inject.Stand) {
	switch r.peek() {
	case '"':
		r.text(stand)
	case '[':
		if r.enter() {
			for first := true; r.more(first, ']'); first = false {
				r.strings(stand)
			}
		}
	case '{':
		if r.enter() {
			for first := true; ; first = false {
				if _, ok := r.member(first); !ok {
					return
				}
				r.strings(stand)
			}
		}
	default:
		r.value()
	}
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
			p := &r.doc.texts[texts+i]
			p.inner = p.stand == inject.StandBlock
			p.stand = inject.StandResult
		}
	default:
		r.value()
	}
}
