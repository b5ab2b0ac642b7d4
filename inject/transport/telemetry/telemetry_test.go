package telemetry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	noopmetric "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	nooptrace "go.opentelemetry.io/otel/trace/noop"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/transport/telemetry"
)

// secret stands in all texts that must not be told.
const secret = "SECRET"

var rules = []reminder.Reminder{
	{ID: "always", Mode: reminder.While, Trigger: "always", Text: secret + " be kind."},
	{ID: "once", Mode: reminder.When, Trigger: "turn_count >= 1", Text: secret,
		Expect: "turn_count >= 2", Within: 3},
	{ID: "rare", Mode: reminder.While, Trigger: "always", Text: secret,
		Cooldown: reminder.Span{Turns: 5}},
	{ID: "half", Mode: reminder.While, Trigger: "always", Text: secret, Holdout: 1,
		Expect: "turn_count >= 1", Within: 1},
	{ID: "call", Mode: reminder.While, Trigger: "manual", Text: secret},
}

// world is a host with telemetry, before an API.
type world struct {
	t      *testing.T
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
	ev     *eval.Evaluator
	rt     *transport.Transport
	api    *httptest.Server
	header http.Header // of the latest request
	body   string
	status int
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader(), status: 200}
	tracers := trace.NewTracerProvider(trace.WithSyncer(w.spans))
	tel := telemetry.New(telemetry.Options{Tracers: tracers, Propagator: propagation.TraceContext{},
		Meters: metric.NewMeterProvider(metric.WithReader(w.reader))})
	set, ds := compile.New(rules, compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	w.ev = eval.New(set, tel.Evaluator(eval.Options{}))
	w.api = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.header, w.body = r.Header.Clone(), string(b)
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(w.status)
		fmt.Fprintf(rw, `{"type":"message","id":"msg_1","model":"claude-x-1","role":"assistant","content":[`+
			`{"type":"text","text":"%s answer"}],"usage":{"input_tokens":10,"cache_read_input_tokens":5,`+
			`"cache_creation_input_tokens":0,"output_tokens":7}}`, secret)
	}))
	t.Cleanup(w.api.Close)
	w.rt = transport.New(w.ev, tel.Transport(transport.Options{Commands: true}))
	return w
}

// ask sends a request of a turn.
func (w *world) ask(ctx context.Context, path string, turn int, header ...string) {
	w.t.Helper()
	messages := []string{`{"role":"user","content":"` + secret + ` prompt, in /home/` + secret + `"}`}
	for n := range turn - 1 {
		messages = append(messages, fmt.Sprintf(`{"role":"assistant","content":"%s %d"}`, secret, n),
			fmt.Sprintf(`{"role":"user","content":"/remind call and %d"}`, n))
	}
	r, err := http.NewRequestWithContext(ctx, "POST", w.api.URL+path, strings.NewReader(
		`{"model":"claude-x","max_tokens":9,"messages":[`+strings.Join(messages, ",")+`]}`))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set(transport.RunHeader, "run-1")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := w.rt.RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		w.t.Fatal(err)
	}
}

// told returns a span's attributes and events, each as a line.
func told(s tracetest.SpanStub) (attributes, events []string) {
	line := func(all []attribute.KeyValue) string {
		var l []string
		for _, a := range all {
			l = append(l, string(a.Key)+"="+a.Value.String())
		}
		return strings.Join(l, " ")
	}
	for _, a := range s.Attributes {
		attributes = append(attributes, line([]attribute.KeyValue{a}))
	}
	for _, e := range s.Events {
		events = append(events, e.Name+" "+line(e.Attributes))
	}
	return attributes, events
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestEngine: one call adds all to the options of an engine.
func TestEngine(t *testing.T) {
	o := telemetry.New(telemetry.Options{}).Engine(engine.Options{Dirs: []string{"reminders"}})
	if o.Eval.Decided == nil || o.Transport.Report == nil || o.Transport.Begin == nil || len(o.Dirs) != 1 {
		t.Errorf("%+v", o)
	}
}

// TestSpan: what is told of two turns, in spans and events, and what is not (I10).
func TestSpan(t *testing.T) {
	t.Parallel()
	w := open(t)
	parent := trace.NewTracerProvider(trace.WithSyncer(tracetest.NewInMemoryExporter())).Tracer("host")
	ctx, above := parent.Start(t.Context(), "above")
	w.ask(ctx, "/v1/messages", 1)
	w.ask(t.Context(), "/v1/messages", 2)
	spans := w.spans.GetSpans()
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	first, second := spans[0], spans[1]
	if first.Name != "chat claude-x" || first.Parent.SpanID() != above.SpanContext().SpanID() ||
		first.Status.Code != codes.Unset || !first.EndTime.After(first.StartTime) {
		t.Errorf("%+v", first)
	}
	attributes, events := told(first)
	added := slices.IndexFunc(attributes, func(a string) bool {
		return strings.HasPrefix(a,
			"aside.added_tokens=")
	})
	if added < 0 {
		t.Fatal(attributes)
	}
	same(t, "attributes", slices.Delete(attributes, added, added+1), "gen_ai.operation.name=chat",
		"gen_ai.provider.name=anthropic", "gen_ai.request.model=claude-x", "gen_ai.response.model=claude-x-1",
		"gen_ai.response.id=msg_1", "gen_ai.usage.input_tokens=15", "gen_ai.usage.output_tokens=7",
		"gen_ai.usage.cache_read.input_tokens=5", "gen_ai.usage.cache_creation.input_tokens=0",
		"gen_ai.conversation.id=run-1", "http.response.status_code=200", "aside.turn=1",
		"aside.coverage=injected", "aside.request.kind=turn")
	same(t, "events", events,
		"aside.reminder.fired aside.reminder.id=always aside.reminder.why=trigger aside.turn=1 "+
			"aside.reminder.tokens=4",
		"aside.reminder.fired aside.reminder.id=once aside.reminder.why=trigger aside.turn=1 "+
			"aside.reminder.tokens=2",
		"aside.reminder.fired aside.reminder.id=rare aside.reminder.why=trigger aside.turn=1 "+
			"aside.reminder.tokens=2",
		"aside.reminder.held_out aside.reminder.id=half aside.reminder.why=trigger aside.turn=1 "+
			"aside.reminder.tokens=2")
	_, events = told(second)
	same(t, "events", events,
		"aside.reminder.fired aside.reminder.id=always aside.reminder.why=trigger aside.turn=2 "+
			"aside.reminder.tokens=4",
		"aside.reminder.fired aside.reminder.id=call aside.reminder.why=manual aside.turn=2 "+
			"aside.reminder.tokens=2",
		"aside.reminder.held aside.reminder.id=rare aside.reminder.why=cooldown aside.turn=2",
		"aside.reminder.held_out aside.reminder.id=half aside.reminder.why=trigger aside.turn=2 "+
			"aside.reminder.tokens=2",
		"aside.reminder.outcome aside.reminder.id=half aside.reminder.outcome=heeded "+
			"aside.reminder.held_out=true aside.turn=2 aside.reminder.after=1",
		"aside.reminder.outcome aside.reminder.id=once aside.reminder.outcome=heeded "+
			"aside.reminder.held_out=false aside.turn=2 aside.reminder.after=1")
	if got, want := w.header.Get("Traceparent"), fmt.Sprintf("00-%s-%s-01", second.SpanContext.TraceID(),
		second.SpanContext.SpanID()); got != want {
		t.Errorf("sent on with %q, want %q", got, want)
	}
	if !strings.Contains(w.body, "be kind") {
		t.Errorf("%s", w.body)
	}
	if b, err := json.Marshal(spans); err != nil || strings.Contains(string(b), secret) {
		t.Errorf("%v: %s", err, b)
	}
}

// TestFailed: a refusal is an error of the span; a signed request, and a request to no model, stay as they
// came.
func TestFailed(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.status = 529
	w.ask(t.Context(), "/v1/messages", 1)
	w.ask(t.Context(), "/v1/files", 1)
	w.ask(t.Context(), "/v1/messages", 1, "Authorization", "AWS4-HMAC-SHA256 x", "Traceparent", "theirs")
	spans := w.spans.GetSpans()
	if len(spans) != 2 || w.header.Get("Traceparent") != "theirs" {
		t.Fatalf("%d spans, %q", len(spans), w.header.Get("Traceparent"))
	}
	if a, _ := told(spans[0]); spans[0].Status.Code != codes.Error || !slices.Contains(a, "error.type=529") {
		t.Errorf("%+v %s", spans[0].Status, a)
	}
	if a, _ := told(spans[1]); !slices.Contains(a, "aside.passed=signed") {
		t.Errorf("%s", a)
	}
}

// TestCopy: a host that sends by itself has the same span.
func TestCopy(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := w.rt.Copy(eval.WithRun(t.Context(), "run-2"), transport.Request{Model: "m",
		Messages: []inject.Message{{Role: "user", Text: secret}}})
	if len(w.spans.GetSpans()) > 0 {
		t.Error("the span is over before the response")
	}
	c.Done(transport.Response{Usage: eval.Usage{ContextTokens: 3, ResponseTokens: 4, Known: true}})
	spans := w.spans.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	if a, events := told(spans[0]); len(events) != 4 || !slices.Contains(a, "gen_ai.usage.output_tokens=4") {
		t.Errorf("%s\n%s", a, events)
	}
}

// TestMetrics: the numbers of two turns.
func TestMetrics(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.ask(t.Context(), "/v1/messages", 1)
	w.ask(t.Context(), "/v1/messages", 2)
	var all metricdata.ResourceMetrics
	if err := w.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					id, _ := p.Attributes.Value("aside.reminder.id")
					got[m.Name+" "+id.AsString()] += float64(p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					kind, _ := p.Attributes.Value("gen_ai.token.type")
					got[m.Name+" "+kind.AsString()] += float64(p.Count)
				}
			}
		}
	}
	for name, want := range map[string]float64{
		"aside.reminder.fired always": 2, "aside.reminder.fired once": 1, "aside.reminder.held rare": 1,
		"aside.reminder.accepted always": 2, "aside.reminder.accepted half": 0,
		"aside.reminder.held_out half": 2, "aside.reminder.outcome once": 1,
		"gen_ai.client.token.usage input": 2, "gen_ai.client.token.usage output": 2,
		"gen_ai.client.operation.duration ": 2, "aside.request.added_duration ": 2,
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	if b, err := json.Marshal(all); err != nil || strings.Contains(string(b), secret) {
		t.Errorf("%v: %s", err, b)
	}
}

// TestNothingListens: without an SDK a request costs a few allocations more, and no span goes out.
func TestNothingListens(t *testing.T) {
	set, _ := compile.New(rules[:1], compile.Options{})
	var sent http.Header
	base := answers(func(r *http.Request) { sent = r.Header })
	allocs := func(edit func(transport.Options) transport.Options) float64 {
		rt := transport.New(eval.New(set, eval.Options{}), edit(transport.Options{Base: base}))
		return testing.AllocsPerRun(200, func() {
			r, err := http.NewRequest("POST", "http://api.test/v1/messages",
				strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(transport.RunHeader, "run")
			res, err := rt.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
		})
	}
	bare := allocs(func(o transport.Options) transport.Options { return o })
	tel := telemetry.New(telemetry.Options{Tracers: nooptrace.NewTracerProvider(),
		Meters: noopmetric.NewMeterProvider(), Propagator: propagation.TraceContext{}})
	with := allocs(tel.Transport)
	if t.Logf("%v allocations, with telemetry %v", bare, with); with > bare+16 {
		t.Errorf("%v allocations, with telemetry %v", bare, with)
	}
	if sent.Get("Traceparent") != "" {
		t.Errorf("sent on with %q", sent.Get("Traceparent"))
	}
}

// answers is an API that answers at once.
type answers func(*http.Request)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	a(r)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(
			`{"type":"message","usage":{"input_tokens":1,"output_tokens":1}}`))}, nil
}
