package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject/wire"
)

// TestOddBodies: bodies that clients hardly send, and attackers might. The place is marked §; a body without
// one comes out as it went in.
func TestOddBodies(t *testing.T) {
	t.Parallel()
	const content = `,{"role":"user","parts":[{"text":"` + ours + `"}]}`
	for _, c := range []struct {
		name     string
		api      wire.API
		delivery wire.Delivery
		model    string // where the body does not say
		body     string
		put      string // in place of §
	}{
		{"null content", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":null}]}`, ""},
		{"missing content", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user"}]}`, ""},
		{"number content", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":7}]}`, ""},
		{"object content", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":{"type":"text","text":"x"}}]}`, ""},
		{"only document", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA=="},"cache_control":{"type":"ephemeral"}}§]}]}`, "," + T},
		{"tool_result without content", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}§]}]}`, "," + T},
		{"tool_result null content", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"B","input":{}}]},{"role":"user","content":[{"content":null,"is_error":false,"tool_use_id":"a","type":"tool_result"}§]}]}`, "," + T},
		{"tool_result marked", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}§]}]}`, "," + T},
		{"tool_result then client's text", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},{"type":"text","text":"and now?"}§]}]}`, "," + T},
		{"interrupted: assistant text after result, prefill", wire.Anthropic, wire.Anchored, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"So "}]}]}`, ""},
		{"assistant with empty content last", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[]}]}`, ""},
		{"mcp tool of the server, done", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"mcp_tool_use","id":"m","name":"x","server_name":"s","input":{}},{"type":"mcp_tool_result","tool_use_id":"m","is_error":true,"content":[]},{"type":"text","text":"no"}]},{"role":"user","content":[{"type":"text","text":"again"},{"type":"text","text":"ok"}§]}]}`, "," + T},
		{"redacted thinking with tool", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"redacted_thinking","data":"xx"},{"type":"tool_use","id":"a","name":"B","input":{"b":2,"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}§]}],"thinking":{"type":"adaptive"}}`, "," + T},
		{"opus 5 tail is a block", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-opus-5","messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"u"}}§]}]}`, "," + T},
		{"user between system and end", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-opus-5","messages":[{"role":"user","content":"q"},{"role":"system","content":"env"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}§]}]}`, "," + T},
		{"system then user auto", wire.Anthropic, wire.Auto, "",
			`{"model":"claude-opus-5","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"r"},{"role":"system","content":"env"}§]}`, native},
		{"sonnet 5, system in the middle", wire.Anthropic, wire.Auto, "",
			`{"model":"claude-sonnet-5","messages":[{"role":"user","content":"q"},{"role":"system","content":"env"},{"role":"assistant","content":"a"},{"role":"user","content":[{"type":"image"}§]}]}`, "," + T},
		{"client's own clear_at before", wire.Anthropic, wire.Auto, "",
			`{"model":"claude-opus-5","messages":[{"role":"user","content":"q"},{"role":"system","clear_at":"next_user_message","content":"x"},{"role":"assistant","content":"a"},{"role":"user","content":"q2"},{"clear_at":"never","content":[{"type":"text","text":"y"}],"role":"system"}§]}`, native},
		{"bedrock legacy opus 5", wire.Anthropic, wire.Auto, "us.anthropic.claude-opus-5-v1:0",
			`{"anthropic_version":"bedrock-2023-05-31","messages":[{"role":"user","content":[{"type":"image"}§]}]}`, "," + T},
		{"vertex opus 5", wire.Anthropic, wire.Auto, "claude-opus-5@20260101",
			`{"anthropic_version":"vertex-2023-10-16","messages":[{"role":"user","content":[{"type":"image"}]}§]}`, sys},
		{"haiku thinking, parallel, last content array with image", wire.Anthropic, wire.Auto, "",
			`{"model":"claude-haiku-4-5","thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"a","name":"B","input":{}},{"type":"tool_use","id":"b","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},{"type":"tool_result","tool_use_id":"b","content":[{"type":"image","source":{}}§]}]}]}`, "," + T},
		{"two users in a row", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"image"}]},{"role":"user","content":[{"type":"image"}§]}]}`, "," + T},
		{"results in one, prompt in next", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]},{"role":"user","content":[{"type":"image"}§]}]}`, "," + T},
		{"same id twice", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"B","input":{}},{"type":"tool_use","id":"a","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}`, ""},
		{"extra result", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"zzz","content":"x"},{"type":"tool_result","tool_use_id":"a","content":"x"}§]}]}`, "," + T},
		{"escaped id", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"\u0061","name":"B","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}§]}]}`, "," + T},
		{"role tool", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"},{"role":"tool","content":"x"}]}`, ""},
		{"role unknown", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"User","content":"q"}]}`, ""},
		{"messages empty", wire.Anthropic, wire.Tail, "", `{"model":"claude-sonnet-4-6","messages":[]}`, ""},
		{"only assistant", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"assistant","content":"q"}]}`, ""},
		{"element no object", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"image"}]},null]}`, ""},
		{"top-level automatic caching", wire.Anthropic, wire.Anchored, "",
			`{"cache_control":{"type":"ephemeral"},"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"image"}§]}]}`, "," + T},
		{"keys odd order, tools behind", wire.Anthropic, wire.Tail, "",
			`{"messages":[{"content":[{"text":"a","type":"text"},{"source":{},"type":"image"}§],"role":"user"}],"tools":[{"name":"x","input_schema":{"type":"object","properties":{"role":{"type":"string"}}}}],"model":"claude-sonnet-4-6"}`, "," + T},
		{"messages twice", wire.Anthropic, wire.Tail, "",
			`{"messages":[{"role":"user","content":"a"}],"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"image"}§]}]}`, "," + T},
		{"content twice", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"a","content":[{"type":"image"}§]}]}`, "," + T},
		{"role twice", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"assistant","role":"user","content":[{"type":"image"}§]}]}`, "," + T},
		{"type twice", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"tool_result","type":"text","text":"x"},{"type":"image"}§]}]}`, "," + T},
		{"escaped keys", wire.Anthropic, wire.Tail, "",
			`{"\u006dodel":"claude-sonnet-4-6","\u006dessages":[{"\u0072ole":"\u0075ser","c\u006fntent":[{"\u0074ype":"image"}§]}]}`, "," + T},
		{"CRLF", wire.Anthropic, wire.Tail, "",
			"{\r\n\"model\":\"claude-sonnet-4-6\",\r\n\"messages\":\t[" +
				"\r\n{\"role\":\"user\",\r\n\"content\":" +
				"\r\n[\r\n{\"type\":\"image\"}§\r\n]\r\n}\r\n]\r\n}\r\n\r\n", "," + T},
		{"huge ints", wire.Anthropic, wire.Tail, "",
			`{"seed":123456789012345678901234567890,"t":1e400,"z":-0,"f":1.0,"messages":[{"role":"user","content":[{"type":"image","n":9007199254740993}§]}]}`, "," + T},
		{"lone surrogates", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"text","text":"\ud83d and \ude00"},{"type":"image"}§]}]}`, "," + T},
		{"escaped NUL", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"text","text":"a\u0000b"},{"type":"image"}§]}]}`, "," + T},
		{"system only in array", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","messages":[{"role":"system","content":"s"}]}`, ""},
		{"counting", wire.Anthropic, wire.Tail, "",
			`{"model":"claude-sonnet-4-6","system":"s","tools":[],"messages":[{"role":"user","content":[{"type":"image"}§]}]}`, "," + T},
		{"role openai/gpt-oss-120b", wire.Chat, wire.Auto, "",
			`{"model":"openai/gpt-oss-120b","messages":[{"role":"user","content":"q§"}]}`, inText},
		{"role deepseek-reasoner", wire.Chat, wire.Auto, "",
			`{"model":"deepseek-reasoner","messages":[{"role":"user","content":"q§"}]}`, inText},
		{"role gpt-5-chat-latest", wire.Chat, wire.Auto, "",
			`{"model":"gpt-5-chat-latest","messages":[{"role":"user","content":"q"}§]}`, dev},
		{"empty content", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":""}§]}`, dev},
		{"null content user", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":null}§]}`, dev},
		{"images only", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:"}}]}§]}`, dev},
		{"content []", wire.Chat, wire.Tail, "", `{"model":"gpt-5.6","messages":[{"role":"user","content":[]}§]}`,
			dev},
		{"no content", wire.Chat, wire.Tail, "", `{"model":"gpt-5.6","messages":[{"role":"user"}§]}`, dev},
		{"tools answered odd order", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"content":"x","tool_call_id":"c2","role":"tool"},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"y"}]}§]}`, dev},
		{"a prompt in place of a result", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"content":"x","tool_call_id":"c2","role":"tool"},{"role":"user","content":"stop"}]}`, ""},
		{"earlier group broken, later fine", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"user","content":"stop"},{"role":"assistant","content":"ok"},{"role":"user","content":"go"}§]}`, dev},
		{"tool content null", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":""}}]},{"role":"tool","tool_call_id":"c1","content":null}§]}`, dev},
		{"empty tool_calls then user", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"x","tool_calls":[]},{"role":"user","content":"go"}§]}`, dev},
		{"null tool_calls then user", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"x","tool_calls":null,"function_call":null,"refusal":null},{"role":"user","content":"go"}§]}`, dev},
		{"refusal then user", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"refusal":"no"},{"role":"user","content":"go"}§]}`, dev},
		{"refusal last", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"refusal":"no"}]}`, ""},
		{"only system", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"system","content":"s"}§]}`, dev},
		{"trailing developer", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"developer","content":"s"}§]}`, dev},
		{"calls and nothing behind", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]}]}`, ""},
		{"unknown role", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"critic","content":"x"}]}`, ""},
		{"audio assistant", wire.Chat, wire.Tail, "",
			`{"model":"gpt-5.6","messages":[{"role":"user","content":"q"},{"role":"assistant","audio":{"id":"a"}},{"role":"user","content":"go"}§]}`, dev},
		{"azure no model", wire.Chat, wire.Tail, "", `{"messages":[{"role":"user","content":"q§"}],"stream":true}`, inText},
		{"empty array, stateful", wire.Responses, wire.Tail, "",
			`{"model":"gpt-5.6","previous_response_id":"resp_1","input":[]}`, ""},
		{"outputs only, stateful", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"a","output":"x"}§]}`, dev},
		{"outputs only, stateless", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"function_call_output","call_id":"a","output":"x"}§]}`, dev},
		{"output array, none", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"function_call","call_id":"a","name":"n","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"u"}]}§]}`, dev},
		{"web_search_call then user", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"role":"user","content":"q"},{"type":"web_search_call","id":"ws","status":"completed"},{"type":"message","role":"assistant","id":"m","status":"completed","phase":"final","content":[{"type":"output_text","text":"x","annotations":[]}]},{"role":"user","content":[{"type":"input_text","text":"x"}]}§]}`, dev},
		{"mcp_approval_response last", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"role":"user","content":"q"},{"type":"mcp_approval_request","id":"r"},{"type":"mcp_approval_response","approval_request_id":"r","approve":true}§]}`, dev},
		{"item_reference last", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"item_reference","id":"msg"}]}`, ""},
		{"item_reference then output", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"item_reference","id":"fc"},{"type":"function_call_output","call_id":"a","output":"x"}§]}`, dev},
		{"unknown item then user", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"quantum_item","x":1},{"role":"user","content":"q"}§]}`, dev},
		{"compaction item, then user", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"compaction","encrypted_content":"x"},{"role":"user","content":"q"}§]}`, dev},
		{"custom tool open", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"custom_tool_call","call_id":"a","name":"p","input":"x"},{"role":"user","content":"never mind"}]}`, ""},
		{"computer", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"computer_call","call_id":"a","id":"i","action":{}},{"type":"computer_call_output","call_id":"a","output":{"type":"computer_screenshot"}}§]}`, dev},
		{"hosted search unanswered then output", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"web_search_call","id":"w","status":"completed"},{"type":"function_call","call_id":"a","name":"n","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"}§]}`, dev},
		{"mcp_list_tools first", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"mcp_list_tools","id":"m","tools":[]},{"role":"user","content":"q"}§]}`, dev},
		{"mcp_list_tools last", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"role":"user","content":"q"},{"type":"mcp_list_tools","id":"m","tools":[]}]}`, ""},
		{"user message file only", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}§]}`, dev},
		{"empty user content", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"role":"user","content":[]}§]}`, dev},
		{"one result of two calls with one id", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"type":"function_call","call_id":"a"},{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a","output":"x"}]}`, ""},
		{"unsupported: message without role", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","input":[{"content":"q"}]}`, ""},
		{"string twin array", wire.Responses, wire.Tail, "",
			`{"model":"gpt-5.6","input":[{"role":"user","content":"hello"}§]}`, `,{"role":"developer","content":"<system-reminder>\nT\n</system-reminder>"} `},
		{"an empty previous_response_id", wire.Responses, wire.Auto, "",
			`{"model":"gpt-5.6","previous_response_id":"","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}§]}`, dev},
		{"empty role", wire.Gemini, wire.Auto, "", `{"contents":[{"role":"","parts":[{"text":"q"}§]}]}`, part},
		{"media", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":""}}§]}]}`, part},
		{"file_data snake", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"user","parts":[{"file_data":{"file_uri":"u"}}§]}]}`, part},
		{"empty parts", wire.Gemini, wire.Auto, "", `{"contents":[{"role":"user","parts":[]}§]}`, `,{"role":"user","parts":[` + part[1:] + `]}`},
		{"null parts", wire.Gemini, wire.Auto, "", `{"contents":[{"role":"user","parts":null}§]}`, `,{"role":"user","parts":[` + part[1:] + `]}`},
		{"no parts", wire.Gemini, wire.Auto, "", `{"contents":[{"role":"user"}§]}`, `,{"role":"user","parts":[` + part[1:] + `]}`},
		{"empty text", wire.Gemini, wire.Auto, "", `{"contents":[{"role":"user","parts":[{"text":""}§]}]}`, part},
		{"parts before role", wire.Gemini, wire.Auto, "", `{"contents":[{"parts":[{"text":"q"}§],"role":"user"}]}`,
			part},
		{"responses of the older role", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},{"role":"function","parts":[{"functionResponse":{"name":"ls","response":{"output":"a"}}}]}§]}`, content},
		{"responses of no role of the API", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},{"role":"tool","parts":[{"functionResponse":{"name":"ls","response":{"output":"a"}}}]}§]}`, content},
		{"members in snake case", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"model","parts":[{"function_call":{"name":"ls","args":{}},"thought_signature":"x"}]},{"parts":[{"function_response":{"name":"ls","response":{"result":"a"}}}]}§]}`, content},
		{"a prompt in place of a response", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a"}}]},{"role":"user","parts":[{"text":"x"}]}]}`, ""},
		{"responses in two Contents", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a"}},{"functionCall":{"name":"b"}}]},{"role":"user","parts":[{"functionResponse":{"name":"a","response":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"b","response":{}}}]}§]}`, content},
		{"a prompt behind responses", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{}}}]},{"role":"user","parts":[{"text":"x"}§]}]}`, part},
		{"a response with a picture", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{},"parts":[{"inlineData":{}}]}}]}§]}`, content},
		{"model thought, code exec", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"h","thought":true},{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"text":"x","thoughtSignature":"s"}]},{"role":"user","parts":[{"text":"go"}§]}]}`, part},
		{"tools behind with parts", wire.Gemini, wire.Auto, "",
			`{"contents":[{"role":"user","parts":[{"text":"q"}§]}],"tools":[{"parts":[{"text":"x"}]}]}`, part},
		{"cachedContent", wire.Gemini, wire.Auto, "",
			`{"cachedContent":"c/1","contents":[{"role":"user","parts":[{"text":"q"}§]}]}`, part},
		{"string content invalid", wire.Converse, wire.Auto, "", `{"messages":[{"role":"user","content":"q"}]}`,
			""},
		{"empty", wire.Converse, wire.Auto, "", `{"messages":[{"role":"user","content":[]}]}`, ""},
		{"document", wire.Converse, wire.Auto, "",
			`{"messages":[{"role":"user","content":[{"document":{"name":"n","format":"pdf","source":{"bytes":""}}},{"text":"q"}§]}]}`, part},
		{"only cachePoint", wire.Converse, wire.Auto, "",
			`{"messages":[{"role":"user","content":[{"cachePoint":{"type":"default"}}§]}]}`, part},
		{"results", wire.Converse, wire.Auto, "",
			`{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"toolUse":{"toolUseId":"a","name":"n","input":{}}},{"toolUse":{"toolUseId":"b","name":"n","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"b","content":[{"json":{}}],"status":"error"}},{"toolResult":{"toolUseId":"a","content":[]}}§]}]}`, part},
		{"result split over messages", wire.Converse, wire.Auto, "",
			`{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"t","signature":"s"}}},{"toolUse":{"toolUseId":"a","name":"n","input":{}}},{"toolUse":{"toolUseId":"b","name":"n","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"b","content":[{"json":{}}]}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"json":{}}]}}§]}]}`, part},
		{"Converse has no system message", wire.Converse, wire.Auto, "",
			`{"modelId":"global.anthropic.claude-opus-5-v1:0","messages":[{"role":"user","content":[{"text":"q"}§]}]}`, part},
		{"toolConfig behind", wire.Converse, wire.Auto, "",
			`{"messages":[{"role":"user","content":[{"text":"q"}§]}],"toolConfig":{"tools":[{"toolSpec":{"name":"x","inputSchema":{"json":{"role":"user","content":[]}}}},{"cachePoint":{"type":"default"}}]},"additionalModelRequestFields":{"thinking":{"type":"enabled"}}}`, part},
		{"a model of another vendor", wire.Converse, wire.Auto, "",
			`{"messages":[{"role":"user","content":[{"text":"q"}§]}],"modelId":"us.amazon.nova-pro-v1:0"}`, part},
		{"haiku thinking toolresult json only", wire.Converse, wire.Auto, "",
			`{"modelId":"anthropic.claude-haiku-4-5","additionalModelRequestFields":{"thinking":{"type":"enabled"}},"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"n","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"json":{}}§]}}]}]}`, part},
	} {
		t.Run(string(c.api)+" "+c.name, func(t *testing.T) {
			t.Parallel()
			in, want := []byte(strings.ReplaceAll(c.body, "§", "")), strings.ReplaceAll(c.body, "§", c.put)
			opts, due := wire.Options{API: c.api, Delivery: c.delivery, Model: c.model}, one("T")
			got, report, err := wire.Inject(in, due, opts)
			if err != nil || string(got) != want || (len(report.Held) == 0) != strings.Contains(c.body, "§") {
				t.Errorf("%v %+v\n got %s\nwant %s", err, report, got, want)
			}
			if back, err := wire.Strip(got, opts); err != nil || string(back) != string(in) {
				t.Errorf("I2: %v\n got %s\nwant %s", err, back, in)
			}
			holdI5(t, in, due, opts)
		})
	}
}

// TestNoBodies: what is not a request of the API, or no JSON, is an error, and nothing comes out.
func TestNoBodies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		api  wire.API
		body string
		want error
	}{
		{"null in place of messages, behind some", wire.Anthropic,
			`{"messages":[{"role":"user","content":"a"}],"messages":null}`, wire.ErrShape},
		{"a byte order mark", wire.Anthropic, "\ufeff{\"messages\":[]}", wire.ErrSyntax},
		{"NUL behind", wire.Anthropic, "{\"messages\":[]}\x00", wire.ErrSyntax},
		{"two values", wire.Anthropic, `{"messages":[]}{"messages":[]}`, wire.ErrSyntax},
		{"a comma too many", wire.Anthropic, `{"messages":[{"role":"user","content":"a"},]}`, wire.ErrSyntax},
		{"a comment", wire.Anthropic, `{"messages":[]} // x`, wire.ErrSyntax},
		{"other quotes", wire.Anthropic, `{'messages':[]}`, wire.ErrSyntax},
		{"NaN", wire.Anthropic, `{"temperature":NaN,"messages":[]}`, wire.ErrSyntax},
		{"compressed", wire.Anthropic, "\x1f\x8b\x08\x00", wire.ErrSyntax},
		{"nothing", wire.Anthropic, ``, wire.ErrSyntax},
		{"blanks", wire.Anthropic, " \n", wire.ErrSyntax},
		{"a line end in a string", wire.Anthropic, "{\"messages\":[{\"role\":\"user\",\"content\":\"a\nb\"}]}",
			wire.ErrSyntax},
		{"an escape that there is none of", wire.Anthropic, `{"messages":[{"role":"user","content":"\x"}]}`,
			wire.ErrSyntax},
		{"a batch", wire.Anthropic,
			`{"requests":[{"custom_id":"a","params":{"messages":[{"role":"user","content":"x"}]}}]}`, wire.ErrShape},
		{"messages alone", wire.Anthropic, `[{"role":"user","content":"x"}]`, wire.ErrShape},
		{"messages that are a string", wire.Anthropic, `{"messages":"hi"}`, wire.ErrShape},
		{"messages that are an object", wire.Anthropic, `{"messages":{}}`, wire.ErrShape},
		{"null in place of input", wire.Responses, `{"input":null}`, wire.ErrShape},
		{"a number in place of input", wire.Responses, `{"input":7}`, wire.ErrShape},
		{"no input", wire.Responses, `{"prompt":{"id":"p"}}`, wire.ErrShape},
		{"another API's", wire.Gemini, `{"messages":[]}`, wire.ErrShape},
		{"null in place of the request", wire.Gemini, `{"request":null}`, wire.ErrShape},
		{"a request that does not end", wire.Gemini, `{"request":{"contents":[{"parts":[]}}}`, wire.ErrSyntax},
	} {
		got, _, err := wire.Inject([]byte(c.body), one("T"), wire.Options{API: c.api})
		if got != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v: %s", c.name, err, c.want, got)
		}
		if got, err := wire.Strip([]byte(c.body), wire.Options{API: c.api}); got != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: strip: %v, want %v: %s", c.name, err, c.want, got)
		}
	}
}
