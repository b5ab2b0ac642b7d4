package transcript_test

import "strings"

// Requests of one conversation in the words of each API: a prompt, then a call and its result that failed.
const (
	anthropic1 = `{"model":"claude-opus-5","max_tokens":10,"system":"be kind","tools":[{"name":"Bash","input_schema":{}}],"metadata":{"user_id":"{\"session_id\":\"s1\"}"},"messages":[{"role":"user","content":"fix it"}]}`
	anthropic2 = `{"model":"claude-opus-5","max_tokens":10,"system":"be kind","tools":[{"name":"Bash","input_schema":{}}],"metadata":{"user_id":"{\"session_id\":\"s1\"}"},"messages":[{"role":"user","content":"fix it"},{"role":"assistant","content":[{"type":"text","text":"let me see"},{"type":"tool_use","id":"c1","name":"Bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"no"}]}]}`
	anthropicR = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[],"stop_reason":"tool_use","usage":{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":75,"output_tokens":8}}`

	chat1 = `{"model":"gpt-5","stream":true,"tools":[{"type":"function","function":{"name":"look"}}],"messages":[{"role":"system","content":"x"},{"role":"user","content":"fix it"}]}`
	chat2 = `{"model":"gpt-5","stream":true,"tools":[{"type":"function","function":{"name":"look"}}],"messages":[{"role":"system","content":"x"},{"role":"user","content":"fix it"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"x"}]}`
	chatR = `data: {"choices":[{"delta":{"content":"x"}}],"usage":null}` + "\n\n" +
		`data: {"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":3,"total_tokens":43,"prompt_tokens_details":{"cached_tokens":30}}}` + "\n\ndata: [DONE]\n\n"

	items1 = `{"model":"gpt-5.6","input":[{"role":"user","content":[{"type":"input_text","text":"fix it"}]}],"tools":[{"type":"function","name":"exec"}]}`
	items2 = `{"model":"gpt-5.6","input":[{"role":"user","content":[{"type":"input_text","text":"fix it"}]},{"type":"function_call","call_id":"c1","name":"exec","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"x"}],"tools":[{"type":"function","name":"exec"}]}`

	parts1 = `{"contents":[{"role":"user","parts":[{"text":"fix it"}]}],"tools":[{"functionDeclarations":[{"name":"run"}]}]}`
	parts2 = `{"contents":[{"role":"user","parts":[{"text":"fix it"}]},{"role":"model","parts":[{"functionCall":{"name":"run","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"run","response":{"error":"no"}}}]}],"tools":[{"functionDeclarations":[{"name":"run"}]}]}`
)

// text is a string in JSON.
func text(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// window is a request of a client that keeps an answer and the prompt behind it.
func window(answer string) string {
	return `{"model":"gpt-5","prompt_cache_key":"k","tools":[{"type":"function","function":{"name":"look"}}],` +
		`"messages":[{"role":"assistant","content":` + text(answer) + `},{"role":"user","content":"go on"}]}`
}

// logged is a line of a log as a proxy may write it.
func logged(request, response, at string) string {
	line := `{"request":` + request
	if response != "" {
		line += `,"response":` + response
	}
	if at != "" {
		line += `,"time":` + at
	}
	return line + "}"
}

var logReadings = []reading{
	{"requests to Anthropic, with responses and times", lines(logged(anthropic1, anthropicR,
		`"2026-01-01T10:00:00Z"`), logged(anthropic2, "", `"2026-01-01T10:00:09Z"`)), `
s1 root 1 KEY messages=1 you="fix it"
s1 root 2 KEY Bash=failed context=100 out=8 messages=3 said="let me see"
s1 root 3 -
`},
	{"bodies alone", lines(anthropic1, anthropic2), `
s1 root 1 KEY messages=1 you="fix it"
s1 root 2 KEY Bash=failed messages=3 said="let me see"
s1 root 3 -
`},
	{"a prompt that says what the one before it said, in a window of two messages", lines(
		window("one"), window("two")), `
k root 1 KEY messages=2 you="go on" said="one"
k root 2 KEY messages=2 you="go on" said="two"
k root 3 -
`},
	{"a retry is the same turn", lines(anthropic1, anthropic1, strings.Replace(anthropic1, "opus", "haiku", 1),
		anthropic2), `
s1 root 1 KEY messages=1 you="fix it"
s1 root 2 KEY Bash=failed messages=3 said="let me see"
s1 root 3 -
`},
	{"requests to Chat Completions, the response a stream", lines(logged(chat1, text(chatR), "1767261600"),
		logged(chat2, "null", "1767261609123")), `
request-1 root 1 KEY messages=2 you="fix it"
request-1 root 2 KEY look=? context=40 out=3 messages=4
request-1 root 3 -
`},
	{"requests to Responses, as text with path and headers", lines(
		`{"method":"POST","path":"/v1/responses","headers":[["x-codex-turn-metadata","{\"thread_id\":\"t1\",\"session_id\":\"t1\"}"]],"body":`+text(items1)+`,"t":1767261600.5}`,
		`{"method":"POST","path":"/v1/responses","headers":{"x-codex-turn-metadata":["{\"thread_id\":\"t1\",\"session_id\":\"t1\"}"]},"body":`+text(items2)+`}`), `
t1 root 1 KEY messages=1 you="fix it"
t1 root 2 KEY exec=? messages=3
t1 root 3 -
`},
	{"requests to Gemini, an object with a body", lines(
		`{"request":{"url":"https://example.org/v1beta/models/gemini-2.5-pro:generateContent","body":`+parts1+`},"response":{"status":200,"body":{"candidates":[],"usageMetadata":{"promptTokenCount":30,"candidatesTokenCount":4,"thoughtsTokenCount":2,"totalTokenCount":36}}}}`,
		`{"request":{"url":"https://example.org/v1beta/models/gemini-2.5-pro:generateContent","body":`+parts2+`}}`), `
request-1 root 1 KEY messages=1 you="fix it"
request-1 root 2 KEY run=failed context=30 out=6 messages=3
request-1 root 3 -
`},
	{"runs alternate", lines(chat1, strings.ReplaceAll(chat1, "fix it", "and this"), chat2,
		strings.ReplaceAll(chat2, "fix it", "and this")), `
request-1 root 1 KEY messages=2 you="fix it"
request-2 root 1 KEY messages=2 you="and this"
request-1 root 2 KEY look=? messages=4
request-2 root 2 KEY look=? messages=4
request-2 root 3 -
`},
	{"what is not a turn", lines(anthropic1, `{"path":"/v1/messages/count_tokens","body":`+anthropic1+`}`,
		`{"model":"claude-haiku-4-5","max_tokens":10,"system":"You are a title generator.","metadata":{"user_id":"{\"session_id\":\"s1\"}"},"messages":[{"role":"user","content":"<session>fix it</session>"}]}`), `
s1 root 1 KEY messages=1 you="fix it"
s1 root 2 -
`},
	{"a history that was compacted", lines(logged(anthropic2, anthropicR, ""), strings.Replace(anthropic1,
		"fix it", "This session is being continued from before.", 1)), `
s1 root 1 KEY Bash=failed messages=3 said="let me see"
s1 root 2 KEY compacted out=8 messages=1 you="This session is being continued from before."
s1 root 3 -
`},
	{"a request that is none", lines(logged(chat1, "", ""), logged(`{"messages":"many"}`, "", ""),
		logged(`[1]`, "", ""), `{"request":{"mess`), `
request-1 root 1 KEY messages=2 you="fix it"
request-1 root 2 -
f.jsonl:2: note: a line that could not be read was left out
f.jsonl:3: note: a line that could not be read was left out
f.jsonl:4: note: the last line is cut off and was left out
`},
}
