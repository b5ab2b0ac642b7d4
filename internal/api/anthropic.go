package api

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/response"
)

// anthropic is Anthropic Messages, with its Bedrock InvokeModel and Vertex variants (WIRE.md §1.1).
//
// It alone has system messages in mid-conversation, which may lapse with the turn. A string of a user's
// becomes a block when a text is put behind it. Tool results are blocks of user messages.
var anthropic = API{
	format: body.Format{
		Name:     Anthropic,
		Messages: "messages", Role: "role", Content: "content",
		Block:       [2]string{`{"type":"text","text":`, `}`},
		ReadMessage: readMessage,
		ReadBlock:   typedBlocks{texts: []string{"text"}, files: true}.read,
		ReadMember:  readAnthropicMember,
		CacheMark:   "cache_control",
		MostMarks:   4, // "prompt caching", cache breakpoints

		Roles:  []string{"system"},
		Lapse:  `"clear_at":"next_user_message"`,
		Splits: func(m *body.Message) bool { return m.Class == body.User },
		Prompt: body.Prompt{Members: []string{"system"}, Joined: true},

		Places: []model.Place{model.Native, model.Message, model.User, model.Result},
		Round:  (*body.Draft).Round,
		System: takesSystem,
	},
	paths: []path{
		{suffix: "/messages"}, // some base URLs have no version
		{suffix: "/messages/count_tokens", kind: KindCount},
		{suffix: "/models/count-tokens:rawPredict", kind: KindCount},
		{suffix: ":rawPredict", model: vertexModel},
		{suffix: ":streamRawPredict", stream: true, model: vertexModel},
		{suffix: "/invoke", model: invokedModel},
		{suffix: "/invoke-with-response-stream", stream: true, model: invokedModel},
	},
	// Source: anthropic-sdk-go v1.84.0 message.go, betamessage.go.
	tools: agent.Agent{Tools: []agent.Tools{
		{Class: agent.Shell, Subject: "command", Names: "bash bash_code_execution"},
		{Class: agent.Edit, Subject: "path",
			Names: "str_replace_based_edit_tool str_replace_editor text_editor_code_execution"},
		{Class: agent.Web, Subject: "query", Names: "web_search"},
		{Class: agent.Web, Subject: "url", Names: "web_fetch"},
	}},
	fault:  anthropicFault,
	answer: anthropicAnswer,
	calls: func(a *response.Answer) any {
		return []object{{"role": "assistant", "content": callList(a, "tool_use", "input")}}
	},
	usage: response.Vocabulary{
		Words: response.Words{
			"message": response.Nested, "usage": response.UsageObject, "iterations": response.Iterations,
			"output_tokens_details": response.Details, "cache_creation": response.Details,
			"type": response.Type, "id": response.ID, "model": response.Model,
			"bytes":        response.Bytes, // InvokeModel: the event, in base64
			"input_tokens": response.Input, "output_tokens": response.Output,
			"cache_read_input_tokens": response.Read, "cache_creation_input_tokens": response.Written,
			"thinking_tokens": response.Reasoning, "ephemeral_1h_input_tokens": response.Hour,
		},
		Events: response.Events{
			"message_start": response.Start, "message_delta": response.Delta, "message_stop": response.Stop,
		},
	},
}

// readMessage reads a message of nothing but a role and a content.
func readMessage(r *body.Reader, m *body.Message) {
	readRole(r, m)
	setRole(m, r.Body.Says(m.Role))
}

func readRole(r *body.Reader, m *body.Message) {
	r.EachMember(func(name []byte) {
		switch string(name) {
		case r.Body.Format.Role:
			m.Role = r.Quoted()
		case r.Body.Format.Content:
			r.ReadContent(m)
		}
	})
}

func readAnthropicMember(r *body.Reader, name []byte) {
	switch string(name) {
	case "system":
		r.ReadPrompt()
	case "thread": // the API keeps the conversation, tools and prompt: @anthropic-ai/sdk 1.14.0, ThreadState.ts
		d := r.Body
		if d.Keeps = r.Peek() == '{'; !d.Keeps {
			break
		}
		id := r.Named("previous_message_id")
		if r.AddID(PreviousID, id); id.Found() {
			d.Partial, d.Stateful, d.Cached, d.Tools = true, true, true, fact.Unknown
			d.Previous = body.Span{From: id.From - 1, To: id.To + 1}
		}
	case "compaction": // asks for nothing but a compaction
		r.Body.Compacts = r.Peek() == '{'
	case "anthropic_version":
		r.Body.Version = r.Word()
	default:
		readMember(r, name)
	}
}

// anthropicFault has the message twice: the second one is for clients of another API.
func anthropicFault(status int, message string) any {
	err := object{"type": faultType(status), "message": message}
	return object{"type": "error", "error": err, "message": message}
}

// takesSystem reports whether the model takes system messages in mid-conversation, which depends on the
// platform, and whether they may lapse with the turn. On Vertex and with InvokeModel the model is named in
// the URL, and anthropic_version in the body.
func takesSystem(dr *body.Draft) (takes, lapses bool) {
	var platform model.Platform
	switch v := dr.Version; {
	case v == "" || dr.Model != "":
		platform = model.Direct
	case strings.HasPrefix(v, "vertex"):
		platform = model.Vertex
	case strings.HasPrefix(v, "bedrock"):
		platform = model.Invoke
	}
	takes = slices.Contains(dr.Takes.System, platform)
	return takes, takes && dr.Takes.ClearAt != "" && platform == model.Direct
}

// vertexModel reads …/publishers/anthropic/models/MODEL of Vertex.
func vertexModel(before string) (id string, ok bool) {
	id, _ = googleModel(before)
	return id, !strings.Contains(before, "/publishers/") || strings.Contains(before, "/publishers/anthropic/")
}

// invokedModel is bedrockModel for InvokeModel, whose body has the shape of the model's maker.
func invokedModel(before string) (id string, ok bool) {
	id, ok = bedrockModel(before)
	return id, ok && (strings.Contains(id, "anthropic") || strings.Contains(id, "inference-profile/"))
}
