package api

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/response"
)

// interactions is Gemini Interactions (WIRE.md §1.4).
//
// The list is one of steps: input and output, and calls and their results, which are steps of their own. It
// may be the content of one input, as a string or as blocks. The server may keep the conversation.
var interactions = API{
	format: body.Format{
		Name:     Interactions,
		Messages: "input", Role: "type", Content: "content",
		Block:       [2]string{`{"type":"text","text":`, `}`},
		StringList:  true,
		BlockList:   beginsWithBlock,
		NoStrings:   true,
		Keeps:       true,
		ReadMessage: readStep,
		ReadBlock:   typedBlocks{texts: []string{"text"}, files: true}.read,
		ReadMember:  readInteractionsMember,

		Roles:  []string{"user_input"},
		Prompt: body.Prompt{Members: []string{"system_instruction"}, Joined: true},

		Places:      []model.Place{model.User, model.Message},
		OwnMessages: true,
		OwnRole:     "user_input",
		Round:       func(dr *body.Draft, i int) (missing, server bool) { return itemMissing(dr, i), false },
	},
	paths: []path{{suffix: "/interactions"}},
	tools: agent.Agent{Tools: []agent.Tools{
		{Class: agent.Shell, Subject: "code", Names: "code_execution"},
		{Class: agent.Web, Subject: "queries", Names: "google_search google_maps"},
		{Class: agent.Web, Subject: "urls", Names: "url_context"},
		{Class: agent.Search, Subject: "queries", Names: "file_search retrieval"},
	}},
	fault:  geminiFault,
	answer: interactionsAnswer,
	calls:  func(a *response.Answer) any { return callList(a, "function_call", "arguments") },
	usage: response.Vocabulary{
		Words: response.Words{
			"interaction": response.Nested, "event_type": response.Type,
			"total_input_tokens": response.Prompt, "total_output_tokens": response.Output,
			"total_cached_tokens": response.Cached, "total_thought_tokens": response.Thoughts,
			"total_tool_use_tokens": response.ToolInput,
		},
		Events: response.Events{"interaction.completed": response.End},
	},
}

// readStep reads a step of an interaction.
//
// Source: @google/genai 3.3.0 genai.d.ts, Step.
func readStep(r *body.Reader, m *body.Message) {
	d := r.Body
	c := body.Call{Failed: fact.Unknown}
	failed := false
	r.EachMember(func(name []byte) {
		switch string(name) {
		case "type":
			m.Role = r.Quoted()
		case "content":
			r.ReadContent(m)
		case "id", "call_id":
			c.ID = r.Quoted()
		case "name":
			c.Name = r.Quoted()
		case "arguments":
			c.Input = r.Span()
		case "result":
			c.Output = r.Around(func() { failed = readResponse(r) == fact.True || failed })
		case "is_error":
			failed = r.IsTrue() || failed
		}
	})
	kind := d.Says(m.Role)
	switch tool, isCall := strings.CutSuffix(kind, "_call"); {
	case kind == "":
	case kind == "user_input":
		m.Class, m.Speaker = body.User, body.ByUser
	case kind == "model_output":
		m.Class, m.Speaker = body.Assistant, body.ByModel
	case kind == "thought":
		m.Class, m.Speaker, m.Thought = body.Assistant, body.ByModel, true
	case isCall:
		m.Class, m.Speaker = body.Assistant, body.ByModel
		if c.Kind = body.Called; tool != "function" {
			c.Kind, c.Type = body.ServerCalled, tool
		}
		d.AddCall(m, c)
	case kind == "function_result":
		m.Class, m.Speaker = body.Tool, body.ByTool
		c.Kind, c.Failed = body.Answered, fact.Of(failed)
		d.AddCall(m, c)
	case strings.HasSuffix(kind, "_result"):
		m.Class, m.Speaker = body.Assistant, body.ByModel
		c.Kind, c.Failed = body.ServerAnswered, fact.Of(failed)
		d.AddCall(m, c)
	default:
		m.Speaker = body.BySomebody
	}
}

// beginsWithBlock reports whether the list that is next is the content of an input, not one of steps.
func beginsWithBlock(r *body.Reader) bool {
	for _, first := range jsonscan.Elements(r.Body.Bytes[r.Offset():]) {
		switch jsonscan.Unquote(jsonscan.Member(first, "type")) {
		case "text", "image", "audio", "video", "document":
			return true
		}
		break
	}
	return false
}

func readInteractionsMember(r *body.Reader, name []byte) {
	d := r.Body
	switch string(name) {
	case "system_instruction":
		r.ReadPrompt()
	case "agent": // which runs in place of a model
		d.Model = r.Word()
	case "response_format":
		d.Schema = r.Peek() != 'n'
	default:
		readKept(r, name)
	}
}
