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
	Text   string  // of text
	Blocks []Block // of tool_result: its content
	Value  any     // the host's own, carried along untouched
}
