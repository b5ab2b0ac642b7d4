package wire

import "slices"

// API names the shape of a request.
type API string

// The APIs. The empty API is Messages.
const (
	Messages  API = "messages"         // the generic shape, of no vendor: {"messages":[{"role","content"}]}
	Anthropic API = "anthropic"        // Anthropic Messages, with its Bedrock InvokeModel and Vertex variants
	Chat      API = "openai-chat"      // OpenAI Chat Completions, and servers that speak it
	Responses API = "openai-responses" // OpenAI Responses
	Gemini    API = "gemini"           // Gemini generateContent
	Converse  API = "converse"         // Amazon Bedrock Converse
)

// APIs returns all APIs, sorted by name.
func APIs() []API {
	list := make([]API, 0, len(formats))
	for a := range formats {
		list = append(list, a)
	}
	slices.Sort(list)
	return list
}

// format returns the format of an API, nil if there is no such API.
func (a API) format() *format {
	if a == "" {
		a = Messages
	}
	return formats[a]
}

// format is how an API names its members, how it writes a block, and what may be added to its requests. With the rules about
// places (site.go) it is all that differs between the vendors' shapes.
type format struct {
	messages, role, content string    // names of the list of messages, and of a message's role and content
	block                   [2]string // what goes before and behind the quoted text of a text block

	vendor         bool     // planned here, by the vendors' rules; else the generic shape, planned by package inject
	keyed          bool     // Gemini and Converse: the type of a block is the name of the member it has; there is no "type"
	items          bool     // Responses: messages are items, known by their "type"; the list of them may be a string
	anthropic      bool     // Anthropic: system messages in mid-conversation, strings that become blocks, reminder blocks of the client's own
	addedRoles     []string // roles that a message of ours may have
	promptKeys     []string // members of the body that hold the system prompt, the first is the one that is added; none: the prompt is a message
	promptParts    string   // Gemini: the member of the prompt that holds its blocks; "": the prompt is no object
	promptIsString bool     // a prompt that is added is a string
	wrappers       []string // members whose value may be the request itself, as gateways and token counting wrap it
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
		addedRoles: []string{"user", "system"}, promptKeys: []string{"systemInstruction", "system_instruction"}, promptParts: "parts",
		wrappers: []string{"request", "generateContentRequest"}},
	Converse: {messages: "messages", role: "role", content: "content", block: [2]string{`{"text":`, `}`}, vendor: true, keyed: true,
		addedRoles: []string{"system"}, promptKeys: []string{"system"}, wrappers: []string{"input", "converse"}},
}

// blocks appends a text block for each text, with commas between.
func (f *format) blocks(dst []byte, texts []string) []byte {
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(quote(append(dst, f.block[0]...), t), f.block[1]...)
	}
	return dst
}

// open appends the beginning of a message, up to its content. lapses marks it, as Anthropic writes that, to lapse with the turn.
func (f *format) open(dst []byte, role string, turn bool) []byte {
	dst = quote(append(quote(append(dst, '{'), f.role), ':'), role)
	if turn {
		dst = append(dst, `,"clear_at":"next_user_message"`...)
	}
	return append(quote(append(dst, ','), f.content), ':')
}
