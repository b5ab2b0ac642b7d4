//go:build unix

package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

// collector takes what an exporter sends over HTTP.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*tracepb.Span
	service string
	metrics map[string]float64 // the latest sums and gauges, by name
	all     []byte
}

func newCollector(t *testing.T) *collector {
	c := &collector{metrics: map[string]float64{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err == nil {
			err = c.take(r.URL.Path, b)
		}
		if err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// take decodes what is sent. The messages of the collector's services have the fields of these.
func (c *collector) take(path string, b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, b...)
	if path == "/v1/traces" {
		var data tracepb.TracesData
		if err := proto.Unmarshal(b, &data); err != nil {
			return err
		}
		for _, r := range data.ResourceSpans {
			for _, a := range r.Resource.Attributes {
				if a.Key == "service.name" {
					c.service = a.Value.GetStringValue()
				}
			}
			for _, s := range r.ScopeSpans {
				c.spans = append(c.spans, s.Spans...)
			}
		}
		return nil
	}
	var data metricspb.MetricsData
	if err := proto.Unmarshal(b, &data); err != nil {
		return err
	}
	for _, r := range data.ResourceMetrics {
		for _, s := range r.ScopeMetrics {
			for _, m := range s.Metrics {
				for _, p := range slices.Concat(m.GetSum().GetDataPoints(), m.GetGauge().GetDataPoints()) {
					c.metrics[m.Name] = p.GetAsDouble()
				}
			}
		}
	}
	return nil
}

// TestServeTelemetry: the spans of a real process arrive, with the numbers of /metrics, and hold no text
// (I10).
func TestServeTelemetry(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/kind.md", "---\nwhile: always\n---\nSECRET, be kind.\n")
	var sent http.Header
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"SECRET"}],`+
			`"usage":{"input_tokens":10,"output_tokens":7}}`)
	}))
	defer up.Close()
	c := newCollector(t)
	s := exe.Serve(t, dir, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_SERVICE_NAME=reminders"},
		"--upstream", up.URL, "--rules", "rules", "--state", "memory")
	r, err := http.NewRequest("POST", s.URL+"/v1/messages",
		strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"SECRET"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const trace = "0af7651916cd43dd8448eb211c80319c"
	r.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	for _, body := range []string{"{}", "SECRET"} { // a turn of the evaluation API, and none
		r, err := http.NewRequest("POST", s.URL+"/v1/runs/other/turns", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
		if res, err = http.DefaultClient.Do(r); err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	s.Signal(syscall.SIGTERM)
	if code := s.End(); code != 0 {
		t.Fatalf("exit %d: %s", code, &s.Said)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spans) != 3 || c.service != "reminders" {
		t.Fatalf("%d spans of %q: %s", len(c.spans), c.service, &s.Said)
	}
	told := func(span *tracepb.Span) (events []string) {
		for _, e := range span.Events {
			events = append(events, e.Name)
		}
		return events
	}
	span := c.spans[0]
	events := told(span)
	for i, want := range []string{`http.response.status_code:int_value:200 [aside.reminder.fired]`,
		`http.response.status_code:int_value:422 error.type:string_value:"422" []`} {
		s := c.spans[1+i]
		got := s.Name + " " + hex.EncodeToString(s.TraceId)
		for _, a := range s.Attributes {
			got += " " + a.Key + ":" + strings.ReplaceAll(a.Value.String(), " ", "")
		}
		got += fmt.Sprint(" ", told(s))
		if !strings.HasPrefix(got, "POST /v1/runs/{run}/turns "+trace+" ") || !strings.HasSuffix(got, want) ||
			!strings.Contains(got, ` gen_ai.conversation.id:string_value:"other" `) {
			t.Error(got)
		}
	}
	if id := hex.EncodeToString(span.TraceId); id != trace || span.Name != "chat m" ||
		!slices.Equal(events, []string{"aside.reminder.fired"}) ||
		sent.Get("Traceparent") != "00-"+trace+"-"+hex.EncodeToString(span.SpanId)+"-01" {
		t.Errorf("trace %s, %q, %q, sent on with %q", id, span.Name, events, sent.Get("Traceparent"))
	}
	if !strings.Contains(s.Said.String(), "trace="+trace) {
		t.Errorf("the log has not the trace: %s", &s.Said)
	}
	if c.metrics["aside_fires_total"] != 2 || c.metrics["aside_rules_loaded"] != 1 {
		t.Errorf("%v", c.metrics)
	}
	if strings.Contains(string(c.all), "SECRET") || strings.Contains(string(c.all), filepath.Base(dir)) {
		t.Error("a text or a path was exported")
	}
}

// TestServeTelemetryRefused: an exporter that serve has not is named at the start.
func TestServeTelemetryRefused(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{
		"OTEL_TRACES_EXPORTER=zipkin":      "OTEL_TRACES_EXPORTER=zipkin: otlp or none",
		"OTEL_METRICS_EXPORTER=prometheus": "OTEL_METRICS_EXPORTER=prometheus: otlp or none",
	} {
		cmd := exec.Command("asided", "serve", "--listen", "127.0.0.1:0", "--state", "memory")
		cmd.Env = []string{"HOME=" + t.TempDir(), env}
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(string(out), want) {
			t.Errorf("exit %d: %s", code, out)
		}
	}
}
