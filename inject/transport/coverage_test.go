package transport_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
)

// TestCoverage: of each request the report says whether it called a model, and what became of its texts; of
// those of protocols that nobody here knows, too.
func TestCoverage(t *testing.T) {
	t.Parallel()
	const (
		user  = `{"role":"user","content":"go"}`
		claim = `{"model":"claude-opus-5","max_tokens":9,`
		turn  = claim + `"messages":[` + user + `]}`
		json  = "application/json"
		sse   = "text/event-stream"
	)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		answer                   string // its type
		want                     transport.Coverage
		why                      string
	}{
		{"a turn", "POST", messages, turn, 200, json, transport.Injected, ""},
		{"a turn that the API refuses", "POST", messages, turn, 529, json, "", ""},
		{"nothing due", "POST", messages, strings.Replace(turn, "go", "quiet", 1), 200, json, transport.NothingDue,
			""},
		{"words to continue", "POST", messages, strings.Replace(turn, user, user+
			`,{"role":"assistant","content":"I"}`, 1), 200, json, transport.Held, "continue"},
		{"tokens are counted", "POST", messages + "/count_tokens", turn, 200, json, "", ""},
		{"a path of Gemini's is not of the shape", "POST", "/v1beta/models/gemini-3-pro:generateContent",
			`{"contents":{"parts":[{"text":"go"}]}}`, 200, json, transport.Passed, transport.PassedShape},
		{"a thread that goes on", "POST", messages, claim + `"thread":{"type":"continue",` +
			`"previous_message_id":"m"},"messages":[` + user + `]}`, 200, json, transport.Injected, ""},

		{"Anthropic's batches", "POST", messages + "/batches", `{"requests":[{"custom_id":"a","params":` + turn +
			`}]}`, 200, json, transport.Passed, transport.PassedUnknown},
		{"OpenAI's batches", "POST", "/v1/batches", `{"input_file_id":"f","endpoint":"/v1/responses"}`, 200, json,
			transport.Passed, transport.PassedUnknown},
		{"Interactions", "POST", "/v1beta/interactions", `{"model": "gemini-3-pro", "input": "go"}`, 200, json,
			transport.Injected, ""},
		{"Managed Agents", "POST", "/v1/sessions/s/events", `{"events":[{"type":"user.message","content":[]}]}`,
			200, json, transport.Passed, transport.PassedUnknown},
		{"Gemini's batches", "POST", "/v1beta/models/gemini-3-pro:batchGenerateContent",
			`{"batch":{"requests":[{"request":{"contents":[]}}]}}`, 200, json, transport.Passed,
			transport.PassedUnknown},
		{"Ollama", "POST", "/api/chat", `{"model":"qwen3","messages":[` + user + `]}`, 200,
			"application/x-ndjson", transport.Passed, transport.PassedUnknown},
		{"Cohere", "POST", "/v2/chat", `{"model":"command","messages":[]}`, 200, json, transport.Passed,
			transport.PassedUnknown},
		{"Mistral's conversations", "POST", "/v1/conversations", `{"inputs":"go","agent_id":"m"}`, 200, json,
			transport.Passed, transport.PassedUnknown},
		{"Vercel's gateway", "POST", "/v1/ai/language-model", `{"prompt":[]}`, 200, sse, transport.Passed,
			transport.PassedUnknown},
		{"Bedrock's agents", "POST", "/agents/A/agentAliases/B/sessions/C/text", `{"inputText":"go"}`, 200,
			"application/vnd.amazon.eventstream", transport.Passed, transport.PassedUnknown},
		{"legacy completions", "POST", "/v1/completions", `{"model":"m","prompt":"go"}`, 200, json,
			transport.Passed, transport.PassedUnknown},
		{"realtime", "GET", "/v1/realtime", "", 101, "", transport.Passed, transport.PassedUnknown},
		{"a stream alone tells it", "POST", "/x", `{"q":"go"}`, 200, sse + "; charset=utf-8", transport.Passed,
			transport.PassedUnknown},

		{"another protocol that refuses", "POST", "/api/chat", `{"model":"qwen3","messages":[]}`, 404, json, "", ""},
		{"embeddings", "POST", "/v1/embeddings", `{"model":"m","input":"go"}`, 200, json, "", ""},
		{"Gemini's embeddings", "POST", "/v1beta/models/m:batchEmbedContents", `{"content":{}}`, 200, json, "", ""},
		{"moderation", "POST", "/v1/moderations", `{"input":"go"}`, 200, json, "", ""},
		{"an image", "POST", "/v1/images/generations", `{"model":"m","prompt":"go"}`, 200, json, "", ""},
		{"a file", "POST", "/v1/files", "--x\r\nContent-Disposition: form-data; name=\"file\"", 200, json, "", ""},
		{"a store", "POST", "/v1/vector_stores", `{"name":"n","file_ids":[]}`, 200, json, "", ""},
		{"telemetry", "POST", "/v1/traces", `{"resourceSpans":[]}`, 200, json, "", ""},
		{"words far from the beginning", "POST", "/v1/other", `{"x":"` + strings.Repeat("x", 5000) + `","model":1}`, 200,
			json, "", ""},
		{"models", "GET", "/v1/models", "", 200, json, "", ""},
		{"an answer that is fetched", "GET", "/v1/responses/r?stream=true", "", 200, sse, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := func(r *http.Request) (*http.Response, error) {
				sent := ""
				if r.Body != nil {
					b, _ := io.ReadAll(r.Body)
					sent = string(b)
				}
				if c.want == transport.Passed && sent != c.body {
					t.Errorf("sent %q", sent)
				}
				return &http.Response{StatusCode: c.status, ProtoMajor: 1, ProtoMinor: 1,
					Header:        http.Header{"Content-Type": {c.answer}, "Upgrade": {"websocket"}},
					ContentLength: 2, Body: io.NopCloser(strings.NewReader("{}"))}, nil
			}
			var reports []transport.Report
			rt := transport.New(eval.New(rules(t, `a: not (prompt contains "quiet")`), eval.Options{}),
				transport.Options{Report: func(_ context.Context, r transport.Report) { reports = append(reports, r) }})
			asked := httptest.NewRequest(c.method, "http://api.test"+c.path, strings.NewReader(c.body))
			asked.Header.Set("User-Agent", "Acme/JS 1.2")
			if c.status == http.StatusSwitchingProtocols {
				asked.Header.Set("Upgrade", "websocket")
			}
			if c.body != "" {
				asked.Body = io.NopCloser(iotest.OneByteReader(strings.NewReader(c.body)))
			}
			resp, err := rt.Middleware(asked, base)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.ReadAll(resp.Body)
			if len(reports) != 1 {
				t.Fatalf("%d reports", len(reports))
			}
			got, why := reports[0].Coverage()
			if got != c.want || !strings.Contains(why, c.why) || c.why == "" && why != "" {
				t.Errorf("%q (%s), want %q (%s)", got, why, c.want, c.why)
			}
			path, _, _ := strings.Cut(c.path, "?")
			r := reports[0]
			if r.Path != path || r.Client != "Acme/JS" || (r.Why == "") == (r.Passed != "" && got != "") {
				t.Errorf("%+v", r)
			}
		})
	}
}
