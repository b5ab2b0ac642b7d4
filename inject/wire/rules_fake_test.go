package wire_test

import (
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// atFake is a request as a strict fake of its API gets it. What the body does not name the path does.
func atFake(api wire.API, model string, body []byte, beta string) modelapi.Request {
	path := map[wire.API]string{wire.Anthropic: "/v1/messages", wire.Chat: "/v1/chat/completions",
		wire.Responses: "/v1/responses",
		wire.Gemini:    "/v1beta/models/gemini-3.8-flash:generateContent", wire.Converse: "/model/" + model +
			"/converse"}[api]
	switch {
	case strings.Contains(string(body), `"vertex-`):
		path = "/v1/publishers/anthropic/models/" + model + ":rawPredict"
	case strings.Contains(string(body), `"bedrock-`):
		path = "/model/" + model + "/invoke"
	}
	return modelapi.Request{Path: path, Header: http.Header{"Anthropic-Beta": {beta}}, Body: body}
}

// holdI6: what the API takes without our texts, it takes with them. It reports whether there was anything to
// see.
func holdI6(t rapid.TB, body []byte, due []reminder.Due, opts wire.Options) bool {
	if modelapi.Check(atFake(opts.API, opts.Model, body, ""), nil) != nil {
		return false
	}
	out, report, err := wire.Inject(body, due, opts)
	if err != nil {
		t.Fatal(err)
	}
	if no := modelapi.Check(atFake(opts.API, opts.Model, out, report.Beta), nil); no != nil {
		t.Fatalf("I6: %s %+v\n%v\nbefore %q\nafter  %q", show(opts), report, no, body, out)
	}
	return report.Delivery != wire.Auto
}

// TestI6 asks strict fakes about every body of the corpus.
func TestI6(t *testing.T) {
	t.Parallel()
	names, bodies := corpus(t)
	seen := 0
	for _, name := range names {
		if apiOf(name) == wire.Messages {
			continue
		}
		ok := false
		for delivery := wire.Auto; delivery <= wire.Tail; delivery++ {
			for _, attach := range []reminder.Attach{reminder.Tail, reminder.UserTurn, reminder.RunStart} {
				opts := wire.Options{API: apiOf(name), Delivery: delivery, Model: "claude-opus-5",
					Options: inject.Options{Mark: "k"}}
				ok = holdI6(t, bodies[name], append(attached(attach, "T"), one("U")...), opts) || ok
			}
		}
		if ok {
			seen++
		} else {
			t.Log(name, "is refused anyway, or held:", modelapi.Check(atFake(apiOf(name), "claude-opus-5",
				bodies[name], ""), nil))
		}
	}
	if seen < 50 {
		t.Errorf("only %d bodies tell anything", seen)
	}
}
