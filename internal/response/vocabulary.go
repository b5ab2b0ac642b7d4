package response

import (
	"strconv"

	"github.com/aside-go/aside/internal/jsonscan"
)

// Word is the meaning of a key in a response.
type Word uint8

// The words. A number means the same in all APIs that have it; some numbers count only in an object of
// details.
const (
	_           Word = iota
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
	Hour      // within Written: kept for an hour
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

// notes are the findings in one JSON value: a whole response, or one event of a stream.
type notes struct {
	event     Event
	id, model string
	bytes     string  // the event in base64 that the value holds
	all       numbers // of the usage object
	last      numbers // of the last element of usage.iterations that is a message
	each      numbers // of all elements of usage.iterations together
}

// read returns the findings in a JSON value. ok is false for anything but one whole object.
func (v Vocabulary) read(b []byte) (n notes, ok bool) {
	c := jsonscan.Of(b)
	return n, v.object(c, &n, false) && c.Peek() == 0
}

// object reads the object that is next: the value, or the response that is Nested in it.
func (v Vocabulary) object(c *jsonscan.Cursor, n *notes, nested bool) bool {
	for key, value := range c.Members() {
		ok := true
		switch word := v.Words[string(key)]; {
		case len(value) == 0: // an error, which the cursor has noted
		case word == Type && value[0] == '"' && !nested:
			if n.event = v.Events[jsonscan.Unquote(value)]; n.event == untyped {
				n.event = other
			}
		case word == ID && (nested || n.id == ""):
			n.id = name(value)
		case word == Model:
			n.model = name(value)
		case word == Bytes && !nested:
			n.bytes = jsonscan.Unquote(value)
		case word == Nested && value[0] == '{' && !nested:
			ok = v.object(jsonscan.Of(value), n, true)
		case word == UsageObject && value[0] == '{':
			ok = v.usage(value, n)
		}
		if !ok {
			return false
		}
	}
	return !c.Bad()
}

// name returns the text of a string. One that is too long for an id or a model is none.
func name(value []byte) string {
	const most = 128
	if len(value) > most+len(`""`) {
		return ""
	}
	return jsonscan.Unquote(value)
}

// usage reads the object with the numbers.
func (v Vocabulary) usage(object []byte, n *notes) bool {
	return v.members(object, func(word Word, value []byte) {
		switch {
		case word == Details && value[0] == '{':
			v.members(value, func(word Word, value []byte) {
				if detail(word) || word == Cached {
					n.all.set(word, value)
				}
			})
		case word == Iterations:
			for _, call := range jsonscan.Elements(value) {
				v.iteration(call, n)
			}
		case !detail(word):
			n.all.set(word, value)
		}
	})
}

// iteration reads a model call that the server made by itself.
func (v Vocabulary) iteration(object []byte, n *notes) {
	var call numbers
	isMessage := true
	v.members(object, func(word Word, value []byte) {
		switch {
		case word == Type:
			isMessage = string(value) == `"message"`
		case word == Details && value[0] == '{':
			v.members(value, call.set)
		}
		call.set(word, value)
	})
	for w, count := range call {
		if n.each == nil {
			n.each = numbers{}
		}
		n.each[w] += count
	}
	if isMessage && call != nil {
		n.last = call
	}
}

// members calls member for each member of an object that has a meaning. It reports whether the object could
// be read.
func (v Vocabulary) members(object []byte, member func(word Word, value []byte)) bool {
	c := jsonscan.Of(object)
	for key, value := range c.Members() {
		if word := v.Words[string(key)]; word != 0 && len(value) > 0 {
			member(word, value)
		}
	}
	return !c.Bad()
}

// detail reports whether a number counts only in an object of details.
func detail(w Word) bool { return w == Stored || w == Reasoning || w == Hour }

// numbers are the numbers of one usage object, by their words.
type numbers map[Word]int64

// set notes a number. Other words, and values that are no number of tokens, are left out.
func (c *numbers) set(w Word, value []byte) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if w < Input || err != nil || n < 0 || n > 1<<53 {
		return
	}
	if *c == nil {
		*c = numbers{}
	}
	(*c)[w] = n
}
