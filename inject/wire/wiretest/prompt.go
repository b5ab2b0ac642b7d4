package wiretest

import (
	"net/http"
	"slices"
	"strings"
)

// API is one of the request formats.
type API uint8

// The APIs.
const (
	Anthropic API = iota // Messages and count_tokens, also as Bedrock InvokeModel and Vertex rawPredict take them
	Chat                 // OpenAI Chat Completions
	Responses            // OpenAI Responses
	Gemini               // generateContent, streamGenerateContent, countTokens
	Converse             // Bedrock Converse and ConverseStream
)

// String returns "anthropic", "chat", "responses", "gemini" or "converse".
func (a API) String() string {
	return [...]string{"anthropic", "chat", "responses", "gemini", "converse"}[a]
}

// Request is a request as it arrives. A nil Header is an empty one.
type Request struct {
	Path   string // of the URL, with the query
	Header http.Header
	Body   []byte
}

// Kind is what a block is.
type Kind uint8

// The kinds.
const (
	Other        Kind = iota // an image, a document, and what has no kind of its own
	Text                     // text
	ToolUse                  // a call
	ToolResult               // what a call gave
	Thinking                 // thinking, redacted thinking, a reasoning item
	ServerUse                // a call that the API answers itself
	ServerResult             // its answer
)

// Prompt is a request as the model would read it, the same for all APIs. One answer or message may be several items of
// Messages: in Responses each item is one. It is not changed after it was read.
type Prompt struct {
	API      API
	Model    string
	Stream   bool
	Count    bool // only the tokens are asked for
	System   []Block
	Tools    []Block
	Messages []Message
	Auto     *Mark // the cache is to be marked on the last block
	Explicit bool  // only where marks are; of Responses and Chat

	salt [2]string // what is not text and yet part of what a cache sees: before the system prompt, before the messages
	binding
	earlier bool // the server keeps the conversation; of Responses
	chain   chain
	sse     bool // of Gemini: alt=sse
	legacy  bool // of Anthropic: Bedrock InvokeModel, which takes no system messages and streams frames
	usage   bool // a stream is to end with the usage; of Chat
}

// Message is a message, or an item of Responses.
type Message struct {
	Role    string // as the API has it; of Responses, assistant for calls and reasoning, tool for outputs
	ClearAt string
	Blocks  []Block
	Path    string // where it stands: "messages.3"

	effort bool // it sets the effort of its turn, and may be empty
}

// Block is a block, a part, a tool, or the whole of an item.
type Block struct {
	Kind      Kind
	Text      string // of text and thinking; of a result all its texts, joined
	ID        string // of calls and results
	Name      string // of calls
	Signature string
	Inner     []Block // of a result whose content is blocks
	Mark      *Mark   // a cache breakpoint behind it
	Raw       string  // what tells it from others, markers left out
	signed    string  // what a signature of it stands for; of Gemini
	Bytes     int     // how many bytes of it the model reads
	Path      string  // where it stands: "messages.3.content.1"
}

// Mark is a cache breakpoint.
type Mark struct {
	Hour bool // it lives an hour, not five minutes
	Path string
}

// TextBlock returns a text block, for prompts that are made without a body.
func TextBlock(text string) Block { return Block{Kind: Text, Text: text, Raw: text, Bytes: len(text)} }

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// merged returns the messages with those of one role in a row as one, as Anthropic reads them.
func merged(ms []Message) []Message {
	var out []Message
	owned := false // the blocks of the last are a copy
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

// has reports whether a message holds a block of that kind.
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
