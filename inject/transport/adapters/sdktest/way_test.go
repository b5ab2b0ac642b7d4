package sdktest_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// mode is one way of asking a model.
type mode struct {
	model   string
	stream  bool
	retries int // after the first attempt
	hook    hook
}

// hook is middleware of an SDK; nil: none.
type hook = func(*http.Request, func(*http.Request) (*http.Response, error)) (*http.Response, error)

// way is a way to a fake, and what went over it.
type way struct {
	url    string
	client *http.Client
	fake   *modelapi.Fake
	wire   *wire
}

// wire is what a fake answered, response by response.
type wire struct {
	mu     sync.Mutex
	bodies []*bytes.Buffer
	seen   func(n int) // is told when a piece of the n-th response, from 1, has been written; nil: nobody is
}

func (w *wire) responses() [][]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out [][]byte
	for _, b := range w.bodies {
		out = append(out, b.Bytes())
	}
	return out
}

// tee copies what is written to a client.
type tee struct {
	http.ResponseWriter
	to   *bytes.Buffer
	seen func()
}

func (t tee) Write(p []byte) (int, error) {
	t.to.Write(p)
	n, err := t.ResponseWriter.Write(p)
	t.seen()
	return n, err
}

func (t tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// serve starts a fake behind TLS, without which Bedrock's SDK sends no token, and HTTP/2.
func serve(t *testing.T, opts modelapi.Options) way {
	t.Helper()
	return start(t, opts, func(s *httptest.Server) {
		s.EnableHTTP2 = true
		s.StartTLS()
	})
}

// servePlain starts a fake for clients that know no certificate.
func servePlain(t *testing.T, opts modelapi.Options) way {
	t.Helper()
	return start(t, opts, (*httptest.Server).Start)
}

// start starts a fake. Clients are told to come again at once, so that no test waits.
func start(t *testing.T, opts modelapi.Options, on func(*httptest.Server)) way {
	t.Helper()
	w := way{fake: modelapi.New(opts), wire: &wire{}}
	var turn sync.Mutex
	api := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		turn.Lock() // so that responses stand in the order of the fake's records
		defer turn.Unlock()
		rw.Header().Set("Retry-After-Ms", "1")
		b := &bytes.Buffer{}
		w.wire.mu.Lock()
		w.wire.bodies = append(w.wire.bodies, b)
		n := len(w.wire.bodies)
		w.wire.mu.Unlock()
		w.fake.ServeHTTP(tee{rw, b, func() {
			if w.wire.seen != nil {
				w.wire.seen(n)
			}
		}}, r)
	}))
	on(api)
	t.Cleanup(api.Close)
	w.url, w.client = api.URL, api.Client()
	return w
}
