package proxy

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/aside-go/aside/internal/near"
)

// ownPath is a path that the proxy answers itself. No vendor has one of them.
type ownPath struct {
	method  string
	path    string
	open    bool // needs no token
	handler func(*Proxy, http.ResponseWriter, *http.Request)
}

// All paths of the proxy's own begin with ownPrefix, but for /healthz and /metrics, which monitors expect there.
const (
	ownPrefix   = "/aside/"
	metricsPath = "/metrics"
)

var ownPaths = []ownPath{
	{http.MethodGet, "/healthz", true, (*Proxy).health},
	{http.MethodGet, metricsPath, false, (*Proxy).scrape},
	{http.MethodPost, ownPrefix + "eval", false, (*Proxy).evaluate},
	{http.MethodPost, ownPrefix + "remind", false, (*Proxy).remind},
	{http.MethodGet, ownPrefix + "runs", false, (*Proxy).runs},
	{http.MethodGet, ownPrefix + "why", false, (*Proxy).why},
}

// own answers r if its path is one of ours.
func (p *Proxy) own(w http.ResponseWriter, r *http.Request) bool {
	i := slices.IndexFunc(ownPaths, func(o ownPath) bool { return o.path == r.URL.Path })
	if i < 0 && !strings.HasPrefix(r.URL.Path, ownPrefix) || r.URL.Path == metricsPath && p.opts.NoMetrics {
		return false
	}
	switch {
	case (i < 0 || !ownPaths[i].open) && !p.mayAsk(r):
		if p.opts.Token == "" {
			p.fail(w, r, http.StatusForbidden, "this path is for programs of this machine")
			break
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		p.fail(w, r, http.StatusUnauthorized, "this path asks for the token, in the header "+TokenHeader+" or as a bearer")
	case i < 0:
		var paths []string
		for _, o := range ownPaths {
			paths = append(paths, o.method+" "+o.path)
		}
		p.fail(w, r, http.StatusNotFound, "no such path"+near.Hint("; ", r.Method+" "+clip(r.URL.Path), paths)+"; there are "+strings.Join(paths, ", "))
	case r.Method != ownPaths[i].method && !(r.Method == http.MethodHead && ownPaths[i].method == http.MethodGet):
		w.Header().Set("Allow", ownPaths[i].method)
		p.fail(w, r, http.StatusMethodNotAllowed, "this path takes "+ownPaths[i].method)
	default:
		ownPaths[i].handler(p, w, r)
	}
	return true
}

// mayAsk reports whether r may use the proxy's own paths: with a token, whoever shows it. Without one the proxy listens on loopback
// only, and what must be kept out is a web page open in a browser of this machine, be it by a cross-origin request or under a host
// name that the page's owner points to loopback (DNS rebinding).
func (p *Proxy) mayAsk(r *http.Request) bool {
	if p.opts.Token != "" {
		scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		return p.admitted(r) || strings.EqualFold(scheme, "Bearer") && same(bearer, p.opts.Token)
	}
	return p.origin.Check(r) == nil && local(r.Host)
}

// local reports whether a Host header names this machine.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return a.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// health is GET /healthz: the proxy runs, and with how many rules.
func (p *Proxy) health(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, struct {
		Status  string `json:"status"`
		Rules   int    `json:"rules"`
		Version string `json:"version"`
	}{"ok", p.opts.Eval.Set().Len(), p.opts.Version})
}

// scrape is GET /metrics.
func (p *Proxy) scrape(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(p.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}
