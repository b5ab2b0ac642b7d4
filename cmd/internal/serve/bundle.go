package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/aside-go/aside/cmd/internal/bundle"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
)

// Bundle are the flags about rules from a server.
type Bundle struct {
	URL       string   // "": rules come from files
	Keys      []string // files
	TokenFile string
	Dir       string // "": a directory with the state of the user
	Interval  time.Duration
	Stale     time.Duration
}

// firstCheck is how long serve waits for the server of the rules before it listens.
const firstCheck = 10 * time.Second

// node returns the node that hands its rules to use, and the rules to begin with, which are none.
func (c *Options) node(e *command.Env, log *slog.Logger, use func(*compile.Set, eval.Rollout)) (*bundle.Node,
	*rules.Loaded, error) {
	b := c.Bundle
	var opts load.Options
	var err error
	if opts.Schema, err = rules.Schema(e, c.Vars); err != nil {
		return nil, nil, err
	}
	dir := b.Dir
	if dir == "" {
		if dir, err = e.StateDir(); err == nil {
			sum := sha256.Sum256([]byte(b.URL))
			dir = filepath.Join(dir, "bundles", hex.EncodeToString(sum[:8]))
		}
	}
	n, err := bundle.NewNode(bundle.NodeOptions{
		Server: bundle.Server{URL: b.URL, TokenFile: b.TokenFile}, Keys: b.Keys, Load: opts, Dir: dir,
		Interval: b.Interval, Stale: b.Stale, Log: log,
		Use: func(r *bundle.Rules) { r.Put(func(res *load.Result, ro eval.Rollout) { use(res.Set, ro) }) },
	})
	return n, &rules.Loaded{Result: load.Given(nil, opts)}, err
}

// begin takes the rules that were kept, then those of the server, if that answers soon. It returns when to
// ask the server again.
func begin(ctx context.Context, n *bundle.Node) time.Duration {
	n.Restore()
	ctx, cancel := context.WithTimeout(ctx, firstCheck)
	defer cancel()
	return n.Check(ctx)
}

// checkBundle returns the check of the rules for /readyz. Only a node that never had rules sends requests
// away.
func checkBundle(n *bundle.Node) func(context.Context) proxy.Check {
	return func(context.Context) proxy.Check {
		s := n.State()
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
}

// readyBundle prints which rules are served.
func readyBundle(e *command.Env, c *Options, s bundle.State) {
	switch {
	case s.Name == "":
		e.Note("aside: no rules yet from %s: %s", c.Bundle.URL, s.Error)
	case !s.Checked:
		e.Note("aside: rules as they were kept: %s revision %d, digest %s; %s", s.Name, s.Revision,
			s.Digest, s.Error)
	default:
		e.Note("aside: rules of %s revision %d, digest %s", s.Name, s.Revision, s.Digest)
	}
}
