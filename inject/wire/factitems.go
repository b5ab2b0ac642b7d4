package wire

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// lone reads an input of OpenAI Responses that is one string.
func (r *factReader) lone() {
	r.messages = 1
	r.m.reset()
	r.m.texts, r.m.content = append(r.m.texts, r.text()), true
	r.add(r.inUserPlace())
}

// item reads an item of the input of OpenAI Responses. Neighbours prove nothing there: developer messages stand between a
// call and its output, so calls and outputs are told by their ids.
func (r *factReader) item() {
	var kind, status []byte
	var id, call, name span
	broken := false
	r.object(func(key []byte) {
		switch string(key) {
		case "type":
			kind = r.word()
		case "role":
			r.m.role = r.word()
		case "content":
			r.content(r.typed)
		case "id":
			id = r.text()
		case "call_id":
			call = r.text()
		case "name":
			name = r.text()
		case "status":
			status = r.word()
		case "error":
			broken = r.peek() != 'n'
			r.value()
		default:
			r.value()
		}
	})
	if call.to == 0 {
		call = id
	}
	switch k := string(kind); {
	case k == "message", k == "" && len(r.m.role) > 0:
		r.m.calls, r.m.results = r.m.calls[:0], r.m.results[:0]
		r.add(r.who())
	case strings.HasSuffix(k, "_output"):
		r.m.texts = r.m.texts[:0]
		r.m.results = append(r.m.results[:0], rawResult{id: call, failed: outputFailed(k, string(status))})
		r.add(actorTool)
	case strings.HasSuffix(k, "_call"):
		r.m.texts = r.m.texts[:0]
		c := rawCall{id: call, name: name, failed: callFailed(k, string(status), broken)}
		if name.to == 0 {
			c.alias = strings.TrimSuffix(k, "_call")
		}
		r.m.calls = append(r.m.calls[:0], c)
		r.add(actorModel)
	case k == "reasoning":
		r.m.reset()
		r.add(actorModel)
	case k == "item_reference":
		r.m.reset()
		r.m.hidden = true // mostly an item of a response
		r.add(actorModel)
	case k == "mcp_approval_response":
		r.m.reset()
		r.add(actorTool)
	}
}

// outputFailed says whether a call failed by its output. The status of most outputs says only that the item is complete.
func outputFailed(kind, status string) fact.Truth {
	switch {
	case status == "failed":
		return fact.True
	case kind == "apply_patch_call_output" && status == "completed":
		return fact.False
	default:
		return fact.Unknown
	}
}

// callFailed says whether a call failed by the call itself, which those tell that the server has answered.
func callFailed(kind, status string, broken bool) fact.Truth {
	switch kind {
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call":
		return fact.Unknown
	}
	switch {
	case broken || status == "failed":
		return fact.True
	case status == "completed":
		return fact.False
	default:
		return fact.Unknown
	}
}
