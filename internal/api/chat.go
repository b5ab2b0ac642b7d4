package api

import (
	"bytes"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/response"
)

// chat is OpenAI Chat Completions, and servers that speak it (WIRE.md §1.2, §1.6).
//
// Messages of any role may follow each other, so that texts go into messages of their own. Calls stand beside
// the content of the model's message, each result is a message. The system prompt is the messages that begin
// the list.
var chat = API{
	format: body.Format{
		Name:     Chat,
		Messages: "messages", Role: "role", Content: "content",
		Block:       [2]string{`{"type":"text","text":`, `}`},
		ReadMessage: func(r *body.Reader, m *body.Message) { readChatMessage(r, m, true) },
		ReadBlock:   typedBlocks{texts: []string{"text"}, files: true}.read,
		ReadMember:  readChatMember,

		Roles:       []string{"user", "developer", "system"},
		Places:      []model.Place{model.User, model.Result},
		OwnMessages: true,
		Round:       (*body.Draft).Round,
	},
	paths:  []path{{suffix: "/chat/completions"}},
	fault:  openaiFault,
	answer: chatAnswer,
	usage: response.Vocabulary{
		Words: response.Words{
			"usage": response.UsageObject, "id": response.ID, "model": response.Model,
			"prompt_tokens": response.Prompt, "completion_tokens": response.Output,
			"prompt_tokens_details": response.Details, "completion_tokens_details": response.Details,
			"cached_tokens": response.Cached, "cache_write_tokens": response.Stored,
			"reasoning_tokens": response.Reasoning,
		},
	},
}

// readChatMessage reads a message of Chat or of the generic shape. names says that a speaker may be called
// anything, a forged tag included.
func readChatMessage(r *body.Reader, m *body.Message, names bool) {
	var id body.Span
	failed := fact.Unknown
	r.EachMember(func(name []byte) {
		switch string(name) {
		case "role":
			m.Role = r.Quoted()
		case "content":
			r.ReadContent(m)
		case "tool_call_id", "call_id":
			id = r.Quoted()
		case "name":
			if names && r.Peek() == '"' {
				m.Name = r.Text(body.OfResult)
			} else {
				m.Name = r.Quoted()
			}
		case "is_error":
			failed = fact.Of(r.IsTrue())
		case "refusal":
			m.Refusal = r.Quoted()
		case "tool_calls":
			r.EachElement(func() { readChatCall(r, m) })
		case "function_call": // of older clients; it has no id
			if r.Peek() == '{' {
				c := body.Call{Kind: body.Called, Failed: fact.Unknown}
				readChatFunction(r, &c)
				r.Body.AddCall(m, c)
				m.Beside = true
			}
		}
	})
	role := r.Body.Says(m.Role)
	if setRole(m, role); m.Speaker == body.ByTool {
		m.Class, m.Beside = body.Tool, m.Beside || role == "function"
		r.Body.AddCall(m, body.Call{Kind: body.Answered, ID: id, Name: m.Name, Output: m.Content, Failed: failed})
	}
}

func readChatCall(r *body.Reader, m *body.Message) {
	c := body.Call{Kind: body.Called, Failed: fact.Unknown}
	r.EachMember(func(name []byte) {
		switch string(name) {
		case "id":
			c.ID = r.Quoted()
		case "function", "custom":
			readChatFunction(r, &c)
		}
	})
	r.Body.AddCall(m, c)
	m.Beside = true
}

// readChatFunction reads what is called, and with which input.
func readChatFunction(r *body.Reader, c *body.Call) {
	r.EachMember(func(name []byte) {
		switch string(name) {
		case "name":
			if at := r.Quoted(); at.Found() {
				c.Name = at
			}
		case "arguments", "input":
			c.Input = r.Span()
		}
	})
}

func readChatMember(r *body.Reader, name []byte) {
	if string(name) == "response_format" {
		r.Body.Schema = asksForSchema(r)
		return
	}
	readMember(r, name)
}

// asksForSchema reads the member that says how the answer is to be written, and reports whether it asks for
// JSON of a schema.
func asksForSchema(r *body.Reader) bool { return bytes.Contains(r.Raw(), []byte(`"json_schema"`)) }

// openaiFault is the error of both APIs of OpenAI.
func openaiFault(status int, message string) any {
	return object{"error": object{"message": message, "type": faultType(status), "param": nil, "code": nil}}
}
