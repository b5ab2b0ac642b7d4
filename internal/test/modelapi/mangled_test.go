package modelapi_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestMangled: whatever is sent, the answer is an answer, and Check says what a Fake says.
func TestMangled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k := &talk{T: t, api: rapid.SampledFrom([]wire.API{wire.Anthropic, wire.Chat, wire.Responses, wire.Gemini,
			wire.Converse}).Draw(t, "api")}
		r := k.request()
		body := string(r.Body)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			from := k.any("from", `"q"`, `"user"`, `"assistant"`, `"text"`, `[{`, `}]`, `"role"`, `"content"`,
				`"parts"`, `"x"`, `{"text":"s"}`, `"s"`, `"id"`)
			body = strings.Replace(body, from, k.any("to", `null`, `1`, `[]`, `{}`, `""`, `"x"`, `[{},`, `true`,
				`[null]`), rapid.IntRange(1, 3).Draw(t, "n"))
		}
		r.Body = []byte(body)
		no, a := modelapi.Check(r, nil), modelapi.New(modelapi.Options{}).Ask(r)
		if (no == nil) != (a.Refusal == nil) || no != nil && (no.Message == "" || no.Rule == "") {
			t.Fatalf("%v, %v\n%s", no, a.Refusal, body)
		}
	})
}
