// Package serve runs the reverse proxy from the flags of "aside serve": it loads the rules and reads them
// again when they change, opens the store, listens, and announces the address.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/aside-go/aside/cmd/aside/internal/access"
	"github.com/aside-go/aside/cmd/aside/internal/bundle"
	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/hook"
	"github.com/aside-go/aside/cmd/aside/internal/inspector"
	"github.com/aside-go/aside/cmd/aside/internal/proxy"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/runs"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/state/filestore"
)

// Options are the flags of serve.
type Options struct {
	Listen   string // an address; only a loopback address goes without Token
	AddrFile string // where to write the address; "": nowhere
	Upstream []string
	Project  string   // the project whose trusted rules are read beside the user's own; "": none
	Rules    []string // files, directories and globs in place of the user's standard directories
	Vars     []string
	Bundle   Bundle // stands in place of Project and Rules
	State    string // the place of the state, as runs.Open takes it
	Sync     string // when what is saved there is made durable: everysec or always

	Delivery   string   // auto, native, anchored or tail
	Neutralise string   // mark or all
	Fail       string   // open or closed
	ModelTable string   // a file
	Window     []string // MODEL=TOKENS

	Token           string
	Tokens          string // a file
	Limits          access.Limits
	MaxBody         int64         // in bytes
	Timeout         time.Duration // until an upstream begins to answer; 0: for ever
	ShutdownTimeout time.Duration
	Drain           time.Duration // while /readyz sends requests elsewhere, before that
	Metrics         bool
	Inspector       bool
	KeepBodies      time.Duration // of the words of turns, for the inspector; 0: none are kept
	LogLevel        string        // debug, info, warn or error
	LogFormat       string        // text or json
}

// grace is how long the end of the process may take beyond ShutdownTimeout.
const grace = 2 * time.Second

// Run serves until it is interrupted.
func Run(ctx context.Context, e *command.Env, c Options) error {
	if c.Listen == "" { // Go would listen on all addresses there are
		return command.Usage(`--listen "": not an address such as 127.0.0.1:7717`)
	}
	opts, err := c.options()
	if err != nil {
		return err
	}
	opts.Metrics = proxy.NewMetrics()
	var p *proxy.Proxy
	var node *bundle.Node
	var began *rules.Loaded
	var files *proxy.Rules
	if c.Bundle.URL != "" {
		node, began, err = c.node(e, opts.Log, func(set *compile.Set, r eval.Rollout) { p.Use(set, r) })
		if err == nil {
			opts.Metrics.MustRegister(node.Collector())
			opts.Checks = map[string]func(context.Context) proxy.Check{"rules": checkBundle(node)}
		}
	} else {
		began, files, err = c.load(e)
	}
	if err != nil {
		return err
	}
	if opts.Transport.Place, err = rules.Place(e, c.Project); err != nil {
		return err
	}
	where, err := c.store(e, &opts)
	if err != nil {
		return err
	}
	var exports exporting
	deciding := eval.Options{Store: opts.Store, Decided: opts.Metrics.Decided}
	if c.Inspector {
		opts.Transport.AllCalls = c.KeepBodies > 0
		opts.Inspector = inspector.New(inspector.Options{Guard: opts.Guard, Keep: c.KeepBodies})
		deciding.Decided = func(ctx context.Context, run string, d *eval.Decision) {
			opts.Metrics.Decided(ctx, run, d)
			opts.Inspector.Decided(ctx, run, d)
		}
	}
	if err := exports.traces(ctx, &opts, &deciding); err != nil {
		return err
	}
	opts.Eval = eval.New(began.Set, deciding)
	l, err := listen(c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := c.announce(l.Addr().String()); err != nil {
		return err
	}
	if c.AddrFile != "" {
		defer os.Remove(c.AddrFile)
	}
	defer tellHooks(e, l.Addr().String(), began.From)()
	p = proxy.New(opts)
	if err := exports.metrics(ctx, opts.Log, opts.Metrics); err != nil {
		return err
	}
	defer exports.end(opts.Log, (c.ShutdownTimeout+grace)/2)
	e.Grace.Store(int64(c.Drain + c.ShutdownTimeout + grace))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	rulesAgain, tokensAgain := make(chan struct{}), make(chan struct{})
	again := []chan struct{}{rulesAgain}
	if c.Tokens != "" {
		again = append(again, tokensAgain)
	}
	quiet := hangups(e, stop, again)
	defer quiet()
	var wait time.Duration
	if node != nil {
		wait = begin(ctx, node)
		began.Set = opts.Eval.Set()
		readyBundle(e, &c, node.State())
	}
	ready(e, &c, opts, l, began, where)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	wg.Go(func() {
		if node != nil {
			node.Run(ctx, wait, rulesAgain)
			return
		}
		files.Proxy = p
		files.Run(ctx, rulesAgain)
	})
	if c.Tokens != "" {
		wg.Go(func() { opts.Guard.Follow(ctx, c.Tokens, tokensAgain, opts.Log) })
	}
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(proxy.GCPercent))
	}
	return p.Serve(ctx, l, c.ShutdownTimeout)
}

// options returns the proxy's options from the flags. Eval and Store are left to the caller.
func (c *Options) options() (proxy.Options, error) {
	o := proxy.Options{Version: command.Version(), Log: c.logger(os.Stderr), NoMetrics: !c.Metrics,
		Drain: c.Drain}
	tokens, err := access.Single(c.Token), error(nil)
	if c.Tokens != "" {
		tokens, err = access.Load(c.Tokens)
		if unread := (*fs.PathError)(nil); errors.As(err, &unread) {
			return o, err
		}
		if err != nil {
			return o, command.No("--tokens %w", err)
		}
	}
	o.Guard = access.New(tokens, c.Limits)
	if o.Upstreams, err = proxy.ParseUpstreams(c.Upstream, cmp.Or(os.Getenv("AWS_REGION"),
		os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")); err != nil {
		return o, command.Usage("--upstream: %w", err)
	}
	o.Transport = transport.Options{
		Base: proxy.NewBase(c.Timeout), Commands: true, MaxBody: c.MaxBody,
		Delivery: map[string]wire.Delivery{"auto": wire.Auto, "native": wire.Native, "anchored": wire.Anchored,
			"tail": wire.Tail}[c.Delivery],
		FailClosed: c.Fail == "closed",
		Neutralise: map[string]inject.Policy{"all": inject.NeutraliseAll}[c.Neutralise],
	}
	if o.Transport.Windows, err = windows(c.Window); err != nil {
		return o, err
	}
	if c.ModelTable != "" {
		o.Transport.Models, err = modelTable(c.ModelTable)
	}
	return o, err
}

func (c *Options) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // kong lets only valid levels through
	opts := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// load loads the rules, and returns what watches them, which lacks its Proxy. A path of --rules that does not
// exist yet is no error: it is watched.
func (c *Options) load(e *command.Env) (*rules.Loaded, *proxy.Rules, error) {
	project := ""
	if c.Project != "" {
		var err error
		if len(c.Rules) > 0 {
			return nil, nil, rules.ErrBoth
		}
		if project, err = rules.Project(e, c.Project); err != nil {
			return nil, nil, err
		}
	}
	sources := func() ([]load.Source, error) {
		var all []load.Source
		for _, p := range c.Rules {
			found, err := rules.Sources(e, []string{p}, "")
			switch {
			case err == nil:
				all = append(all, found...)
			case errors.Is(err, rules.ErrNoMatch) && p != "":
				all = append(all, load.Gated(e.Home, []load.Source{{Path: p}})...)
			default:
				return nil, err
			}
		}
		if len(c.Rules) > 0 {
			return all, nil
		}
		return rules.Sources(e, nil, project)
	}
	config := rules.ProjectConfig(e, project, false)
	schema, err := rules.Schema(e, c.Vars, config)
	if err != nil {
		return nil, nil, err
	}
	from, err := sources()
	if err != nil {
		return nil, nil, err
	}
	opts, err := rules.Options(e, from, schema)
	if err != nil {
		return nil, nil, err
	}
	r := &rules.Loaded{Result: load.Load(from, opts)}
	r.Add(config)
	for _, src := range from {
		r.From = append(r.From, src.Path)
	}
	return r, &proxy.Rules{Sources: sources, Began: r.Result, Load: opts}, nil
}

// store opens the store of o, and returns where runs are remembered.
func (c *Options) store(e *command.Env, o *proxy.Options) (where string, err error) {
	durability := filestore.OnSync
	if c.Sync == "always" {
		durability = filestore.Power
	}
	o.Store, where, err = runs.Open(e, c.State, durability)
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
	if err != nil && c.State == "" && e.Home == "" {
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

// tellHooks lets hooks leave to this process what it says, and returns how they learn of its end. Where there
// is no place for it, they are not told.
func tellHooks(e *command.Env, addr string, rules []string) func() {
	s := hook.Server{Address: addr, Rules: rules}
	if dir, err := e.StateDir(); err == nil {
		if end, err := hook.Announce(dir, s); err == nil {
			return end
		}
	}
	return func() {}
}

// announce writes the address to the file of --addr-file, if there is one, whole or not at all.
func (c *Options) announce(addr string) error {
	if c.AddrFile == "" {
		return nil
	}
	if fi, err := os.Stat(c.AddrFile); err == nil && !fi.Mode().IsRegular() { // it is removed in the end
		return &fs.PathError{Op: "write", Path: c.AddrFile, Err: errors.New("not a regular file")}
	}
	return atomicfile.Write(c.AddrFile, []byte(addr+"\n"), 0o600)
}

// ready prints the rules that are served, and the address. With --log-format json it logs the same, so that
// all of stderr is JSON.
func ready(e *command.Env, c *Options, o proxy.Options, l net.Listener, r *rules.Loaded, where string) {
	url := "http://" + l.Addr().String()
	silent := proxy.Silent(r.Set)
	if c.LogFormat == "json" {
		for _, s := range silent {
			o.Log.Warn("rule fires on no request to a model API", "rule", s.ID, "why", s.Why)
		}
		o.Log.Info("listening", "url", url, "rules", r.Set.Len(), "state", where)
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
		if _, err := os.Stat(p); err != nil && len(c.Rules) > 0 {
			e.Note("aside: %s is not there yet", e.Short(p))
		}
	}
	if r.Set.Len() == 0 && c.Bundle.URL == "" {
		r.Nothing(e)
	}
	for _, s := range silent {
		e.Note("aside: %s fires on no request to a model API: %s", s.ID, s.Why)
	}
	e.Note("aside: listening on %s", url)
	if c.Inspector {
		e.Note("aside: runs can be watched in a browser at %s/", url)
	}
	e.Note("aside: %s; runs are remembered in %s", terminal.Count(r.Set.Len(), "reminder"), e.Short(where))
	for _, u := range o.Upstreams.Lines() {
		e.Note("aside: upstream %s", u)
	}
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
