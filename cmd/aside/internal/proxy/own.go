package proxy

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ownPath is a path of the proxy's own. No vendor has one of them.
type ownPath struct {
	method  string
	path    string
	open    bool // it asks for no token
	handler func(*Proxy, http.ResponseWriter, *http.Request)
}

// ownPrefix begins all of them but two that monitors expect elsewhere.
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
		p.fail(w, r, http.StatusNotFound, "no such path"+near(r.Method+" "+clip(r.URL.Path), paths)+"; there are "+strings.Join(paths, ", "))
	case r.Method != ownPaths[i].method && !(r.Method == http.MethodHead && ownPaths[i].method == http.MethodGet):
		w.Header().Set("Allow", ownPaths[i].method)
		p.fail(w, r, http.StatusMethodNotAllowed, "this path takes "+ownPaths[i].method)
	default:
		ownPaths[i].handler(p, w, r)
	}
	return true
}

// mayAsk reports whether r may speak to the proxy itself. With a token, who shows it. Without one the proxy listens on this
// machine alone; then a web page that a browser has open here must not, neither directly nor under a name of its own that
// points here.
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

// health says that the proxy runs, and with how many rules.
func (p *Proxy) health(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, struct {
		Status  string `json:"status"`
		Rules   int    `json:"rules"`
		Version string `json:"version"`
	}{"ok", p.opts.Eval.Set().Len(), p.opts.Version})
}

func (p *Proxy) scrape(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(p.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}
