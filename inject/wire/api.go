package wire

import "slices"

// API names the shape of a request.
type API string

// The shapes that can be read and written. The empty API is Messages.
const (
	Messages  API = "messages"         // of no vendor: {"messages":[{"role","content"}]}
	Anthropic API = "anthropic"        // Anthropic Messages, its Bedrock InvokeModel and Vertex variants included
	Chat      API = "openai-chat"      // OpenAI Chat Completions, and servers that speak it
	Responses API = "openai-responses" // OpenAI Responses
	Gemini    API = "gemini"           // Gemini generateContent
	Converse  API = "converse"         // Amazon Bedrock Converse
)

// APIs returns all of them, by name.
func APIs() []API {
	list := make([]API, 0, len(formats))
	for a := range formats {
		list = append(list, a)
	}
	slices.Sort(list)
	return list
}

// format returns how an API writes what a plan speaks of, nil if there is no such API.
func (a API) format() *format {
	if a == "" {
		a = Messages
	}
	return formats[a]
}

// format is how an API writes what a plan speaks of. It is all that tells the vendors' shapes apart, but for the rules
// about places (site.go).
type format struct {
	messages, role, content string    // members of the body and of a message
	block                   [2]string // what stands before and behind the text of a text block

	vendor         bool     // read what a vendor's rules ask for; else the generic shape, planned by package inject
	keyed          bool     // a block is told by the member it has, not by its "type"
	items          bool     // messages are items, told by their "type"; their list may be a string
	anthropic      bool     // tags that are a whole block of a user message are the client's own
	addedRoles     []string // roles of the messages that are added here
	promptKeys     []string // members of the body that hold the system prompt; none: it is a message
	promptParts    string   // the member of the prompt that holds its blocks, if it is an object
	promptIsString bool     // a prompt that is added is a string
}

var textBlock = [2]string{`{"type":"text","text":`, `}`}

var formats = map[API]*format{
	Messages: {messages: "messages", role: "role", content: "content", block: textBlock},
	Anthropic: {messages: "messages", role: "role", content: "content", block: textBlock, vendor: true, anthropic: true,
		addedRoles: []string{"system"}, promptKeys: []string{"system"}, promptIsString: true},
	Chat: {messages: "messages", role: "role", content: "content", block: textBlock, vendor: true,
		addedRoles: []string{"user", "developer", "system"}},
	Responses: {messages: "input", role: "role", content: "content", block: [2]string{`{"type":"input_text","text":`, `}`}, vendor: true, items: true,
		addedRoles: []string{"user", "developer", "system"}, promptKeys: []string{"instructions"}, promptIsString: true},
	Gemini: {messages: "contents", role: "role", content: "parts", block: [2]string{`{"text":`, `}`}, vendor: true, keyed: true,
		addedRoles: []string{"user"}, promptKeys: []string{"systemInstruction", "system_instruction"}, promptParts: "parts"},
	Converse: {messages: "messages", role: "role", content: "content", block: [2]string{`{"text":`, `}`}, vendor: true, keyed: true,
		addedRoles: []string{"system"}, promptKeys: []string{"system"}},
}

// blocks appends a text block for each text, with commas between them.
func (f *format) blocks(dst []byte, texts []string) []byte {
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(quote(append(dst, f.block[0]...), t), f.block[1]...)
	}
	return dst
}

// open appends the beginning of a message, up to its content; turn is whether it is scoped to the turn.
func (f *format) open(dst []byte, role string, turn bool) []byte {
	dst = quote(append(quote(append(dst, '{'), f.role), ':'), role)
	if turn {
		dst = append(dst, `,"clear_at":"next_user_message"`...)
	}
	return append(quote(append(dst, ','), f.content), ':')
}
