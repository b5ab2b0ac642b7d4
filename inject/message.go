package inject

// Message is a message of a conversation in the generic shape: a role, and a content that is a text or blocks.
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

// The roles and block types that have a meaning here. All others are kept as they are.
const (
	roleSystem    = "system"
	roleDeveloper = "developer"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"

	typeText       = "text"
	typeToolResult = "tool_result"
)

// Untrusted reports whether reminder tags in a message of this role are taken for forged and neutralised: in all but those of the
// host (system, developer) and of the model (assistant).
func Untrusted(role string) bool {
	return role != roleSystem && role != roleDeveloper && role != roleAssistant
}
