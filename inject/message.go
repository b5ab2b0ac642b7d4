package inject

import (
	"encoding/json"

	"github.com/aside-go/aside/internal/mark"
)

// Message is a message of a conversation in the generic shape: a role, and a content that is a text or
// blocks.
type Message struct {
	Role   string  // system, user, assistant or tool
	Text   string  // the content, if Blocks is nil
	Blocks []Block // the content, if not nil
	Auto   bool    // a user message that no person submitted: an update of the context, a notice of the host
	ID     string  // of a tool message: the call that it answers
	Failed bool    // of a tool message: the call failed

	// Value is the host's own. A message whose content is changed has none: its Value would say less than its
	// content does. Was is the Value that it had.
	Value, Was any
}

// Block is a block of a message's content.
type Block struct {
	Type   string          // "text", "image", "tool_use", "tool_result", "thinking" or any other
	Text   string          // of a text; of a tool_result whose content is a text
	Blocks []Block         // of a tool_result: its content
	ID     string          // of a tool_use; of a tool_result: the call that it answers
	Tool   string          // of a tool_use: the name of the tool
	Input  json.RawMessage // of a tool_use: its input; nil is unknown
	Failed bool            // of a tool_result: the call failed
	Value  any             // the host's own; a block whose Text or Blocks are changed has none
}

// Options say how texts are put before the model. The zero Options are the bare tag.
type Options struct {
	// Mark is the run's token by which our own tags are known: letters and digits, the same for the whole run.
	// Without a mark the tag is bare, and only its place and exact form tell our tags from those of others.
	Mark string
	// Neutralise says which reminder tags that others wrote are made harmless. With a mark, the zero value
	// changes none but those that claim it, so a client that writes such tags itself keeps them.
	Neutralise Policy
}

// Policy says which reminder tags of others are neutralised, in the texts of users and tools: those that are
// not ours by their mark.
type Policy = mark.Policy

// The policies.
const (
	// NeutraliseByMark neutralises the tags that claim Options.Mark; where there is no mark, all.
	NeutraliseByMark = mark.ByMark
	// NeutraliseAll neutralises all: for hosts that write no such tag themselves.
	NeutraliseAll = mark.All
	// NeutraliseNothing neutralises none. Without a mark, wire.Strip may then take one of them for ours.
	NeutraliseNothing = mark.Nothing
)
