package response

import (
	"maps"
	"strconv"
)

// Word is the meaning of a key in a response.
type Word uint8

// The words. A number means the same in all APIs that have it; some numbers count only in an object of
// details.
const (
	Other       Word = iota
	item             // no key: an element of an array
	Nested           // the member of an event that holds the response
	UsageObject      // the object with the numbers
	Iterations       // the model calls that the server made by itself
	Details
	Type
	ID
	Model
	Bytes // an event in base64, inside a binary event

	Input  // the prompt; of some APIs without the tokens that were read from or written to the cache
	Prompt // the whole prompt
	Output
	Read      // read from the cache, beside Input
	Written   // written to the cache, beside Input
	Cached    // read from the cache, within the prompt
	Stored    // written to the cache, within the prompt
	Reasoning // within Output
	Thoughts  // beside Output
	ToolInput // beside Prompt
	words
)

// Words are the keys that have a meaning.
type Words map[string]Word

// Event is the type of a JSON value in a stream, as far as it matters for usage.
type Event uint8

// The events.
const (
	untyped Event = iota // the value has no type
	other                // no usage in it
	Start                // the first event
	Delta                // usage so far
	Stop                 // the last event
	End                  // the whole response, completed or not
)

// Events are the types that matter.
type Events map[string]Event

// Vocabulary is how an API says its usage.
type Vocabulary struct {
	Words  Words
	Events Events
}

// Add adds the words and events of another API. A word that both have must mean the same.
func (v Vocabulary) Add(o Vocabulary) {
	maps.Copy(v.Words, o.Words)
	maps.Copy(v.Events, o.Events)
}

// name is a short text.
type name struct {
	b [feedText]byte
	n int
}

func (n *name) set(s []byte) { n.n = copy(n.b[:], s) }

// notes are the findings in one JSON value: a whole response, or one event of a stream.
type notes struct {
	events    Events
	event     Event
	id, model name
	all       numbers // of the usage object
	iteration numbers // of the element of usage.iterations that is read
	isMessage bool    // that element is a message, as far as has been read
	last      numbers // of the last element of usage.iterations that is a message
	elements  bool    // the value is an array, and an element of it has ended
}

func (n *notes) begin() {
	n.event, n.id.n, n.model.n, n.elements = untyped, 0, 0, false
	n.all, n.last = numbers{}, numbers{}
	n.nextIteration()
}

func (n *notes) nextIteration() { n.iteration, n.isMessage = numbers{}, true }

// unwrapped returns a path without the array of a stream and without Nested in front; nested is whether there
// was a Nested.
func unwrapped(path []Word) (_ []Word, nested bool) {
	if len(path) > 0 && path[0] == item {
		path = path[1:]
	}
	if len(path) > 1 && path[0] == Nested {
		return path[1:], true
	}
	return path, false
}

// onString is called with each string; path is the keys that lead to it.
func (n *notes) onString(path []Word, s []byte) {
	path, nested := unwrapped(path)
	switch {
	case len(path) == 1 && path[0] == Type && !nested:
		if n.event = n.events[string(s)]; n.event == untyped {
			n.event = other
		}
	case len(path) == 1 && path[0] == ID && (nested || n.id.n == 0):
		n.id.set(s)
	case len(path) == 1 && path[0] == Model:
		n.model.set(s)
	case inIteration(path) && len(path) == 4 && path[3] == Type:
		n.isMessage = string(s) == "message"
	}
}

// inIteration reports whether a path leads to an element of usage.iterations, or into one.
func inIteration(path []Word) bool {
	return len(path) >= 3 && path[0] == UsageObject && path[1] == Iterations && path[2] == item
}

// onScalar is called with each number, true, false and null.
func (n *notes) onScalar(path []Word, s []byte) {
	path, _ = unwrapped(path)
	if len(path) < 2 || path[0] != UsageObject || path[len(path)-1] < Input {
		return
	}
	f := path[len(path)-1]
	v, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil || v < 0 || v > 1<<53 {
		return
	}
	switch {
	case len(path) == 2 && !detail(f), len(path) == 3 && path[1] == Details && (detail(f) || f == Cached):
		n.all.set(f, v)
	case len(path) == 4 && inIteration(path):
		n.iteration.set(f, v)
	}
}

// onEnd is called when an object or array has ended.
func (n *notes) onEnd(path []Word) {
	if len(path) == 1 && path[0] == item {
		n.elements = true
		return
	}
	if path, _ := unwrapped(path); len(path) == 3 && inIteration(path) {
		if n.isMessage && n.iteration.seen != 0 {
			n.last = n.iteration
		}
		n.nextIteration()
	}
}

// detail reports whether a number counts only in an object of details.
func detail(f Word) bool { return f == Stored || f == Reasoning }
