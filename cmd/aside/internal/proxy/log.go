package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/near"
)

// report counts and logs a request to a model, once its response is over.
func (p *Proxy) report(r transport.Report) {
	if r.API == "" || r.Passed == transport.PassedOther {
		return // no request to a model: done logs it
	}
	p.metrics.count(r)
	level := slog.LevelInfo
	switch r.Passed {
	case transport.PassedState, transport.PassedRefused, transport.PassedFailed:
		level = slog.LevelWarn
	}
	if p.log.Enabled(context.Background(), level) {
		p.record(level, "request", p.attrs(r))
	}
}

// record logs a line about a request. It does without two costs of slog.Logger: the line goes in as a group without a name, which is
// not copied, and no caller's program counter is looked up.
func (p *Proxy) record(level slog.Level, message string, l line) {
	r := slog.NewRecord(time.Now(), level, message, 0)
	r.AddAttrs(slog.Attr{Value: slog.GroupValue(l...)})
	_ = p.log.Handler().Handle(context.Background(), r)
}

// line collects the attributes of a log line. What is zero is left out.
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

func (l *line) count(key string, c wire.Count) {
	if c.Known {
		*l = append(*l, slog.Int64(key, c.N))
	}
}

// attrs returns what is logged of a request: no texts, no addresses, and not Report.Unknown, which is what a person has typed.
func (p *Proxy) attrs(r transport.Report) line {
	l := make(line, 0, 16)
	l.text("run", r.Run)
	l.text("api", string(r.API))
	l.text("kind", r.Kind.String())
	l.text("model", r.Model)
	l.number("turn", int64(r.Turn))
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

// done counts and logs any request, once it is answered. Those to models have a line of their own, from report.
func (p *Proxy) done(r *http.Request, x *exchange, took time.Duration) {
	e := endpoint(r)
	level := slog.LevelInfo
	switch {
	case x.to != nil && e.API != "":
		level = slog.LevelDebug
	case x.to == nil && x.status < 400: // our own paths: monitors ask for them all day
		level = slog.LevelDebug
		p.metrics.answered("", wire.KindOther, x.status)
	default:
		p.metrics.answered("", wire.KindOther, x.status)
	}
	p.metrics.duration.WithLabelValues(label(e.API)).Observe(took.Seconds())
	if !p.log.Enabled(context.Background(), level) {
		return
	}
	l := make(line, 0, 6)
	l.text("method", r.Method)
	l.text("path", r.URL.Path)
	l.text("upstream", x.name)
	l = append(l, slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Duration("took", took))
	p.record(level, "answered", l)
}
