package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/aside-go/aside/cmd/aside/internal/evaljson"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/near"
)

// ownPath is a path that the proxy answers itself. No vendor has such a path.
type ownPath struct {
	method  string
	path    string
	open    bool // needs no token
	handler func(*Proxy, http.ResponseWriter, *http.Request)
}

// All paths of the proxy's own begin with ownPrefix, but for /healthz and /metrics, which monitors expect
// there.
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
		p.fail(w, r, http.StatusUnauthorized,
			"this path asks for the token, in the header "+TokenHeader+" or as a bearer")
	case i < 0:
		var paths []string
		for _, o := range ownPaths {
			paths = append(paths, o.method+" "+o.path)
		}
		hint := near.Hint("; ", r.Method+" "+clip(r.URL.Path), paths)
		p.fail(w, r, http.StatusNotFound, "no such path"+hint+"; there are "+strings.Join(paths, ", "))
	case r.Method != ownPaths[i].method &&
		!(r.Method == http.MethodHead && ownPaths[i].method == http.MethodGet):
		w.Header().Set("Allow", ownPaths[i].method)
		p.fail(w, r, http.StatusMethodNotAllowed, "this path takes "+ownPaths[i].method)
	default:
		ownPaths[i].handler(p, w, r)
	}
	return true
}

// mayAsk reports whether r may use the proxy's own paths. With a token, everybody may who shows it. Without
// one the proxy listens on loopback only, and must keep out web pages in a browser of this machine:
// cross-origin requests, and requests under a host name that the page's owner points to loopback (DNS
// rebinding).
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
	promhttp.HandlerFor(p.metrics, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// linesType is the media type of a client that sends line by line and waits for the answer to each.
const linesType = "application/x-ndjson"

// evaluate is POST /aside/eval. It answers the lines of "aside eval"; a body of any other media type than
// lines may also be one object on several lines. A line that names no run belongs to a run of this request
// alone.
func (p *Proxy) evaluate(w http.ResponseWriter, r *http.Request) {
	set := p.opts.Eval.Set()
	unnamed := eval.New(set, eval.Options{Clock: p.opts.Now})
	s := evaljson.Server{Eval: p.opts.Eval, Unnamed: unnamed, Schema: set.Schema()}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == linesType || kind == "application/jsonl" {
		rc := http.NewResponseController(w)
		_ = rc.EnableFullDuplex() // HTTP/2 has it
		w.Header().Set("Content-Type", linesType)
		p.served(s.Serve(r.Context(), r.Body, flushed{w, rc}))
		return
	}
	body, ok := p.readBody(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var one bytes.Buffer
	if json.Compact(&one, body) == nil {
		body = one.Bytes()
	} else {
		w.Header().Set("Content-Type", linesType)
	}
	p.served(s.Serve(r.Context(), bytes.NewReader(body), w))
}

// served logs that a client left before its answer.
func (p *Proxy) served(err error) {
	if err != nil {
		p.log.Debug("client gone", "path", ownPrefix+"eval")
	}
}

// flushed sends each answer at once.
type flushed struct {
	io.Writer
	rc *http.ResponseController
}

func (f flushed) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	return n, errors.Join(err, f.rc.Flush())
}

// readBody reads the body of a request to the proxy itself. If that fails, it answers, and ok is false.
func (p *Proxy) readBody(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, evaljson.MaxLine))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		p.fail(w, r, http.StatusRequestEntityTooLarge, "the body is too long")
	case err != nil:
		p.fail(w, r, http.StatusBadRequest, "the body could not be read")
	}
	return body, err == nil
}

// remind is POST /aside/remind {"run","name"}: a reminder goes out on the run's next turn that can carry
// text.
func (p *Proxy) remind(w http.ResponseWriter, r *http.Request) {
	body, ok := p.readBody(w, r)
	if !ok {
		return
	}
	var in struct {
		Run  string `json:"run"`
		Name string `json:"name"`
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if dec.Decode(&in) != nil || in.Name == "" || dec.Decode(&struct{}{}) != io.EOF {
		p.fail(w, r, http.StatusBadRequest, `not an object such as {"run":"…","name":"…"}`)
		return
	}
	run, ok := p.pick(w, r, in.Run)
	if !ok {
		return
	}
	var unknown *eval.UnknownError
	switch err := p.opts.Eval.Remind(r.Context(), run, in.Name); {
	case errors.As(err, &unknown):
		p.missing(w, "there is no reminder of that name", unknown.Suggestions)
		return
	case err != nil:
		p.stateFailed(w, r, err)
		return
	}
	p.log.Info("reminded", "run", clip(run), "reminder", in.Name)
	write(w, http.StatusOK, struct {
		Run  string `json:"run"`
		Name string `json:"name"`
	}{run, in.Name})
}

// missing answers that something does not exist, with the names of things like it that do.
func (p *Proxy) missing(w http.ResponseWriter, message string, names []string) {
	if names == nil {
		names = []string{}
	}
	message = "aside: " + message
	write(w, http.StatusNotFound, map[string]any{
		"type": "error", "message": message,
		"error": map[string]any{"type": "not_found_error", "message": message, "suggestions": names},
	})
}
