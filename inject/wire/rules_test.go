package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject/wire"
)

// Parts of requests, for the rows below.
const (
	ours   = "<system-reminder>\\nT\\n</system-reminder>"
	sys    = `,{"role":"system","content":"` + ours + `"}`
	native = `,{"role":"system","clear_at":"next_user_message","content":"` + ours + `"}`
	dev    = `,{"role":"developer","content":"` + ours + `"}`
	person = `,{"role":"user","content":"` + ours + `"}`
	inText = `\n` + ours
	part   = `,{"text":"` + ours + `"}`

	uses    = `{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"a"},{"type":"tool_use","id":"b"}]},`
	calls   = `{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}]},`
	toolUse = `{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a"}}]},`
	fnCall  = `{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"}}]},`
)

// TestRules: a row for each rule of the APIs about where a text may go and where it must not. The place is
// marked § in the body; a body without one is held, and comes out as it went in.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule     string
		api      wire.API
		delivery wire.Delivery
		model    string
		body     string // messages
		put      string // in place of §; or a part of why it is held
	}{
		// Anthropic, placement A: a block at the end of the last user message.
		{"after all tool results, never before one", wire.Anthropic, wire.Anchored, "claude-sonnet-4-6",
			uses + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}§]}`, "," + T},
		{"nothing between tool_use and its results", wire.Anthropic, wire.Anchored, "claude-sonnet-4-6",
			uses + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}`, "no result yet"},
		{"nor a system message", wire.Anthropic, wire.Native, "claude-opus-5",
			uses + `{"role":"user","content":"no"}`, "no result yet"},
		{"results may come in two messages", wire.Anthropic, wire.Tail, "claude-sonnet-4-6",
			uses + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"b"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}§]}`, "," + T},
		{"in tool loops a system message, for text after results ends turns", wire.Anthropic, wire.Auto,
			"claude-opus-5", uses + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}]}§`, native},
		{"no block beside an empty text", wire.Anthropic, wire.Tail, "claude-sonnet-4-6",
			`{"role":"user","content":""}`, "can carry"},
		{"after the last cache_control, without one", wire.Anthropic, wire.Tail, "claude-sonnet-4-6",
			`{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y","cache_control":{"type":"ephemeral","ttl":"1h"}}§]}`, "," + T},
		{"no user turn behind a prefill", wire.Anthropic, wire.Auto, "claude-sonnet-4-6",
			`{"role":"user","content":"q"},{"role":"assistant","content":"{"}`, "own words"},
		{"nor behind a paused turn", wire.Anthropic, wire.Auto, "claude-opus-5",
			`{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"server_tool_use","id":"s"}]}`, "own words"},
		{"only tool results behind an open server tool", wire.Anthropic, wire.Anchored, "claude-sonnet-4-6",
			`{"role":"assistant","content":[{"type":"server_tool_use","id":"s"},{"type":"tool_use","id":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}`, "of the API's own"},
		{"of whatever kind", wire.Anthropic, wire.Anchored, "claude-sonnet-4-6",
			`{"role":"assistant","content":[{"type":"mcp_tool_use","id":"s"},{"type":"tool_use","id":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}`, "of the API's own"},
		{"but a system message", wire.Anthropic, wire.Anchored, "claude-opus-5",
			`{"role":"assistant","content":[{"type":"server_tool_use","id":"s"},{"type":"tool_use","id":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}§`, sys},
		{"and anything behind one that has ended, of whatever kind", wire.Anthropic, wire.Anchored,
			"claude-sonnet-4-6", `{"role":"assistant","content":[{"type":"mcp_tool_use","id":"s"},{"type":"mcp_tool_result","tool_use_id":"s"}]},{"role":"user","content":[{"type":"image"}§]}`, "," + T},
		{"and anything behind one that has ended", wire.Anthropic, wire.Anchored, "claude-sonnet-4-6",
			`{"role":"assistant","content":[{"type":"server_tool_use","id":"s"},{"type":"web_search_tool_result","tool_use_id":"s"}]},{"role":"user","content":[{"type":"image"}§]}`, "," + T},
		{"thinking is not touched", wire.Anthropic, wire.Tail, "claude-sonnet-4-6",
			`{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}§]}`, "," + T},
		{"inside the last result where user content makes the API forget thinking", wire.Anthropic, wire.Auto,
			"claude-haiku-4-5", uses +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"r"}§]}]}],"thinking":{"type":"enabled"},"x":[`, "," + T},
		{"which needs a content", wire.Anthropic, wire.Auto, "claude-opus-4-1-20250805",
			uses + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"},{"type":"tool_result","tool_use_id":"b"}]}],"thinking":{"type":"enabled"},"x":[`, "inside the tool result alone"},
		{"without thinking, too", wire.Anthropic, wire.Auto, "claude-haiku-4-5",
			uses + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"},{"type":"tool_result","tool_use_id":"b","content":"r§"}]}],"thinking":{"type":"disabled"},"x":[`, inText},
		{"nothing ephemeral where thinking is bound", wire.Anthropic, wire.Tail, "claude-opus-5-5-20260901",
			`{"role":"user","content":"q"}`, "binds"},
		{"however gateways spell it", wire.Anthropic, wire.Tail, "anthropic/claude-opus-5.5",
			`{"role":"user","content":"q"}`, "binds"},
		{"nor on what third parties say is so", wire.Anthropic, wire.Tail, "claude-sonnet-5-5",
			`{"role":"user","content":"q"}`, "binds"},
		{"an unknown model takes blocks", wire.Anthropic, wire.Auto, "claude-next",
			`{"role":"user","content":[{"type":"image"}§]}`, "," + T},
		// Placements B and C.
		{"system where the model takes it", wire.Anthropic, wire.Anchored, "claude-fable-5-1",
			`{"role":"user","content":"q"}§`, sys},
		{"not where it does not", wire.Anthropic, wire.Anchored, "claude-sonnet-5",
			`{"role":"user","content":[{"type":"image"}§]}`, "," + T},
		{"however gateways spell it", wire.Anthropic, wire.Anchored, "anthropic/claude-opus-4.8:beta",
			`{"role":"user","content":"q"}§`, sys},
		{"turn-scoped where the model takes it", wire.Anthropic, wire.Native, "claude-mythos-5-1",
			`{"role":"user","content":"q"}§`, native},
		{"not where it does not", wire.Anthropic, wire.Native, "claude-haiku-4-5",
			`{"role":"user","content":"q"}`, "native:"},
		{"never first", wire.Anthropic, wire.Auto, "claude-opus-5", ``, "no message"},
		{"behind the client's system message, marked or not, never in or before it", wire.Anthropic, wire.Auto,
			"claude-fable-5-1", `{"role":"user","content":"q"},{"role":"system","content":[{"type":"text","text":"env","cache_control":{"type":"ephemeral"}}]}§`, native},
		{"which is proof that the model takes it", wire.Anthropic, wire.Auto, "claude-sonnet-5",
			`{"role":"user","content":"q"},{"role":"system","content":"env"}§`, sys},
		{"also for what is there this once", wire.Anthropic, wire.Tail, "claude-sonnet-5",
			`{"role":"user","content":"q"},{"role":"system","content":"env"}§`, sys},
		{"behind several of them", wire.Anthropic, wire.Native, "claude-opus-5",
			`{"role":"user","content":"q"},{"role":"system","content":"env"},{"role":"system","content":"env"}§`, native},
		{"none of a user's", wire.Anthropic, wire.Auto, "claude-opus-5", `{"role":"system","content":"env"}`,
			"no message"},
		// Chat.
		{"nothing between tool_calls and tool messages", wire.Chat, wire.Auto, "gpt-5.6",
			calls + `{"role":"tool","tool_call_id":"a"},{"role":"tool","tool_call_id":"b"}§`, dev},
		{"while one is missing: held", wire.Chat, wire.Auto, "gpt-5.6",
			calls + `{"role":"tool","tool_call_id":"b"}`, "no result yet"},
		{"also if somebody else came between", wire.Chat, wire.Auto, "gpt-5.6",
			calls + `{"role":"tool","tool_call_id":"b"},{"role":"developer","content":"d"}`, "no result yet"},
		{"results without ids count by number", wire.Chat, wire.Auto, "llama",
			calls + `{"role":"tool","name":"f","content":"r"},{"role":"tool","tool_call_id":"b","content":"r§"}`, inText},
		{"each once", wire.Chat, wire.Auto, "llama", calls + `{"role":"tool","content":"r"}`, "no result yet"},
		{"developer to reasoning models", wire.Chat, wire.Auto, "openai/o3-mini",
			`{"role":"user","content":"q"}§`, dev},
		{"system to others of the vendor", wire.Chat, wire.Auto, "gpt-4o", `{"role":"user","content":"q"}§`, sys},
		{"of a model that is named twice the last name counts", wire.Chat, wire.Auto, "gpt-4o",
			`{"role":"user","content":"q"}§],"model":"gpt-5.6","x":[`, dev},
		{"in the person's text of compatible servers", wire.Chat, wire.Auto, "qwen3-coder",
			`{"role":"system","content":"s"},{"role":"user","content":"q§"}`, inText},
		{"behind its parts", wire.Chat, wire.Auto, "gemma-3-27b",
			`{"role":"user","content":[{"type":"text","text":"q"}§]}`, "," + T},
		{"in the last result", wire.Chat, wire.Tail, "llama",
			calls + `{"role":"tool","tool_call_id":"a","content":"r"},{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"r"}§]}`, "," + T},
		{"whatever the client says behind it", wire.Chat, wire.Auto, "devstral-medium-latest",
			calls + `{"role":"tool","tool_call_id":"a","content":"r"},{"role":"tool","tool_call_id":"b","content":"r§"},{"role":"system","content":"env"}`, inText},
		{"open weights of the vendor", wire.Responses, wire.Auto, "openai/gpt-oss-120b",
			`{"role":"user","content":"q"},{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a","output":"r§"}`, inText},
		{"a continuation: held", wire.Chat, wire.Auto, "llama",
			`{"role":"user","content":"q"},{"role":"assistant","content":"So"}`, "own words"},
		{"functions, which have no ids", wire.Chat, wire.Auto, "gpt-4",
			`{"role":"assistant","function_call":{"name":"f"}},{"role":"function","name":"f","content":"r"}§`, sys},
		{"and no answer yet", wire.Chat, wire.Auto, "gpt-4",
			`{"role":"assistant","function_call":{"name":"f"}},{"role":"user","content":"x"}`, "no result yet"},
		{"no native", wire.Chat, wire.Native, "gpt-5.6", `{"role":"user","content":"q"}`, "native:"},
		// Responses.
		{"a call without output: held", wire.Responses, wire.Auto, "gpt-5.6",
			`{"role":"user","content":"q"},{"type":"function_call","call_id":"a"},{"type":"function_call","call_id":"b"},{"type":"function_call_output","call_id":"b"}`, "no result yet"},
		{"by call_id, whatever stands between", wire.Responses, wire.Auto, "gpt-5.6",
			`{"type":"function_call","call_id":"a"},{"role":"developer","content":"hook"},{"type":"function_call_output","call_id":"a"},{"type":"function_call","call_id":"b"},{"type":"function_call","call_id":"c"},{"type":"function_call_output","call_id":"c"},{"role":"developer","content":"hook"},{"type":"function_call_output","call_id":"b"}§`, dev},
		{"an output whose own id is that of the call", wire.Responses, wire.Auto, "gpt-5.6",
			`{"type":"local_shell_call","id":"i","call_id":"a"},{"type":"local_shell_call_output","id":"a","output":"{}"}§`, dev},
		{"which no other output has", wire.Responses, wire.Auto, "gpt-5.6",
			`{"type":"function_call","id":"i","call_id":"a"},{"type":"function_call_output","id":"a","output":"{}"}`, "no result yet"},
		{"a prompt in place of an output: held", wire.Responses, wire.Auto, "gpt-5.6",
			`{"type":"function_call","call_id":"a"},{"role":"user","content":"never mind"}`, "no result yet"},
		{"calls of earlier rounds are nobody's business", wire.Responses, wire.Auto, "gpt-5.6",
			`{"type":"function_call","call_id":"z"},{"role":"assistant","content":"x"},{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a"}§`, dev},
		{"reasoning stays with its item", wire.Responses, wire.Auto, "gpt-5.6",
			`{"role":"user","content":"q"},{"type":"reasoning"}`, "own words"},
		{"outputs alone, the server has the calls", wire.Responses, wire.Auto, "gpt-5.6",
			`{"type":"function_call_output","call_id":"a"}§],"previous_response_id":"r","x":[`, dev},
		{"an item that nobody knows: held", wire.Responses, wire.Auto, "gpt-5.6", `{"type":"compaction_trigger"}`,
			"nothing can be put safely"},
		// Gemini.
		{"never a text part behind a functionResponse", wire.Gemini, wire.Auto, "",
			fnCall + `{"role":"user","parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"g"}}]}§`, `,{"role":"user","parts":[` + part[1:] + `]}`},
		{"nor where there is text before it", wire.Gemini, wire.Auto, "",
			fnCall + `{"role":"user","parts":[{"text":"x"},{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"g"}}]}§`, `,{"role":"user","parts":[` + part[1:] + `]}`},
		{"as many responses as calls", wire.Gemini, wire.Auto, "",
			fnCall + `{"role":"user","parts":[{"functionResponse":{"name":"f"}}]}`, "no result yet"},
		{"a part behind a user's", wire.Gemini, wire.Auto, "",
			`{"role":"user","parts":[{"text":"q","thoughtSignature":"s"}§]}`, part},
		{"never behind a model turn", wire.Gemini, wire.Auto, "",
			`{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"So"}]}`, "own words"},
		{"behind the client's system message, where a server takes it", wire.Gemini, wire.Auto, "",
			`{"role":"user","parts":[{"text":"q"}]},{"role":"system","parts":[{"text":"env"}]}§`, `,{"role":"system","parts":[` + part[1:] + `]}`},
		// Converse.
		{"roles alternate: a block, no message", wire.Converse, wire.Auto, "",
			toolUse + `{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}]}}§]}`, part},
		{"behind the cachePoint", wire.Converse, wire.Auto, "",
			`{"role":"user","content":[{"text":"q"},{"cachePoint":{"type":"default"}}§]}`, part},
		{"a toolUse without toolResult: held", wire.Converse, wire.Auto, "",
			toolUse + `{"role":"user","content":[{"text":"x"}]}`, "no result yet"},
		{"a continuation: held", wire.Converse, wire.Auto, "",
			`{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"text":"So"}]}`, "own words"},
		{"inside the toolResult where thinking would be forgotten", wire.Converse, wire.Auto,
			"us.anthropic.claude-haiku-4-5-v1:0", toolUse +
				`{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}§]}}]}],"additionalModelRequestFields":{"thinking":{"type":"enabled"}},"x":[`, part},
		{"where thinking is switched off, too", wire.Converse, wire.Auto, "us.anthropic.claude-haiku-4-5-v1:0",
			toolUse + `{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}§]}}]}],"additionalModelRequestFields":{"top_k":1,"thinking":{"type":"disabled"}},"x":[`, part},
		{"nor by its other name", wire.Converse, wire.Auto, "us.anthropic.claude-haiku-4-5-v1:0",
			toolUse + `{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}§]}}]}],"additionalModelRequestFields":{"reasoning_config":{"type":"disabled"}},"x":[`, part},
		{"where another switch is off", wire.Converse, wire.Auto, "us.anthropic.claude-haiku-4-5-v1:0",
			toolUse + `{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}§]}}]}],"additionalModelRequestFields":{"thinking":{"type":"enabled"},"x":"disabled"},"x":[`, part},
		{"behind the client's system message", wire.Converse, wire.Auto, "",
			`{"role":"user","content":[{"text":"q"}]},{"role":"system","content":[{"text":"env"}]}§`, `,{"role":"system","content":[` + part[1:] + `]}`},
	} {
		t.Run(string(c.api)+" "+c.rule, func(t *testing.T) {
			t.Parallel()
			list := map[wire.API]string{wire.Responses: "input", wire.Gemini: "contents"}[c.api]
			if list == "" {
				list = "messages"
			}
			body := fmt.Sprintf(`{"model":%q,"%s":[%s]}`, c.model, list, c.body)
			in := []byte(strings.ReplaceAll(body, "§", ""))
			opts := wire.Options{API: c.api, Delivery: c.delivery}
			due := one("T")
			got, report, err := wire.Inject(in, due, opts)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(body, "§") {
				if !bytes.Equal(got, in) || len(report.Held) != 1 || !strings.Contains(report.Held[0].Why, c.put) ||
					report.Held[0].Texts != 1 {
					t.Errorf("%+v\n%s", report, got)
				}
				return
			}
			if want := strings.Replace(body, "§", c.put, 1); string(got) != want || len(report.Held) > 0 {
				t.Errorf("%+v\ngot  %s\nwant %s", report, got, want)
			}
			if !holdI2(t, in, due, opts) {
				t.Error("I2 says nothing")
			}
		})
	}
}
