package wire

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"

	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// word reads the next value. If that is a string, it returns what the string says and its inside, else "" and the zero span.
func (r *reader) word() (said string, at span) {
	if r.peek() != '"' {
		r.value()
		return "", at
	}
	at, _ = r.str()
	return wordAt(r.b, at), at
}

// wordAt decodes the string whose inside is at, without an allocation if that is a common role or type.
func wordAt(b []byte, at span) string {
	switch string(at.of(b)) {
	case "":
		return ""
	case "user":
		return "user"
	case "assistant":
		return "assistant"
	case "model":
		return "model"
	case "tool":
		return "tool"
	case "system":
		return "system"
	case "developer":
		return "developer"
	case "text":
		return "text"
	case "input_text":
		return "input_text"
	case "output_text":
		return "output_text"
	case "thinking":
		return "thinking"
	case "tool_use":
		return "tool_use"
	case "tool_result":
		return "tool_result"
	case "message":
		return "message"
	case "reasoning":
		return "reasoning"
	case "function_call":
		return "function_call"
	case "function_call_output":
		return "function_call_output"
	case "completed":
		return "completed"
	}
	return decode(b, at).s
}

// content reads the content of a message into m and its blocks into r.doc, and notes its texts.
func (r *reader) content(m *message) {
	m.content.from = r.i
	m.form, m.toolResult = outline.NoContent, false
	m.blocks.from = len(r.doc.blocks)
	switch c := r.peek(); {
	case c == '"' && !r.f.keyed:
		if at, ok := r.str(); ok {
			m.form = outline.StringContent
			r.doc.blocks = append(r.doc.blocks, block{text: at, said: at, isText: true})
			r.doc.texts = append(r.doc.texts, foreignText{span: at, stand: mark.InUser})
		}
	case c == '[':
		m.form = outline.BlockContent
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

// block reads a block and notes the texts in it: what a text block says, what a tool result and a document hold.
func (r *reader) block() block {
	b := block{span: span{from: r.i}}
	texts, document := len(r.doc.texts), false
	switch c := r.peek(); {
	case c == '"': // a string among blocks: SDKs write such, most servers refuse it
		b.said = r.quoted()
	case c != '{':
		r.value()
	case r.f.keyed:
		document = r.keyed(&b)
	default:
		if document = r.typed(&b); document && !r.inDocument && r.err == nil { // its type may come last, so it is read again
			r.doc.texts, r.i, r.inDocument = r.doc.texts[:texts], b.from, true
			b = r.block()
			r.inDocument = false
			return b
		}
	}
	b.to = r.i
	r.settleTexts(texts, &b, document)
	return b
}

// typed reads a block that has a "type", which may come last, and reports whether it is a document.
func (r *reader) typed(b *block) (document bool) {
	word, said, failed, answers := "", false, false, false
	r.enter()
	for first := true; ; first = false {
		name, ok := r.field(first)
		if !ok {
			break
		}
		switch n := string(name); {
		case n == "type":
			word, _ = r.word()
		case n == "text" && r.peek() == '"':
			b.text, said = r.text(mark.InBlock), true
			b.said = b.text
		case n == "content":
			b.content.from = r.i
			failed = r.result() || failed
			b.content.to = r.i
		case n == "id":
			if id := r.quoted(); !answers {
				b.id = id
			}
		case n == "tool_use_id":
			b.id, answers = r.quoted(), true
		case r.inDocument:
			r.strings(standIfDocument)
		case n == "text", n == "refusal":
			b.said = r.quoted()
		case n == "name":
			b.name = r.quoted()
		case n == "is_error":
			failed = r.isTrue()
		default:
			r.value()
		}
	}
	b.isText = said && (word == "text" || r.f.items && word == "input_text")
	b.failed = fact.Of(failed)
	b.setType(word)
	return r.f.vendor && isFile(word)
}

// isFile reports whether a block of this type holds the content of a file or its name.
func isFile(word string) bool {
	switch word {
	case "document", "search_result", "file", "input_file":
		return true
	}
	return false
}

// setType sets what a block is by its type.
func (b *block) setType(word string) {
	switch word {
	case "text", "input_text", "output_text", "refusal":
		return
	}
	switch b.said = (span{}); word {
	case "tool_use":
		b.kind, b.part = kindCall, partCall
	case "server_tool_use", "mcp_tool_use":
		b.kind, b.part = kindServerCall, partCall
	case "tool_result":
		b.kind, b.part = kindResult, partResult
	case "thinking", "redacted_thinking":
		b.thought = true
	case "reasoning", "compaction":
	default:
		if strings.HasSuffix(word, "_tool_result") {
			b.kind, b.part = kindServerResult, partResult
		} else {
			b.part = partMedia
		}
	}
}

// settleTexts drops, of the texts that were noted of a block (those from texts[from] on), the ones that are no texts of such a block.
// This is known only behind the block, since its type may come last.
func (r *reader) settleTexts(from int, b *block, document bool) {
	kept := r.doc.texts[:from]
	for _, p := range r.doc.texts[from:] {
		switch p.stand {
		case mark.InResult:
			if b.kind != kindResult && !document {
				continue
			}
		case standIfDocument:
			if !document {
				continue
			}
			p.stand = mark.InResult
		default:
			if !b.isText {
				continue
			}
		}
		kept = append(kept, p)
	}
	r.doc.texts = kept
}

// text reads the string that is next, notes it, and returns its inside.
func (r *reader) text(stand mark.Place) span {
	at, ok := r.str()
	if ok {
		r.doc.texts = append(r.doc.texts, foreignText{span: at, stand: stand})
	}
	return at
}

// strings reads the next value and notes every string in it, keys included: a tool may name a file in a key.
func (r *reader) strings(stand mark.Place) {
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
				if _, ok := r.entry(first, stand); !ok {
					return
				}
				r.strings(stand)
			}
		}
	default:
		r.value()
	}
}

// entry is field for an object that a tool or a file wrote: it notes the key as a text.
func (r *reader) entry(first bool, stand mark.Place) (name []byte, ok bool) {
	key, ok := r.member(first)
	if !ok {
		return nil, false
	}
	r.doc.texts = append(r.doc.texts, foreignText{span: key, stand: stand})
	return nameOf(r.b, key), true
}

// result reads the content of what may be a tool result: a string, or blocks. It reports whether the content is the error of a
// tool of the server's, such as {"type":"web_search_tool_result_error","error_code":…}.
func (r *reader) result() (failed bool) {
	texts := len(r.doc.texts)
	switch r.peek() {
	case '"':
		r.text(mark.InResult)
	case '[':
		r.enter()
		for first := true; r.more(first, ']'); first = false {
			r.block()
		}
		for i := range r.doc.texts[texts:] {
			p := &r.doc.texts[texts+i]
			p.inResult = p.stand == mark.InBlock
			p.stand = mark.InResult
		}
	default:
		r.eachMember(func(name []byte) {
			if string(name) == "type" {
				kind, _ := r.word()
				failed = strings.HasSuffix(kind, "_tool_result_error")
			} else {
				r.value()
			}
		})
	}
	return failed
}
