package modelapi_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

func converse(model string, ms ...string) modelapi.Request {
	return request("/model/"+model+"/converse", `{"messages":[`+strings.Join(ms, ",")+`]}`)
}

func converseRows() []row {
	const model, cachePoint = "us.anthropic.claude-opus-5-v1:0", `{"cachePoint":{"type":"default"}}`
	c := func(ms ...string) modelapi.Request { return converse(model, ms...) }
	q, a := blocks("user", part("q")), blocks("assistant", part("a"))
	call := func(id string) string { return `{"toolUse":{"toolUseId":"` + id + `","name":"Bash","input":{}}}` }
	done := func(id, content string) string {
		return `{"toolResult":{"toolUseId":"` + id + `","content":[` + content + `]}}`
	}
	thinks := `{"reasoningContent":{"reasoningText":{"text":"hm","signature":"x"}}}`
	return []row{
		{"json", modelapi.NotJSON, c(q), request("/model/"+model+"/converse-stream", `nul`), "not valid JSON"},
		{"no content", modelapi.BadShape, c(q), c(blocks("user")),
			"The content field in the Message object at messages.0 is empty"},
		{"role", modelapi.BadShape, c(q), c(blocks("tool", part("q"))), "Member must satisfy enum value set"},
		{"alternation", modelapi.Alternation, c(q, a, q), c(q, q),
			"A conversation must alternate between user and assistant roles"},
		{"starts with an answer", modelapi.StartsWithUser, c(q, a, q), c(a, q),
			"A conversation must start with a user message"},
		{"blank text", modelapi.BlankBlock, c(q), c(blocks("user", part(" "))),
			"The text field in the ContentBlock object at messages.0.content.0 is blank"},
		{"blank text inside a result", modelapi.BlankBlock, c(q, blocks("assistant", call("t1")),
			blocks("user", done("t1", part("")))),
			c(q, blocks("assistant", call("t1")), blocks("user", done("t1", part("")),
				part(""))), "messages.2.content.1 is blank"},
		{"result missing", modelapi.ResultMismatch, c(q, blocks("assistant", call("t1")),
			blocks("user", done("t1", part("x")), part("r"))),
			c(q, blocks("assistant", call("t1")),
				q), "Expected toolResult blocks at messages.2.content for the following Ids: t1"},
		{"result of no call", modelapi.ResultMismatch, c(q, a, q), c(q, a, blocks("user", done("t1", part("x")))),
			"exceeds the number of toolUse blocks"},
		{"text before result", modelapi.TextBeforeResult, c(q, blocks("assistant", call("t1")),
			blocks("user", done("t1", part("x")), part("r"))),
			c(q, blocks("assistant", call("t1")), blocks("user", part("r"),
				done("t1", part("x")))), "immediately after"},
		{"cachePoint inside a result", modelapi.PointInResult, c(q, blocks("assistant", call("t1")),
			blocks("user", done("t1", part("x")), cachePoint, part("r"))),
			c(q, blocks("assistant", call("t1")), blocks("user", done("t1", part("x")+","+cachePoint))), "cachePoint"},
		{"cachePoint after reasoning", modelapi.PointAfterThink, c(q, blocks("assistant", thinks, part("a"),
			cachePoint), q),
			c(q, blocks("assistant", thinks, cachePoint), q), "reasoningContent"},
		{"5 cachePoints", modelapi.TooManyMarks, c(blocks("user", part("1"), cachePoint, part("2"), cachePoint,
			part("3"), cachePoint, part("4"), cachePoint)),
			c(blocks("user", part("1"), cachePoint, part("2"), cachePoint, part("3"), cachePoint, part("4"),
				cachePoint, part("5"), cachePoint)), "maximum of 4"},
		{"prefill", modelapi.Prefill, converse("anthropic.claude-sonnet-4-5-v1:0", q, a), c(q, a), "prefill"},
		{"system", modelapi.SystemUnsupported, c(q, blocks("system", part("s"))),
			converse("anthropic.claude-haiku-4-5-v1:0", q, blocks("system", part("s"))), "not supported"},
		{"system before user", modelapi.SystemPrecedes, c(q, blocks("system", part("s")), a, q),
			c(q, blocks("system", part("s")), q), "must precede"},
	}
}

func TestConverse(t *testing.T) {
	t.Parallel()
	refused(t, converseRows())
}
