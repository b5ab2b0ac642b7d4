package inspector

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net/http"
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
	mux     *http.ServeMux
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
	x := &Inspector{guard: o.Guard, covered: o.Coverage, record: newRecord(o, l), closed: make(chan struct{})}
	x.mux = x.routes()
	return x
}

// Attach says whose runs the page explains and fires reminders in: those of an evaluator, which has its store
// and whose Decided is that of x. It is called once, before the first request.
func (x *Inspector) Attach(ev *eval.Evaluator, s state.Store) { x.eval, x.store = ev, s }

// Close ends the streams of events. What is asked for later is still answered.
func (x *Inspector) Close() { x.closing.Do(func() { close(x.closed) }) }

// prefix is that of the page's own paths. No vendor has such a path.
const prefix = "/aside/"

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
	x.mux.ServeHTTP(w, r)
}

// routes are the paths of the page. The page itself says nothing of runs, and asks for the token.
func (x *Inspector) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for path, f := range map[string]struct {
		kind string
		text func() string
	}{"/{$}": {"text/html", html}, prefix + "inspector.css": {"text/css", css},
		prefix + "inspector.js": {"text/javascript", js}} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { file(w, f.kind, f.text()) })
	}
	on := func(pattern string, scope access.Scope, do func(w http.ResponseWriter, r *http.Request, run string)) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+prefix+path, func(w http.ResponseWriter, r *http.Request) {
			leave, refused := x.guard.Admit(r, scope)
			if refused != nil {
				refused.Set(w.Header())
				http.Error(w, refused.Why, refused.Status)
				return
			}
			if path == "events" {
				leave() // it goes on for hours, and keeps no request from being answered
			} else {
				defer leave()
			}
			do(w, r, r.PathValue("run"))
		})
	}
	on("GET events", access.Read, x.events)
	on("GET coverage", access.Read, func(w http.ResponseWriter, _ *http.Request, _ string) {
		answer(w, x.covered(), true)
	})
	on("GET runs/{run}", access.Read, func(w http.ResponseWriter, r *http.Request, run string) {
		shown, _ := x.record.show(run, seenFrom(r.URL.Query())) // null: it is not kept
		answer(w, shown, true)
	})
	on("GET said/{run}", access.Read, func(w http.ResponseWriter, r *http.Request, run string) {
		from, _ := strconv.Atoi(r.URL.Query().Get("from")) // anything else is the beginning
		said, known := x.record.saidFrom(run, from)
		answer(w, said, known)
	})
	on("GET why/{run}", access.Read, func(w http.ResponseWriter, r *http.Request, run string) {
		last, err := why.Of(r.Context(), x.eval, x.store, run, "")
		answer(w, struct {
			*why.Answer
			Never map[string]string `json:"never"` // by reminder, why it has not fired on any turn that is kept
		}{last, x.record.never(r.Context(), run)}, err == nil)
	})
	on("POST play/{run}", access.Read, x.play)
	on("POST fire/{run}/{id}", access.Remind, x.fire)
	return mux
}

// fire is POST /aside/fire/{run}/{id}: the reminder goes out with the next turn of the run.
func (x *Inspector) fire(w http.ResponseWriter, r *http.Request, run string) {
	snap, _, err := x.store.Load(r.Context(), run)
	if err == nil && snap != nil {
		err = x.eval.Remind(r.Context(), run, r.PathValue("id"))
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
