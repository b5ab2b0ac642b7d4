package wire

import "github.com/aside-go/aside/compile/fact"

// part reads a part of a Gemini Content, which is told by its members.
func (r *factReader) part() {
	text, said, thought, other := span{}, false, false, false
	r.object(func(key []byte) {
		switch string(key) {
		case "text":
			said = r.peek() == '"'
			text = r.text()
		case "thought":
			thought = r.isTrue()
		case "functionCall", "function_call":
			c := rawCall{failed: fact.Unknown}
			c.id, c.name = r.idAndName("id", nil)
			r.m.calls = append(r.m.calls, c)
		case "functionResponse", "function_response":
			p := rawResult{failed: fact.Unknown}
			p.id, p.name = r.idAndName("id", func(key []byte) bool {
				if string(key) != "response" {
					return false
				}
				p.failed = r.responseFailed()
				return true
			})
			r.m.results = append(r.m.results, p)
		case "thoughtSignature", "thought_signature", "partMetadata", "videoMetadata", "mediaResolution":
			r.value()
		default:
			other = true
			r.value()
		}
	})
	if said && !thought {
		r.m.texts = append(r.m.texts, text)
	}
	r.m.media = r.m.media || other
}

// idAndName reads the object of a call or a result. more may read a further member.
func (r *factReader) idAndName(idKey string, more func(key []byte) bool) (id, name span) {
	r.inside(func(key []byte) {
		switch {
		case string(key) == idKey:
			id = r.text()
		case string(key) == "name":
			name = r.text()
		case more == nil || !more(key):
			r.value()
		}
	})
	return id, name
}

// responseFailed reads what a function answered: by its declaration "error" holds what went wrong, "output" what came out,
// and without either all of it is output.
//
// Source: genai v1.77.0, FunctionResponse.
func (r *factReader) responseFailed() fact.Truth {
	if r.peek() != '{' {
		r.value()
		return fact.Unknown
	}
	failed := fact.False
	r.object(func(key []byte) {
		if string(key) == "error" && r.peek() != 'n' {
			failed = fact.True
		}
		r.value()
	})
	return failed
}

// keyed reads a block of Converse, which is told by its member.
func (r *factReader) keyed() {
	r.object(func(key []byte) {
		switch string(key) {
		case "text":
			if r.peek() == '"' {
				r.m.texts = append(r.m.texts, r.text())
			} else {
				r.value()
			}
		case "toolUse":
			c := rawCall{failed: fact.Unknown}
			c.id, c.name = r.idAndName("toolUseId", nil)
			r.m.calls = append(r.m.calls, c)
		case "toolResult":
			p := rawResult{failed: fact.Unknown} // models that know no status send none
			p.id, _ = r.idAndName("toolUseId", func(key []byte) bool {
				if string(key) != "status" {
					return false
				}
				switch string(r.word()) {
				case "success":
					p.failed = fact.False
				case "error":
					p.failed = fact.True
				}
				return true
			})
			r.m.results = append(r.m.results, p)
		case "cachePoint", "reasoningContent", "toolAddition", "toolRemoval", "citationsContent":
			r.value()
		default:
			r.m.media = true
			r.value()
		}
	})
}
