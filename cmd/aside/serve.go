package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/proxy"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/runs"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/state"
)

// serveCmd is "aside serve".
type serveCmd struct {
	Listen   string   `default:"127.0.0.1:7717" placeholder:"ADDR" help:"Where to listen (by default 127.0.0.1:7717); port 0 takes a free one. Anything but this machine itself takes --token."`
	AddrFile string   `placeholder:"FILE" help:"Write the address there (host:port) once it listens."`
	Upstream []string `sep:"none" placeholder:"NAME=URL" help:"Where requests go: NAME is anthropic, bedrock, gemini, openai or vertex; a URL alone is for all. By default the vendors' public addresses. Repeatable."`
	rulesFlag
	stateFlag
	Var        varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	Delivery   string   `default:"auto" enum:"auto,native,rules.Anchored,tail" help:"How reminders go out: native (a system message that the API lets lapse), rules.Anchored (repeated in later requests), tail (this once), auto (what the model takes)."`
	ModelTable string   `placeholder:"FILE" help:"What models take, in rows that go before the built-in ones."`
	Window     []string `sep:"none" placeholder:"MODEL=TOKENS" help:"The context window of models whose names begin so; 0 makes it unknown. Repeatable."`

	Token   string `env:"ASIDE_TOKEN" placeholder:"TOKEN" help:"What clients must send in the header X-Aside-Token. Better given in the environment, as ASIDE_TOKEN."`
	MaxBody size   `default:"64MiB" placeholder:"SIZE" help:"The longest body that is read (64MiB); longer ones pass through as they are."`

	Timeout         time.Duration `default:"10m" placeholder:"TIME" help:"How long an upstream may take until it begins to answer (10m); 0 is for ever. The answer itself may take any time."`
	ShutdownTimeout time.Duration `default:"30s" placeholder:"TIME" help:"How long requests may go on after Ctrl-C or SIGTERM (30s). A second one ends at once."`

	Metrics   bool   `default:"true" negatable:"" help:"Answer /metrics (the default)."`
	LogLevel  string `default:"info" enum:"debug,info,warn,error" help:"From which level on to log: debug, info, warn or error."`
	LogFormat string `default:"text" enum:"text,json" help:"How to log, on stderr: text or json."`
}

// Help says how clients are configured.
func (*serveCmd) Help() string {
	return `Stands between agents and the model APIs, puts reminders into requests on their way, and passes everything else through as it is: answers, streams, errors, and requests it does not know. Clients keep their own keys. Point them here:

    ANTHROPIC_BASE_URL=http://127.0.0.1:7717          Claude Code, Anthropic SDKs
    OPENAI_BASE_URL=http://127.0.0.1:7717/v1          Codex, OpenAI SDKs
    GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:7717      Gemini CLI, Google's SDKs

Which API a request is for, its path says. Where it does not (/v1/models, /v1/files), headers do: anthropic-version, x-goog-api-key and the like. A prefix always does, and is taken off: /anthropic/, /bedrock/, /gemini/, /openai/, /vertex/. Where nothing tells, the answer is 404. A plain --upstream URL takes all that no other --upstream names, paths as they are. Requests signed over their address (AWS keys) do not get through a proxy; Bedrock's API keys do.

A run is named by the header X-Aside-Run, else by what the client says of its session, else by how the conversation begins. A person who begins a prompt with /remind NAME fires that reminder by hand.

Its own paths:

    GET  /healthz                       {"status":"ok","rules":3,"version":"…"}; never asks for the token
    GET  /metrics                       for Prometheus
    POST /aside/eval                    the lines of aside eval, or one object
    POST /aside/remind {"run","name"}   fires by hand, on the next turn; without a run in the most recent one
    GET  /aside/runs                    the runs there are, the most recent first
    GET  /aside/why?run=ID&id=ID        the last turn explained, as aside why --json does

With a token they take it as a bearer, too. Without --rules the rules of your home directory are used, never those of a project. Files that change are read again, SIGHUP reads all of them; one with a mistake in it keeps the rules that it had. Logs hold no prompts and no keys.

--model-table is a list, in YAML or JSON: [{"prefix": "my-claude", "system": ["claude"], "clear_at": "", "binds": false, "strips": false, "role": ""}].

Examples:

    aside serve --rules .aside/reminders
    aside serve --upstream openai=http://127.0.0.1:11434 --window qwen=32768
    aside serve --upstream https://NAME.openai.azure.com
    aside serve --listen 127.0.0.1:0 --addr-file addr --log-format json`
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, e *command.Env) error {
	if c.Listen == "" { // Go would listen on all addresses there are
		return command.Usage(`--listen "": not an address such as 127.0.0.1:7717`)
	}
	opts, err := c.options()
	if err != nil {
		return err
	}
	began, sources, err := c.rules(e)
	if err != nil {
		return err
	}
	where, err := c.store(e, &opts)
	if err != nil {
		return err
	}
	opts.Eval = eval.New(began.Set, eval.Options{Store: opts.Store})
	opts.Why = func(ctx context.Context, run, id string) (any, error) {
		return whyOf(ctx, opts.Eval, opts.Store, run, id)
	}
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
	p := proxy.New(opts)
	e.Grace.Store(int64(c.ShutdownTimeout + grace))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	again, quiet := hangups(e, stop)
	defer quiet()
	ready(e, c, opts, l, began, where)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	wg.Go(func() {
		rs := &proxy.Rules{Proxy: p, Sources: sources, Began: began.Result, About: func(ds grammar.Diagnostics) grammar.Diagnostics { ds, _ = rules.WithoutTests(ds); return ds },
			Load: load.Options{Options: compile.Options{Schema: began.Set.Schema()}}}
		rs.Run(ctx, again)
	})
	return p.Serve(ctx, l, c.ShutdownTimeout)
}

// Validate returns an error for flags that make no sense.
func (c *serveCmd) Validate() error {
	host, _, err := net.SplitHostPort(c.Listen)
	if c.Listen == "" { // kong validates before it sets defaults
		return nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("--listen %q: not an address such as 127.0.0.1:7717", c.Listen)
	case !loopback(host) && c.Token == "":
		return fmt.Errorf("--listen %s: other machines could use it: that takes --token (or ASIDE_TOKEN), which clients then send in the header %s", c.Listen, proxy.TokenHeader)
	case strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("--token: printable ASCII without blanks only")
	case c.Timeout < 0 || c.ShutdownTimeout < 0:
		return errors.New("--timeout, --shutdown-timeout: a time is not negative")
	}
	return nil
}

// loopback reports whether only this machine can connect to host.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || host == "localhost"
}

// options returns the proxy's options from the flags. Eval, Store and Why are left to the caller.
func (c *serveCmd) options() (proxy.Options, error) {
	o := proxy.Options{Token: c.Token, Version: command.Version(), Log: c.logger(os.Stderr), NoMetrics: !c.Metrics}
	var err error
	if o.Upstreams, err = proxy.ParseUpstreams(c.Upstream, cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")); err != nil {
		return o, command.Usage("--upstream: %w", err)
	}
	o.Transport = transport.Options{
		Base: proxy.NewBase(c.Timeout), Commands: true, MaxBody: int64(c.MaxBody),
		Delivery: map[string]wire.Delivery{"auto": wire.Auto, "native": wire.Native, "anchored": wire.Anchored, "tail": wire.Tail}[c.Delivery],
	}
	if o.Transport.Windows, err = windows(c.Window); err != nil {
		return o, err
	}
	if c.ModelTable != "" {
		o.Transport.Models, err = modelTable(c.ModelTable)
	}
	return o, err
}

func (c *serveCmd) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // kong lets only valid levels through
	opts := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// rules loads the rules, and returns a function that returns the sources to read them from again. A path of --rules that does not exist
// yet is no error: it is watched.
func (c *serveCmd) rules(e *command.Env) (*rules.Loaded, func() ([]load.Source, error), error) {
	sources := func() ([]load.Source, error) {
		var all []load.Source
		for _, p := range c.Rules {
			found, err := rules.Sources(e, []string{p}, "")
			switch {
			case err == nil:
				all = append(all, found...)
			case errors.Is(err, rules.ErrNoMatch) && p != "":
				all = append(all, load.Source{Path: p})
			default:
				return nil, err
			}
		}
		if len(c.Rules) > 0 {
			return all, nil
		}
		return rules.Sources(e, nil, "")
	}
	schema, err := rules.Schema(c.Var)
	if err != nil {
		return nil, nil, err
	}
	from, err := sources()
	if err != nil {
		return nil, nil, err
	}
	r := &rules.Loaded{Result: load.Load(from, load.Options{Options: compile.Options{Schema: schema}})}
	for _, src := range from {
		r.From = append(r.From, src.Path)
	}
	return r, sources, nil
}

// store opens the store of o, and returns where runs are remembered.
func (c *serveCmd) store(e *command.Env, o *proxy.Options) (where string, err error) {
	o.Store, where, err = runs.Open(e, c.State)
	if err != nil && c.State == "" && e.Home == "" { // without a home directory, runs are remembered for this process only
		where = "memory"
		o.Store, err = runs.Memory()
	}
	return where, err
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
func (c *serveCmd) announce(addr string) error {
	if c.AddrFile == "" {
		return nil
	}
	if fi, err := os.Stat(c.AddrFile); err == nil && !fi.Mode().IsRegular() { // it is removed in the end
		return &fs.PathError{Op: "write", Path: c.AddrFile, Err: errors.New("not a regular file")}
	}
	return atomicfile.Write(c.AddrFile, []byte(addr+"\n"), 0o600)
}

// ready prints what is served, and where. With --log-format json it logs the same, so that all of stderr is JSON.
func ready(e *command.Env, c *serveCmd, o proxy.Options, l net.Listener, r *rules.Loaded, where string) {
	url := "http://" + l.Addr().String()
	if c.LogFormat == "json" {
		o.Log.Info("listening", "url", url, "rules", r.Set.Len(), "state", where)
		for _, d := range r.Diagnostics {
			o.Log.Warn("rule", "file", d.File, "line", d.Range.Start.Line, "column", d.Range.Start.Column, "code", d.Code, "message", d.Message, "hint", d.Hint)
		}
		return
	}
	r.Diagnostics, r.Tests = rules.WithoutTests(r.Diagnostics)
	r.Complain(e)
	for _, p := range r.From {
		if _, err := os.Stat(p); err != nil && len(c.Rules) > 0 {
			e.Note("aside: %s is not there yet", e.Short(p))
		}
	}
	if r.Set.Len() == 0 {
		r.Nothing(e)
	}
	e.Note("aside: listening on %s", url)
	e.Note("aside: %s; runs are remembered in %s", terminal.Count(r.Set.Len(), "reminder"), e.Short(where))
	for _, u := range o.Upstreams.Lines() {
		e.Note("aside: upstream %s", u)
	}
}

// hangups sends to again for each SIGHUP, until quiet is called. Where the terminal on stderr is gone, SIGHUP means that, and stop is
// called instead.
func hangups(e *command.Env, stop func()) (again <-chan struct{}, quiet func()) {
	sigs, ch, done := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
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
			select {
			case ch <- struct{}{}:
			case <-done:
				return
			}
		}
	})
	return ch, func() { signal.Stop(sigs); close(done); wg.Wait() }
}

// whyOf explains a run as "aside why --json" does.
func whyOf(ctx context.Context, ev *eval.Evaluator, store state.Store, run, id string) (any, error) {
	snap, _, err := store.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	ex, err := ev.Explain(ctx, run)
	if err != nil {
		return nil, err
	}
	return whyJSON{Run: run, Turn: snap.Turn(), At: snap.Run().Now().At.UTC(), Reminders: explained(explanationsOf(ex, id))}, nil
}

// explanationsOf returns those of ex that are of one reminder; all where id is "".
func explanationsOf(ex []eval.Explanation, id string) []eval.Explanation {
	var kept []eval.Explanation
	for _, x := range ex {
		if id == "" || x.ID == id {
			kept = append(kept, x)
		}
	}
	return kept
}
