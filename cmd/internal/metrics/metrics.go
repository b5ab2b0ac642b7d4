// Package metrics counts what a proxy does, for Prometheus.
package metrics

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/service"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
)

// Metrics are the values of /metrics. No label takes a value that a client chose, so the number of values is
// bounded: reminders are those that were loaded, and all other values are of a fixed list.
type Metrics struct {
	*prometheus.Registry

	requests *prometheus.CounterVec // api, kind, status
	fires    *prometheus.CounterVec // reminder
	accepted *prometheus.CounterVec // reminder
	heldOut  *prometheus.CounterVec // reminder
	heldBack *prometheus.CounterVec // reminder, why
	outcomes *prometheus.CounterVec // reminder, outcome, held_out
	calls    *prometheus.CounterVec // coverage, reason
	tokens   prometheus.Counter
	bytes    prometheus.Counter
	held     prometheus.Counter
	gone     prometheus.Counter

	unavailable prometheus.Counter
	stateFailed prometheus.Counter
	stateTook   *prometheus.HistogramVec // op
	added       prometheus.Histogram
	duration    *prometheus.HistogramVec // api
	inFlight    prometheus.Gauge

	ids      atomic.Pointer[[]string] // of the reminders in use, by byte
	rules    prometheus.Gauge
	reloadOK prometheus.Gauge
	reloadAt prometheus.Gauge
}

// New returns the values of a process.
func New() *Metrics {
	registry := prometheus.NewRegistry()
	to := promauto.With(registry)
	counter := func(name, help string) prometheus.Counter {
		return to.NewCounter(prometheus.CounterOpts{Name: "aside_" + name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return to.NewCounterVec(prometheus.CounterOpts{Name: "aside_" + name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return to.NewGauge(prometheus.GaugeOpts{Name: "aside_" + name, Help: help})
	}
	m := &Metrics{
		Registry: registry,
		requests: counters("requests_total",
			"Requests that were answered, by API, kind of request and class of status.", "api", "kind", "status"),
		fires: counters("fires_total", "Firings whose texts are offered to the model, by reminder.", "reminder"),
		accepted: counters("accepted_total",
			"Texts in requests that an API has taken, each the first time, by reminder.", "reminder"),
		heldOut: counters("held_out_total", "Firings in runs that are held out of the reminder.", "reminder"),
		heldBack: counters("held_back_total",
			"Firings that something held back: for, cooldown, max_fires, budget, text, max_ignored, answered.",
			"reminder", "why"),
		outcomes: counters("outcomes_total",
			"What became of what firings expect: heeded, ignored, open.", "reminder", "outcome", "held_out"),
		calls: counters("model_calls_total", "Requests that called a model: injected, nothing due, held, or "+
			"passed without the texts that may have been due, by reason.", "coverage", "reason"),
		tokens: counter("added_tokens_total", "Tokens of reminders in requests, estimated."),
		bytes:  counter("added_bytes_total", "Bytes that requests grew by."),
		held:   counter("held_total", "Texts that could not be put into a request and stay due."),
		gone:   counter("gone_total", "Texts that could not be put where they were before."),
		unavailable: counter("unavailable_total",
			"Requests that got status 503 from the process itself: the state is away, it stops, or it has enough."),
		stateFailed: counter("state_failures_total",
			"How often the state of a run could not be read, written or synced."),
		stateTook: to.NewHistogramVec(prometheus.HistogramOpts{
			Name: "aside_state_duration_seconds", Help: "Time that a database takes to read or save a run.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 11),
		}, []string{"op"}),
		added: to.NewHistogram(prometheus.HistogramOpts{
			Name: "aside_added_latency_seconds", Help: "Time between a request's arrival and its being sent on.",
			Buckets: prometheus.ExponentialBuckets(0.00005, 2.5, 12),
		}),
		duration: to.NewHistogramVec(prometheus.HistogramOpts{
			Name: "aside_request_duration_seconds", Help: "Time until a response was over.",
			Buckets: []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600},
		}, []string{"api"}),
		inFlight: gauge("in_flight_requests", "Requests that are being answered."),
		rules:    gauge("rules_loaded", "Reminders in use."),
		reloadOK: gauge("rules_last_reload_successful",
			"Whether the rules were free of errors when they were last read."),
		reloadAt: gauge("rules_last_reload_timestamp_seconds", "When the rules were last read."),
	}
	m.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, op := range []string{"read", "save"} {
		m.stateTook.WithLabelValues(op) // at 0
	}
	return m
}

// InFlight implements proxy.Meter.
func (m *Metrics) InFlight(change int) { m.inFlight.Add(float64(change)) }

// Took implements proxy.Meter.
func (m *Metrics) Took(api wire.API, took time.Duration) {
	m.duration.WithLabelValues(cmp.Or(string(api), "none")).Observe(took.Seconds())
}

// Unavailable implements proxy.Meter.
func (m *Metrics) Unavailable() { m.unavailable.Inc() }

// Digest has the number told that stands for the rules in use.
func (m *Metrics) Digest(of func() uint64) {
	promauto.With(m).NewGaugeFunc(prometheus.GaugeOpts{Name: "aside_rules_digest",
		Help: "A number that stands for the rules in use, to the letter, and for what is switched."},
		func() float64 { return float64(of()) })
}

// Switched has the number of rules told that are switched to a state.
func (m *Metrics) Switched(to string, count func() int) {
	promauto.With(m).NewGaugeFunc(prometheus.GaugeOpts{Name: "aside_rules_switched",
		Help: "Rules that are switched off, or into shadow.", ConstLabels: prometheus.Labels{"to": to}},
		func() float64 { return float64(count()) })
}

// StateFailed implements proxy.Meter.
func (m *Metrics) StateFailed() { m.stateFailed.Inc() }

// Covered implements proxy.Meter.
func (m *Metrics) Covered(r transport.Report) {
	coverage, _ := r.Coverage()
	m.calls.WithLabelValues(string(coverage), r.Passed).Inc()
}

// Reported implements proxy.Meter.
func (m *Metrics) Reported(r transport.Report) {
	m.Answered(r.API, r.Kind, r.Status)
	m.tokens.Add(float64(max(r.Tokens, 0)))
	m.bytes.Add(float64(max(r.Out-r.In, 0)))
	for _, h := range r.Held {
		m.held.Add(float64(h.Texts))
	}
	if r.Status/100 == 2 && r.Kind == "turn" {
		for _, id := range r.Put {
			m.accepted.WithLabelValues(m.label(id)).Inc()
		}
	}
	m.gone.Add(float64(len(r.Gone)))
	m.added.Observe(r.Added.Seconds())
}

// Answered implements proxy.Meter.
func (m *Metrics) Answered(api wire.API, kind string, status int) {
	m.requests.WithLabelValues(cmp.Or(string(api), "none"), kind, class(status)).Inc()
}

// class returns the class of a status, such as "2xx"; "none" if there was no response.
func class(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

// Decided counts the decision of a turn, whichever way it was asked for. It is the Decided of eval.Options.
func (m *Metrics) Decided(_ context.Context, _ string, d *eval.Decision) {
	label := m.label
	for _, f := range d.Fired {
		if f.HeldOut {
			m.heldOut.WithLabelValues(label(f.ID)).Inc()
		} else {
			m.fires.WithLabelValues(label(f.ID)).Inc()
		}
	}
	for _, h := range d.Held {
		if h.Why != reminder.HeldArmed {
			m.heldBack.WithLabelValues(label(h.ID), h.Why).Inc()
		}
	}
	for _, o := range d.Outcomes {
		m.outcomes.WithLabelValues(label(o.ID), o.Outcome, strconv.FormatBool(o.HeldOut)).Inc()
	}
}

// label returns the label of a reminder.
func (m *Metrics) label(id string) string {
	if ids := m.ids.Load(); ids != nil {
		if _, loaded := slices.BinarySearch(*ids, id); loaded {
			return id
		}
	}
	return ofRun
}

// ofRun is the label of all reminders that were added to a run: their ids are a client's. No file has it.
const ofRun = "(of the run)"

// Rules implements proxy.Meter. It drops the counts of reminders that are not in use any more.
func (m *Metrics) Rules(before, now []string) {
	m.ids.Store(&now)
	m.rules.Set(float64(len(now)))
	for _, id := range now {
		m.fires.WithLabelValues(id) // at 0, so that the first firing is an increase
		m.accepted.WithLabelValues(id)
	}
	for _, id := range before {
		if _, still := slices.BinarySearch(now, id); still {
			continue
		}
		of := prometheus.Labels{"reminder": id}
		for _, v := range []*prometheus.CounterVec{m.fires, m.accepted, m.heldOut, m.heldBack, m.outcomes} {
			v.DeletePartialMatch(of)
		}
	}
}

// Reloaded implements proxy.Meter.
func (m *Metrics) Reloaded(ok bool, at time.Time) {
	m.reloadOK.Set(map[bool]float64{true: 1}[ok])
	m.reloadAt.Set(float64(at.UnixMilli()) / 1000)
}

// Handler answers GET /metrics to whoever may read.
type Handler struct {
	Metrics *Metrics
	Guard   *access.Guard
}

// Owns implements proxy.Handler.
func (Handler) Owns(r *http.Request) bool { return r.URL.Path == "/metrics" }

// ServeHTTP implements http.Handler.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		service.NoMethod(w)
		return
	}
	leave, refused := h.Guard.Admit(r, access.Read)
	if refused != nil {
		service.Refuse(w, refused)
		return
	}
	defer leave()
	promhttp.HandlerFor(h.Metrics, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}
