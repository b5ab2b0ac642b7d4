package inspector

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/webpage"
	"github.com/aside-go/aside/cmd/internal/why"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// Options say how an Inspector works. Guard must be set.
type Options struct {
	Guard *access.Guard
	// Keep is how long the words of turns are kept in memory; 0: they are not kept.
	Keep time.Duration
	// Coverage returns in lines what became of the requests that have called a model; nil: nobody knows.
	Coverage func() []string
	Now      func() time.Time // nil: time.Now
	// After calls a func after a time; nil: time.AfterFunc does.
	After func(time.Duration, func())
}

// Inspector is the http.Handler of the page and of what it asks for, and writes down what it shows. Create
// one with New.
type Inspector struct {
	guard   *access.Guard
	covered func() []string
	eval    *eval.Evaluator
	store   state.Store
	record  *record
	streams atomic.Int32
	closing sync.Once
	closed  chan struct{}
}

// New returns an Inspector that has seen nothing yet.
func New(o Options) *Inspector { return within(o, usual()) }

func within(o Options, l limits) *Inspector {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = func(d time.Duration, do func()) { time.AfterFunc(d, do) }
	}
	if o.Coverage == nil {
		o.Coverage = func() []string { return nil }
	}
	return &Inspector{guard: o.Guard, covered: o.Coverage, record: newRecord(o, l), closed: make(chan struct{})}
}

// Attach says whose runs the page explains and fires reminders in: those of an evaluator, which has its store
// and whose Decided is that of x. It is called once, before the first request.
func (x *Inspector) Attach(ev *eval.Evaluator, s state.Store) { x.eval, x.store = ev, s }

// Close ends the streams of events. What is asked for later is still answered.
func (x *Inspector) Close() { x.closing.Do(func() { close(x.closed) }) }

// The paths of the page's own. No vendor has such a path.
const (
	prefix       = "/aside/"
	stylePath    = prefix + "inspector.css"
	scriptPath   = prefix + "inspector.js"
	runsPath     = prefix + "runs/"
	playPath     = prefix + "play/"
	saidPath     = prefix + "said/"
	whyPath      = prefix + "why/"
	firePath     = prefix + "fire/"
	eventsPath   = prefix + "events"
	coveragePath = prefix + "coverage"
)

// Owns reports whether a request is for the Inspector: one of its own paths, or / as a browser asks for a
// page.
func (*Inspector) Owns(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, prefix) ||
		r.URL.Path == "/" && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// The page. It loads its own style and script, and asks this server alone; nothing in it is markup but the
// file.
var (
	//go:embed asset/inspector.html
	frame string
	//go:embed asset/inspector.css
	style string
	//go:embed asset/inspector.js
	script string
	//go:embed asset/extend.js
	extend string

	html = sync.OnceValue(func() string {
		return strings.NewReplacer("{{timeline}}", webpage.Asset("timeline.html"),
			"{{firings}}", webpage.Asset("firings.html")).Replace(frame)
	})
	css = sync.OnceValue(func() string { return webpage.Style() + webpage.Asset("findings.css") + style })
	js  = sync.OnceValue(func() string {
		return webpage.Asset("aside-reminder.js") + webpage.Script(webpage.Asset("findings.js"), extend, script)
	})
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types 'none'"

// ServeHTTP implements http.Handler.
func (x *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	path := r.URL.EscapedPath()
	method, scope := http.MethodGet, access.Read
	switch {
	case strings.HasPrefix(path, playPath):
		method = http.MethodPost
	case strings.HasPrefix(path, firePath):
		method, scope = http.MethodPost, access.Remind
	}
	if r.Method != method {
		h.Set("Allow", method)
		http.Error(w, "this path takes "+method, http.StatusMethodNotAllowed)
		return
	}
	switch path { // what says nothing of runs; the page asks for the token
	case "/":
		file(w, "text/html", html())
		return
	case stylePath:
		file(w, "text/css", css())
		return
	case scriptPath:
		file(w, "text/javascript", js())
		return
	}
	leave, refused := x.guard.Admit(r, scope)
	if refused != nil {
		refused.Set(h)
		http.Error(w, refused.Why, refused.Status)
		return
	}
	if path == eventsPath {
		leave() // it goes on for hours, and keeps no request from being answered
		x.events(w, r)
		return
	}
	defer leave()
	if path == coveragePath {
		answer(w, x.covered(), true)
	} else if run, ok := runOf(path, playPath); ok {
		x.play(w, r, run)
	} else if run, ok := runOf(path, whyPath); ok {
		last, err := why.Of(r.Context(), x.eval, x.store, run, "")
		answer(w, struct {
			*why.Answer
			Never map[string]string `json:"never"` // by reminder, why it has not fired on any turn that is kept
		}{last, x.record.never(r.Context(), run)}, err == nil)
	} else if run, id, ok := reminderOf(path); ok {
		x.fire(w, r, run, id)
	} else if run, ok := runOf(path, runsPath); ok {
		shown, _ := x.record.show(run, seenFrom(r.URL.Query())) // null: it is not kept
		answer(w, shown, true)
	} else if run, ok := runOf(path, saidPath); ok {
		from, _ := strconv.Atoi(r.URL.Query().Get("from")) // anything else is the beginning
		said, known := x.record.saidFrom(run, from)
		answer(w, said, known)
	} else {
		http.NotFound(w, r)
	}
}

// runOf returns the run that an escaped path names behind a prefix.
func runOf(path, prefix string) (run string, ok bool) {
	if run, ok = strings.CutPrefix(path, prefix); !ok {
		return "", false
	}
	run, err := url.PathUnescape(run)
	return run, err == nil
}

// reminderOf returns the run and the reminder that an escaped path of firePath names.
func reminderOf(path string) (run, id string, ok bool) {
	run, id, ok = strings.Cut(strings.TrimPrefix(path, firePath), "/")
	if !ok || !strings.HasPrefix(path, firePath) {
		return "", "", false
	}
	run, no := url.PathUnescape(run)
	id, wrong := url.PathUnescape(id)
	return run, id, no == nil && wrong == nil
}

// fire is POST /aside/fire/{run}/{id}: the reminder goes out with the next turn of the run.
func (x *Inspector) fire(w http.ResponseWriter, r *http.Request, run, id string) {
	snap, _, err := x.store.Load(r.Context(), run)
	if err == nil && snap != nil {
		err = x.eval.Remind(r.Context(), run, id)
	}
	var unknown *eval.UnknownError
	switch {
	case err == nil && snap == nil:
		http.Error(w, "there is no such run", http.StatusNotFound)
	case errors.As(err, &unknown):
		http.Error(w, unknown.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, "the state of the run cannot be read or written", http.StatusServiceUnavailable)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// maxRule is how long a rule that somebody types may be, in bytes, and patience how long it may be played.
const (
	maxRule  = 64 << 10
	patience = 5 * time.Second
)

// play is POST /aside/play/{run}: the body is a rule file.
func (x *Inspector) play(w http.ResponseWriter, r *http.Request, run string) {
	rule, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRule))
	if err != nil {
		http.Error(w, "the rule is too long, or did not come", http.StatusRequestEntityTooLarge)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	played, known, err := x.record.play(ctx, run, string(rule))
	if errors.Is(err, context.DeadlineExceeded) {
		http.Error(w, "playing the rule took too long", http.StatusServiceUnavailable)
		return
	}
	if err != nil {
		http.Error(w, "the rule could not be played over these turns", http.StatusUnprocessableEntity)
		return
	}
	answer(w, played, known)
}

func answer(w http.ResponseWriter, v any, known bool) {
	if !known {
		http.Error(w, "no such run is kept", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // an error means that the browser is gone
}

func file(w http.ResponseWriter, kind, text string) {
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	_, _ = io.WriteString(w, text)
}
