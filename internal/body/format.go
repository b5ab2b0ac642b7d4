package body

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/model"
)

// Name is the name of an API.
type Name string

// Format is an API as the machine sees it: how it names its members and writes a block, how a message is
// read, where a text may go. Everything that differs between APIs is a field of it.
type Format struct {
	Name
	Messages, Role, Content string // names of the list of messages, and of a message's role and content
	// members whose value may be the request itself, as gateways and token counting wrap it
	Wrappers []string
	Block    [2]string // the bytes before and behind the quoted text of a text block
	// the list of messages may be a string, which stands for one message of a user
	StringList bool
	// reports whether the list that is next is the content of such a message; nil: none is
	BlockList func(r *Reader) bool
	Keeps     bool       // the server keeps a response of which the body does not say
	NoStrings bool       // the content of a message is never a string
	Tools     fact.Truth // whether tools are offered in a body that does not say
	Router    bool       // a body without tools that asks for JSON of a schema asks which model should answer
	ToolText  Source     // the place of the content of a tool message

	// Reading. Each function reads the value that is next, whose names and spans it puts into its arguments.
	ReadMessage func(r *Reader, m *Message) // an object
	// an object; isFile: every string in it may hold a forged tag
	ReadBlock  func(r *Reader, b *Block) (isFile bool)
	ReadMember func(r *Reader, name []byte) // the value of a member of the body

	// the member of a block that marks where the cache ends, and how many of these a body may hold; "": no text
	// block of ours has one
	CacheMark string
	MostMarks int

	// Writing.
	Roles []string // roles that a message of ours may have
	Lapse string   // the member that lets a message of ours lapse with the turn; "": there is none
	// whether a string that is the content of m becomes a block, with ours behind it; nil: never
	Splits func(m *Message) bool
	Prompt Prompt

	// The rules about places.
	Places []model.Place // where texts go for a model whose row does not say, best first
	Fixed  bool          // for each model: no API takes the body as it is
	// messages of any role may follow each other, so that a message of ours may stand behind any other
	OwnMessages bool
	// of a message of ours behind a user's; "": none goes there
	OwnRole string
	Round   func(dr *Draft, i int) (missing, server bool) // see Draft.Round
	// whether system messages may stand in mid-conversation; nil: never
	System func(dr *Draft) (takes, lapses bool)
}

// Prompt is how the system prompt is written. Without Members it is the messages of the host's that begin the
// list.
type Prompt struct {
	Members []string // members of the body that hold it; the first is the one that is added
	Parts   string   // the member of it that holds its blocks; "": it is not an object
	Joined  bool     // a prompt that is added is a string
}

// appendBlocks appends a text block for each text, with commas between. mark is a member of the last one, nil
// for none.
func (f *Format) appendBlocks(dst []byte, texts []string, mark []byte) []byte {
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = quote(append(dst, f.Block[0]...), t)
		if mark != nil && i == len(texts)-1 {
			dst = append(append(dst, ','), mark...)
		}
		dst = append(dst, f.Block[1]...)
	}
	return dst
}

// open appends the beginning of a message, up to its content. lapses says that it lapses with the turn.
func (f *Format) open(dst []byte, role string, lapses bool) []byte {
	dst = quote(append(quote(append(dst, '{'), f.Role), ':'), role)
	if lapses {
		dst = append(append(dst, ','), f.Lapse...)
	}
	return append(quote(append(dst, ','), f.Content), ':')
}
