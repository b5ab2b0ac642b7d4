package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/aside-go/aside/cmd/asided/internal/bundle"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/serve"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
)

// firstCheck is how long serve waits for the server of the rules before it listens.
const firstCheck = 10 * time.Second

// bundleFlags are the flags about rules from a server.
type bundleFlags struct {
	Bundle          string        `placeholder:"URL" help:"Take the rules from a bundle on a server (asided help bundles), in place of files."`
	BundleKey       []string      `sep:"none" placeholder:"FILE" help:"With --bundle: a public key, in PEM, that may have signed it. Repeatable; read again for each bundle."`
	BundleInterval  time.Duration `default:"1m" placeholder:"TIME" help:"How often to look for another bundle (1m)."`
	BundleStale     time.Duration `default:"15m" placeholder:"TIME" help:"From which age on, since the server last confirmed them, rules count as stale (15m). They stay in use."`
	BundleTokenFile string        `placeholder:"FILE" help:"The bearer token for that server; by default that of ASIDE_BUNDLE_TOKEN."`
	BundleDir       string        `placeholder:"DIR" help:"Where the last good bundle is kept for the next start; by default with the state of this user."`
}

// check returns an error for flags that make no sense.
func (b *bundleFlags) check(f *serve.Flags) error {
	switch {
	case f.Listen == "": // before the defaults are set
		return nil
	case b.Bundle != "" && (len(f.Rules) > 0 || f.Project != ""):
		return errors.New("--bundle stands in place of --rules and --project: give one of them")
	case (b.Bundle != "") != (len(b.BundleKey) > 0):
		return errors.New("--bundle and --bundle-key go together: no bundle is used that nobody has signed")
	case b.BundleInterval < time.Second || b.BundleStale < b.BundleInterval:
		return errors.New("--bundle-interval is a second or more, and --bundle-stale no less than that")
	}
	return nil
}

// bundled are the rules of a bundle. They implement serve.Rules.
type bundled struct {
	env   *command.Env
	flags *bundleFlags
	node  *bundle.Node
	opts  load.Options
	proxy *proxy.Proxy
	wait  time.Duration // until the server is asked again
}

// rules returns the rules of the bundle that the flags name.
func (b *bundleFlags) rules(e *command.Env, f *serve.Flags, log *slog.Logger,
	revisions bundle.Revisions) (*bundled, error) {
	r := &bundled{env: e, flags: b}
	var err error
	if r.opts.Schema, err = rules.Schema(e, f.Var); err != nil {
		return nil, err
	}
	dir := b.BundleDir
	if dir == "" {
		if dir, err = e.StateDir(); err == nil {
			sum := sha256.Sum256([]byte(b.Bundle))
			dir = filepath.Join(dir, "bundles", hex.EncodeToString(sum[:8]))
		}
	}
	r.node, err = bundle.NewNode(bundle.NodeOptions{
		Server: bundle.Server{URL: b.Bundle, TokenFile: b.BundleTokenFile}, Keys: b.BundleKey, Load: r.opts,
		Dir: dir, Revisions: revisions,
		Interval: b.BundleInterval, Stale: b.BundleStale, Log: log,
		Use: func(got *bundle.Rules) {
			got.Put(func(res *load.Result, ro eval.Rollout) { r.proxy.Use(res.Set, ro) })
		},
	})
	return r, err
}

// Load implements serve.Rules: there are none yet.
func (r *bundled) Load() (*rules.Loaded, error) {
	return &rules.Loaded{Result: load.Given(nil, r.opts)}, nil
}

// Begin implements serve.Rules: it takes the rules that were kept, then those of the server, if that answers
// soon.
func (r *bundled) Begin(ctx context.Context, p *proxy.Proxy) {
	r.proxy = p
	r.node.Restore()
	ctx, cancel := context.WithTimeout(ctx, firstCheck)
	defer cancel()
	r.wait = r.node.Check(ctx)
	switch s := r.node.State(); {
	case s.Name == "":
		r.env.Note("aside: no rules yet from %s: %s", r.flags.Bundle, s.Error)
	case !s.Checked:
		r.env.Note("aside: rules as they were kept: %s revision %d, digest %s; %s", s.Name, s.Revision,
			s.Digest, s.Error)
	default:
		r.env.Note("aside: rules of %s revision %d, digest %s", s.Name, s.Revision, s.Digest)
	}
}

// Run implements serve.Rules.
func (r *bundled) Run(ctx context.Context, again <-chan struct{}) { r.node.Run(ctx, r.wait, again) }

// check is the check of the rules for /readyz. Only a node that never had rules sends requests away.
func (r *bundled) check(context.Context) proxy.Check {
	s := r.node.State()
	c := proxy.Check{OK: s.Name != "" && !s.Stale && s.Error == "", Detail: s, Needed: s.Name == ""}
	switch {
	case c.OK:
	case s.Name == "":
		c.Why = "there are no rules yet: " + s.Error
	default:
		c.Why = fmt.Sprintf("the rules are as the server confirmed them %s ago: %s",
			time.Duration(s.Age*float64(time.Second)).Round(time.Second), cmp.Or(s.Error, "they count as stale"))
	}
	return c
}
