package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/compile/reminder"
)

// fine is an API that takes everything.
func fine(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	return says(200, "{}"), nil
}

// TestCoverage: what becomes of the requests that call a model is counted, and the first of each kind and
// client that goes out bare is a warning.
func TestCoverage(t *testing.T) {
	t.Parallel()
	w := open(t, nil, nowhere(t, fine, "http://up"), always)
	for i := range 3 {
		// the last one is no product with a version, and may be anything
		for _, client := range []string{"Acme/JS 1.2.3", "Acme/JS 1.2.4", "other"} {
			w.do("POST", "/v1/messages/batches", `{"requests":[{"params":{"model":"m"}}]}`, "User-Agent: "+client)
		}
		w.do("POST", "/v1/messages", ask(false, "a", "hi"))
		w.do("POST", "/v1/messages", strings.Replace(ask(false, fmt.Sprint("b", i), fmt.Sprint("say ", i)), `}]`,
			`},{"role":"assistant","content":"I"}]`, 1))
		w.do("POST", "/v1/files", `{"model":"m"}`)
	}
	w.do("POST", "/v1/sessions/sess_0123456789abc/events", `{"content":[]}`, "User-Agent: x/1")
	w.do("POST", "/v1/sessions/sess_0123456789def/events", `{"content":[]}`, "User-Agent: x/2")
	warnings := 0
	for line := range strings.Lines(w.logs.String()) {
		if strings.Contains(line, `"WARN"`) && strings.Contains(line, `"coverage":"`) {
			warnings++
		}
	}
	if warnings != 4 {
		t.Errorf("%d warnings:\n%s", warnings, w.logs)
	}
	lines := proxy.Summary(w.proxy.Coverage())
	got := strings.Join(append(lines, w.scraped("aside_model_calls")...), "\n")
	want := `requests that called a model: 17 (injected 3, nothing due 0, held 3, passed 11)
held: 3 of anthropic by Go-http-client: the request ends with the model's own words, which it is to continue
passed: 6 of /v1/messages/batches by Acme/JS: unknown, no API that is known has this path
passed: 3 of /v1/messages/batches: unknown, no API that is known has this path
passed: 2 of /v1/sessions/ID/events by x: unknown, no API that is known has this path
aside_model_calls_total{coverage="held",reason=""} 3
aside_model_calls_total{coverage="injected",reason=""} 3
aside_model_calls_total{coverage="passed",reason="unknown"} 11`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCoverageIsBounded: what clients call themselves and ask makes no more than some kinds.
func TestCoverageIsBounded(t *testing.T) {
	t.Parallel()
	w := open(t, nil, nowhere(t, fine, "http://up"), always)
	for i := range 700 {
		w.do("POST", "/x", `{"model":"m"}`, fmt.Sprintf("User-Agent: c%d/1", i))
	}
	list := w.proxy.Coverage()
	if n := len(list); n < 500 || n > 510 {
		t.Errorf("%d kinds", n)
	}
	if lines := proxy.Summary(list); !strings.Contains(lines[0], " 700 ") {
		t.Error(lines[0])
	}
}

// TestSocket: where there are rules, requests that could hold reminders are not moved to a websocket.
func TestSocket(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path  string
		rules []reminder.Reminder
		want  int
	}{
		{"/v1/responses", []reminder.Reminder{always}, http.StatusUpgradeRequired},
		{"/v1/responses", nil, 200},
		{"/v1/realtime", []reminder.Reminder{always}, 200},
	} {
		w := open(t, nil, nowhere(t, fine, "http://up"), c.rules...)
		res, body := w.do("GET", c.path, "", "Connection: Upgrade", "Upgrade: websocket")
		if res.StatusCode != c.want || c.want != 200 && !strings.Contains(body, "websocket") {
			t.Errorf("%s, %d rules: %d %s", c.path, len(c.rules), res.StatusCode, body)
		}
	}
}

// TestProbe: a request that asks for it comes back as it would have gone to its upstream, which sees nothing.
func TestProbe(t *testing.T) {
	t.Parallel()
	w := open(t, nil, nowhere(t, func(r *http.Request) (*http.Response, error) {
		t.Errorf("%s was sent", r.URL)
		return says(200, "{}"), nil
	}, "http://up"), always)
	res, body := w.do("POST", "/v1/messages/count_tokens", ask(false, "a", "hi"), proxy.ProbeHeader+": 1")
	if res.StatusCode != 200 || !strings.Contains(body, `"hi"`) || !strings.Contains(body, "Be kind.") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, body := w.do("GET", "/v1/models", "", proxy.ProbeHeader+": 1"); res.StatusCode != 200 || body != "" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if list := w.proxy.Coverage(); len(list) > 0 {
		t.Error(list)
	}
}
