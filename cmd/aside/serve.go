package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/serve"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// serveCmd is "aside serve".
type serveCmd struct{ serve.Flags }

// Validate returns an error for flags that make no sense.
func (c *serveCmd) Validate() error { return c.Flags.Validate(false) }

// Run serves until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, e *command.Env) error {
	s, err := serve.New(e, &c.Flags)
	if err != nil {
		return err
	}
	s.Handlers = func(*eval.Evaluator, state.Store, func(error)) []proxy.Handler {
		return []proxy.Handler{elsewhere{}}
	}
	return s.Run(ctx)
}

// elsewhere answers the paths that asided serve has, and that this program had once.
type elsewhere struct{}

// Owns implements proxy.Handler.
func (elsewhere) Owns(r *http.Request) bool {
	p := r.URL.Path
	return p == "/metrics" || p == "/v1/openapi.json" || p == "/v1/runs" || strings.HasPrefix(p, "/v1/runs/")
}

// ServeHTTP implements http.Handler.
func (elsewhere) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "the evaluation API and metrics are those of asided serve, which takes the same flags",
		http.StatusNotFound)
}

// service are the flags and commands that asided has alone.
var service = map[string][]string{
	"serve": {"bundle", "bundle-key", "bundle-interval", "bundle-stale", "bundle-token-file", "bundle-dir",
		"tokens", "rate", "max-requests", "drain", "metrics"},
	"bundle build":  {"out", "name", "revision", "rollout", "base", "replaces", "expires", "var"},
	"bundle pull":   {"to", "key", "token-file", "var"},
	"bundle push":   {"token-file"},
	"bundle sign":   {"key"},
	"bundle verify": {"pub", "var"},
	"rules list":    {"state", "json"},
	"state migrate": {"state", "to"},
	"rules off":     {"state", "rules", "by", "why"},
	"rules on":      {"state", "rules", "by", "why"},
	"rules shadow":  {"state", "rules", "by", "why"},
}
