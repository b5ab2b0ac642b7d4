package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// ErrClosed is the error of all that is asked of an Engine after Close, or before Open.
var ErrClosed = errors.New("the engine is not open")

// Options say what an Engine works with. The zero Options are no rules from files, and state in memory.
type Options struct {
	// Dirs are the rule files and directories of rule files, of the lowest precedence first: of reminders with
	// the same id that of the last one counts. Patterns of filepath.Match are taken, too.
	Dirs []string
	// State is the directory of the runs' state, which any number of processes may share. "": Eval.Store has it,
	// or the memory until the process ends.
	State string
	// Facts are the facts of one's own, such as {Name: "vars.tests_green", Type: fact.Bool}.
	Facts []fact.Fact
	// Lenient opens also where a directory is not there or a rule has an error: the others are used, and the log
	// says what is not. A directory that appears later counts from then on.
	Lenient bool
	// Log gets a line for each rule with an error, and for requests that take no reminders; nil is slog.Default.
	Log *slog.Logger

	// Tap receives an Event for each turn and for each request to a model: for metrics, traces and views. It
	// may be called concurrently, and must not block. Package telemetry wraps all Options for OpenTelemetry.
	Tap func(context.Context, Event)

	// Eval has the options of decisions: the clock, a budget.
	Eval eval.Options
	// Transport has the options of requests. Engine.Client replaces its Base by the Transport of its client.
	Transport transport.Options
}

// Event is a turn that was decided and stored (eval.Options.Decided), or a request to a model whose response
// is over or will not come (transport.Options.Report). The other one is nil.
type Event struct {
	Run      string // "": none could be named
	Decision *eval.Decision
	Report   *transport.Report
}

// Engine is rules, the state of runs, and the way of requests. Open makes one.
type Engine struct {
	ev  *eval.Evaluator
	tr  *transport.Transport
	log *slog.Logger
	// ends the work beside the requests
	cancel context.CancelFunc
	work   sync.WaitGroup

	seen sync.Map // of requests, what the log has said already

	mu     sync.Mutex // guards what follows
	closed bool
	rules  *load.Result
	code   map[string]registered // by id
	runs   map[string]*Run       // by name
}

// Open loads the rules, begins to watch them, and opens the state. ctx is for opening alone. A directory that
// is not there is an error that wraps fs.ErrNotExist; mistakes in rules are grammar.Diagnostics, which
// errors.As finds.
func Open(ctx context.Context, opts Options) (*Engine, error) {
	e := &Engine{log: opts.Log, rules: &load.Result{}, code: map[string]registered{}, runs: map[string]*Run{}}
	if e.log == nil {
		e.log = slog.Default()
	}
	schema, err := fact.NewSchema(append([]fact.Fact{e.byFunc()}, opts.Facts...)...)
	if err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	e.rules.Set, _ = compile.New(nil, compile.Options{Schema: schema})
	sources, err := sourcesOf(opts.Dirs, opts.Lenient)
	if err != nil {
		if sources == nil {
			return nil, err
		}
		e.log.Warn("rules that are not there", "err", err)
	}
	if opts.Eval.Store, err = opts.store(); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	decided, report, tap := opts.Eval.Decided, opts.Transport.Report, opts.Tap
	if tap != nil {
		opts.Eval.Decided = func(ctx context.Context, run string, d *eval.Decision) {
			tap(ctx, Event{Run: run, Decision: d})
			if decided != nil {
				decided(ctx, run, d)
			}
		}
	}
	e.ev = eval.New(e.rules.Set, opts.Eval)
	opts.Transport.Report = func(ctx context.Context, r transport.Report) {
		e.note(&r)
		if tap != nil {
			tap(ctx, Event{Run: r.Run, Report: &r})
		}
		if report != nil {
			report(ctx, r)
		}
	}
	e.tr = transport.New(e.ev, opts.Transport)
	if err := e.begin(ctx, opts, sources, schema); err != nil {
		_ = e.Close()
		return nil, err
	}
	return e, nil
}

// store returns the store of the runs; nil is the memory.
func (o *Options) store() (state.Store, error) {
	switch {
	case o.State == "":
		return o.Eval.Store, nil
	case o.Eval.Store != nil:
		return nil, errors.New("it is to be in a directory and in a store")
	}
	store, err := filestore.Open(o.State, filestore.Options{})
	if err == nil {
		err = store.Writable()
	}
	return store, err
}

// begin loads the rules, and begins the work beside the requests.
func (e *Engine) begin(ctx context.Context, opts Options, sources []load.Source, schema *fact.Schema) error {
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e.cancel = cancel
	if s, ok := opts.Eval.Store.(sweeper); ok {
		hourly := time.NewTicker(time.Hour)
		e.work.Go(func() {
			defer hourly.Stop()
			e.sweep(working, s, hourly.C)
		})
	}
	if err := e.watch(ctx, working, sources, schema); err != nil {
		return err
	}
	e.mu.Lock()
	rules := e.rules
	e.mu.Unlock()
	if err := rules.Diagnostics.Err(); err != nil && !opts.Lenient {
		return fmt.Errorf("rules: %w", err)
	}
	e.tell(&load.Result{}, rules)
	return nil
}

// sourcesOf returns the sources of rules. Where some are not there, it returns the error, and the sources
// beside it if lenient is set.
func sourcesOf(dirs []string, lenient bool) (all []load.Source, err error) {
	home, _ := os.UserHomeDir() // "" is no home
	for _, dir := range dirs {
		sources, e := load.Paths(home, dir)
		if e != nil {
			err = errors.Join(err, e)
			sources = append(sources, load.Source{Path: dir, Below: load.Below(home, dir)})
		}
		all = append(all, sources...)
	}
	if err != nil && !lenient {
		return nil, err
	}
	return all, err
}

// sweeper is a store that forgets old runs when it is asked to.
type sweeper interface {
	Sweep(ctx context.Context) (forgotten int, err error)
}

// sweep has the store forget old runs at each tick, until ctx ends.
func (e *Engine) sweep(ctx context.Context, s sweeper, tick <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				e.log.Warn("old runs are not forgotten", "err", err)
			}
		}
	}
}

// watch loads the rules before ctx ends, and goes on to watch them while working.
func (e *Engine) watch(ctx, working context.Context, sources []load.Source, schema *fact.Schema) error {
	if len(sources) == 0 {
		return ctx.Err()
	}
	failed := make(chan error, 1)
	loaded := make(chan struct{})
	opts := load.Options{Options: compile.Options{Schema: schema}}
	e.work.Go(func() {
		failed <- load.Watch(working, sources, opts, func(r *load.Result) {
			before := e.use(r)
			select {
			case <-loaded:
				e.tell(before, r)
			default: // Open does
				close(loaded)
			}
		})
	})
	select {
	case <-loaded:
		return nil
	case err := <-failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// use puts rules of files into use, beside those from code, and returns those that were in use.
func (e *Engine) use(r *load.Result) (before *load.Result) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, e.rules = e.rules, r
	e.reload()
	return before
}

// tell logs what is new of the mistakes in rules.
func (e *Engine) tell(before, r *load.Result) {
	level := map[grammar.Severity]slog.Level{grammar.Error: slog.LevelError, grammar.Warning: slog.LevelWarn}
	for _, d := range r.Diagnostics {
		line := d.String()
		if !slices.ContainsFunc(before.Diagnostics, func(d grammar.Diagnostic) bool { return d.String() == line }) {
			e.log.Log(context.Background(), level[d.Severity], "rule", "diagnostic", line)
		}
	}
	for _, file := range r.Stale {
		if !slices.Contains(before.Stale, file) {
			e.log.Warn("a rule file with errors counts as it was", "file", file)
		}
	}
}

// note logs a request that a reminder could not go into, the first of each kind.
func (e *Engine) note(r *transport.Report) {
	c, why := r.Coverage()
	if c == transport.Passed || c == transport.Held {
		if _, said := e.seen.LoadOrStore(string(c)+" "+why, true); !said {
			e.log.Warn("requests without reminders", "coverage", c, "reason", why, "run", r.Run, "why", r.Why)
		}
	}
	if r.Unknown != "" {
		e.log.Warn("no such reminder", "name", r.Unknown, "run", r.Run)
	}
}

// Close ends the work beside the requests: watching the rules, and forgetting old runs. What is asked of the
// Engine afterwards, of its Runs and by its Clients is ErrClosed. A second Close does nothing.
func (e *Engine) Close() error {
	if e == nil || e.cancel == nil {
		return nil
	}
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel()
	e.work.Wait()
	return nil
}

// open returns nil, or ErrClosed.
func (e *Engine) open() error {
	if e == nil || e.ev == nil {
		return ErrClosed
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return ErrClosed
	}
	return nil
}

// Client returns a client that puts the reminders into requests to model APIs. It is base otherwise; nil is
// http.DefaultClient. Its Transport sends over that of base.
func (e *Engine) Client(base *http.Client) *http.Client {
	c := http.Client{}
	if base != nil {
		c = *base
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	c.Transport = &way{e, c.Transport}
	return &c
}

// way is the http.RoundTripper of a Client.
type way struct {
	e    *Engine
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w *way) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := w.e.open(); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	return w.e.tr.Middleware(r, w.base.RoundTrip)
}

// Evaluator returns the Evaluator that decides, for what the Engine does not say: reminders of one run, a
// text fired at once, decisions without a request. It must not be reloaded. Of an Engine that was never
// opened it is nil.
func (e *Engine) Evaluator() *eval.Evaluator {
	if e == nil {
		return nil
	}
	return e.ev
}

// Transport returns the way of requests, for hosts whose requests take no http.Client (Copy), or sign their
// bodies (Middleware). Of an Engine that was never opened it is nil.
func (e *Engine) Transport() *transport.Transport {
	if e == nil {
		return nil
	}
	return e.tr
}
