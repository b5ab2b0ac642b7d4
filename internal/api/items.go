package api

import (
	"bytes"
	"encoding/json"

	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/response"
)

// Items gathers the items of a response: what later requests need not hold where the server keeps it.
type Items struct {
	calls func(a *response.Answer) []byte // API.calls

	done  []byte // items of a stream, each with a comma behind it
	whole []byte // the items of the whole response, with brackets
	ended bool
	long  bool // there are more than mostItems bytes of them, so none is kept
}

// mostItems is how many bytes of items are gathered.
const mostItems = 16 << 20

// NewItems returns the Items of a response of an API.
func NewItems(name Name) *Items {
	for _, a := range all {
		if a.format.Name == name {
			return &Items{calls: a.calls}
		}
	}
	return &Items{}
}

// Read takes in a value of the response: the whole of it, or an event of a stream. It does not keep value.
//
// Source: openai-go v3.94.0 responses/response.go.
func (i *Items) Read(value []byte) {
	if i.calls != nil {
		return
	}
	event, whole := "", true
	for key, member := range jsonscan.Of(value).Members() {
		switch string(key) {
		case "type":
			switch event = jsonscan.Unquote(member); event {
			case "response.output_item.done", "response.completed", "response.incomplete":
				whole = false
			default:
				return
			}
		case "item":
			switch {
			case event != "response.output_item.done" || len(member) == 0 || member[0] != '{':
			case len(i.done)+len(member) > mostItems:
				i.done, i.long = nil, true
			default:
				i.done = append(append(i.done, member...), ',')
			}
		case "response":
			i.end(jsonscan.Member(member, "output"))
		case "output":
			if whole {
				i.end(member)
			}
		}
	}
}

// end takes in the items of the whole response.
func (i *Items) end(output []byte) {
	if i.ended = true; len(output) > 2 && output[0] == '[' {
		i.whole = append(i.whole[:0], output...)
	}
}

// List returns the items as a JSON array; nil unless the response has come to its end. Of another API than
// Responses they are the calls of the answer a; nil: it has not come to its end.
func (i *Items) List(a *response.Answer) []byte {
	switch {
	case i.calls != nil && a != nil:
		return i.calls(a)
	case !i.ended:
		return nil
	case i.whole != nil:
		return i.whole
	case i.long:
		return nil
	}
	return append(append([]byte{'['}, bytes.TrimSuffix(i.done, []byte(","))...), ']')
}

// IDs returns the ids of the items.
func (i *Items) IDs() (ids []string) {
	for _, item := range jsonscan.Elements(i.List(nil)) {
		if id := jsonscan.Unquote(jsonscan.Member(item, "id")); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// callMessage returns a message of Anthropic's with the calls of an answer, in an array.
func callMessage(a *response.Answer) []byte {
	blocks := []object{}
	for _, c := range a.Tools() {
		blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": inputOf(c)})
	}
	b, _ := json.Marshal([]object{{"role": "assistant", "content": blocks}}) // it is made of valid JSON
	return b
}

// inputOf returns the input of a call, an empty object where it is no JSON.
func inputOf(c response.Call) any {
	if json.Valid(c.Input) {
		return json.RawMessage(c.Input)
	}
	return object{}
}
