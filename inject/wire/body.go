package wire

import (
	"github.com/aside-go/aside/compile/fact"

	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// body is what was found in a request body, mostly as spans of it: a string is decoded where its words are needed.
type body struct {
	f            *format
	b            []byte
	list         span // the list of messages, with its brackets or quotes
	listString   span // if listIsString: the string, without its quotes
	listIsString bool // the list is a string, which stands for one message of a user
	head         head
	params       params
	parts
}

// parts is what was found in the list of messages.
type parts struct {
	messages []message
	blocks   []block       // of all messages, those of a message side by side
	calls    []span        // ids of calls that are listed beside a message's content (tool_calls)
	names    []span        // names of the tools of the same calls
	texts    []foreignText // in all messages, in order

	// For a Conversation; see keyer.
	keys []messageKey // of the messages that have a key, oldest first
}

// head is what editing needs of the other members of the body.
type head struct {
	model, version string // members model or modelId, and anthropic_version; "" if missing
	thinking       bool   // the model is asked to think
	stateful       bool   // the server keeps the conversation: previous_response_id or conversation is there
	previous       span   // value of previous_response_id
	conversation   span   // value of conversation
	cached         bool   // the server keeps what goes before the messages (cachedContent)
	prompt         span   // value of the system prompt; the zero span: there is none
	promptKey      int    // where the member of the system prompt begins
}

// message is where a message stands and what is in it. Spans of strings are without the quotes; the zero span: there is none. A
// system prompt and the content of a tool result are read as messages too.
type message struct {
	span
	role       span
	kind       span // its "type", of an item
	content    span // with its quotes or brackets
	blocks     span // range of body.blocks
	calls      span // range of body.calls and body.names
	id         span // id of the call that the message is, or is the result of
	class      class
	form       outline.Form
	toolResult bool // a block of it is a tool result
	nameless   bool // it makes a call, or is the result of one, that has no id

	// For the facts.
	actor       actor
	spoke       bool       // it holds words, of whoever the actor is
	summary     bool       // a host's message that stands in place of earlier ones
	failed      fact.Truth // whether the call failed that the message is, or is the result of
	name        span       // name of who speaks, or of the tool that answers
	called      span       // name of the tool that it calls without a list of calls
	refusal     span       // of Chat: what it says in place of a content
	itemID      span       // id of the item itself
	callCount   int        // calls in it
	resultCount int        // results of calls in it
}

// block is where a block of a message's content stands. String content is one block, which has only text and said. Spans of
// strings are without the quotes.
type block struct {
	span
	text    span // what a text block says
	id      span // id of the call that the block is, or is the result of
	content span // content of a result
	kind    kind
	isText  bool
	thought bool // the model's thinking, which the client may send again or not

	// For the facts.
	part   part
	failed fact.Truth // of a result: whether the call failed
	said   span       // words of somebody; the zero span: none
	name   span       // name of the tool that the block calls, or that answers
}

// part is a set of what a block is to the facts. A block of Gemini and Converse can be several at once.
type part uint8

const (
	partCall   part = 1 << iota
	partResult      // of the vendor's own tools too
	partMedia       // what only persons send: an image, a document
)

// kind is what a block without text is to editing.
type kind uint8

const (
	kindOther kind = iota
	kindCall
	kindResult
	kindServerCall
	kindServerResult
)

// foreignText is a text in which a forged tag may stand.
type foreignText struct {
	span
	stand        mark.Place // of a direct text of a message, set when the role is known
	inResult     bool       // a text block inside a tool result
	oneOfSeveral bool       // one of several blocks of a message: the client cannot write it as a string the next time
}

// standIfDocument is the stand of a string in a block that may turn out to be a document. Then it becomes StandResult; else the
// string is no text.
const standIfDocument mark.Place = 255

// of returns the blocks of a message.
func (d *body) of(m *message) []block { return d.blocks[m.blocks.from:m.blocks.to] }

// says decodes the string whose inside is at; "" for an empty span.
func (d *body) says(at span) string {
	if at.from == at.to {
		return ""
	}
	return decode(d.b, at).s
}

// word is says for strings that are mostly one of a few words; see wordAt.
func (d *body) word(at span) string { return wordAt(d.b, at) }
