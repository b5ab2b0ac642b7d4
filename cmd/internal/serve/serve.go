// Package serve runs the reverse proxy from the flags of serve: it loads the rules and reads them again when
// they change, opens the store, listens, and announces the address. Each program adds to a Server what it has
// beside.
package serve

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/inspector"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// Server is what is about to serve. New returns one that serves as the Flags say; a program that has more
// than they do sets further fields before Run.
type Server struct {
	Env   *command.Env
	Flags *Flags
	// Proxy says how requests are handled. Eval and Store are set by Run, and so are the paths of the inspector.
	Proxy proxy.Options
	// Rules are those that are served; nil: those of files, as the Flags name them.
	Rules Rules
	// Decided are told each decision.
	Decided []func(context.Context, string, *eval.Decision)
	// Evaluator changes the options of the evaluator before it is made; nil: they stay as they are.
	Evaluator func(eval.Options) eval.Options
	// Handlers returns further paths of the server; nil: there are none. They call told after each access to the
	// state of a run, with its error.
	Handlers func(ev *eval.Evaluator, s state.Store, told func(error)) []proxy.Handler
	// Beside are run while it serves. Each SIGHUP sends them a message, after which they read their files again.
	Beside []func(ctx context.Context, again <-chan struct{})
}

// Rules are rules that come from somewhere, and change.
type Rules interface {
	// Load returns those to begin with.
	Load() (*rules.Loaded, error)
	// Begin gets ready before anything is served, and says on stderr which rules there are.
	Begin(context.Context, *proxy.Proxy)
	// Run keeps the rules of the proxy up to date until the context ends. A message on again makes it read all
	// of them again.
	Run(ctx context.Context, again <-chan struct{})
}

// Clients is how the help of serve begins: what it does, and how clients are pointed at it.
//
//go:embed clients.txt
var Clients string

// Grace is how long the end of the process may take beyond ShutdownTimeout.
const Grace = 2 * time.Second

// New returns the Server of some flags.
func New(e *command.Env, f *Flags) (*Server, error) {
	if f.Listen == "" { // Go would listen on all addresses there are
		return nil, command.Usage(`--listen "": not an address such as 127.0.0.1:7717`)
	}
	o, err := f.options()
	return &Server{Env: e, Flags: f, Proxy: o}, err
}

// Run serves until it is interrupted.
func (s *Server) Run(ctx context.Context) error {
	e, f, opts := s.Env, s.Flags, &s.Proxy
	if s.Rules == nil {
		s.Rules = &files{Env: e, flags: f}
	}
	began, err := s.Rules.Load()
	if err != nil {
		return err
	}
	if opts.Transport.Place, err = rules.Place(e, f.Project); err != nil {
		return err
	}
	where, err := f.store(e, opts)
	away := (*command.AwayError)(nil)
	if err != nil && !errors.As(err, &away) {
		return err
	}
	var p *proxy.Proxy
	watch := inspector.New(inspector.Options{Guard: opts.Guard, Keep: f.KeepBodies,
		Coverage: func() []string { return proxy.Summary(p.Coverage()) }})
	if f.Inspector {
		opts.Transport.AllCalls = f.KeepBodies > 0
		s.Decided = append(s.Decided, watch.Decided)
		proxy.Tell(&opts.Transport, watch.Report)
		opts.Draining = watch.Close
	}
	deciding := eval.Options{Store: opts.Store}
	deciding.Decided = func(ctx context.Context, run string, d *eval.Decision) {
		for _, tell := range s.Decided {
			tell(ctx, run, d)
		}
	}
	if s.Evaluator != nil {
		deciding = s.Evaluator(deciding)
	}
	opts.Eval = eval.New(began.Set, deciding)
	if s.Handlers != nil {
		opts.Own = s.Handlers(opts.Eval, opts.Store, func(err error) { p.State(err) })
	}
	if f.Inspector {
		watch.Attach(opts.Eval, opts.Store)
		opts.Own = append(opts.Own, watch)
	}
	l, err := listen(f.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := f.announce(l.Addr().String()); err != nil {
		return err
	}
	if f.AddrFile != "" {
		defer os.Remove(f.AddrFile)
	}
	defer s.besideHooks(l.Addr().String(), began.From)()
	p = proxy.New(*opts)
	e.Grace.Store(int64(opts.Drain + f.ShutdownTimeout + Grace))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	beside := append([]func(context.Context, <-chan struct{}){s.Rules.Run}, s.Beside...)
	again := make([]chan struct{}, len(beside))
	for i := range again {
		again[i] = make(chan struct{})
	}
	if f.UntilStdinEnds {
		go command.Until(e.In, stop)
	}
	signal.Ignore(syscall.SIGPIPE) // requests go on where nobody reads the log any more
	quiet := hangups(e, stop, again)
	defer quiet()
	if away != nil {
		p.State(away)
	}
	s.Rules.Begin(ctx, p)
	began.Set = opts.Eval.Set()
	s.ready(l, began, where)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for i, run := range beside {
		wg.Go(func() { run(ctx, again[i]) })
	}
	wg.Go(func() { keepMemory(ctx) })
	err = p.Serve(ctx, l, f.ShutdownTimeout)
	s.covered(p.Coverage())
	return err
}

// covered tells what became of the requests that called a model.
func (s *Server) covered(list []proxy.Covered) {
	for _, line := range proxy.Summary(list) {
		if s.Flags.LogFormat == "json" {
			s.Proxy.Log.Info("coverage", "what", line)
		} else {
			s.Env.Note("aside: %s", line)
		}
	}
}

// options returns the proxy's options from the flags. Eval and Store are left to the caller.
func (f *Flags) options() (proxy.Options, error) {
	o := proxy.Options{Version: command.Version(), Log: f.logger(os.Stderr),
		Guard: access.New(access.Single(f.Token), access.Limits{Hosts: f.AllowHost})}
	var err error
	if o.Upstreams, err = proxy.ParseUpstreams(f.Upstream, cmp.Or(os.Getenv("AWS_REGION"),
		os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")); err != nil {
		return o, command.Usage("--upstream: %w", err)
	}
	o.Transport = transport.Options{
		Base: proxy.NewBase(f.Timeout), Commands: true, MaxBody: int64(f.MaxBody),
		Delivery: map[string]wire.Delivery{"auto": wire.Auto, "native": wire.Native, "anchored": wire.Anchored,
			"tail": wire.Tail}[f.Delivery],
		FailClosed: f.Fail == "closed",
		Neutralise: map[string]inject.Policy{"all": inject.NeutraliseAll}[f.Neutralise],
	}
	if o.Transport.Windows, err = windows(f.Window); err != nil {
		return o, err
	}
	if f.ModelTable != "" {
		o.Transport.Models, err = modelTable(f.ModelTable)
	}
	return o, err
}

func (f *Flags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.LogLevel)) // kong lets only valid levels through
	opts := &slog.HandlerOptions{Level: level}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// store opens the store of o, and returns where runs are remembered.
func (f *Flags) store(e *command.Env, o *proxy.Options) (where string, err error) {
	durability := filestore.OnSync
	if f.Sync == "always" {
		durability = filestore.Power
	}
	o.Store, where, err = runs.Open(e, f.State, durability)
	if s, ok := o.Store.(*filestore.Store); ok && err == nil {
		err = s.Writable()
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) {
		return "", &command.Error{Code: command.ExitMachine,
			Err: fmt.Errorf("runs cannot be remembered in %s: %w", e.Short(where), root(err)),
			More: []string{"--state DIR names another directory; with --state memory runs are remembered until " +
				"serve ends"}}
	}
	// without a home directory, runs are remembered for this process only
	if err != nil && f.State == "" && e.Home == "" {
		where = "memory"
		o.Store, err = runs.Memory(e)
	}
	return where, err
}

// root returns the innermost error, such as "read-only file system".
func root(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// listen listens on an address.
func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	var op *net.OpError
	var wrong *net.AddrError
	switch {
	case errors.As(err, &wrong):
		return nil, command.Usage("--listen %q: %s", addr, wrong.Err)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &command.Error{Code: command.ExitMachine, Err: fmt.Errorf("%s is in use", addr),
			More: []string{"perhaps by another aside serve; --listen 127.0.0.1:0 takes a free port"}}
	case errors.As(err, &op):
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, op.Err)
	}
	return l, err
}

// announce writes the address to the file of --addr-file, if there is one, whole or not at all.
func (f *Flags) announce(addr string) error {
	if f.AddrFile == "" {
		return nil
	}
	if fi, err := os.Stat(f.AddrFile); err == nil && !fi.Mode().IsRegular() { // it is removed in the end
		return &fs.PathError{Op: "write", Path: f.AddrFile, Err: errors.New("not a regular file")}
	}
	return atomicfile.Write(f.AddrFile, []byte(addr+"\n"), 0o600)
}

// ready prints the rules that are served, and the address. With --log-format json it logs the same, so that
// all of stderr is JSON.
func (s *Server) ready(l net.Listener, r *rules.Loaded, where string) {
	e, f, o := s.Env, s.Flags, &s.Proxy
	url := "http://" + l.Addr().String()
	silent := proxy.Silent(r.Set)
	if f.LogFormat == "json" {
		for _, x := range silent {
			o.Log.Warn("rule fires on no request to a model API", "rule", x.ID, "why", x.Why)
		}
		o.Log.Info("listening", "url", url, "rules", r.Set.Len(), "state", where, "covers", covers())
		for _, d := range r.Diagnostics {
			o.Log.Warn("rule", "file", d.File, "line", d.Range.Start.Line, "column", d.Range.Start.Column, "code",
				d.Code, "message", d.Message, "hint", d.Hint)
		}
		for _, u := range r.Untrusted {
			o.Log.Warn("rule not used", "file", u.Path, "why", u.Why.Error())
		}
		return
	}
	r.Complain(e)
	r.Refused(e)
	for _, p := range r.From {
		if _, err := os.Stat(p); err != nil && len(f.Rules) > 0 {
			e.Note("aside: %s is not there yet", e.Short(p))
		}
	}
	if _, ofFiles := s.Rules.(*files); ofFiles && r.Set.Len() == 0 {
		r.Nothing(e)
	}
	for _, x := range silent {
		e.Note("aside: %s fires on no request to a model API: %s", x.ID, x.Why)
	}
	e.Note("aside: listening on %s", url)
	if f.Inspector {
		e.Note("aside: runs can be watched in a browser at %s/", url)
	}
	e.Note("aside: %s; runs are remembered in %s", terminal.Count(r.Set.Len(), "reminder"), e.Short(where))
	for _, u := range o.Upstreams.Lines() {
		e.Note("aside: upstream %s", u)
	}
	e.Note("aside: reminders go into %s; other requests to models pass as they came, and are named here",
		strings.Join(covers(), ", "))
}

// covers are the APIs of vendors whose requests take reminders.
func covers() (names []string) {
	for _, a := range wire.APIs() {
		if a != wire.Messages {
			names = append(names, string(a))
		}
	}
	return names
}

// hangups sends to each of again for each SIGHUP, until quiet is called. Where the terminal on stderr is
// gone, SIGHUP means that, and stop is called instead.
func hangups(e *command.Env, stop func(), again []chan struct{}) (quiet func()) {
	sigs, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(sigs, syscall.SIGHUP)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-sigs:
			}
			if e.ErrTTY && !term.IsTerminal(int(os.Stderr.Fd())) {
				stop()
				return
			}
			for _, ch := range again {
				select {
				case ch <- struct{}{}:
				case <-done:
					return
				}
			}
		}
	})
	return func() { signal.Stop(sigs); close(done); wg.Wait() }
}
