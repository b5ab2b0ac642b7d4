package scene

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/transport/adapters"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// Way is a way from a client to a fake, by "aside serve" or by an adapter. What the client sends and what the
// fake gets are recorded.
type Way struct {
	URL    string
	Client *http.Client // of Direct
	fake   *modelapi.Fake
	opts   Options
	inside bool // the client puts the texts in, so that nobody sees its requests without

	logs []*bytes.Buffer // of "aside serve"

	mu    sync.Mutex
	asked []modelapi.Request // as the client sent them
	runs  []string           // of these, from their contexts
}

// open starts the fake. Where the client tries again, the third request fails.
func (w *Way) open(t *testing.T) (api string) {
	t.Helper()
	o := modelapi.Options{Script: w.opts.script()}
	if w.opts.Retries {
		o.Faults = map[int]modelapi.Fault{3: {Status: 500}}
	}
	w.fake = modelapi.New(o)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Retry-After-Ms", "1") // so that no client waits
		w.fake.ServeHTTP(rw, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// numbered is the header that says which of the client's requests it is, from 0.
const numbered = "X-Scene-Request"

// note records a request of a run, whose body can be read again.
func (w *Way) note(r *http.Request, run string) error {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, modelapi.Request{Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: b})
	w.runs = append(w.runs, run)
	r.Header.Set(numbered, strconv.Itoa(len(w.runs)-1))
	return nil
}

// Serve opens a way by "aside serve", whose state is on the disk, as by default.
func Serve(t *testing.T, opts Options) *Way {
	t.Helper()
	w := &Way{opts: opts}
	api, dir := w.open(t), t.TempDir()
	if opts.Cuts {
		t.Cleanup(func() { w.covered(t) }) // when the programs have ended
	}
	var to []*url.URL
	for range min(opts.Siblings, 1) + 1 {
		at, err := url.Parse("http://" + w.serve(t, api, dir))
		if err != nil {
			t.Fatal(err)
		}
		to = append(to, at)
	}
	var asked atomic.Uint32
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to[int(asked.Add(1))%len(to)])
	}}
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		run := ""
		if opts.Siblings > 0 {
			run, r.URL.Path, _ = strings.Cut(r.URL.Path[1:], "/")
			r.URL.Path = "/" + r.URL.Path
		}
		if w.note(r, run) == nil {
			proxy.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(front.Close)
	w.URL = front.URL
	return w
}

// covered checks that serve has counted each request among those that called a model, and none as passed.
func (w *Way) covered(t *testing.T) {
	t.Helper()
	all := 0
	for _, log := range w.logs {
		for _, m := range counted.FindAllSubmatch(log.Bytes(), -1) {
			n, err := strconv.Atoi(string(m[1]))
			if all += n; err != nil || string(m[2]) != "0" {
				t.Errorf("%s", m[0])
			}
		}
	}
	if all != len(w.asked) {
		t.Errorf("serve has counted %d requests, the client has made %d", all, len(w.asked))
	}
}

var counted = regexp.MustCompile(`requests that called a model: (\d+) .*passed (\d+)`)

// Inside opens a way of a client that puts the texts in by itself, with the program and the rules that env
// names. Its own request is taken to be the one that it sends, without these texts.
func Inside(t *testing.T, opts Options) (w *Way, env []string) {
	t.Helper()
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, opts.rules(), 0o600); err != nil {
		t.Fatal(err)
	}
	w = &Way{opts: opts, inside: true}
	to, err := url.Parse(w.open(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.note(r, "") == nil {
			last := &w.asked[len(w.asked)-1]
			last.Body = put.ReplaceAll(last.Body, nil)
			proxy.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(front.Close)
	w.URL = front.URL
	return w, []string{"ASIDE_COMMAND=" + testkit.Built(t, "aside"), "RULES=" + rules}
}

// put is a text of ours in a body.
var put = regexp.MustCompile(`<system-reminder mark=\\"\w+\\">\\nrule \w+, turn \d+\\n</system-reminder>`)

// Direct opens a way by the client of the adapters.
func Direct(t *testing.T, opts Options) (*Way, *eval.Evaluator) {
	t.Helper()
	rs, ds := document.Read("rules.yaml", opts.rules())
	set, more := compile.FromFiles(rs, compile.Options{})
	if ds = append(ds, more...); ds.HasErrors() {
		t.Fatal(ds)
	}
	ev := eval.New(set, eval.Options{})
	w := &Way{opts: opts}
	w.URL = w.open(t)
	w.Client = adapters.Client(ev, transport.Options{})
	w.Client.Transport = tee{w, w.Client.Transport}
	return w, ev
}

// tee notes the requests that go through it.
type tee struct {
	way  *Way
	next http.RoundTripper
}

func (x tee) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if err := x.way.note(r, eval.RunFrom(r.Context())); err != nil {
		return nil, err
	}
	return x.next.RoundTrip(r)
}

// serve starts "aside serve" before an upstream, with its state in a directory, and returns its address.
func (w *Way) serve(t *testing.T, upstream, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "rules.yaml")
	if err := os.WriteFile(file, w.opts.rules(), 0o600); err != nil {
		t.Fatal(err)
	}
	log := new(bytes.Buffer)
	w.logs = append(w.logs, log)
	return testkit.ServeTo(t, log, "aside", dir, "--rules", file, "--upstream", upstream)
}
