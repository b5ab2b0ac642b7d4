package api

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/response"
)

// converse is Amazon Bedrock Converse (WIRE.md §1.5).
//
// The type of a block is the name of the member that it has. The content of a message and the system prompt
// are always lists. A request may stand inside a larger object.
var converse = API{
	format: body.Format{
		Name:     Converse,
		Messages: "messages", Role: "role", Content: "content",
		Wrappers:    []string{"input", "converse"},
		Block:       [2]string{`{"text":`, `}`},
		NoStrings:   true,
		ReadMessage: readMessage,
		ReadBlock:   readConverseBlock,
		ReadMember:  readConverseMember,

		Roles:  []string{"system"},
		Prompt: body.Prompt{Members: []string{"system"}},

		Places: []model.Place{model.Message, model.User, model.Result},
		Round:  (*body.Draft).Round,
	},
	paths: []path{
		{suffix: "/converse", model: bedrockModel},
		{suffix: "/converse-stream", stream: true, model: bedrockModel},
		{suffix: "/count-tokens", kind: KindCount, model: bedrockModel},
	},
	// as AWS writes it; its kind is the status
	fault:  func(_ int, message string) any { return object{"message": message} },
	answer: converseAnswer,
	usage: response.Vocabulary{
		Words: response.Words{
			"metadata": response.Nested, "usage": response.UsageObject,
			"inputTokens": response.Input, "outputTokens": response.Output,
			"cacheReadInputTokens": response.Read, "cacheWriteInputTokens": response.Written,
		},
	},
}

func readConverseBlock(r *body.Reader, b *body.Block) (isFile bool) {
	readNamedBlock(r, b, func(name []byte) {
		switch string(name) {
		case "reasoningContent":
			b.Thought = true
		case "toolUse":
			b.Kind = body.Called
			readToolUse(r, b)
		case "toolResult":
			b.Kind = body.Answered
			readToolUse(r, b)
		case "document", "searchResult":
			b.Media, isFile = true, true
			r.Strings(body.OfResult)
		case "guardContent": // a person's words, for a guardrail to look at
			isFile = true
			if b.Said = readGuarded(r); !b.Said.Found() {
				b.Media = true
			}
		case "cachePoint":
			b.CacheMark = true
		case "toolAddition", "toolRemoval", "citationsContent":
		default:
			b.Media = true
		}
	})
	b.CacheMark = b.CacheMark && !b.IsText
	return isFile
}

// readGuarded reads a guardContent, notes the text in it, and returns the inside of that; the zero span if
// there is none.
func readGuarded(r *body.Reader) (at body.Span) {
	r.EachMember(func(name []byte) {
		if string(name) != "text" {
			return
		}
		r.EachMember(func(name []byte) {
			if string(name) == "text" && r.Peek() == '"' {
				at = r.Text(body.OfResult)
			}
		})
	})
	return at
}

// readToolUse reads a call of a tool, or its result.
func readToolUse(r *body.Reader, b *body.Block) {
	result := b.Kind == body.Answered
	r.EachMember(func(name []byte) {
		switch n := string(name); {
		case n == "toolUseId":
			b.ID = r.Quoted()
		case n == "name":
			b.Name = r.Quoted()
		case n == "content" && result:
			b.Content = r.Around(func() { readToolContent(r) })
			b.Output = b.Content
		case n == "input" && !result:
			b.Input = r.Span()
		case n == "status" && result: // not all models have it
			switch r.Word() {
			case "success":
				b.Failed = fact.False
			case "error":
				b.Failed = fact.True
			}
		}
	})
}

// readToolContent reads the content of a tool result, and notes its texts.
func readToolContent(r *body.Reader) {
	if r.Peek() != '[' {
		r.Strings(body.OfResult)
		return
	}
	r.EachElement(func() {
		isBlock, texts := r.Peek() == '{', len(r.Body.Texts)
		r.Strings(body.OfResult)
		in := r.Body.Texts[texts:]
		if isBlock && len(in) > 1 && r.Body.Says(in[0].Span) == "text" { // a text block, which may be ours
			in[1].InResult = true
		}
	})
}

func readConverseMember(r *body.Reader, name []byte) {
	d := r.Body
	switch string(name) {
	case "system":
		r.ReadPrompt()
	case "modelId":
		d.Model = r.Word()
	case "toolConfig":
		r.EachMember(func(name []byte) {
			if string(name) == "tools" {
				d.Tools = r.NonEmpty()
			}
		})
	default:
		readMember(r, name)
	}
}
