package wire

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject"
)

// keyed reads a block whose type is the name of the member it has: a part of Gemini's, a block of Converse's.
func (r *reader) keyed(b *block) {
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
				b.text = r.text(inject.StandBlock)
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
				r.strings(inject.StandResult)
			}
			b.content.to = r.i
		case n == "status" && r.f.promptParts == "" && content != "":
			status, _ := r.word()
			b.failed = converseFailed(status)
		default:
			r.value()
		}
	})
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
		r.strings(inject.StandResult)
		return fact.Unknown
	}
	failed := fact.False
	r.eachMember(func(name []byte) {
		if string(name) == "error" && r.peek() != 'n' {
			failed = fact.True
		}
		r.strings(inject.StandResult)
	})
	return failed
}
