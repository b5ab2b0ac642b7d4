package modelapi_test

import (
	"net/http"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestThreads: a thread goes on from its latest message, with its own tools and system prompt, and refuses
// all else.
func TestThreads(t *testing.T) {
	t.Parallel()
	f := modelapi.New(modelapi.Options{})
	ask := func(beta, members string) modelapi.Answer {
		return f.Ask(modelapi.Request{Path: "/v1/messages", Header: http.Header{"Anthropic-Beta": {beta}},
			Body: []byte(`{"model":"claude-haiku-4-5","max_tokens":9,` + members + `}`)})
	}
	const beta = "message-threads-2026-08-12"
	const on = `"messages":[{"role":"user","content":"on"}],"thread":{"type":"continue","previous_message_id":"`
	refused := func(a modelapi.Answer, want modelapi.Rule) {
		t.Helper()
		if a.Refusal == nil || a.Refusal.Rule != want {
			t.Errorf("%v, want %q", a.Refusal, want)
		}
	}
	const begin = `"system":"s","messages":[{"role":"user","content":"go"}],"thread":{"type":"create"}`
	refused(ask("", begin), modelapi.ThreadHeader)
	first := ask(beta, begin)
	refused(ask(beta, `"system":"s",`+on+"msg_"+first.ID+`"}`), modelapi.ThreadFields)
	refused(ask(beta, on+`msg_none"}`), modelapi.ThreadNotFound)
	if a := ask(beta, on+"msg_"+first.ID+`"}`); a.Refusal != nil {
		t.Error(a.Refusal)
	}
	refused(ask(beta, on+"msg_"+first.ID+`"}`), modelapi.ThreadContinued)
	records := f.Records()
	if p := records[len(records)-2].Prompt; len(p.Messages) != 3 || len(p.System) != 1 {
		t.Errorf("the thread has %d messages and %d blocks of the prompt", len(p.Messages), len(p.System))
	}
}
