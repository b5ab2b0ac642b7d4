package wiretest_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/wiretest"
)

func converse(model string, ms ...string) wiretest.Request {
	return request("/model/"+model+"/converse", `{"messages":[`+strings.Join(ms, ",")+`]}`)
}

func converseRows() []row {
	const model, cachePoint = "us.anthropic.claude-opus-5-v1:0", `{"cachePoint":{"type":"default"}}`
	c := func(ms ...string) wiretest.Request { return converse(model, ms...) }
	q, a := blocks("user", part("q")), blocks("assistant", part("a"))
	call := func(id string) string { return `{"toolUse":{"toolUseId":"` + id + `","name":"Bash","input":{}}}` }
	done := func(id, content string) string {
		return `{"toolResult":{"toolUseId":"` + id + `","content":[` + content + `]}}`
	}
	thinks := `{"reasoningContent":{"reasoningText":{"text":"hm","signature":"x"}}}`
	return []row{
		{"json", wiretest.NotJSON, c(q), request("/model/"+model+"/converse-stream", `nul`), "not valid JSON"},
		{"no content", wiretest.BadShape, c(q), c(blocks("user")),
			"The content field in the Message object at messages.0 is empty"},
		{"role", wiretest.BadShape, c(q), c(blocks("tool", part("q"))), "Member must satisfy enum value set"},
		{"alternation", wiretest.Alternation, c(q, a, q), c(q, q),
			"A conversation must alternate between user and assistant roles"},
		{"starts with an answer", wiretest.StartsWithUser, c(q, a, q), c(a, q),
			"A conversation must start with a user message"},
		{"blank text", wiretest.BlankBlock, c(q), c(blocks("user", part(" "))),
			"The text field in the ContentBlock object at messages.0.content.0 is blank"},
		{"blank text inside a result", wiretest.BlankBlock, c(q, blocks("assistant", call("t1")),
			blocks("user", done("t1", part("")))),
			c(q, blocks("assistant", call("t1")), blocks("user", done("t1", part("")),
				part(""))), "messages.2.content.1 is blank"},
		{"result missing", wiretest.ResultMismatch, c(q, blocks("assistant", call("t1")),
			blocks("user", done("t1", part("x")), part("r"))),
			c(q, blocks("assistant", call("t1")),
				q), "Expected toolResult blocks at messages.2.content for the following Ids: t1"},
		{"result of no call", wiretest.ResultMismatch, c(q, a, q), c(q, a, blocks("user", done("t1", part("x")))),
			"exceeds the number of toolUse blocks"},
		{"text before result", wiretest.TextBeforeResult, c(q, blocks("assistant", call("t1")),
			blocks("user", done("t1", part("x")), part("r"))),
			c(q, blocks("assistant", call("t1")), blocks("user", part("r"),
				done("t1", part("x")))), "immediately after"},
		{"cachePoint inside a result", wiretest.PointInResult, c(q, blocks("assistant", call("t1")),
			blocks("user", done("t1", part("x")), cachePoint, part("r"))),
			c(q, blocks("assistant", call("t1")), blocks("user", done("t1", part("x")+","+cachePoint))), "cachePoint"},
		{"cachePoint after reasoning", wiretest.PointAfterThink, c(q, blocks("assistant", thinks, part("a"),
			cachePoint), q),
			c(q, blocks("assistant", thinks, cachePoint), q), "reasoningContent"},
		{"5 cachePoints", wiretest.TooManyMarks, c(blocks("user", part("1"), cachePoint, part("2"), cachePoint,
			part("3"), cachePoint, part("4"), cachePoint)),
			c(blocks("user", part("1"), cachePoint, part("2"), cachePoint, part("3"), cachePoint, part("4"),
				cachePoint, part("5"), cachePoint)), "maximum of 4"},
		{"prefill", wiretest.Prefill, converse("anthropic.claude-sonnet-4-5-v1:0", q, a), c(q, a), "prefill"},
		{"system", wiretest.SystemUnsupported, c(q, blocks("system", part("s"))),
			converse("anthropic.claude-haiku-4-5-v1:0", q, blocks("system", part("s"))), "not supported"},
		{"system before user", wiretest.SystemPrecedes, c(q, blocks("system", part("s")), a, q),
			c(q, blocks("system", part("s")), q), "must precede"},
	}
}

func TestConverse(t *testing.T) {
	t.Parallel()
	refused(t, converseRows())
}
