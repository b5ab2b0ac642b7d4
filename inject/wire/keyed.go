package wire

import (
	"github.com/aside-go/aside/compile/fact"

	"github.com/aside-go/aside/internal/mark"
)

// keyed reads a block whose type is the name of the member it has: a part of Gemini's, a block of Converse's. document is whether
// all texts that were noted in the block count, as those of a document do.
func (r *reader) keyed(b *block) (document bool) {
	said, thought := false, false
	b.failed = fact.Unknown
	r.enter()
	for first := true; ; first = false {
		name, ok := r.field(first)
		if !ok {
			break
		}
		switch string(name) {
		case "text":
			if said = r.peek() == '"'; said {
				b.text = r.text(mark.InBlock)
			} else {
				r.value()
			}
		case "thought": // of Gemini: the text beside it is thinking
			thought = r.isTrue()
			b.thought = thought
		case "reasoningContent":
			b.thought = true
			r.value()
		case "toolUse":
			b.kind, b.part = kindCall, b.part|partCall
			r.use(b, "toolUseId", "")
		case "functionCall", "function_call":
			b.kind, b.part = kindCall, b.part|partCall
			r.use(b, "id", "")
		case "toolResult":
			b.kind, b.part = kindResult, b.part|partResult
			r.use(b, "toolUseId", "content")
		case "functionResponse", "function_response":
			b.kind, b.part = kindResult, b.part|partResult
			r.use(b, "id", "response")
		case "document", "searchResult":
			b.part |= partMedia
			document = true
			r.strings(mark.InResult)
		case "fileData", "file_data", "inlineData", "inline_data":
			b.part |= partMedia
			document = true
			r.fileName()
		case "guardContent": // a person's words, for a guardrail to look at
			document = true
			if b.said = r.guarded(); b.said.to == 0 {
				b.part |= partMedia
			}
		case "cachePoint", "toolAddition", "toolRemoval", "citationsContent",
			"thoughtSignature", "thought_signature", "partMetadata", "videoMetadata", "mediaResolution":
			r.value()
		default:
			b.part |= partMedia
			r.value()
		}
	}
	b.isText = said && b.kind == kindOther
	if said && !thought {
		b.said = b.text
	}
	return document
}

// fileName reads a file of Gemini's and notes its name. Nothing else in it is read as a text.
func (r *reader) fileName() {
	r.eachMember(func(name []byte) {
		switch n := string(name); {
		case (n == "displayName" || n == "display_name") && r.peek() == '"':
			r.text(mark.InResult)
		default:
			r.value()
		}
	})
}

// guarded reads a guardContent of Converse's, notes the text in it, and returns the inside of that; the zero span if there is
// none.
func (r *reader) guarded() (at span) {
	r.eachMember(func(name []byte) {
		if string(name) != "text" {
			r.value()
			return
		}
		r.eachMember(func(name []byte) {
			if string(name) == "text" && r.peek() == '"' {
				at = r.text(mark.InResult)
			} else {
				r.value()
			}
		})
	})
	return at
}

// use reads the value of a call or a result. id is the name of the member with its id, content that of a result's content, "" for
// a call.
func (r *reader) use(b *block, id, content string) {
	r.eachMember(func(name []byte) {
		switch n := string(name); {
		case n == id:
			b.id = r.quoted()
		case n == "name":
			b.name = r.quoted()
		case n == content:
			b.content.from = r.i
			if r.f.promptParts != "" {
				b.failed = r.response()
			} else {
				r.held()
			}
			b.content.to = r.i
		case n == "parts" && content != "": // of Gemini: files that go with it
			r.strings(mark.InResult)
		case n == "status" && r.f.promptParts == "" && content != "":
			status, _ := r.word()
			b.failed = converseFailed(status)
		default:
			r.value()
		}
	})
}

// held reads the content of a tool result of Converse's, and notes its texts.
func (r *reader) held() {
	if r.peek() != '[' {
		r.strings(mark.InResult)
		return
	}
	r.enter()
	for first := true; r.more(first, ']'); first = false {
		texts, block := len(r.doc.texts), r.peek() == '{'
		r.strings(mark.InResult)
		if in := r.doc.texts[texts:]; block && len(in) > 1 && is(r.b, in[0].span, "text") { // a text block, which may be ours
			in[1].inResult = true
		}
	}
}

// converseFailed says whether a call failed by the status of its result in Converse, which not all models have.
func converseFailed(status string) fact.Truth {
	switch status {
	case "success":
		return fact.False
	case "error":
		return fact.True
	}
	return fact.Unknown
}

// response reads the response of a function and says whether the function failed. As its declaration says, "error" holds what
// went wrong and "output" what came out; without either all of it is output.
//
// Source: genai v1.77.0, FunctionResponse.
func (r *reader) response() fact.Truth {
	if r.peek() != '{' {
		r.strings(mark.InResult)
		return fact.Unknown
	}
	failed := fact.False
	r.enter()
	for first := true; ; first = false {
		name, ok := r.entry(first, mark.InResult)
		if !ok {
			return failed
		}
		from := r.i
		r.strings(mark.InResult)
		if string(name) == "error" && !isNothing(r.b[from:r.i]) {
			failed = fact.True
		}
	}
}

// isNothing reports whether the value of a member "error" says that there is no error: some programs always write that member.
func isNothing(v []byte) bool {
	switch string(v) {
	case "null", "false", `""`, "{}", "[]":
		return true
	}
	return false
}
