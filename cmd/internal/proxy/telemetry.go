package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/near"
)

// report counts and logs a request to a model, once its response is over. All other requests are logged by
// done alone, and so are those of an API that is not known, but for the first of their kind.
func (p *Proxy) report(ctx context.Context, r transport.Report) {
	covered, _ := r.Coverage()
	first := p.coverage.add(&r)
	if covered != "" {
		p.meter.Covered(r)
	}
	if (r.API == "" || r.Passed == transport.PassedOther) && !first {
		return
	}
	if r.API != "" {
		p.meter.Reported(r)
	}
	level := slog.LevelInfo
	if first && (covered == transport.Held || covered == transport.Passed) {
		level = slog.LevelWarn
	}
	switch {
	case r.Unsaved: // each such run is named: what its answer told is lost to it
		level = slog.LevelWarn
		p.stateDown(r.Why)
	case r.Passed == transport.PassedState:
		p.stateDown(r.Why)
	case r.Passed == transport.PassedRefused, r.Passed == transport.PassedFailed:
		level = slog.LevelWarn
	case r.Passed == "" && r.Turn > 0 && !r.Again:
		p.stateUp()
	}
	if !p.log.Enabled(ctx, level) {
		return
	}
	p.log.LogAttrs(ctx, level, "request", p.attrs(r)...)
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
	covered, _ := r.Coverage()
	l.text("coverage", string(covered))
	l.text("run", r.Run)
	if l.text("api", string(r.API)); r.Passed == transport.PassedUnknown {
		l.text("path", r.Path)
		l.text("client", r.Client)
	}
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
	if r.Unsaved {
		l = append(l, slog.Bool("unsaved", true))
	}
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
	e := w.endpoint(r)
	level := slog.LevelInfo
	switch {
	case w.to != nil && e.API != "":
		level = slog.LevelDebug
	// a path of our own: monitors ask for it all day, and what makes it unready has a line of its own
	case w.to == nil && (w.status < 400 || r.URL.Path == readyPath):
		level = slog.LevelDebug
		p.meter.Answered("", api.KindOther.String(), w.status)
	default:
		p.meter.Answered("", api.KindOther.String(), w.status)
	}
	if w.status == http.StatusServiceUnavailable && (w.failed || w.own != nil) {
		p.meter.Unavailable()
	}
	p.meter.Took(e.API, took)
	l := make(line, 0, 6)
	l.text("method", r.Method)
	l.text("path", r.URL.Path)
	l.text("upstream", w.name)
	l = append(l, slog.Int("status", w.status), slog.Int64("bytes", w.bytes), slog.Duration("took", took))
	p.log.LogAttrs(r.Context(), level, "answered", l...)
}
