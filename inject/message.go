package inject

// Message is one message of a conversation in the generic shape: a role, and content that is either a text or blocks.
type Message struct {
	Role   string  // system, user, assistant or tool
	Text   string  // the content, when Blocks is nil
	Blocks []Block // the content, when not nil
	Value  any     // the host's own, carried along untouched
	Auto   bool    // a user message that no person submitted: a context update, a notice of the host
}

// Block is one block of a message's content.
type Block struct {
	Type   string  // text, image, tool_use, tool_result, thinking or any other
	Text   string  // of text; of a tool_result whose content is a text
	Blocks []Block // of tool_result: its content
	Value  any     // the host's own, carried along untouched
}

// The roles and block types that mean something here. All others are carried along.
const (
	roleSystem    = "system"
	roleDeveloper = "developer"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"

	typeText       = "text"
	typeToolResult = "tool_result"
)

// Untrusted reports whether reminder tags in a message of this role are somebody else's and so are neutralised: in all
// but those of the host (system, developer) and of the model (assistant).
func Untrusted(role string) bool {
	return role != roleSystem && role != roleDeveloper && role != roleAssistant
}
