package proxy

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/trace"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/near"
)

// metrics are the values of /metrics. No label takes a value that a client chose, so the number of values is
// bounded: reminders are those that were loaded, and all other values are of a fixed list.
type metrics struct {
	registry *prometheus.Registry

	requests *prometheus.CounterVec // api, kind, status
	fires    *prometheus.CounterVec // reminder
	passed   *prometheus.CounterVec // reason
	tokens   prometheus.Counter
	bytes    prometheus.Counter
	held     prometheus.Counter
	gone     prometheus.Counter

	stateFailed prometheus.Counter
	added       prometheus.Histogram
	duration    *prometheus.HistogramVec // api
	inFlight    prometheus.Gauge

	rules    prometheus.Gauge
	reloadOK prometheus.Gauge
	reloadAt prometheus.Gauge
}

func newMetrics() *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "aside_" + name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "aside_" + name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: "aside_" + name, Help: help})
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("requests_total",
			"Requests that were answered, by API, kind of request and class of status.", "api", "kind", "status"),
		fires:  counters("fires_total", "Firings, by reminder.", "reminder"),
		passed: counters("passed_total", "Requests to models that went out as they came, by reason.", "reason"),
		tokens: counter("added_tokens_total", "Tokens of reminders in requests, estimated."),
		bytes:  counter("added_bytes_total", "Bytes that requests grew by."),
		held:   counter("held_total", "Texts that could not be put into a request and stay due."),
		gone:   counter("gone_total", "Texts that could not be put where they were before."),
		stateFailed: counter("state_failures_total",
			"How often the state of a run could not be read, written or synced."),
		added: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "aside_added_latency_seconds", Help: "Time between a request's arrival and its being sent on.",
			Buckets: prometheus.ExponentialBuckets(0.00005, 2.5, 12),
		}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "aside_request_duration_seconds", Help: "Time until a response was over.",
			Buckets: []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600},
		}, []string{"api"}),
		inFlight: gauge("in_flight_requests", "Requests that are being answered."),
		rules:    gauge("rules_loaded", "Reminders in use."),
		reloadOK: gauge("rules_last_reload_successful",
			"Whether the rules were free of errors when they were last read."),
		reloadAt: gauge("rules_last_reload_timestamp_seconds", "When the rules were last read."),
	}
	m.registry.MustRegister(m.requests, m.fires, m.passed, m.tokens, m.bytes, m.held, m.gone,
		m.stateFailed, m.added,
		m.duration, m.inFlight, m.rules, m.reloadOK, m.reloadAt,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// reasons are the values of the label reason.
var reasons = []string{
	transport.PassedOther, transport.PassedLarge, transport.PassedEncoding, transport.PassedSigned,
	transport.PassedShape, transport.PassedState, transport.PassedRefused, transport.PassedFailed,
}

// count counts a request to a model.
func (m *metrics) count(r transport.Report) {
	m.answered(r.API, r.Kind, r.Status)
	for _, f := range r.Fired {
		m.fires.WithLabelValues(f.ID).Inc()
	}
	if r.Passed != "" {
		reason := transport.PassedFailed
		if slices.Contains(reasons, r.Passed) {
			reason = r.Passed
		}
		m.passed.WithLabelValues(reason).Inc()
	}
	m.tokens.Add(float64(max(r.Tokens, 0)))
	m.bytes.Add(float64(max(r.Out-r.In, 0)))
	for _, h := range r.Held {
		m.held.Add(float64(h.Texts))
	}
	m.gone.Add(float64(len(r.Gone)))
	m.added.Observe(r.Added.Seconds())
}

func (m *metrics) answered(api wire.API, kind string, status int) {
	m.requests.WithLabelValues(cmp.Or(string(api), "none"), kind, class(status)).Inc()
}

// class returns the class of a status, such as "2xx"; "none" if there was no response.
func class(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

// forget drops the counts of reminders that are no longer loaded.
func (m *metrics) forget(ids []string) {
	for _, id := range ids {
		m.fires.DeleteLabelValues(id)
	}
}

// reloaded notes that the rules were read, and whether they were free of errors.
func (m *metrics) reloaded(ok bool, at time.Time) {
	m.reloadOK.Set(map[bool]float64{true: 1}[ok])
	m.reloadAt.Set(float64(at.UnixMilli()) / 1000)
}

// report counts and logs a request to a model, once its response is over. All other requests are logged by
// done alone.
func (p *Proxy) report(ctx context.Context, r transport.Report) {
	if r.API == "" || r.Passed == transport.PassedOther {
		return
	}
	p.metrics.count(r)
	level := slog.LevelInfo
	switch r.Passed {
	case transport.PassedState:
		p.stateDown(r.Run, r.Why)
	case transport.PassedRefused, transport.PassedFailed:
		level = slog.LevelWarn
	case "":
		if r.Turn > 0 && !r.Again {
			p.stateUp(r.Run)
		}
	}
	if !p.log.Enabled(ctx, level) {
		return
	}
	l := p.attrs(r)
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		l.text("trace", span.TraceID().String())
	}
	p.log.LogAttrs(ctx, level, "request", l...)
}

// line collects the attributes of a log line, but for zero values.
type line []slog.Attr

func (l *line) text(key, s string) {
	if s != "" {
		*l = append(*l, slog.String(key, clip(s)))
	}
}

func (l *line) number(key string, n int64) {
	if n != 0 {
		*l = append(*l, slog.Int64(key, n))
	}
}

func (l *line) list(key string, s []string) {
	if len(s) > 0 {
		*l = append(*l, slog.Any(key, s))
	}
}

func (l *line) count(key string, c transport.Count) {
	if c.Known {
		*l = append(*l, slog.Int64(key, c.N))
	}
}

// attrs returns the attributes that are logged of a request: no texts, no addresses, and not Report.Unknown,
// which a person has typed.
func (p *Proxy) attrs(r transport.Report) line {
	l := make(line, 0, 16)
	l.text("run", r.Run)
	l.text("api", string(r.API))
	l.text("kind", r.Kind)
	l.text("model", r.Model)
	l.number("turn", int64(r.Turn))
	l.text("rules", r.Rules)
	if r.Again {
		l = append(l, slog.Bool("again", true))
	}
	var fired, held, gone []string
	for _, f := range r.Fired {
		fired = append(fired, f.ID)
	}
	for _, h := range r.Held {
		held = append(held, clip(h.Why))
	}
	for _, g := range r.Gone {
		gone = append(gone, clip(g.Why))
	}
	l.list("fired", fired)
	l.list("put", r.Put)
	l.number("repeated", int64(r.Repeat))
	l.list("held", held)
	l.list("gone", gone)
	if r.Unknown != "" {
		l = append(l, slog.Bool("unknown_reminder", true))
		l.list("did_you_mean", near.Names(r.Unknown, p.opts.Eval.Names()))
	}
	l.text("passed", r.Passed)
	l.text("why", r.Why)
	l = append(l, slog.Int("status", r.Status))
	l.number("bytes_in", r.In)
	l.number("bytes_out", r.Out)
	l.number("added_tokens", int64(r.Tokens))
	l = append(l, slog.Duration("added", r.Added), slog.Duration("took", r.Took))
	l.count("context_tokens", r.Usage.Context)
	l.count("cached_tokens", r.Usage.Read)
	l.count("output_tokens", r.Usage.Response)
	return l
}

// done counts and logs a request, once it is answered. Requests to models have a line of their own, by
// report.
func (p *Proxy) done(r *http.Request, w *response, took time.Duration) {
	e := endpoint(r)
	level := slog.LevelInfo
	switch {
	case w.to != nil && e.API != "":
		level = slog.LevelDebug
	case w.to == nil && w.status < 400: // a path of our own: monitors ask for it all day
		level = slog.LevelDebug
		p.metrics.answered("", api.KindOther.String(), w.status)
	default:
		p.metrics.answered("", api.KindOther.String(), w.status)
	}
	p.metrics.duration.WithLabelValues(cmp.Or(string(e.API), "none")).Observe(took.Seconds())
	l := make(line, 0, 6)
	l.text("method", r.Method)
	l.text("path", r.URL.Path)
	l.text("upstream", w.name)
	l = append(l, slog.Int("status", w.status), slog.Int64("bytes", w.bytes), slog.Duration("took", took))
	p.log.LogAttrs(r.Context(), level, "answered", l...)
}
