package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

var always = reminder.Reminder{ID: "always", Mode: reminder.While, Trigger: "always", Text: "Be kind."}

// scraped returns the lines of /metrics that begin so.
func (w *world) scraped(begin string) []string {
	w.t.Helper()
	_, body := w.do("GET", "/metrics", "")
	var lines []string
	for l := range strings.Lines(body) {
		if strings.HasPrefix(l, begin) {
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	return lines
}

// TestMetrics: what is counted of a few requests.
func TestMetrics(t *testing.T) {
	t.Parallel()
	fake := modelapi.New(modelapi.Options{Faults: map[int]modelapi.Fault{2: {Status: 503}}})
	w := open(t, fake, proxy.Options{}, always)
	w.do("POST", "/v1/messages", ask(false, "a", "hi"))
	w.do("POST", "/v1/messages", ask(false, "b", "hi"))
	w.do("POST", "/v1/messages", "no JSON")
	w.do("GET", "/v1/files/x", "")
	w.do("GET", "/v1/runs/a/b/c", "")
	got := strings.Join(append(append(w.scraped("aside_requests_total"), w.scraped("aside_fires")...),
		append(w.scraped("aside_unavailable"), w.scraped("aside_model_calls")...)...), "\n")
	want := `aside_requests_total{api="anthropic",kind="turn",status="2xx"} 1
aside_requests_total{api="anthropic",kind="turn",status="4xx"} 1
aside_requests_total{api="anthropic",kind="turn",status="5xx"} 1
aside_requests_total{api="none",kind="other",status="4xx"} 2
aside_fires_total{reminder="always"} 2
aside_unavailable_total 0
aside_model_calls_total{coverage="injected",reason=""} 1`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// the one that asks
	if got := w.scraped("aside_in_flight_requests"); len(got) != 1 || got[0] != "aside_in_flight_requests 1" {
		t.Error(got)
	}
	if got := w.scraped("aside_added_latency_seconds_count"); len(got) != 1 ||
		got[0] != "aside_added_latency_seconds_count 3" {
		t.Error(got)
	}
	if len(w.scraped("go_goroutines")) == 0 || len(w.scraped("aside_request_duration_seconds_count")) != 2 {
		t.Error("not all is there")
	}
}

// TestMetricsAreBounded: what clients say makes no further series.
func TestMetricsAreBounded(t *testing.T) {
	t.Parallel()
	w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {}), proxy.Options{}, always)
	each := func(i int) {
		w.do("POST", "/v1/messages", strings.Replace(ask(false, fmt.Sprint("s", i), fmt.Sprint("/remind r", i)),
			"opus-5", fmt.Sprint("x", i), 1), fmt.Sprintf("X-Aside-Run: r%d", i))
		w.do("GET", fmt.Sprintf("/path/%d", i), "")
		w.do(fmt.Sprintf("M%d", i), "/v1/runs/a/b/c", "")
	}
	each(0)
	before := len(w.scraped("aside_"))
	for i := range testkit.Repeat(10, 50) {
		each(i)
	}
	if after := len(w.scraped("aside_")); after != before {
		t.Errorf("%d series, then %d", before, after)
	}
}

// TestCountedAtOnce: a client that has all of an answer finds its firing counted, streamed or not.
func TestCountedAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t, modelapi.New(modelapi.Options{}), proxy.Options{}, always)
	for i, streamed := range []bool{false, true} {
		res := w.send("POST", "/v1/messages", ask(streamed, fmt.Sprint("run ", i), "hi"))
		if _, err := io.ReadAll(res.Body); err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		want := fmt.Sprintf(`aside_fires_total{reminder="always"} %d`, i+1)
		if got := w.scraped("aside_fires"); len(got) != 1 || got[0] != want {
			t.Errorf("streamed %v: %q, want %q", streamed, got, want)
		}
	}
}
