package transcript_test

import (
	"fmt"
	"strings"
)

// rec is a record of a rollout.
func rec(kind, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-01-01T10:00:00Z","type":%q,"payload":{%s}}`, kind, payload)
}

func item(payload string) string  { return rec("response_item", payload) }
func event(payload string) string { return rec("event_msg", payload) }

// counts is a count of tokens as versions before 0.169 wrote it, behind the response.
func counts(total int, last string) string {
	return event(fmt.Sprintf(`"type":"token_count","info":{"total_token_usage":{"total_tokens":%d},"last_token_usage":{%s},"model_context_window":1000}`, total, last))
}

const (
	meta     = `"id":"t1","cwd":"/p","originator":"codex_cli_rs","cli_version":"0.40.0"`
	asked    = `"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"}]`
	took     = `"input_tokens":100,"cached_input_tokens":60,"output_tokens":10,"reasoning_output_tokens":4,"total_tokens":110`
	answered = `"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]`
)

func lines(all ...string) string { return strings.Join(all, "\n") }

var codexReadings = []reading{
	{"codex: older versions", lines(rec("session_meta", meta),
		item(`"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]`),
		item(asked), event(`"type":"user_message","message":"fix it","kind":"plain"`), rec("turn_context",
			`"model":"gpt-5.2"`), event(`"type":"token_count","info":null`),
		item(`"type":"reasoning","summary":[]`), item(
			`"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"`), counts(110, took),
		item(`"type":"function_call_output","call_id":"c1","output":"{\"output\":\"no\\n\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"`),
		item(`"type":"local_shell_call","call_id":"c2","status":"completed","action":{}`), item(
			`"type":"custom_tool_call","call_id":"c3","name":"apply_patch","input":"x"`), counts(220, took),
		event(`"type":"exec_command_end","call_id":"c2","exit_code":0`), event(
			`"type":"patch_apply_end","call_id":"c3","success":false`),
		item(`"type":"function_call_output","call_id":"c2","output":"fine"`), item(
			`"type":"custom_tool_call_output","call_id":"c3","output":"no such file"`), item(answered), counts(
			330, took)), `
t1 root 1 line 7 you="fix it"
t1 root 2 c2 Bash=failed context=110 out=10
t1 root 3 line 18 Bash=ok apply_patch=failed context=110 out=10
t1 root 4 - context=110 out=10 said="done"
`},
	{"codex: a prompt that is an event alone", lines(rec("session_meta", meta),
		event(`"type":"user_message","message":"fix it"`), item(answered)), `
t1 root 1 line 3 you="fix it"
t1 root 2 - said="done"
`},
	{"codex: two answers with nothing but a count between them", lines(rec("session_meta", meta), item(answered),
		counts(110, took), item(answered), counts(110, took), counts(220, took)), `
t1 root 1 line 2
t1 root 2 line 4 context=110 out=10 said="done"
t1 root 3 - context=110 out=10 said="done"
`},
	{"codex: a summary is not a turn", lines(rec("session_meta", meta), item(asked),
		item(`"type":"function_call","name":"view_image","call_id":"c1"`), counts(110, took),
		item(`"type":"function_call_output","call_id":"c1","output":[{"type":"input_image"}]`), item(
			answered), counts(220, took), rec("compacted", `"message":"x"`),
		counts(220, `"input_tokens":0,"output_tokens":0,"total_tokens":30`), item(
			`"type":"message","id":"m2","role":"assistant","content":[]`), counts(330, took)), `
t1 root 1 c1 you="fix it"
t1 root 2 m2 view_image=? compacted out=10
t1 root 3 - context=110 out=10
`},
	{"codex: an answer before a compaction that a person asked for is one", lines(rec("session_meta", meta),
		item(asked), item(answered), counts(110, took), event(`"type":"task_complete"`),
		event(`"type":"task_started","model_context_window":900`), rec("compacted",
			`"message":""`), item(answered)), `
t1 root 1 line 3 you="fix it"
t1 root 2 line 8 compacted out=10 said="done"
t1 root 3 - said="done"
`},
	{"codex: tools of servers, and what they say of themselves", lines(rec("session_meta", meta),
		item(`"type":"function_call","name":"look","namespace":"mcp__wiki","call_id":"c1"`),
		item(`"type":"function_call","name":"mcp__wiki__write","call_id":"c2"`), item(
			`"type":"web_search_call","id":"w1","status":"completed"`), item(
			`"type":"function_call","name":"update_plan","call_id":"c3"`),
		event(`"type":"mcp_tool_call_end","call_id":"c1","result":{"Err":"no"}`), event(
			`"type":"item_completed","item":{"type":"McpToolCall","id":"c2","status":"completed"}`),
		item(`"type":"function_call_output","call_id":"c3","output":"Plan updated"`), item(answered)), `
t1 root 1 c1
t1 root 2 line 9 mcp__wiki__look=failed mcp__wiki__write=ok web_search=ok update_plan=ok
t1 root 3 - said="done"
`},
	{"codex: a command that has not ended, and what it prints", lines(rec("session_meta", meta),
		item(`"type":"function_call","name":"exec_command","call_id":"c1"`),
		item(`"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nProcess running with session ID 7\nOutput:\nProcess exited with code 9"`), item(answered)), `
t1 root 1 c1
t1 root 2 line 4 Bash=ok
t1 root 3 - said="done"
`},
	{"codex: a subagent", lines(rec("session_meta",
		`"id":"t2","source":{"subagent":{"thread_spawn":{"parent_thread_id":"t1","depth":1,"agent_role":"explorer"}}}`), rec("session_meta", meta), item(asked), item(answered)), `
t1/agent-t2 explorer 1 line 4
t1/agent-t2 explorer 2 - said="done"
`},
	{"codex: what the agent wrote in a person's place", lines(rec("session_meta", meta),
		item(`"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /p"}]`),
		item(`"type":"message","role":"user","content":[{"type":"input_text","text":"by the harness"}],"internal_chat_message_metadata_passthrough":{"content_item_metadata":[{"provenance":{"type":"harness"}}]}`), item(answered)), `
t1 root 1 line 4
t1 root 2 - said="done"
`},
	{"codex: torn", lines(rec("session_meta", meta), item(answered), item(answered)[:90]), `
t1 root 1 line 2
t1 root 2 - said="done"
f.jsonl:3: note: the last line is cut off and was left out
`},
	{"codex: kinds from the future", lines(rec("session_meta", meta), rec("novelty", `"type":"x"`),
		item(`"type":"novelty"`), event(`"type":"novelty"`), item(answered)), `
t1 root 1 line 5
t1 root 2 - said="done"
`},
}

const begins = `{"sessionId":"g1","projectHash":"00","startTime":"2026-01-01T10:00:00Z","kind":"main"}`

func gem(id, more string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-01-01T10:00:00Z","type":"gemini","content":"ok","model":"gemini-2.5-pro"%s}`, id, more)
}

func person(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-01-01T10:00:00Z","type":"user","content":[{"text":%q}]}`, id,
		text)
}

const used = `,"tokens":{"input":50,"output":5,"cached":20,"thoughts":2,"tool":0,"total":57}`

var geminiReadings = []reading{
	{"gemini: a message comes again with its calls", lines(begins, person("u1", "hi"), gem("m1", used),
		gem("m1", used+`,"toolCalls":[{"id":"a","name":"read_file","status":"error"},{"id":"b","name":"run_shell_command","status":"success","result":[{"functionResponse":{"response":{"output":"Output: x\nExit Code: 1\n"}}}]},{"id":"c","name":"read_file","status":"success","result":[{"x":"\nExit Code: 1"}]},{"id":"d","name":"edit","status":"executing"}]`),
		`{"id":"u2","type":"user","content":[{"functionResponse":{"name":"read_file"}}]}`, gem("m2", "")), `
g1 root 1 m1 you="hi"
g1 root 2 m2 read_file=failed run_shell_command=failed read_file=ok edit=? context=50 out=7 said="ok"
g1 root 3 - said="ok"
`},
	{"gemini: compacted", lines(begins, person("u1", "hi"), gem("m1", used),
		`{"$set":{"messages":[{"id":"s1","type":"user","content":[{"text":"A summary."}]},{"id":"s2","type":"gemini","content":"Got it."}]}}`, gem("m2", used)), `
g1 root 1 m1 you="hi"
g1 root 2 m2 compacted out=7 said="ok"
g1 root 3 - context=50 out=7 said="ok"
`},
	{"gemini: the same messages once more", lines(begins, person("u1", "hi"), gem("m1", used),
		`{"$set":{"messages":[`+person("u1", "hi")+`,`+gem("m1", used)+`]}}`, gem("m2", used)), `
g1 root 1 m1 you="hi"
g1 root 2 m2 context=50 out=7 said="ok"
g1 root 3 - context=50 out=7 said="ok"
`},
	{"gemini: rewound", lines(begins, person("u1", "hi"), gem("m1", used), person("u2", "wrong"),
		gem("m2", strings.Replace(used, "50", "90", 1)), `{"$rewindTo":"u2"}`, person("u3",
			"right"), gem("m3", "")), `
g1 root 1 m1 you="hi"
g1 root 2 m2 context=50 out=7 you="wrong" said="ok"
g1 root 3 m3 context=50 out=7 you="right" said="ok"
g1 root 4 - said="ok"
`},
	{"gemini: resumed, and nothing else", lines(begins, `{"$set":{"sessionId":"g1"}}`), `
g1 root 1 - resumed
`},
	{"gemini: thoughts are not words, a picture is one", lines(begins,
		`{"id":"u1","type":"user","content":[{"inlineData":{"data":"…"}}]}`, `{"id":"m1","type":"gemini","content":[{"text":"hm","thought":true},{"text":"yes"}]}`, person("u2", "<session_context>x")), `
g1 root 1 m1 you=""
g1 root 2 - said="yes"
`},
	{"gemini: a subagent", lines(strings.Replace(begins, "main", "subagent", 1), person("u1", "go"),
		gem("m1", "")), `
g1 subagent 1 m1
g1 subagent 2 - said="ok"
`},
	{"gemini: torn", lines(begins, gem("m1", ""), gem("m2", "")[:60]), `
g1 root 1 m1
g1 root 2 - said="ok"
f.jsonl:3: note: the last line is cut off and was left out
`},
}

const piBegins = `{"type":"session","version":3,"id":"p1","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/p"}`

func piSays(id, role, content, more string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":"x","timestamp":"2026-01-01T10:00:00.000Z","message":{`+
		`"role":%q,"content":%s%s}}`, id, role, content, more)
}

const piUsed = `,"model":"m","usage":{"input":40,"output":7,"cacheRead":10,"cacheWrite":0,"reasoning":2}`

var piReadings = []reading{
	{"pi: calls, their results, and what extensions say", lines(piBegins,
		`{"type":"model_change","id":"c","parentId":null,"timestamp":"2026-01-01T10:00:00.000Z","provider":"x","modelId":"m"}`,
		piSays("s", "system", `""`, ""), piSays("u", "user", `[{"type":"text","text":"go"}]`, ""),
		piSays("a1", "assistant", `[{"type":"text","text":"first"},{"type":"toolCall","id":"k1","name":"bash","arguments":{}},`+
			`{"type":"toolCall","id":"k2","name":"read","arguments":{}}]`, piUsed),
		piSays("r2", "toolResult", `[{"type":"text","text":"no"}]`, `,"toolCallId":"k2","isError":true`),
		piSays("r1", "toolResult", `[{"type":"text","text":"yes"}]`, `,"toolCallId":"k1","isError":false`),
		`{"type":"custom_message","id":"e","parentId":"r1","customType":"aside","content":"Held.","display":true}`,
		piSays("a2", "assistant", `[{"type":"text","text":"done"}]`, "")), `
p1 root 1 a1 you="go"
p1 root 2 a2 bash=ok read=failed context=50 out=7 said="first"
p1 root 3 - said="done"
`},
	{"pi: compacted", lines(piBegins, piSays("a1", "assistant", `[]`, piUsed),
		`{"type":"compaction","id":"z","parentId":"a1","timestamp":"2026-01-01T10:00:00.000Z","summary":"so far"}`,
		piSays("a2", "assistant", `[]`, piUsed)), `
p1 root 1 a1
p1 root 2 a2 compacted out=7
p1 root 3 - context=50 out=7
`},
}
