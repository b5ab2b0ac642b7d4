package modelapi_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

const (
	opus5   = "claude-opus-5"
	haiku   = "claude-haiku-4-5"
	fable51 = "claude-fable-5-1"
	clearAt = "mid-conversation-system-clear-at-2026-08-21"
	marked  = `,"cache_control":{"type":"ephemeral"}`
	hour    = `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
)

// messages is a Messages request. Fields stand before the messages.
func messages(model, fields string, ms ...string) modelapi.Request {
	if fields != "" {
		fields += ","
	}
	return request("/v1/messages", `{"model":"`+model+`","max_tokens":10,`+fields+`"messages":[`+strings.Join(ms,
		",")+`]}`)
}

func say(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }

func blocks(role string, bs ...string) string {
	return `{"role":"` + role + `","content":[` + strings.Join(bs, ",") + `]}`
}

func text(s string) string { return `{"type":"text","text":"` + s + `"}` }

func mark(s, cache string) string { return `{"type":"text","text":"` + s + `"` + cache + `}` }

func use(id string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"b":1,"a":2}}`
}

func result(id string) string {
	return `{"type":"tool_result","tool_use_id":"` + id + `","content":"ok"}`
}

func scoped(s string) string {
	return `{"role":"system","clear_at":"next_user_message","content":"` + s + `"}`
}

func anthropicRows() []row {
	q, calls := say("user", "q"), blocks("assistant", text("a"), use("t1"), use("t2"))
	server := blocks("assistant", `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`)
	served := blocks("assistant", `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`,
		`{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}`)
	both := blocks("user", result("t1"), result("t2"))
	m := func(ms ...string) modelapi.Request { return messages(opus5, "", ms...) }
	withBeta := func(ms ...string) modelapi.Request { return beta(m(ms...), clearAt) }
	return []row{
		{"json", modelapi.NotJSON, m(q), request("/v1/messages", `{"model":`), "not valid JSON"},
		{"no messages", modelapi.BadShape, m(q), m(), "messages: at least one message is required"},
		{"no max_tokens", modelapi.BadShape, request("/v1/messages/count_tokens",
			`{"model":"x","messages":[`+q+`]}`),
			request("/v1/messages", `{"model":"x","messages":[`+q+`]}`), "max_tokens: Field required"},
		{"top-level key", modelapi.UnknownKey, messages(opus5, `"metadata":{"x":1}`, q), messages(opus5, `"foo":1`,
			q), "foo: Extra inputs are not permitted"},
		{"message key", modelapi.UnknownKey, m(q), m(`{"role":"user","content":"q","name":"x"}`),
			"messages.0.name: Extra inputs are not permitted"},
		{"block key", modelapi.UnknownKey, m(blocks("user", `{"type":"text","text":"q","citations":null}`)),
			m(blocks("user", `{"type":"text","text":"q","id":"x"}`)),
			"messages.0.content.0.text.id: Extra inputs are not permitted"},
		{"role", modelapi.BadShape, m(q), m(say("tool", "q")), "messages.0.role: Input should be"},
		{"text before tool_result", modelapi.TextBeforeResult,
			m(q, calls, blocks("user", result("t1"), result("t2"), text("x"))),
			m(q, calls, blocks("user", result("t1"), text("x"),
				result("t2"))), "`tool_use` ids were found without `tool_result` blocks immediately after"},
		{"results in two messages", modelapi.TextBeforeResult, m(q, calls, blocks("user", result("t1")),
			blocks("user", result("t2"), text("x"))),
			m(q, calls, say("user", "x"), both), "immediately after"},
		{"message before results", modelapi.ResultMissing, m(q, calls, both, say("assistant", "b"), q),
			m(q, calls, say("user", "x"), say("assistant", "b"), q),
			"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1, t2"},
		{"one result missing", modelapi.ResultMissing, m(q, calls, both), m(q, calls, blocks("user", result("t2"))),
			"immediately after: t1."},
		{"ends with a call", modelapi.ResultMissing, m(q, calls, both), m(q, calls), "immediately after"},
		{"result of no call", modelapi.ResultUnexpected, m(q, calls, both), m(q, say("assistant", "a"),
			blocks("user", result("t9"))), "unexpected `tool_use_id`"},
		{"result twice", modelapi.ResultUnexpected, m(q, calls, both),
			m(q, calls, blocks("user", result("t1"), result("t2"), result("t1"))), "multiple `tool_result` blocks"},
		{"empty text", modelapi.EmptyText, m(blocks("user", text("q"), text("x"))),
			m(blocks("user", text("q"), text(""))), "text content blocks must be non-empty"},
		{"empty text in a result", modelapi.EmptyText, m(q, calls, both),
			m(q, calls, blocks("user",
				`{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":""}]}`, result("t2"))),
			"text content blocks must be non-empty"},
		{"no content", modelapi.EmptyText, m(q), m(blocks("user")), "must have non-empty content"},
		{"blank text alone", modelapi.BlankText, m(blocks("user", text("q"), text(" "))),
			m(blocks("user", text(" "))), "text content blocks must contain non-whitespace text"},
		{"blank text with an image", modelapi.BlankText, m(blocks("user", `{"type":"image","source":{}}`,
			text(" "))), m(blocks("user", text(" "), text(`\n`))), "non-whitespace"},
		{"mark on empty text", modelapi.MarkedEmpty, m(blocks("user", mark("q", marked))),
			m(blocks("user", text("q"), mark("", marked))), "cache_control cannot be set for empty text blocks"},
		{"answer ends in a blank", modelapi.TrailingBlank, messages(haiku, "", q, say("assistant", "a")),
			messages(haiku, "", q, say("assistant",
				"a ")), "final assistant content cannot end with trailing whitespace"},
		{"user text ends in a blank", modelapi.TrailingBlank, m(say("user", "q ")), messages(haiku, "", q,
			say("assistant", `a\n`)), "trailing whitespace"},
		{"5 marks", modelapi.TooManyMarks, messages(opus5, `"system":[`+mark("s", marked)+`]`,
			blocks("user", mark("a", marked), mark("b", marked), mark("c", marked))),
			messages(opus5, `"system":[`+mark("s", marked)+`]`, blocks("user", mark("a", marked), mark("b", marked),
				mark("c", marked), mark("d", marked))),
			"A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{"automatic and 4 marks", modelapi.TooManyMarks, messages(opus5, marked[1:],
			blocks("user", mark("a", marked), mark("b", marked), mark("c", marked))),
			messages(opus5, marked[1:], blocks("user", mark("a", marked), mark("b", marked), mark("c", marked),
				mark("d", marked))), "Found 5"},
		{"5 marks, one inside a result", modelapi.TooManyMarks, m(q, blocks("assistant", use("t1")),
			blocks("user", `{"type":"tool_result","tool_use_id":"t1","content":[`+mark("x", marked)+`]}`)),
			messages(opus5, `"tools":[{"name":"Bash"`+marked+`}]`, q, blocks("assistant", use("t1")),
				blocks("user", `{"type":"tool_result","tool_use_id":"t1","content":[`+mark("x", marked)+`,`+mark("y",
					marked)+`,`+mark("z", marked)+`]`+marked+`}`)), "Found 5"},
		{"1h after 5m", modelapi.MarkOrder, messages(opus5, `"system":[`+mark("s", hour)+`]`,
			blocks("user", mark("a", marked))),
			messages(opus5, `"system":[`+mark("s", marked)+`]`, blocks("user",
				mark("a", hour))), "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"},
		{"prefill", modelapi.Prefill, messages(haiku, "", q, say("assistant", "a")), m(q, say("assistant", "a")),
			"does not support assistant message prefill"},
		{"pause_turn", modelapi.Prefill, m(q, server), m(q, served), "prefill"},
		{"server_tool_use open", modelapi.ServerUseOpen, m(q, served, say("user", "x")),
			m(q, server, say("user", "x")), "server_tool_use"},
		{"server_tool_use and a call", modelapi.ServerUseOpen,
			m(q, blocks("assistant", `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`, use("t1")),
				blocks("user", result("t1"))),
			m(q, blocks("assistant", `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`, use("t1")),
				blocks("user", result("t1"), text("x"))), "server_tool_use"},
		{"system role", modelapi.SystemUnsupported, m(q, say("system", "s")), messages(haiku, "", q,
			say("system", "s")), "role 'system' is not supported on this model"},
		{"system role, Sonnet 5", modelapi.SystemUnsupported, m(q, say("system", "s")), messages("claude-sonnet-5",
			"", q, say("system", "s")), "not supported"},
		{"system first", modelapi.SystemFollows, m(q, say("system", "s")), m(say("system", "s"), q), "must follow"},
		{"system after an answer", modelapi.SystemFollows, m(q, served, say("system", "s")),
			m(q, say("assistant", "a"), say("system", "s")), "must follow"},
		{"system between call and result", modelapi.SystemFollows, m(q, calls, both, say("system", "s")),
			m(q, calls, say("system", "s"), both), "must follow"},
		{"system before user", modelapi.SystemPrecedes, m(q, say("system", "s"), say("system", "r"),
			say("assistant", "a"), q),
			m(q, say("system", "s"), say("system", "r"),
				q), "messages.2: role 'system' must precede an 'assistant' message or end the array"},
		{"system with an image", modelapi.SystemContent, m(q, blocks("system", mark("s", marked))),
			m(q, blocks("system", `{"type":"image","source":{}}`)), "text"},
		{"clear_at without header", modelapi.ClearAtHeader, withBeta(q, scoped("s")), m(q, scoped("s")),
			"messages.1.clear_at: Extra inputs are not permitted"},
		{"clear_at of a user message", modelapi.ClearAtHeader,
			withBeta(q, `{"role":"system","clear_at":"never","content":"s"}`),
			withBeta(`{"role":"user","clear_at":"never","content":"s"}`), "messages.0.clear_at: Extra inputs are " +
				"not permitted"},
		{"clear_at value", modelapi.ClearAtValue, withBeta(q, scoped("s")),
			withBeta(q, `{"role":"system","clear_at":"later","content":"s"}`), "next_user_message"},
		{"clear_at with a mark", modelapi.ClearAtContent, withBeta(q, scoped("s")),
			withBeta(q, `{"role":"system","clear_at":"next_user_message","content":[`+mark("s",
				marked)+`]}`), "cache_control"},
		{"clear_at with output_config", modelapi.UnknownKey, withBeta(q, scoped("s")),
			withBeta(q, `{"role":"system","clear_at":"next_user_message","content":"s","output_config":{}}`), "output_config"},
		{"output_config without header", modelapi.UnknownKey, beta(m(q,
			`{"role":"system","content":"s","output_config":{"effort":"high"}}`), "x,per-turn-control-2026-07-01"),
			m(q, `{"role":"system","content":"s","output_config":{"effort":"high"}}`), "messages.1.output_config: " +
				"Extra inputs are not permitted"},
		{"empty system message", modelapi.EmptyText, beta(m(q,
			`{"role":"system","content":[],"output_config":{"effort":"high"}}`), "per-turn-control-2026-07-01"),
			m(q, `{"role":"system","content":[]}`), "messages.1: all messages must have non-empty content"},
		{"output_config of a user message", modelapi.UnknownKey, beta(m(q), "per-turn-control-2026-07-01"),
			beta(m(`{"role":"user","content":"q","output_config":{}}`),
				"per-turn-control-2026-07-01"), "messages.0.output_config"},
		{"clear_at before user", modelapi.ClearAtUser, withBeta(q, scoped("s"), say("assistant", "a"), q),
			withBeta(q, scoped("s"), q), "must precede"},
		{"legacy, automatic", modelapi.LegacyAuto, request("/model/anthropic.claude-opus-5-v1:0/invoke",
			`{"anthropic_version":"bedrock-2023-05-31","max_tokens":1,"messages":[`+q+`]}`),
			request("/model/anthropic.claude-opus-5-v1:0/invoke",
				`{"anthropic_version":"bedrock-2023-05-31","max_tokens":1,"messages":[`+q+`]`+marked+`}`), "cache_control"},
		{"legacy, system message", modelapi.SystemUnsupported, m(q, say("system", "s")),
			request("/model/anthropic.claude-opus-5-v1:0/invoke",
				`{"anthropic_version":"bedrock-2023-05-31","max_tokens":1,"messages":[`+q+`,`+say("system",
					"s")+`]}`), "not supported"},
		{"legacy, model in the body", modelapi.UnknownKey,
			request("/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5:rawPredict",
				`{"anthropic_version":"vertex-2023-10-16","max_tokens":1,"messages":[`+q+`]}`),
			request("/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5:rawPredict",
				`{"model":"x","anthropic_version":"vertex-2023-10-16","max_tokens":1,"messages":[`+q+`]}`), "model"},
	}
}

func TestAnthropic(t *testing.T) {
	t.Parallel()
	refused(t, anthropicRows())
}

// TestTooManyMessages: the limit of a conversation; with -long, the last that is within.
func TestTooManyMessages(t *testing.T) {
	t.Parallel()
	if many := strings.Repeat(say("user", "q")+",", 99_999) + say("user", "q"); testkit.Long() {
		if no := modelapi.Check(messages(opus5, "", many), nil); no != nil {
			t.Error(no)
		}
	}
	many := strings.Repeat("{},", 100_000) + "{}"
	if no := modelapi.Check(messages(opus5, "", many), nil); no == nil || no.Rule != modelapi.TooManyMessages {
		t.Error(no)
	}
}
