package body

import (
	"bytes"
	"iter"

	"github.com/aside-go/aside/compile/fact"
)

// Body is the contents of a request body, mostly as spans of it: a string is decoded where its words are
// needed.
type Body struct {
	Format        *Format
	Bytes         []byte
	List          Span // the list of messages, with its brackets or quotes
	ListIsContent bool // the list is the content of the one message of a user that it stands for
	Messages      []Message
	Texts         []Text // in all messages, in order
	Compacted     []Span // what stands in place of the messages before it, in order: insides of strings

	Members
	allBlocks []Block // of all messages, those of a message side by side
	beside    []Call  // calls and results that stand beside the content of a message
	keys      []messageKey
	server    uint64 // with what the keys begin: keyer.server
	begin     uint64 // number of the Head before the first message
}

// Members are the members of the body other than the messages, as far as they matter. Spans of strings are
// without the quotes.
type Members struct {
	Model        string // as the body names it; "" if it does not
	Version      string // Anthropic's anthropic_version
	Stateful     bool   // the server keeps the conversation
	Keeps        bool   // the server keeps the response, so that later bodies may name it
	Previous     Span   // value of the member that names the server's response that the body goes on from
	Conversation Span   // value of the member that names the server's conversation
	Cached       bool   // the server keeps what goes before the messages, texts of ours too
	Prompt       Span   // value of the system prompt
	PromptKey    int    // where the member of the system prompt begins
	Opening      Span   // first text of the system prompt

	Provider Span
	Tools    fact.Truth // whether tools are offered to the model
	Stream   bool       // whether the response is asked for as a stream
	Compacts bool       // whether the answer is a compaction of the conversation
	Schema   bool       // whether the answer must be JSON of a given schema
	Partial  bool       // whether the server keeps earlier messages
	IDs      []ID
}

// ID is an id in the body, by the path of its member, such as "metadata.user_id".
type ID struct {
	Path string
	Span
}

// Message is the place of a message and its parts. Spans of strings are without the quotes. A system
// prompt and the content of a tool result are read as messages too.
type Message struct {
	Span
	Role       Span
	Type       Span // of an item
	Content    Span // with its quotes or brackets
	Form       Form
	Class      Class
	ToolResult bool // a block of it is a tool result
	Beside     bool // calls or results stand beside its content
	Thought    bool // it is nothing but the model's thinking, which the client may send again or not

	Speaker   Speaker
	Name      Span // name of who speaks, or of the tool that answers
	Refusal   Span // words of the model in place of a content
	Elsewhere bool // it refers to an item that is kept elsewhere: Refers, its id
	Refers    Span

	blocks Span // range of Body.allBlocks, empty where the content can carry no text
	calls  Span // range of Body.beside
}

// Form is the form of a message's content.
type Form uint8

// The forms.
const (
	NoContent     Form = iota // a content that can carry no text: missing, null, or something else
	StringContent             // a string
	BlockContent              // a list of blocks
)

// Class is who speaks in a message, as editing sees it.
type Class uint8

// The classes.
const (
	OtherClass Class = iota
	User
	Tool // a message that is the result of a call
	System
	Assistant // the model's words, thinking or calls
)

// Speaker is who a message is from, as far as its form tells facts (WIRE.md §2).
type Speaker uint8

// The speakers.
const (
	ByNobody Speaker = iota // nobody that counts: system, developer, unknown items
	ByModel
	ByTool     // the results of tools
	ByUser     // a person, or an agent in a person's place
	ByHost     // surely an agent in a person's place, as the words say
	BySomebody // somebody, but the form does not tell who
)

// Block is where a block of a message's content stands. String content is one block, which has only Text and
// Said. Spans of strings are without the quotes.
type Block struct {
	Span
	Call         // the call that it is, or the result
	Text    Span // words of a text block
	IsText  bool
	Content Span // content of a result
	Thought bool // the model's thinking, which the client may send again or not
	Said    Span // words of somebody
	Media   bool // only persons send such a block: an image, a document

	CacheMark bool // it is nothing but a mark for the cache
}

// Call is a call of a tool, or the result of one.
type Call struct {
	Kind   CallKind
	ID     Span       // id of the call, in a result too
	Name   Span       // name of the tool
	Item   Span       // id of the item that the call is, where the call has none
	Type   string     // of a call without a name, the word for what is called
	Input  Span       // value of a call's input
	Output Span       // value of a result's output; of a call that the server ran, its own
	Failed fact.Truth // whether the call failed
}

// CallKind is a kind of Call.
type CallKind uint8

// The kinds of calls.
const (
	NoCall CallKind = iota
	Called
	Answered
	ServerCalled // of a tool that the API itself runs
	ServerAnswered
)

// IsCall reports whether a Call is one, not the result of one.
func (c *Call) IsCall() bool { return c.Kind == Called || c.Kind == ServerCalled }

// IsResult reports whether a Call is the result of one.
func (c *Call) IsResult() bool { return c.Kind == Answered || c.Kind == ServerAnswered }

// Text is a text in which a forged tag may stand.
type Text struct {
	Span
	Source        // of a direct text of a message, set when the role is known
	InResult bool // a text block inside a tool result
}

// Source is where a Text stands. On that depends which forms texts of ours have there, and so what may be
// taken for ours.
type Source uint8

const (
	OfResult Source = iota // inside a tool result, or in a message to which no text is put: nothing is ours
	OfUser                 // the content of a user message: Wrapper.Whole, or Wrapper.Tail
	OfTool                 // the content of a tool message: Wrapper.Tail
	OfBlock                // a text block of a message: Wrapper.Block
)

// Blocks returns the blocks of a message.
func (d *Body) Blocks(m *Message) []Block { return d.allBlocks[m.blocks.From:m.blocks.To] }

// Calls yields the calls and results in a message, in its content and beside it.
func (d *Body) Calls(m *Message) iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		for i := range d.Blocks(m) {
			if b := &d.allBlocks[m.blocks.From+i]; b.Kind != NoCall && !yield(&b.Call) {
				return
			}
		}
		for i := m.calls.From; i < m.calls.To; i++ {
			if !yield(&d.beside[i]) {
				return
			}
		}
	}
}

// AddCall notes a call or a result that stands beside the content of m, the message that is read.
func (d *Body) AddCall(m *Message, c Call) {
	d.beside = append(d.beside, c)
	m.calls.To = len(d.beside)
}

// ID returns the id at a path, "" if there is none.
func (d *Body) ID(path string) string {
	for _, id := range d.IDs {
		if id.Path == path {
			return d.Says(id.Span)
		}
	}
	return ""
}

// Says decodes the string whose inside is at; "" for an empty span.
func (d *Body) Says(at Span) string {
	if at.From == at.To {
		return ""
	}
	return decode(d.Bytes, at).s
}

// saying is Says for who only reads it.
func (d *Body) saying(at Span) []byte {
	if raw := at.Of(d.Bytes); bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return []byte(d.Says(at))
}
