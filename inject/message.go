package inject

// Message is a message of a conversation in the generic shape: a role, and a content that is a text or
// blocks.
type Message struct {
	Role   string  // system, user, assistant or tool
	Text   string  // the content, if Blocks is nil
	Blocks []Block // the content, if not nil
	Value  any     // the host's own; kept as it is
	Auto   bool    // a user message that no person submitted: an update of the context, a notice of the host
}

// Block is a block of a message's content.
type Block struct {
	Type   string  // "text", "image", "tool_use", "tool_result", "thinking" or any other
	Text   string  // of a text; of a tool_result whose content is a text
	Blocks []Block // of a tool_result: its content
	Value  any     // the host's own; kept as it is
}

// The block types that have a meaning here. All others are kept as they are.
const (
	typeText       = "text"
	typeToolResult = "tool_result"
)
