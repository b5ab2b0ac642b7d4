package modelapi

import (
	"net/http"
	"slices"
	"strings"
)

// API is a request format.
type API uint8

// The APIs.
const (
	Anthropic    API = iota // Messages and count_tokens, also as Bedrock InvokeModel and Vertex rawPredict
	Chat                    // OpenAI Chat Completions
	Responses               // OpenAI Responses
	Gemini                  // generateContent, streamGenerateContent, countTokens
	Converse                // Bedrock Converse and ConverseStream
	Interactions            // Gemini Interactions
)

// String returns "anthropic", "chat", "responses", "gemini", "converse" or
// "gemini-interactions".
func (a API) String() string {
	return [...]string{"anthropic", "chat", "responses", "gemini", "converse", "gemini-interactions"}[a]
}

// Request is a request as it arrives. A nil Header is empty.
type Request struct {
	Path   string // of the URL, with the query
	Header http.Header
	Body   []byte
}

// Kind is what a block is.
type Kind uint8

// The kinds.
const (
	Other        Kind = iota // an image, a document, or anything else
	Text                     // text
	ToolUse                  // a call of a tool
	ToolResult               // the result of a call
	Thinking                 // thinking, redacted thinking, a reasoning item
	ServerUse                // a call of a tool that runs on the server
	ServerResult             // the result of such a call
	Reference                // an item that the server keeps, in its place
)

// Prompt is a request as the model reads it, in one form for all APIs. In Responses each item is a message,
// so a message or answer may be several of Messages. A Prompt does not change after it was read.
type Prompt struct {
	API      API
	Model    string
	Stream   bool
	Count    bool // only the tokens are to be counted
	System   []Block
	Tools    []Block
	Messages []Message
	Auto     *Mark // the API is to set a cache breakpoint on the last block
	Explicit bool  // of Responses and Chat: the cache has breakpoints only where marks are

	salt [2]string // what a cache sees and no model reads: before the system prompt, before the messages
	binding
	earlier bool // of Responses: the server keeps earlier messages
	chain   chain
	sse     bool // of Gemini: alt=sse
	legacy  bool // of Anthropic: Bedrock InvokeModel, which refuses system messages and streams frames
	cuts    bool // of Responses: the answer is a compaction of the conversation
	usage   bool // of Chat: a stream is to end with the usage
}

// Message is a message, or an item of Responses.
type Message struct {
	Role    string // as the API names it; of Responses "assistant" for calls and reasoning, "tool" for outputs
	ClearAt string
	Blocks  []Block
	Path    string // where it stands, as in "messages.3"

	effort bool // it sets the effort of its turn, and may have no content
}

// Block is a block, a part, a tool, or an item of Responses.
type Block struct {
	Kind      Kind
	Text      string // of a text or thinking; of a result all its texts, joined
	ID        string // of a call or result
	Name      string // of a call
	Signature string
	Inner     []Block // of a result whose content is blocks
	Mark      *Mark   // the cache breakpoint behind it, nil if there is none
	Raw       string  // what tells it from other blocks, without cache marks
	signed    string  // of Gemini: what its signature is for
	Bytes     int     // how many bytes the model reads of it
	Path      string  // where it stands, as in "messages.3.content.1"
}

// Mark is a cache breakpoint.
type Mark struct {
	Hour bool // its entry lives an hour, not five minutes
	Path string
}

// TextBlock returns a text block, for prompts that are made without a body.
func TextBlock(text string) Block { return Block{Kind: Text, Text: text, Raw: text, Bytes: len(text)} }

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// merged returns the messages with those of the same role in a row as one, as Anthropic reads them.
func merged(ms []Message) []Message {
	var out []Message
	owned := false // the blocks of the last message of out are a copy
	for _, m := range ms {
		if n := len(out); n > 0 && out[n-1].Role == m.Role && m.Role != "system" {
			if !owned {
				out[n-1].Blocks = slices.Clone(out[n-1].Blocks)
			}
			owned = true
			out[n-1].Blocks = append(out[n-1].Blocks, m.Blocks...)
			continue
		}
		owned = false
		out = append(out, m)
	}
	return out
}

// has reports whether the message holds a block of that kind.
func (m Message) has(k Kind) bool {
	for _, b := range m.Blocks {
		if b.Kind == k {
			return true
		}
	}
	return false
}

// ids returns the ids of the blocks of that kind, in order.
func (m Message) ids(k Kind) []string {
	var out []string
	for _, b := range m.Blocks {
		if b.Kind == k {
			out = append(out, b.ID)
		}
	}
	return out
}
