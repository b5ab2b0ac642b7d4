package request_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/request"
)

// told writes what is known of a request on one line: what is not there is not known.
func told(q *request.Request) string {
	var b strings.Builder
	say := func(known bool, format string, args ...any) {
		if known {
			fmt.Fprintf(&b, " "+format, args...)
		}
	}
	b.WriteString(q.Kind.String())
	say(q.Model != "", "model=%s", q.Model)
	say(q.Stream, "stream")
	say(q.Partial, "partial")
	say(q.Messages.Known, "messages=%d", q.Messages.N)
	say(q.UserMessage != fact.Unknown, "user=%v", q.UserMessage)
	say(q.Prompt.Known, "prompt=%q", q.Prompt.S)
	say(q.Response.Known, "response=%q", q.Response.S)
	if q.CallsKnown || len(q.Calls) > 0 {
		var calls []string
		for _, c := range q.Calls {
			s := c.Tool
			switch c.Failed {
			case fact.True:
				s += "!"
			case fact.Unknown:
				s += "?"
			}
			calls = append(calls, s)
		}
		say(true, "calls=%s", strings.Join(calls, ","))
		say(!q.CallsKnown, "and others")
	}
	return b.String()
}

type factCase struct {
	name, body, want string
	header           map[string][]string
}

func check(t *testing.T, api api.Name, path string, cases []factCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := request.ReadFacts(request.Incoming{API: api, Path: path, Header: c.header, Body: []byte(c.body)})
			if err != nil {
				t.Fatal(err)
			}
			if got := told(q); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			frame := fact.Builtin().NewFrame()
			for _, facts := range []map[string]any{q.Facts(), q.Tally()} {
				for name, v := range facts {
					if err := frame.SetValue(name, v); err != nil {
						t.Error(err)
					}
				}
			}
			in := request.Incoming{API: api, Path: path, Header: c.header, Body: pretty(t, c.body)}
			again, err := request.ReadFacts(in)
			if diff := cmp.Diff(q, again, cmpopts.IgnoreUnexported(request.Request{}),
				noInput); err != nil || diff != "" {
				t.Errorf("with blanks: %v\n%s", err, diff)
			}
		})
	}
}

// pretty returns a body with blanks and line ends, its members sorted: their order means nothing.
func pretty(t *testing.T, body string) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func head(pairs ...string) map[string][]string {
	h := map[string][]string{}
	for i := 0; i < len(pairs); i += 2 {
		h[pairs[i]] = []string{pairs[i+1]}
	}
	return h
}

const (
	batch = `{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"text","text":"on it"},
		{"type":"tool_use","id":"1","name":"Edit","input":{"name":"no","id":"9"}},{"type":"tool_use","id":"2","name":"Bash","input":{}},{"type":"tool_use","id":"3","name":"Read","input":{}}]}`
	results = `{"type":"tool_result","tool_use_id":"2","is_error":true,"content":"exit 1"},{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"}]},
		{"content":"ok","is_error":false,"tool_use_id":"3","type":"tool_result"}`
)

func TestAnthropicFacts(t *testing.T) {
	t.Parallel()
	body := func(messages string) string {
		return `{"model":"claude-x","stream":true,"system":[{"type":"text","text":"s"}],"tools":[{"name":"Edit"}],"messages":[` + messages + `]}`
	}
	start := "turn model=claude-x stream "
	check(t, api.Anthropic, "/v1/messages?beta=true", []factCase{
		{name: "nothing said", body: body(``), want: start + `messages=0`},
		{name: "a first question", body: body(`{"role":"user","content":"hi \"you\""}`),
			want: start + `messages=1 user=true prompt="hi \"you\"" calls=`},
		{name: "the same as a block",
			body: body(`{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}`),
			want: start + `messages=1 user=true prompt="hi" calls=`},
		{name: "an image alone", body: body(`{"role":"user","content":[{"type":"image","source":{}}]}`),
			want: start + `messages=1 user=true prompt="" calls=`},
		{name: "a document beside a tag",
			body: body(`{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"document"}]}`),
			want: start + `messages=1 user=true prompt="" calls=`},
		{name: "an answer between",
			body: body(`{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}`),
			want: start + `messages=3 user=true prompt="c" response="b" calls=`},
		{name: "a parallel batch, one failed, results in another order",
			body: body(batch + `,{"role":"user","content":[` + results + `]}`),
			want: start + `messages=3 user=false prompt="a" response="on it" calls=Edit,Bash!,Read`},
		{name: "text behind results is a tool round", body: body(batch + `,{"role":"user","content":[` + results +
			`,{"type":"text","text":"no, stop"}]}`),
			want: start + `messages=3 user=false prompt="a" response="on it" calls=Edit,Bash!,Read`},
		{name: "a message of its own behind results is a person's",
			body: body(batch + `,{"role":"user","content":[` + results + `]},{"role":"user","content":"stop"}`),
			want: start + `messages=4 user=true prompt="stop" response="on it" calls=Edit,Bash!,Read`},
		{name: "a result that is missing",
			body: body(batch + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`),
			want: start + `messages=3 user=false prompt="a" response="on it" calls=Edit,Bash?,Read?`},
		{name: "a result of a call that is not here",
			body: body(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"7","is_error":true}]}`),
			want: start + `messages=1 user=false`},
		{name: "a trailing system message is looked past", body: body(batch + `,{"role":"user","content":[` +
			results + `]},{"role":"system","content":[{"type":"text","text":"env","cache_control":{"type":"ephemeral"}}]}`),
			want: start + `messages=4 user=false prompt="a" response="on it" calls=Edit,Bash!,Read`},
		{name: "two of them", body: body(
			`{"role":"user","content":"a"},{"role":"system","content":"x"},{"role":"system","content":"y"}`),
			want: start + `messages=3 user=true prompt="a" calls=`},
		{name: "an answer begun by the host",
			body: body(`{"role":"user","content":"a"},{"role":"assistant","content":"{"}`),
			want: start + `messages=2 prompt="a" response="{" calls=`},
		{name: "tools of the server",
			body: body(`{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search"},
			{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result"}]},{"type":"server_tool_use","id":"s2","name":"web_fetch"},
			{"type":"web_fetch_tool_result","tool_use_id":"s2","content":{"type":"web_fetch_tool_result_error","error_code":"unavailable"}},{"type":"text","text":"b"}]},{"role":"user","content":"c"}`),
			want: start + `messages=3 user=true prompt="c" response="b" calls=web_search,web_fetch!`},
		{name: "two messages of the model are one turn",
			body: body(`{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"A"}]},
			{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"tool_use","id":"2","name":"B"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"tool_result","tool_use_id":"2"}]}`),
			want: start + `messages=4 user=false prompt="a" response="b" calls=A,B`},
		{name: "only the previous turn counts", body: body(batch + `,{"role":"user","content":[` + results +
			`]},{"role":"assistant","content":[{"type":"tool_use","id":"4","name":"Glob"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"4"}]}`),
			want: start + `messages=5 user=false prompt="a" response="" calls=Glob`},
		{name: "shapes that nobody knows",
			body: `{"messages":[7,{"role":"user","content":{"x":1}}],"model":3,"tools":{"a":1},"system":9,"stream":"yes","metadata":[1]}`, want: "turn messages=2 calls="},
		{name: "escaped keys and roles",
			body: `{"m\u006fdel":"m","messag\u0065s":[{"r\u006fle":"us\u0065r","content":"\u00e9"}]}`, want: `turn model=m messages=1 user=true prompt="é" calls=`},
	})
}

func TestPlatformVariants(t *testing.T) {
	t.Parallel()
	const body = `{"anthropic_version":"bedrock-2023-05-31","messages":[{"role":"user","content":"a"}]}`
	check(t, "", "/model/us.anthropic.claude-opus-5-v1%3A0/invoke-with-response-stream", []factCase{
		{name: "Bedrock", body: body,
			want: `turn model=us.anthropic.claude-opus-5-v1:0 stream messages=1 user=true prompt="a" calls=`}})
	check(t, "", "/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5@20260101:rawPredict",
		[]factCase{
			{name: "Vertex", body: body,
				want: `turn model=claude-opus-5@20260101 messages=1 user=true prompt="a" calls=`}})
	check(t, "", "/openai/deployments/my-gpt/chat/completions?api-version=2026-01-01", []factCase{
		{name: "Azure", body: `{"messages":[{"role":"user","content":"a"}]}`,
			want: `turn messages=1 user=true prompt="a" calls=`}})
	check(t, "", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", []factCase{
		{name: "AI Studio", body: `{"contents":[{"parts":[{"text":"a"}]}]}`,
			want: `turn model=gemini-3-pro stream messages=1 user=true prompt="a" calls=`}})
}

func TestChatFacts(t *testing.T) {
	t.Parallel()
	body := func(messages string) string {
		return `{"model":"gpt-x","messages":[` + messages + `],"tools":[{"type":"function"}]}`
	}
	const start = "turn model=gpt-x "
	const calls = `{"role":"user","content":"a"},{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"ls","arguments":"{\"name\":\"no\"}"}},
		{"id":"2","type":"custom","custom":{"name":"patch","input":"x"}}]}`
	check(t, api.Chat, "", []factCase{
		{name: "a first question",
			body: body(`{"role":"developer","content":"s"},{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{}}]}`),
			want: start + `messages=2 user=true prompt="hi" calls=`},
		{name: "a parallel batch",
			body: body(calls + `,{"role":"tool","tool_call_id":"2","content":"x"},{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"error"}]}`),
			want: start + `messages=4 user=false prompt="a" response="" calls=ls?,patch?`},
		{name: "a developer message at the end", body: body(calls +
			`,{"role":"tool","tool_call_id":"2","content":"x"},{"role":"developer","content":"note"}`),
			want: start + `messages=4 user=false prompt="a" response="" calls=ls?,patch?`},
		{name: "a harness signs its message", body: body(calls +
			`,{"role":"tool","tool_call_id":"2","content":"x"},{"role":"user","name":"hook","content":"note"}`),
			want: start + `messages=4 user=false prompt="a" response="" calls=ls?,patch?`},
		{name: "a person has a name too", body: body(`{"role":"user","name":"Ann","content":"a"}`),
			want: start + `messages=1 user=true prompt="a" calls=`},
		{name: "before there were ids",
			body: body(`{"role":"user","content":"a"},{"role":"assistant","content":"b","function_call":{"name":"f","arguments":""}},{"role":"function","name":"f","content":"x"}`),
			want: start + `messages=3 user=false prompt="a" response="b" calls=f?`},
		{name: "an answer of another function",
			body: body(`{"role":"user","content":"a"},{"role":"assistant","content":"b","function_call":{"name":"f"}},{"role":"function","name":"g","content":"x"}`),
			want: start + `messages=3 user=false prompt="a" response="b" calls=f? and others`},
		{name: "a refusal in place of a content",
			body: body(`{"role":"user","content":"a"},{"role":"assistant","content":null,"refusal":"no"},{"role":"user","content":"b"}`),
			want: start + `messages=3 user=true prompt="b" response="no" calls=`},
		{name: "a refusal", body: body(
			`{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]},{"role":"user","content":"b"}`),
			want: start + `messages=3 user=true prompt="b" response="no" calls=`},
	})
}

func TestResponsesFacts(t *testing.T) {
	t.Parallel()
	body := func(input string) string { return `{"model":"gpt-x","store":false,"input":` + input + `}` }
	const start = "turn model=gpt-x "
	const user = `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}`
	const calls = user + `,{"type":"reasoning","id":"rs","encrypted_content":"x","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]},
		{"type":"function_call","call_id":"1","id":"fc1","name":"exec","arguments":"{}","status":"completed"},{"type":"custom_tool_call","call_id":"2","name":"patch","input":"x"}`
	check(t, api.Responses, "/v1/responses", []factCase{
		{name: "a string", body: body(`"hi"`), want: start + `messages=1 user=true prompt="hi" calls=`},
		{name: "no type is a message", body: body(`[{"role":"user","content":"hi"}]`),
			want: start + `messages=1 user=true prompt="hi" calls=`},
		{name: "developer messages between a call and its output",
			body: body(`[` + calls + `,{"role":"developer","content":"note"},{"type":"function_call_output","call_id":"1","output":"x"},
			{"role":"developer","content":"note"},{"type":"custom_tool_call_output","call_id":"2","output":"x"},{"role":"developer","content":"note"}]`),
			want: start + `messages=10 user=false prompt="a" response="b" calls=exec?,patch?`},
		{name: "commands of a shell",
			body: body(`[` + user + `,{"type":"shell_call","call_id":"1"},{"type":"shell_call","call_id":"2"},{"type":"shell_call","call_id":"3"},{"type":"shell_call","call_id":"4"},
			{"type":"shell_call_output","call_id":"1","output":[{"stdout":"","outcome":{"type":"exit","exit_code":0}},{"outcome":{"type":"exit","exit_code":2}}]},
			{"type":"shell_call_output","call_id":"2","output":[{"outcome":{"type":"timeout"}},{"stdout":"x"}]},{"output":[{"stderr":"x","outcome":{"exit_code":0,"type":"exit"}}],"call_id":"3","type":"shell_call_output"},
			{"type":"shell_call_output","call_id":"4","output":[{"stdout":"x"},{"outcome":{"type":"exit","exit_code":0}}]}]`), want: start + `messages=9 user=false prompt="a" response="" calls=shell!,shell!,shell,shell?`},
		{name: "a local shell", body: body(`[` + user +
			`,{"type":"local_shell_call","id":"i","call_id":"1"},{"type":"local_shell_call_output","id":"1","output":"x"}]`),
			want: start + `messages=3 user=false prompt="a" response="" calls=local_shell?`},
		{name: "an output that failed", body: body(`[` + user +
			`,{"type":"apply_patch_call","call_id":"1"},{"type":"shell_call","call_id":"2"},{"type":"apply_patch_call_output","call_id":"1","status":"failed"},
			{"type":"shell_call_output","call_id":"2","output":[]}]`), want: start + `messages=5 user=false prompt="a" response="" calls=apply_patch!,shell?`},
		{name: "an output that did not", body: body(`[` + user +
			`,{"type":"apply_patch_call","call_id":"1"},{"type":"apply_patch_call_output","call_id":"1","status":"completed"}]`),
			want: start + `messages=3 user=false prompt="a" response="" calls=apply_patch`},
		{name: "tools of the server",
			body: body(`[` + user + `,{"type":"web_search_call","id":"w","status":"completed"},{"type":"mcp_call","id":"m","name":"find","error":"no"},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]},{"role":"user","content":"c"}]`),
			want: start + `messages=5 user=true prompt="c" response="b" calls=web_search,find!`},
		{name: "environment, then the prompt",
			body: body(`[{"role":"user","content":[{"type":"input_text","text":"<environment_context>\n<cwd>x</cwd>\n</environment_context>"}]},` + user + `]`),
			want: start + `messages=2 user=true prompt="a" calls=`},
		{name: "the prompt, then environment", body: body(`[` + user +
			`,{"role":"user","content":"<environment_context>x</environment_context>"}]`), want: start +
			`messages=2 user=true prompt="a" calls=`},
		{name: "a subagent reports",
			body: body(`[` + calls + `,{"type":"function_call_output","call_id":"1","output":"x"},{"type":"function_call_output","call_id":"2","output":"x"},
			{"role":"user","content":"<subagent_notification>{}</subagent_notification>"}]`), want: start + `messages=8 user=false prompt="a" response="b" calls=exec?,patch?`},
		{name: "what is new alone",
			body: `{"model":"gpt-x","previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"1","output":"x"}]}`, want: start + "partial user=false"},
		{name: "what is new, by a person", body: `{"model":"gpt-x","conversation":{"id":"conv_1"},"input":"go on"}`,
			want: start + `partial user=true prompt="go on"`},
		{name: "no conversation", body: `{"model":"gpt-x","conversation":null,"previous_response_id":null,"input":"hi"}`, want: start + `messages=1 user=true prompt="hi" calls=`},
		{name: "items that are kept elsewhere", body: body(`[` + user +
			`,{"type":"item_reference","id":"fc1"},{"type":"function_call_output","call_id":"1","output":"x"}]`), want: start + `messages=3 user=false prompt="a"`},
		{name: "an approval", body: body(`[` + user +
			`,{"type":"mcp_approval_request","id":"r"},{"type":"mcp_approval_response","approve":true}]`), want: start + `messages=3 user=false prompt="a" calls=`},
	})
}

func TestGeminiFacts(t *testing.T) {
	t.Parallel()
	body := func(contents string) string {
		return `{"systemInstruction":{"parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[]}],"contents":[` +
			contents + `]}`
	}
	const calls = `{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"hm","thought":true},{"text":"b","thoughtSignature":"x"},
		{"functionCall":{"name":"ls","args":{"name":"no"}},"thoughtSignature":"x"},{"functionCall":{"name":"ls","args":{}}},{"functionCall":{"id":"7","name":"cat","args":{}}}]}`
	const answers = `{"functionResponse":{"name":"ls","response":{"output":"error"}}},{"functionResponse":{"name":"ls","response":{"error":"no"}}},{"functionResponse":{"id":"7","name":"cat","response":{"x":1}}}`
	check(t, api.Gemini, "", []factCase{
		{name: "no role is a user's", body: body(`{"parts":[{"text":"hi"},{"text":"you"}]}`),
			want: `turn messages=1 user=true prompt="hi\nyou" calls=`},
		{name: "a part that says something twice, once in escapes",
			body: body(`{"parts":[{"text":"no","\u0074ext":"hi"}]}`), want: `turn messages=1 user=true prompt="hi" calls=`},
		{name: "a parallel batch, with and without ids", body: body(calls + `,{"role":"user","parts":[` + answers +
			`]}`), want: `turn messages=3 user=false prompt="a" response="b" calls=ls,ls!,cat`},
		{name: "an error that says that there is none",
			body: body(`{"role":"model","parts":[{"functionCall":{"name":"a"}},{"functionCall":{"name":"b"}},{"functionCall":{"name":"c"}}]},
			{"parts":[{"functionResponse":{"name":"a","response":{"error":""}}},{"functionResponse":{"name":"b","response":{"error":false}}},{"functionResponse":{"name":"c","response":{"error":[1]}}}]}`),
			want: `turn messages=2 user=false response="" calls=a,b,c!`},
		{name: "text in front of the responses", body: body(calls + `,{"role":"user","parts":[{"text":"note"},` +
			answers + `]}`), want: `turn messages=3 user=false prompt="a" response="b" calls=ls,ls!,cat`},
		{name: "role function", body: body(calls + `,{"role":"function","parts":[` + answers + `]}`),
			want: `turn messages=3 user=false prompt="a" response="b" calls=ls,ls!,cat`},
		{name: "a response that is not an object",
			body: body(`{"role":"model","parts":[{"function_call":{"name":"ls"}}]},{"parts":[{"function_response":{"name":"ls","response":"x"}}]}`), want: `turn messages=2 user=false response="" calls=ls?`},
		{name: "a context of a hook", body: body(calls + `,{"role":"user","parts":[` + answers +
			`]},{"role":"user","parts":[{"text":"<hook_context>x</hook_context>"}]}`),
			want: `turn messages=4 user=false prompt="a" response="b" calls=ls,ls!,cat`},
		{name: "a picture", body: body(
			`{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":""}}]}`), want: `turn messages=1 user=true prompt="" calls=`},
		{name: "the beginning is kept by the server",
			body: `{"cachedContent":"cachedContents/1","contents":[{"parts":[{"text":"a"}]}]}`, want: `turn partial user=true prompt="a"`},
		{name: "as well in a conversation",
			body: `{"conversation":"c","cachedContent":"cachedContents/1","contents":[{"parts":[{"text":"a"}]}]}`, want: `turn partial user=true prompt="a"`},
	})
}

func TestConverseFacts(t *testing.T) {
	t.Parallel()
	const calls = `{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"text":"b"},
		{"toolUse":{"toolUseId":"1","name":"ls","input":{}}},{"toolUse":{"toolUseId":"2","name":"cat","input":{}}},{"toolUse":{"toolUseId":"3","name":"rm","input":{}}}]}`
	check(t, api.Converse, "/model/anthropic.claude-opus-5/converse", []factCase{
		{name: "a first question", body: `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`,
			want: `turn model=anthropic.claude-opus-5 messages=1 user=true prompt="hi" calls=`},
		{name: "a parallel batch", body: `{"messages":[` + calls +
			`,{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[{"text":"x"}],"status":"success"}},{"toolResult":{"toolUseId":"3","content":[]}},
			{"toolResult":{"toolUseId":"2","status":"error","content":[]}},{"text":"<system-reminder>x</system-reminder>"}]}]}`,
			want: `turn model=anthropic.claude-opus-5 messages=3 user=false prompt="a" response="b" calls=ls,cat!,rm?`},
		{name: "what a guardrail looks at",
			body: `{"messages":[{"role":"user","content":[{"text":"a"},{"guardContent":{"text":{"text":"b"}}}]}]}`, want: `turn model=anthropic.claude-opus-5 messages=1 user=true prompt="a\nb" calls=`},
		{name: "a picture that it looks at",
			body: `{"messages":[{"role":"user","content":[{"guardContent":{"image":{}}}]}]}`, want: `turn model=anthropic.claude-opus-5 messages=1 user=true prompt="" calls=`},
		{name: "a picture", body: `{"messages":[{"role":"user","content":[{"image":{}}]},{"role":"system","content":[{"text":"x"}]}]}`, want: `turn model=anthropic.claude-opus-5 messages=2 user=true prompt="" calls=`},
	})
}

func TestGenericFacts(t *testing.T) {
	t.Parallel()
	check(t, api.Messages, "", []factCase{
		{name: "no message", body: `{"messages":[]}`, want: `turn messages=0`},
		{name: "a batch of tools, one failed", body: `{"messages":[{"role":"system","content":"s"},` + batch +
			`,{"role":"user","content":[` + results + `]}]}`,
			want: `turn messages=4 user=false prompt="a" response="on it" calls=Edit,Bash!,Read`},
		{name: "tool messages may say that they failed",
			body: `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls"},{"type":"tool_use","id":"2","name":"rm"}]},
			{"role":"tool","tool_call_id":"1","content":"x","is_error":true},{"role":"tool","tool_call_id":"2","content":"x"}]}`, want: `turn messages=3 user=false response="" calls=ls!,rm?`},
		{name: "tool messages without names",
			body: `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"ls"}}]},{"role":"tool","content":"x"}]}`,
			want: `turn messages=3 user=false prompt="a" response="" calls=ls?`},
		{name: "results of calls that are not shown",
			body: `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"calling"},{"role":"tool","content":"x"}]}`,
			want: `turn messages=3 user=false prompt="a" response="calling"`},
		{name: "calls in both places",
			body: `{"messages":[{"role":"assistant","tool_calls":[{"id":"2","function":{"name":"b"}}],"content":[{"type":"tool_use","id":"1","name":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}]}`,
			want: `turn messages=2 user=false response="" calls=a,b?`},
	})
}

func TestTally(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, messages string
		want           map[string]any
	}{
		{"nothing", ``, map[string]any{"turn_count": int64(1), "user_turn_count": int64(0),
			"tool_calls": int64(0)}},
		{"some", batch + `,{"role":"user","content":[` + results +
			`]},{"role":"assistant","content":"x"},{"role":"user","content":"b"},{"role":"user","content":"<system-reminder>x</system-reminder>"}`,
			map[string]any{"turn_count": int64(3), "user_turn_count": int64(2), "tool_calls": int64(3)}},
		{"calls that are not shown",
			`{"role":"assistant","content":"x"},{"role":"tool","content":"x"},{"role":"assistant","content":"x"},{"role":"user","content":"b"}`,
			map[string]any{"turn_count": int64(3), "user_turn_count": int64(1)}},
	} {
		q, err := request.ReadFacts(request.Incoming{Body: []byte(`{"messages":[` + c.messages + `]}`)})
		if d := cmp.Diff(c.want, q.Tally()); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, d)
		}
	}
}

func TestFactsByName(t *testing.T) {
	t.Parallel()
	q, err := request.ReadFacts(request.Incoming{Body: []byte(`{"model":"m","provider":"p","messages":[` +
		batch +
		`,{"role":"user","content":[` + results + `]}]}`)})
	want := map[string]any{"model": "m", "provider": "p", "message_count": int64(3), "user_message": false,
		"prompt": "a", "response": "on it",
		"tool_used": []string{"Edit", "Bash", "Read"}, "last_tool_call_failed": true,
		fact.FailedTools: []string{"Bash"}, "output": []string{"<system-reminder>x</system-reminder>",
			"exit 1", "ok"},
		"calls": []fact.Call{
			{Tool: "Edit", Class: fact.Edit, Output: "<system-reminder>x</system-reminder>", OutputTold: true},
			{Tool: "Bash", Class: fact.Shell, Output: "exit 1", OutputTold: true, Failed: fact.True},
			{Tool: "Read", Class: fact.Read, Output: "ok", OutputTold: true},
		}}
	if d := cmp.Diff(want, q.Facts(), noInput); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	q, err = request.ReadFacts(request.Incoming{API: api.Chat,
		Body: []byte(`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"own"}}]},{"role":"tool","tool_call_id":"1"}]}`)})
	want = map[string]any{"message_count": int64(2), "user_message": false, "response": "",
		"tool_used": []string{"own"}, "command": []string(nil), "path": []string(nil), "written": []string(nil),
		"output": []string{""},
		"calls":  []fact.Call{{Tool: "own", Subject: "{}", Told: true, OutputTold: true, Failed: fact.Unknown}}}
	if d := cmp.Diff(want, q.Facts(), noInput); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
}

// TestWrapped: a request may be a member of a larger one, as gateways send it and as it is counted.
func TestWrapped(t *testing.T) {
	t.Parallel()
	check(t, api.Gemini, "", []factCase{
		{name: "Gemini CLI with a login",
			body: `{"model":"gemini-3-pro","request":{"contents":[{"role":"user","parts":[{"text":"q"}]}],"session_id":"s"}}`,
			want: `turn model=gemini-3-pro messages=1 user=true prompt="q" calls=`},
		{name: "counting of Gemini",
			body: `{"generateContentRequest":{"model":"models/gemini-3-pro","contents":[{"parts":[{"text":"q"}]}]}}`,
			want: `turn model=models/gemini-3-pro messages=1 user=true prompt="q" calls=`},
	})
	check(t, api.Converse, "", []factCase{
		{name: "counting of Converse",
			body: `{"input":{"converse":{"messages":[{"role":"user","content":[{"text":"q"}]}]}}}`,
			want: `turn messages=1 user=true prompt="q" calls=`},
	})
	for text, of := range map[string]api.Name{
		`{"input":{"invokeModel":{"body":"e30="}}}`:                api.Converse,
		`{"request":[{"contents":[]}]}`:                            api.Gemini,
		`{"request":{"messages":[{"role":"user","content":"q"}]}}`: api.Anthropic,
	} {
		if _, err := request.ReadFacts(request.Incoming{API: of, Body: []byte(text)}); !errors.Is(err,
			body.ErrShape) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestUnreadable: of what cannot be read nothing is believed but what path and headers say.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	const whole = `{"model":"m","stream":true,"prompt_cache_key":"k","tools":[1],"messages":[` + batch +
		`,{"role":"user","content":[` + results + `]}]}`
	h := head("X-Claude-Code-Session-Id", "run")
	for i := range len(whole) {
		q, err := request.ReadFacts(request.Incoming{Path: "/v1/messages", Header: h, Body: []byte(whole[:i])})
		if !errors.Is(err, body.ErrSyntax) || told(q) != "turn" || q.Thread.Run != "run" ||
			q.Tools != fact.Unknown || len(q.Tally()) > 0 {
			t.Fatalf("the first %d bytes: %s, %v", i, told(q), err)
		}
	}
	for _, c := range []struct {
		api  api.Name
		body string
	}{{api.Messages, `7`}, {api.Messages, `null`}, {api.Chat, `[]`}, {api.Anthropic,
		`{"model":"m"}`}, {api.Anthropic, `{"model":"m","messages":"hi"}`}, {
		api.Responses, `{"model":"m","input":{}}`},
		{api.Gemini, `{"model":"m","messages":[]}`}, {api.Chat,
			`{"model":"m","messages":[{"role":"user","content":"x"}],"messages":null}`}} {
		q, err := request.ReadFacts(request.Incoming{API: c.api, Body: []byte(c.body)})
		want := "turn"
		if strings.Contains(c.body, "model") {
			want += " model=m"
		}
		if !errors.Is(err, body.ErrShape) || told(q) != want || len(q.Tally()) > 0 {
			t.Errorf("%s %s: %s, %v", c.api, c.body, told(q), err)
		}
	}
	q, err := request.ReadFacts(request.Incoming{Path: "/v1/messages", Header: head("content-encoding", "zstd"),
		Body: []byte(whole)})
	if !errors.Is(err, body.ErrSyntax) || told(q) != "turn" {
		t.Errorf("compressed: %s, %v", told(q), err)
	}
	if _, err := request.ReadFacts(request.Incoming{Path: "/v1/messages",
		Body: []byte(`{"messages":[` + strings.Repeat("[",
			5000))}); !errors.Is(err, body.ErrDepth) {
		t.Errorf("deep: %v", err)
	}
}
