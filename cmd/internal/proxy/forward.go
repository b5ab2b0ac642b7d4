package proxy

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"sync"

	"github.com/aside-go/aside/cmd/internal/access"
)

// forward sends a request on, and its answer back.
func (p *Proxy) forward(w *response, r *http.Request) {
	reverse := httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			*pr.Out.URL = w.url
			pr.SetURL(w.to)
			pr.Out.URL.RawQuery = pr.In.URL.RawQuery // ReverseProxy removes the parts that it cannot read
			pr.Out.Trailer = pr.In.Trailer           // ReverseProxy copies it before its values are there
			pr.Out.Header.Del(access.Header)
		},
		Transport:     p.transport,
		FlushInterval: -1, // each piece of an answer goes out as it comes
		BufferPool:    &p.buffers,
		ErrorHandler:  func(_ http.ResponseWriter, _ *http.Request, err error) { p.fault(w, r, err) },
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // it quotes upstreams
	}
	reverse.ServeHTTP(w, r)
}

// ProbeHeader has a request come back as it would have gone to its upstream, for whoever asks whether its
// texts arrive.
const ProbeHeader = "X-Aside-Probe"

// maxProbe is how many bytes come back of a request with ProbeHeader.
const maxProbe = 1 << 20

// probed answers requests with ProbeHeader in place of the upstreams.
type probed struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p probed) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get(ProbeHeader) == "" {
		return p.RoundTripper.RoundTrip(r)
	}
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(io.LimitReader(r.Body, maxProbe)); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body))}, nil
}

// buffers is an httputil.BufferPool. Without it, ReverseProxy allocates 32 KB for each answer, three times
// the memory of all the rest of a request.
type buffers struct{ pool sync.Pool }

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

// Put implements httputil.BufferPool.
func (b *buffers) Put(p []byte) { b.pool.Put(&p) }
