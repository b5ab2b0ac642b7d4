package facts

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/near"
)

// The events of a run, each a mapping with one of these keys.
var (
	eventKeys    = []string{"user_message", "call", "response", "compacted", "resumed"}
	responseKeys = []string{"text", "tokens", "context_tokens"}
)

// Events returns the facts that follow from the events since the previous turn, in the order in which they
// happened, and all problems. What is not among the events did not happen.
func (r Reader) Events(v Value) (map[string]any, []Problem) {
	d := r.decoder()
	if v.Kind != List {
		d.fail(v, `write [{"user_message": "…"}]`, "events must be a list, %s is none", v)
	}
	told := map[string]any{"user_message": false, "compacted": false, "resumed": false}
	calls := []fact.Call{}
	answered := false
	for _, e := range v.Items {
		if e.Kind != Map || len(e.Keys) != 1 {
			d.fail(e, "one of "+strings.Join(eventKeys, ", "), "an event is a mapping with one key")
			continue
		}
		switch name, what := e.Keys[0].Text, e.Items[0]; name {
		case "user_message":
			told[name] = true
			d.tell(told, "prompt", what)
		case "call":
			calls = append(calls, d.call(what, "a call", callKeys[:]))
		case "response":
			answered = true
			d.response(told, what)
		case "compacted", "resumed":
			if told[name] = true; what.Kind != Bool || what.Text != "true" {
				d.fail(what, "write true", "the event %s has the value true", name)
			}
			if name == "compacted" {
				delete(told, "context_tokens") // those before it
			}
		default:
			d.fail(e.Keys[0], near.Hint("", name, eventKeys), "there is no event %q", name)
		}
	}
	if len(calls) > 0 || answered || told["resumed"] == false { // else those before the break are not known
		told["calls"] = calls
	}
	return told, d.problems
}

// response reads an answer of the model. A member that is left out is unknown.
func (d *decoder) response(told map[string]any, v Value) {
	members := map[string]string{"text": "response", "tokens": "last_response_tokens",
		"context_tokens": "context_tokens"}
	for _, name := range members {
		delete(told, name)
	}
	for i, key := range d.keys(v, "response") {
		if name := members[key.Text]; name == "" {
			d.fail(key, near.Hint("", key.Text, responseKeys), "a response has no %q", key.Text)
		} else if !isUnknown(v.Items[i], name == "response") {
			d.tell(told, name, v.Items[i])
		}
	}
}

// tell adds the value of a fact.
func (d *decoder) tell(told map[string]any, name string, v Value) {
	ft, _ := d.Schema.Lookup(name)
	if x, ok := d.value(ft, v); ok {
		told[name] = x
	}
}
