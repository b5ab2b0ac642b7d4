package wire

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject"
)

// body is what was found in a request.
type body struct {
	f            *format
	b            []byte
	list         span // the list of messages, brackets or quotes included
	listString   span // the list where it is a string: what it says
	listIsString bool
	head         head
	params       params
	partial      bool // messages are only the last ones
	parts
	known int // how many of the messages, from the first on, were read before
}

// parts is what the list of messages is made of. There are no pointers in it: a Reader keeps megabytes of it, which the collector
// of garbage need not look at.
type parts struct {
	messages []message
	blocks   []block       // of all messages, each one's next to each other
	calls    []span        // ids of calls that stand beside a message's content
	names    []span        // of the same calls
	texts    []foreignText // of all messages that may carry forged tags, in order

	// Of a Conversation.
	keys    []messageKey // the messages that have a key, oldest first
	keySeed uint64       // what their keys begin with
	repeats []messageKey // messages with the ids of an earlier one: what their key was without telling them apart

	chains []uint64 // of a Reader: for each message what its bytes and all in front of it in the list come to
}

// head is what a body says besides its messages.
type head struct {
	model, version string
	thinking       bool // the model thinks aloud
	stateful       bool // the server keeps the conversation
	previous       span // the value of previous_response_id
	conversation   span // the value of conversation
	cached         bool // what goes before the messages is kept by the server
	prompt         span // the value of the system prompt; none: 0
	promptKey      int  // where its member begins
}

// message is where a message is, and what is in it. A system prompt and a tool result's content are read as one too.
type message struct {
	span
	role       span
	kind       span
	content    span // quotes and brackets included
	blocks     span // of body.blocks
	calls      span // of body.calls
	id         span // of the call that it is or answers
	class      class
	form       inject.Form
	toolResult bool
	nameless   bool // it makes or answers a call that has no id

	// For the facts.
	actor       actor
	spoke       bool       // what its blocks say is somebody's words
	summary     bool       // of a host: it stands in place of earlier messages
	failed      fact.Truth // the call that it is or answers
	name        span       // of who speaks, or of the tool that does
	called      span       // the name of the tool that it calls without a list of calls
	itemID      span       // its id, of an item
	callCount   int        // how many calls it holds
	resultCount int        // how many results
}

// block is where a block is; of string content only text.
type block struct {
	span
	text    span // what it says, quotes left out
	id      span // of the call that it is or answers
	content span // of a result
	kind    kind
	isText  bool
	thought bool // what the model thinks, which may come back or not

	// For the facts.
	part   part
	failed fact.Truth // the call that it answers
	said   span       // what it says; none: 0
	name   span       // of the tool that it calls or that answers
}

// part is what a block is among the facts. A block that is told by its members may be several.
type part uint8

const (
	partCall   part = 1 << iota
	partResult      // of the vendor's own tools too
	partMedia       // what only people send: an image, a document
)

// kind is what matters of a block that is no text.
type kind uint8

const (
	kindOther kind = iota
	kindCall
	kindResult
	kindServerCall
	kindServerResult
)

// foreignText is a text in which a forged tag may be.
type foreignText struct {
	span
	stand        inject.Stand // of string content, set once the role is known
	inResult     bool         // of a tool result: a block in it
	oneOfSeveral bool         // one of several blocks: the client cannot write it as a string the next time
}

// standIfDocument is the stand of what a block holds that may be no text at all; it becomes StandResult if it is.
const standIfDocument inject.Stand = 255

// of returns the blocks of a message.
func (d *body) of(m *message) []block { return d.blocks[m.blocks.from:m.blocks.to] }

// says returns what stands in a span of the body, as a string says it.
func (d *body) says(at span) string {
	if at.from == at.to {
		return ""
	}
	return decode(d.b, at).s
}

// word returns what stands in a span of the body where few words can.
func (d *body) word(at span) string { return wordAt(d.b, at) }
