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

// responses is OpenAI Responses (WIRE.md §1.3).
//
// The list is one of items: messages, and calls and their outputs, which are items of their own. The list may
// be a string. The server may keep the conversation. Messages of any role may follow each other, so that
// texts go into messages of their own.
var responses = API{
	format: body.Format{
		Name:     Responses,
		Messages: "input", Role: "role", Content: "content",
		Block:       [2]string{`{"type":"input_text","text":`, `}`},
		StringList:  true,
		Keeps:       true,
		ReadMessage: readItem,
		ReadBlock:   typedBlocks{texts: []string{"text", "input_text"}, files: true}.read,
		ReadMember:  readResponsesMember,

		Roles:  []string{"user", "developer", "system"},
		Prompt: body.Prompt{Members: []string{"instructions"}, Joined: true},

		Places:      []model.Place{model.Message, model.User, model.Result},
		OwnMessages: true,
		Round:       func(dr *body.Draft, i int) (missing, server bool) { return itemMissing(dr, i), false },
	},
	paths: []path{
		{suffix: "/responses"},
		{suffix: "/responses/compact", kind: KindCompaction},
		{suffix: "/responses/input_tokens", kind: KindCount},
	},
	// An item has the type NAME_call. Some actions of web_search have a URL in place of a query.
	//
	// Source: openai-go v3.94.0 responses/response.go.
	tools: agent.Agent{Tools: []agent.Tools{
		{Class: agent.Shell, Subject: "command as words", Names: "local_shell"},
		{Class: agent.Shell, Subject: "commands", Names: "shell"},
		{Class: agent.Edit, Subject: "path", Names: "apply_patch"},
		{Class: agent.Web, Subject: "query", Names: "web_search"},
		{Class: agent.Search, Subject: "queries", Names: "file_search"},
	}},
	fault:  openaiFault,
	answer: responsesAnswer,
	calls:  callItems,
	usage: response.Vocabulary{
		Words: response.Words{
			"response": response.Nested, "usage": response.UsageObject,
			"type": response.Type, "id": response.ID, "model": response.Model,
			"input_tokens": response.Input, "output_tokens": response.Output,
			"input_tokens_details": response.Details, "output_tokens_details": response.Details,
			"cached_tokens": response.Cached, "cache_write_tokens": response.Stored,
			"reasoning_tokens": response.Reasoning,
		},
		Events: response.Events{
			"response.completed": response.End, "response.incomplete": response.End, "response.failed": response.End,
		},
	},
}

// readItem reads an item. Items beside each other prove nothing: developer messages stand between a call and
// its output. So calls and outputs are matched by their ids.
func readItem(r *body.Reader, m *body.Message) {
	d := r.Body
	c := body.Call{Failed: fact.Unknown}
	var status string
	var holds body.Span
	broken := false
	r.EachMember(func(name []byte) {
		switch string(name) {
		case "type":
			m.Type = r.Quoted()
		case "role":
			m.Role = r.Quoted()
		case "content":
			r.ReadContent(m)
		case "id":
			c.Item = r.Quoted()
		case "call_id":
			c.ID = r.Quoted()
		case "name":
			c.Name = r.Quoted()
		case "status":
			status = r.Word()
		case "encrypted_content":
			holds = r.Quoted()
		case "error":
			broken = r.Peek() != 'n'
		case "output":
			c.Output = r.Around(func() { r.Strings(body.OfResult) })
		case "arguments", "input", "action", "operation", "queries", "code":
			c.Input = r.Span()
		case "outputs", "results": // of tools that the server runs
			c.Output = r.Span()
		case "reason": // why a person approves of a call or refuses it
			r.Strings(body.OfResult)
		}
	})
	role := d.Says(m.Role)
	switch kind := d.Says(m.Type); {
	case kind == "" && role == "":
	case kind == "" || kind == "message":
		if setRole(m, role); m.Speaker == body.ByTool {
			m.Class = body.Tool
		}
	case strings.HasSuffix(kind, "_output"):
		m.Class, m.Speaker = body.Tool, body.ByTool
		if kind == "local_shell_call_output" && !c.ID.Found() {
			c.ID = c.Item // the item's id is the call's (openai-go v3.94.0 responses/response.go)
		}
		c.Kind, c.Failed = body.Answered, outputFailed(kind, status, c.Output.Of(d.Bytes))
		d.AddCall(m, c)
	case strings.HasSuffix(kind, "_call"):
		m.Class, m.Speaker = body.Assistant, body.ByModel
		c.Kind, c.Type, c.Failed = body.Called, strings.TrimSuffix(kind, "_call"), callFailed(kind, status, broken)
		d.AddCall(m, c)
	case kind == "mcp_approval_response":
		m.Class, m.Speaker = body.Tool, body.ByTool
	case kind == "reasoning":
		m.Class, m.Speaker, m.Thought = body.Assistant, body.ByModel, true
	case kind == "compaction":
		m.Speaker = body.ByModel
		r.Compacted(holds)
	case kind == "item_reference": // mostly to an item of a response
		m.Speaker, m.Elsewhere, m.Refers = body.ByModel, true, c.Item
	}
}

func readResponsesMember(r *body.Reader, name []byte) {
	d := r.Body
	switch string(name) {
	case "instructions":
		r.ReadPrompt()
	case "text":
		d.Schema = asksForSchema(r)
	case "conversation":
		if r.Peek() == 'n' {
			break
		}
		d.Partial, d.Stateful = true, true
		d.Conversation = r.Around(func() {
			if r.Peek() == '{' {
				r.AddID("conversation", r.Named("id"))
			} else {
				r.AddID("conversation", r.Quoted())
			}
		})
	default:
		readKept(r, name)
	}
}

// itemMissing reports whether a call before item i has no output. Calls and outputs are matched by id, going
// backward from item i: developer messages may stand between a call and its output, and outputs of parallel
// calls may stand between the calls.
func itemMissing(dr *body.Draft, i int) bool {
	answers := map[string]int{}
	open := 0 // outputs whose call has not been reached yet
	called := false
	for last := i; i >= 0; i-- {
		m := &dr.Messages[i]
		id := ""
		for c := range dr.Calls(m) {
			id = dr.Says(c.ID)
		}
		switch {
		case i == last && m.Class == body.User, dr.Added(i), m.Class == body.System:
		case m.Class == body.Tool && id != "":
			if called && open == 0 {
				return false // the output belongs to the round before
			}
			answers[id]++
			open++
		case m.Class == body.Assistant && id != "":
			if called = true; answers[id] == 0 {
				return true
			}
			answers[id]--
			open--
		case m.Class == body.User, open == 0 && (called || m.Class == body.Assistant && !m.Thought):
			return false // the round begins here
		}
	}
	return false
}

// outputFailed says by the output of a call whether the call failed. The status of most outputs says only
// that the item is complete.
func outputFailed(kind, status string, output []byte) fact.Truth {
	switch {
	case status == "failed":
		return fact.True
	case kind == "apply_patch_call_output" && status == "completed":
		return fact.False
	case kind == "shell_call_output":
		return shellFailed(output)
	default:
		return fact.Unknown
	}
}

// shellFailed says by the output of a shell whether one of its commands failed:
// [{"stdout","stderr","outcome":{"type":"exit","exit_code":0}}]. A command that ran out of time has the type
// "timeout". Where no command is known to have failed, and the outcome of one is missing, the result is
// unknown.
//
// Source: openai-go v3.94.0 responses/response.go.
func shellFailed(output []byte) fact.Truth {
	var commands []struct {
		Outcome struct {
			Type string
			Exit *int `json:"exit_code"`
		}
	}
	failed := fact.False
	if !decode(output, &commands) || len(commands) == 0 {
		failed = fact.Unknown
	}
	for _, c := range commands {
		switch o := c.Outcome; {
		case o.Type == "timeout":
			failed = failed.Or(fact.True)
		case o.Exit == nil:
			failed = failed.Or(fact.Unknown)
		default:
			failed = failed.Or(fact.Of(*o.Exit != 0))
		}
	}
	return failed
}

// callFailed says by a call itself whether it failed. Only calls of tools that run on the server tell.
func callFailed(kind, status string, broken bool) fact.Truth {
	switch {
	case slices.Contains(clientCalls, kind):
		return fact.Unknown
	case broken || status == "failed":
		return fact.True
	case status == "completed":
		return fact.False
	}
	return fact.Unknown
}

// clientCalls are the calls of tools that the client runs.
var clientCalls = []string{"function_call", "custom_tool_call", "local_shell_call", "shell_call",
	"apply_patch_call", "computer_call", "tool_search_call"}
