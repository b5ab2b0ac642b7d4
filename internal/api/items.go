package api

import (
	"bytes"

	"github.com/aside-go/aside/internal/jsonscan"
)

// Items gathers the items of a response of OpenAI Responses: what later requests need not hold where the
// server keeps it. The zero Items has none.
type Items struct {
	done  []byte // items of a stream, each with a comma behind it
	whole []byte // the items of the whole response, with brackets
	ended bool
	long  bool // there are more than mostItems bytes of them, so none is kept
}

// mostItems is how many bytes of items are gathered.
const mostItems = 16 << 20

// Read takes in a value of the response: the whole of it, or an event of a stream. It does not keep value.
//
// Source: openai-go v3.94.0 responses/response.go.
func (i *Items) Read(value []byte) {
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

// List returns the items as a JSON array; nil unless the response has come to its end.
func (i *Items) List() []byte {
	switch {
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
	for _, item := range jsonscan.Elements(i.List()) {
		if id := jsonscan.Unquote(jsonscan.Member(item, "id")); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}
