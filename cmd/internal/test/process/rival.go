package process

import (
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

// Rival is httputil.ReverseProxy before an API, with what serve has: its way of sending, and buffers that are
// used again.
func Rival(api string, base http.RoundTripper) http.Handler {
	to, err := url.Parse(api)
	if err != nil {
		panic(err) // an address of the test's own
	}
	return &httputil.ReverseProxy{Rewrite: func(pr *httputil.ProxyRequest) { pr.SetURL(to) }, FlushInterval: -1,
		Transport: base, BufferPool: &buffers{}, ErrorLog: log.New(io.Discard, "", 0)}
}

type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }
