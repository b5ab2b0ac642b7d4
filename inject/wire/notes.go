package wire

import "strconv"

// word is the meaning of a key in a response.
type word uint8

const (
	wordOther  word = iota
	wordItem        // no key: an element of an array
	wordNested      // message, response, metadata: the member of an event that holds what a response is
	wordUsage
	wordIterations
	wordDetails
	wordType
	wordID
	wordModel
	wordBytes

	wordFields // a word above is field word-wordFields
)

// words are the keys that have a meaning. What a number means also depends on the object that it stands in; see detail.
var words = map[string]word{
	"message": wordNested, "response": wordNested, "metadata": wordNested,
	"usage": wordUsage, "usageMetadata": wordUsage, "iterations": wordIterations,
	"type": wordType, "id": wordID, "responseId": wordID, "model": wordModel, "modelVersion": wordModel, "bytes": wordBytes,
	"prompt_tokens_details": wordDetails, "completion_tokens_details": wordDetails, "input_tokens_details": wordDetails, "output_tokens_details": wordDetails,

	"input_tokens": wordFor(fieldInput), "inputTokens": wordFor(fieldInput), "prompt_tokens": wordFor(fieldPrompt), "promptTokenCount": wordFor(fieldPrompt),
	"output_tokens": wordFor(fieldOutput), "completion_tokens": wordFor(fieldOutput), "candidatesTokenCount": wordFor(fieldOutput), "outputTokens": wordFor(fieldOutput),
	"cache_read_input_tokens": wordFor(fieldRead), "cacheReadInputTokens": wordFor(fieldRead),
	"cache_creation_input_tokens": wordFor(fieldWritten), "cacheWriteInputTokens": wordFor(fieldWritten),
	"cached_tokens": wordFor(fieldCached), "cachedContentTokenCount": wordFor(fieldCached), "cache_write_tokens": wordFor(fieldStored),
	"reasoning_tokens": wordFor(fieldReasoning), "thinking_tokens": wordFor(fieldReasoning),
	"thoughtsTokenCount": wordFor(fieldThoughts), "toolUsePromptTokenCount": wordFor(fieldToolInput),
}

func wordFor(f field) word { return wordFields + word(f) }

func wordOf(key []byte) word { return words[string(key)] }

// detail reports whether a field counts only in an object of details.
func detail(f field) bool { return f == fieldStored || f == fieldReasoning }

// event is the type of a JSON value in a stream, as far as it matters for usage.
type event uint8

const (
	eventNone  event = iota // the value has no type
	eventOther              // no usage in it
	eventStart              // Anthropic: the first event
	eventDelta              // Anthropic: usage so far
	eventStop               // Anthropic: the last event
	eventEnd                // OpenAI Responses: the whole response, completed or not
)

func eventOf(s []byte) event {
	switch string(s) {
	case "message_start":
		return eventStart
	case "message_delta":
		return eventDelta
	case "message_stop":
		return eventStop
	case "response.completed", "response.incomplete", "response.failed":
		return eventEnd
	default:
		return eventOther
	}
}

// name is a short text.
type name struct {
	b [feedText]byte
	n int
}

func (n *name) set(s []byte) { n.n = copy(n.b[:], s) }

// notes are what one JSON value of a response says: of a whole response, or of one event of a stream.
type notes struct {
	event     event
	id, model name
	all       numbers // of the usage object
	item      numbers // of the element of usage.iterations that is read
	isMessage bool    // that element is a message, as far as has been read
	last      numbers // of the last element of usage.iterations that is a message
	elements  bool    // the value is an array, and an element of it has ended
}

func (n *notes) begin() {
	n.event, n.id.n, n.model.n, n.elements = eventNone, 0, 0, false
	n.all, n.last = numbers{}, numbers{}
	n.iteration()
}

func (n *notes) iteration() { n.item, n.isMessage = numbers{}, true }

// unwrapped returns a path without the array of a stream and without wordNested in front; nested is whether there was a
// wordNested.
func unwrapped(path []word) (_ []word, nested bool) {
	if len(path) > 0 && path[0] == wordItem {
		path = path[1:]
	}
	if len(path) > 1 && path[0] == wordNested {
		return path[1:], true
	}
	return path, false
}

// onString is called with each string; path is the keys that lead to it.
func (n *notes) onString(path []word, s []byte) {
	path, nested := unwrapped(path)
	switch {
	case len(path) == 1 && path[0] == wordType && !nested:
		n.event = eventOf(s)
	case len(path) == 1 && path[0] == wordID && (nested || n.id.n == 0):
		n.id.set(s)
	case len(path) == 1 && path[0] == wordModel:
		n.model.set(s)
	case inIteration(path) && len(path) == 4 && path[3] == wordType:
		n.isMessage = string(s) == "message"
	}
}

// inIteration reports whether a path leads to an element of usage.iterations, or into one.
func inIteration(path []word) bool {
	return len(path) >= 3 && path[0] == wordUsage && path[1] == wordIterations && path[2] == wordItem
}

// onScalar is called with each number, true, false and null.
func (n *notes) onScalar(path []word, s []byte) {
	path, _ = unwrapped(path)
	if len(path) < 2 || path[0] != wordUsage || path[len(path)-1] <= wordFields {
		return
	}
	f := field(path[len(path)-1] - wordFields)
	v, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil || v < 0 || v > 1<<53 {
		return
	}
	switch {
	case len(path) == 2 && !detail(f), len(path) == 3 && path[1] == wordDetails && (detail(f) || f == fieldCached):
		n.all.set(f, v)
	case len(path) == 4 && inIteration(path):
		n.item.set(f, v)
	}
}

// onEnd is called when an object or array has ended.
func (n *notes) onEnd(path []word) {
	if len(path) == 1 && path[0] == wordItem {
		n.elements = true
		return
	}
	if path, _ := unwrapped(path); len(path) == 3 && inIteration(path) {
		if n.isMessage && n.item.seen != 0 {
			n.last = n.item
		}
		n.iteration()
	}
}
