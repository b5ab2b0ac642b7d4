package proxy

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/inspector"
	"github.com/aside-go/aside/cmd/internal/service"
)

// The paths of the proxy's own beside those of packages service and inspector. Monitors expect them there.
const (
	livePath    = "/livez"
	readyPath   = "/readyz"
	metricsPath = "/metrics"
)

// answerOwn answers r if its path is one of ours. No vendor has such a path.
func (p *Proxy) answerOwn(w *response, r *http.Request) bool {
	var serve func(http.ResponseWriter, *http.Request)
	switch path := r.URL.Path; {
	case service.Owns(path):
		w.own = true
		p.service.ServeHTTP(w, r)
		return true
	case p.opts.Inspector != nil && inspector.Owns(r):
		w.own = true
		p.opts.Inspector.ServeHTTP(w, r)
		return true
	case path == livePath:
		serve = p.live
	case path == readyPath:
		serve = p.ready
	case path == metricsPath && !p.opts.NoMetrics:
		serve = p.scrape
	default:
		return false
	}
	w.own = true
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		service.NoMethod(w)
		return true
	}
	serve(w, r)
	return true
}

// scrape is GET /metrics.
func (p *Proxy) scrape(w http.ResponseWriter, r *http.Request) {
	leave, refused := p.opts.Guard.Admit(r, access.Read)
	if refused != nil {
		service.Refuse(w, refused)
		return
	}
	defer leave()
	promhttp.HandlerFor(p.metrics, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}
