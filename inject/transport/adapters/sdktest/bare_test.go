package sdktest_test

import (
	"slices"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	aside "github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// sdk is one SDK and one API.
type sdk struct {
	name     string
	api      aside.API
	models   []string
	thinking bool       // the API shows what is thought
	failed   fact.Truth // what is known of a batch of which one call failed
	busy     int        // the status of an API that is overloaded
	open     func(t *testing.T, w way, m mode) agent
}

var sdks = []sdk{
	{"anthropic-sdk-go", aside.Anthropic, []string{"claude-opus-5-5", "claude-opus-5", "claude-sonnet-4-6",
		"claude-sonnet-4-5"}, true, fact.True, 529,
		func(_ *testing.T, w way, m mode) agent { return newClaude(w, m) }},
	{"anthropic-sdk-go, bedrock", aside.Anthropic, []string{"us.anthropic.claude-sonnet-4-6-v1:0"}, true,
		fact.True, 503,
		func(_ *testing.T, w way, m mode) agent { return onBedrock(w, m) }},
	{"openai-go chat", aside.Chat, []string{"gpt-5.6", "gpt-4.1", "qwen3"}, false, fact.Unknown, 529,
		func(_ *testing.T, w way, m mode) agent { return newChat(w, m) }},
	{"openai-go chat, azure", aside.Chat, []string{"gpt-5.6"}, false, fact.Unknown, 503,
		func(_ *testing.T, w way, m mode) agent { return onAzure(w, m) }},
	{"openai-go responses", aside.Responses, []string{"gpt-5.6"}, false, fact.Unknown, 529,
		func(_ *testing.T, w way, m mode) agent { return newResponder(w, m) }},
	{"openai-go responses, chained", aside.Responses, []string{"gpt-5.6"}, false, fact.Unknown, 529,
		func(_ *testing.T, w way, m mode) agent { return newChained(w, m) }},
	{"genai", aside.Gemini, []string{"gemini-3.8-flash", "gemini-3.5-flash", "gemini-2.5-pro"}, true,
		fact.True, 503,
		func(t *testing.T, w way, m mode) agent { return opened(t)(newGemini(t.Context(), w, m)) }},
	{"genai, vertex", aside.Gemini, []string{"gemini-3.8-flash"}, true, fact.True, 503,
		func(t *testing.T, w way, m mode) agent { return opened(t)(onVertex(t.Context(), w, m)) }},
	{"bedrockruntime", aside.Converse, []string{"us.anthropic.claude-sonnet-4-5-v1:0",
		"anthropic.claude-opus-5-v1:0"}, true, fact.True, 503,
		func(_ *testing.T, w way, m mode) agent { return newConverse(w, m, bearer) }},
}

func opened(t *testing.T) func(*gemini, error) agent {
	return func(g *gemini, err error) agent {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

// each runs a test for each SDK, model and form of the response.
func each(t *testing.T, sdks []sdk, test func(t *testing.T, s sdk, m mode)) {
	t.Helper()
	eachOf(t, sdks, func(mode) bool { return true }, test)
}

// eachOf runs a test as each does, for the modes that fit.
func eachOf(t *testing.T, sdks []sdk, fits func(mode) bool, test func(t *testing.T, s sdk, m mode)) {
	t.Helper()
	for _, s := range sdks {
		for _, model := range s.models {
			for _, stream := range []bool{false, true} {
				m := mode{model: model, stream: stream}
				if !fits(m) {
					continue
				}
				name := s.name + "/" + model
				if stream {
					name += "/stream"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, s, m)
				})
			}
		}
	}
}

// TestBare: without anything between them, SDKs and fakes understand each other, and package wire understands
// both.
func TestBare(t *testing.T) {
	t.Parallel()
	each(t, sdks, func(t *testing.T, s sdk, m mode) {
		w := serve(t, modelapi.Options{Script: modelapi.Turns(replies...)})
		got := play(t, s.open(t, w, m))
		for _, r := range w.fake.Refused() {
			t.Errorf("%v\n%s", r.Answer.Refusal, r.Request.Body)
		}
		sameAnswers(t, got, told(s.thinking), w.fake.Records())
		sameUsage(t, w)
		sameFacts(t, s, m, w.fake.Records())
	})
}

// sameUsage: a tap reads off each response what the fake counted.
func sameUsage(t *testing.T, w way) {
	t.Helper()
	responses := w.wire.responses()
	for i, r := range w.fake.Records() {
		u, want := api.ReadUsage(responses[i]), r.Answer.Usage
		if u.Context != (response.Count{N: int64(want.Prompt), Known: true}) ||
			u.Response != (response.Count{N: int64(want.Output), Known: true}) {
			t.Errorf("response %d: read %+v, counted %+v", i+1, u, want)
		}
	}
}

// sameFacts: what is read off the requests of the scene is what happened in it.
func sameFacts(t *testing.T, s sdk, m mode, rs []modelapi.Record) {
	t.Helper()
	type calls struct {
		names  []string
		failed fact.Truth
	}
	want := []calls{{nil, fact.False}, {[]string{"Read", "Bash"}, s.failed}, {[]string{"Read"}, fact.False},
		{nil, fact.False}}
	if s.failed == fact.Unknown {
		want[2].failed = fact.Unknown
	}
	if len(rs) != len(want) {
		t.Fatalf("%d requests, want %d", len(rs), len(want))
	}
	for i, r := range rs {
		q, err := request.ReadFacts(request.Incoming{Path: r.Request.Path, Header: r.Request.Header,
			Body: r.Request.Body})
		if err != nil {
			t.Fatalf("request %d: %v", i+1, err)
		}
		person := fact.False
		if i == 0 || i == 3 {
			person = fact.True
		}
		if q.API != s.api || q.Kind != api.KindTurn || q.Model != m.model || q.Stream != m.stream ||
			q.Tools != fact.True || q.UserMessage != person {
			t.Errorf("request %d: %+v", i+1, q)
		}
		prompt := prompts[0]
		if i == 3 {
			prompt = prompts[1]
		}
		if q.Prompt.S != prompt && !(q.Partial && i > 0 && i < 3) {
			t.Errorf("request %d: prompt %q, want %q", i+1, q.Prompt.S, prompt)
		}
		var names []string
		for _, c := range q.Calls {
			names = append(names, c.Tool)
		}
		if q.Partial { // the names are where the server keeps them
			if q.CallsKnown && i > 0 {
				t.Errorf("request %d: calls %q", i+1, names)
			}
			continue
		}
		if !q.CallsKnown || !slices.Equal(names, want[i].names) || q.Failed() != want[i].failed {
			t.Errorf("request %d: calls %q (known: %v), failed %v; want %q, %v", i+1, names, q.CallsKnown, q.Failed(),
				want[i].names, want[i].failed)
		}
	}
}
