package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/aside-go/aside/cmd/asided/internal/control"
	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/metrics"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/serve"
	"github.com/aside-go/aside/cmd/internal/service"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

// serveCmd is "asided serve".
type serveCmd struct {
	serve.Flags
	bundleFlags

	Tokens      string  `placeholder:"FILE" help:"Tokens with scopes, in place of --token: a line for each with a name, scopes (proxy, decide, remind, read, admin) with commas between them, and the secret or sha256: and its hash. The file is read again when it changes."`
	Rate        float64 `placeholder:"N" help:"How many requests a second a token may make; more get status 429. By default any number."`
	MaxRequests int     `placeholder:"N" help:"How many requests are answered at once; more get status 503. By default any number."`

	Drain   time.Duration `placeholder:"TIME" help:"After SIGTERM, how long requests are still taken while /readyz sends them elsewhere. By default none is."`
	Metrics bool          `default:"true" negatable:"" help:"Answer /metrics (the default)."`
}

// Validate returns an error for flags that make no sense.
func (c *serveCmd) Validate() error {
	switch {
	case c.Token != "" && c.Tokens != "":
		return errors.New("--token (or ASIDE_TOKEN) beside --tokens: give one of them")
	case c.Drain < 0:
		return errors.New("--drain: a time is not negative")
	case c.Rate < 0 || c.MaxRequests < 0:
		return errors.New("--rate, --max-requests: a number is not negative")
	}
	return errors.Join(c.Flags.Validate(c.Tokens != ""), c.bundleFlags.check(&c.Flags))
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, e *command.Env) error {
	counted, open := metrics.New(), e.Databases
	e.Databases = func(url string, keep time.Duration) (state.Store, string, error) {
		store, shown, err := open(url, keep)
		return counted.Timed(store), shown, err
	}
	s, err := serve.New(e, &c.Flags)
	if err != nil {
		return err
	}
	if s.Proxy.Guard, err = c.guard(); err != nil {
		return err
	}
	s.Proxy.Drain = c.Drain
	follow, revisions := &control.Follower{Log: s.Proxy.Log}, &control.Revisions{}
	s.Beside = append(s.Beside, func(ctx context.Context, again <-chan struct{}) {
		noteVersion(ctx, e, follow.Store)
		follow.Run(ctx, again)
	})
	s.Proxy.Meter, s.Decided = counted, append(s.Decided, counted.Decided)
	s.Handlers = func(ev *eval.Evaluator, store state.Store, told func(error)) []proxy.Handler {
		follow.Eval, follow.Store, revisions.Store = ev, store, store
		follow.Read(ctx)
		for _, to := range []control.State{control.Off, control.Shadow} {
			counted.Switched(string(to), func() int { rules, _ := follow.Switched(); return rules[to] })
		}
		counted.Digest(ev.Digest)
		all := []proxy.Handler{service.New(service.Options{Eval: ev, Store: store, Guard: s.Proxy.Guard,
			Place: s.Proxy.Transport.Place, State: told})}
		if c.Metrics {
			all = append(all, metrics.Handler{Metrics: counted, Guard: s.Proxy.Guard})
		}
		return all
	}
	s.Proxy.Checks = map[string]func(context.Context) proxy.Check{"switches": func(context.Context) proxy.Check {
		rules, known := follow.Switched()
		if !known {
			return proxy.Check{Why: "which rules are switched cannot be read; they stay as they are", Detail: rules}
		}
		return proxy.Check{OK: true, Detail: rules}
	}}
	if c.Bundle != "" {
		rules, err := c.bundleFlags.rules(e, &c.Flags, s.Proxy.Log, revisions)
		if err != nil {
			return err
		}
		counted.MustRegister(rules.node)
		s.Rules, s.Proxy.Checks["rules"] = rules, rules.check
	}
	if c.Tokens != "" {
		s.Proxy.Checks["tokens"] = func(context.Context) proxy.Check {
			if s.Proxy.Guard.Fault() != "" {
				return proxy.Check{Why: "the file of tokens cannot be read; those before stay in use"}
			}
			return proxy.Check{OK: true}
		}
		s.Beside = append(s.Beside, func(ctx context.Context, again <-chan struct{}) {
			s.Proxy.Guard.Follow(ctx, c.Tokens, again, s.Proxy.Log)
		})
	}
	var exports exporting
	if err := exports.begin(ctx, s, counted); err != nil {
		return err
	}
	defer exports.end(s.Proxy.Log, (c.ShutdownTimeout+serve.Grace)/2)
	return s.Run(ctx)
}

// noteVersion tells a person whose database has an old version that "asided state migrate" saves rows.
func noteVersion(ctx context.Context, e *command.Env, store state.Store) {
	database, ok := store.(readset.Finder)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := database.Find(ctx, 0, 0); errors.Is(err, errors.ErrUnsupported) {
		e.Note("aside: runs without names leave a row for each answer; \"asided state migrate\" ends that, once " +
			"no process here is older")
	}
}

// guard returns who may ask for what.
func (c *serveCmd) guard() (*access.Guard, error) {
	tokens, err := access.Single(c.Token), error(nil)
	if c.Tokens != "" {
		tokens, err = access.Load(c.Tokens)
		if unread := (*fs.PathError)(nil); errors.As(err, &unread) {
			return nil, err
		}
		if err != nil {
			return nil, command.No("--tokens %w", err)
		}
	}
	return access.New(tokens, access.Limits{Hosts: c.AllowHost, Rate: c.Rate, AtOnce: c.MaxRequests}), nil
}
