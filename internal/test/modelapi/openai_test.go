package modelapi_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

func completions(model string, ms ...string) modelapi.Request {
	return request("/v1/chat/completions", `{"model":"`+model+`","messages":[`+strings.Join(ms, ",")+`]}`)
}

func responses(fields string, items ...string) modelapi.Request {
	if fields != "" {
		fields += ","
	}
	return request("/v1/responses", `{"model":"gpt-5.6",`+fields+`"input":[`+strings.Join(items, ",")+`]}`)
}

func toolCalls(ids ...string) string {
	var out []string
	for _, id := range ids {
		out = append(out, `{"id":"`+id+`","type":"function","function":{"name":"Bash","arguments":"{}"}}`)
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(out, ",") + `]}`
}

func tool(id string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"ok"}`
}

func functionCall(id string) string {
	return `{"type":"function_call","call_id":"` + id + `","name":"Bash","arguments":"{}"}`
}

func output(id string) string {
	return `{"type":"function_call_output","call_id":"` + id + `","output":"ok"}`
}

func openaiRows() []row {
	q := say("user", "q")
	chat := func(ms ...string) modelapi.Request { return completions("gpt-5.6", ms...) }
	in := func(items ...string) modelapi.Request { return responses("", items...) }
	reasoning := `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}`
	between := "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
		"'tool_call_id'"
	return []row{
		{"chat: json", modelapi.NotJSON, chat(q), request("/v1/chat/completions", `[}`),
			"could not parse the JSON body"},
		{"chat: key", modelapi.UnknownKey, chat(q), request("/v1/chat/completions",
			`{"model":"x","foo":1,"messages":[`+q+`]}`), "Unrecognized request argument supplied: foo"},
		{"chat: role", modelapi.BadShape, chat(say("developer", "d"), q), chat(say("bot", "d"), q),
			"Invalid value: 'bot'"},
		{"chat: no content", modelapi.BadShape, chat(q), chat(`{"role":"user","content":null}`), "content"},
		{"chat: no messages", modelapi.BadShape, chat(q), chat(), "empty array"},
		{"chat: user message between", modelapi.CallUnanswered, chat(q, toolCalls("c1"), tool("c1"),
			say("developer", "r")), chat(q, toolCalls("c1"), say("user", "r"), tool("c1")), between},
		{"chat: system message between parallel results", modelapi.CallUnanswered, chat(q, toolCalls("c1", "c2"),
			tool("c2"), tool("c1"), say("system", "r")),
			chat(q, toolCalls("c1", "c2"), tool("c1"), say("system", "r"), tool("c2")), between},
		{"chat: unanswered", modelapi.CallUnanswered, chat(q, toolCalls("c1"), tool("c1")),
			chat(q, toolCalls("c1")), "did not have response messages: c1"},
		{"chat: tool message alone", modelapi.ToolUnexpected, chat(q, toolCalls("c1"), tool("c1")),
			chat(q, tool("c1")), "must be a response to a preceeding message with 'tool_calls'"},
		{"chat: tool message of another call", modelapi.ToolUnexpected, chat(q, toolCalls("c1"), tool("c1")),
			chat(q, toolCalls("c1"), tool("c2")), "'c2' not found"},
		{"qwen: system in the middle", modelapi.SystemNotFirst, completions("qwen3", say("system", "s"), q,
			say("user", "r")), completions("qwen3", say("system", "s"), q, say("system", "r")),
			"System message must be at the beginning"},
		{"mistral: a user behind a tool", modelapi.UserAfterTool, completions("devstral-medium", q, toolCalls("c1"),
			tool("c1")), completions("devstral-medium", q, toolCalls("c1"), tool("c1"), q),
			"Unexpected role 'user' after role 'tool'"},
		{"gemma: a user behind a user", modelapi.RolesAlternate, completions("gemma-3-27b", q,
			say("assistant", "a"), q), completions("gemma-3-27b", q, q), "Conversation roles must alternate"},
		{"responses: json", modelapi.NotJSON, in(q), request("/v1/responses", `{"input":"q"`), "could not parse"},
		{"responses: key", modelapi.UnknownKey, responses(`"store":false`, q), responses(`"foo":1`, q),
			"Unknown parameter: 'foo'."},
		{"responses: input", modelapi.BadShape, request("/v1/responses", `{"model":"gpt-5.6","input":"q"}`),
			request("/v1/responses", `{"model":"gpt-5.6","input":1}`), "'input'"},
		{"responses: role", modelapi.BadShape, in(say("developer", "d")), in(say("tool", "d")),
			"Invalid value: 'tool'"},
		{"responses: output missing", modelapi.OutputMissing, in(q, functionCall("c1"), output("c1")),
			in(q, functionCall("c1"), q), "No tool output found for function call c1."},
		{"responses: by call_id, not by position", modelapi.OutputMissing,
			in(q, functionCall("c1"), functionCall("c2"), say("developer", "r"), output("c1"), say("developer", "r"),
				output("c2"), say("developer", "r")),
			in(q, functionCall("c1"), functionCall("c2"), say("developer", "r"), output("c1"),
				say("developer", "r")), "function call c2"},
		{"responses: output of no call", modelapi.OutputUnmatched, responses(`"previous_response_id":"resp_1"`,
			output("c1")), in(q, output("c1")), "No tool call found for function call output with call_id c1."},
		{"responses: reasoning alone", modelapi.ReasoningAlone, in(q, reasoning, functionCall("c1"), output("c1")),
			in(q, reasoning, say("developer", "r"), functionCall("c1"), output("c1")),
			"Item 'rs_1' of type 'reasoning' was provided without its required following item."},
	}
}

func TestOpenAI(t *testing.T) {
	t.Parallel()
	refused(t, openaiRows())
}

// TestPreviousResponse: the server keeps the conversation, and what was put into it stays there.
func TestPreviousResponse(t *testing.T) {
	t.Parallel()
	f := modelapi.New(modelapi.Options{Script: modelapi.Turns(modelapi.Reply{Parts: []modelapi.Part{
		modelapi.Use("c1", "Bash", "{}")}})})
	ask := func(fields, item string) modelapi.Answer { return f.Ask(responses(fields, item)) }
	first := ask("", say("user", "<system-reminder>r</system-reminder>"))
	if first.Refusal != nil {
		t.Fatal(first.Refusal)
	}
	if a := ask(`"previous_response_id":"resp_`+first.ID+`"`, say("user", "and?")); a.Refusal == nil ||
		a.Refusal.Rule != modelapi.OutputMissing {
		t.Error(a.Refusal)
	}
	if a := ask(`"previous_response_id":"resp_`+first.ID+`"`, output("c1")); a.Refusal != nil ||
		a.Usage.Prompt <= first.Usage.Prompt {
		t.Error(a.Refusal, a.Usage)
	}
	same := func(id, item string) modelapi.Answer { return ask(`"conversation":{"id":"`+id+`"}`, item) }
	if a, b := same("c", say("user", "q")), same("c", output("c1")); a.Refusal != nil || b.Refusal != nil ||
		b.Usage.Prompt <= a.Usage.Prompt {
		t.Error(a.Refusal, b.Refusal, a.Usage, b.Usage)
	}
	if a := same("d", output("c1")); a.Refusal == nil {
		t.Error("one conversation sees another")
	}
	refer := func(id string) string { return `{"type":"item_reference","id":"` + id + `"}` }
	if a := ask(`"store":true`, say("user", "q")+","+refer("fc_"+first.ID+"_0")+","+output("c1")); a.Refusal != nil {
		t.Error(a.Refusal)
	}
	if a := ask(`"store":true`, refer("fc_none")); a.Refusal == nil || a.Refusal.Rule != modelapi.UnknownItem {
		t.Error(a.Refusal)
	}
	if n := len(f.Records()[2].Prompt.Reminders()); n != 1 {
		t.Errorf("%d reminders, want the one that is stored", n)
	}
	if a := ask(`"previous_response_id":"resp_none"`, output("c1")); a.Refusal == nil ||
		a.Refusal.Rule != modelapi.UnknownResponse ||
		a.Refusal.Message != "Previous response with id 'resp_none' not found." {
		t.Error(a.Refusal)
	}
}
