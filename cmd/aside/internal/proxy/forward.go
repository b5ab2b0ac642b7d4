package proxy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aside-go/aside/inject/transport"
)

// forward sends a request on, and its answer back. It does what httputil.ReverseProxy does, in less time; TestForwards compares
// the two.
func (p *Proxy) forward(x *exchange, r *http.Request) {
	out := outgoing(x, r)
	if out.Body != nil {
		defer out.Body.Close()
	}
	res, err := p.transport.RoundTrip(out)
	x.answered()
	if err == nil && res.StatusCode == http.StatusSwitchingProtocols {
		_ = res.Body.Close()
		err = errors.New("a change of protocol that nobody asked for")
	}
	if err != nil {
		p.fault(x, r, err)
		return
	}
	defer res.Body.Close()
	endToEnd(res.Header)
	to := x.Header()
	maps.Copy(to, res.Header)
	announced := len(res.Trailer)
	if announced > 0 {
		to.Add("Trailer", strings.Join(slices.Collect(maps.Keys(res.Trailer)), ", "))
	}
	x.WriteHeader(res.StatusCode)
	if x.short = res.ContentLength >= 0 && res.ContentLength <= buffer; x.short {
		defer x.finish()
	}
	if p.passOn(x, res) != nil {
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
	}
	_ = res.Body.Close() // trailers are there after that
	if len(res.Trailer) == 0 {
		return
	}
	_ = http.NewResponseController(x).Flush() // or net/http counts a short answer's bytes, and then there is no place for trailers
	for name, values := range res.Trailer {
		if len(res.Trailer) != announced {
			name = http.TrailerPrefix + name
		}
		to[name] = append(to[name], values...)
	}
}

// finish flushes a short answer, and then does what is left of its request.
func (x *exchange) finish() {
	if x.rest != nil {
		_ = http.NewResponseController(x.ResponseWriter).Flush()
		x.rest()
	}
}

// outgoing returns the request to the upstream.
func outgoing(x *exchange, r *http.Request) *http.Request {
	ctx := context.WithValue(r.Context(), exchangeKey{}, x)
	out := r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got1xxResponse: x.inAdvance}))
	x.sent = x.url
	out.Header, out.URL, out.Close = maps.Clone(r.Header), &x.sent, false
	switch {
	case r.ContentLength == 0:
		out.Body = nil // net/http may send it again
	case r.Body != nil:
		out.Body = &incoming{body: r.Body}
	}
	endToEnd(out.Header)
	if lists(r.Header["Te"], "trailers") {
		out.Header["Te"] = []string{"trailers"}
	}
	for _, name := range [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", TokenHeader} {
		delete(out.Header, name)
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = []string{""} // not that of net/http
	}
	(&httputil.ProxyRequest{In: r, Out: out}).SetURL(x.to)
	return out
}

// endToEnd removes from a header the fields that are of one connection only: those that Connection names (RFC 9110, section 7.6.1),
// and those that older programs send without naming them.
func endToEnd(h http.Header) {
	for _, v := range h["Connection"] {
		for name := range strings.SplitSeq(v, ",") {
			h.Del(textproto.TrimString(name))
		}
	}
	for _, name := range [...]string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		delete(h, name)
	}
}

// lists reports whether a header's values, which are comma-separated lists, hold a word.
func lists(values []string, word string) bool {
	for _, v := range values {
		for w := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(textproto.TrimString(w), word) {
				return true
			}
		}
	}
	return false
}

// passOn copies the body of an answer. What is streamed is flushed piece by piece.
func (p *Proxy) passOn(x *exchange, res *http.Response) error {
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	live := res.ContentLength < 0 || strings.EqualFold(textproto.TrimString(kind), "text/event-stream")
	rc := http.NewResponseController(x.ResponseWriter)
	if live {
		_ = rc.Flush() // an error shows at the next Write
	}
	left := res.ContentLength
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	for {
		n, err := res.Body.Read(buf[:])
		if n > 0 {
			if _, err := x.Write(buf[:n]); err != nil {
				return err
			}
			if left -= int64(n); live || left > 0 {
				_ = rc.Flush()
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			_ = rc.Flush() // what there is of it
			return err
		}
	}
}

// buffers is a pool of what bodies are copied through.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *[buffer]byte {
	if p, ok := b.pool.Get().(*[buffer]byte); ok {
		return p
	}
	return new([buffer]byte)
}

func (b *buffers) put(p *[buffer]byte) { b.pool.Put(p) }

// incoming is a client's body. Close does not wait for what the client has not sent yet, but ends all reading: net/http forbids to
// read a body whose handler has returned.
type incoming struct {
	body   io.Reader
	closed atomic.Bool
}

func (b *incoming) Read(p []byte) (int, error) {
	if b.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.body.Read(p)
}

func (b *incoming) Close() error {
	b.closed.Store(true)
	return nil
}

// early guards the passing on of informational answers (1xx), which net/http reports from a goroutine of its own.
type early struct {
	mu   sync.Mutex
	over bool
}

// answered ends the passing on of informational answers: the final one is there, or there will be none.
func (x *exchange) answered() {
	x.early.mu.Lock()
	defer x.early.mu.Unlock()
	x.early.over = true
}

// inAdvance passes on an informational answer. It is the hook httptrace.ClientTrace.Got1xxResponse.
func (x *exchange) inAdvance(status int, header textproto.MIMEHeader) error {
	x.early.mu.Lock()
	defer x.early.mu.Unlock()
	if x.early.over {
		return nil
	}
	h := x.Header()
	maps.Copy(h, header)
	x.WriteHeader(status)
	clear(h)
	return nil
}

// changes reports whether a request asks to change the protocol, to a WebSocket for example.
func changes(h http.Header) bool { return h.Get("Upgrade") != "" && lists(h["Connection"], "upgrade") }

// upgrade forwards a request that changes the protocol. It goes past package transport, which knows no other protocol and whose
// response bodies cannot be written to.
func (p *Proxy) upgrade(x *exchange, r *http.Request) {
	reverse := httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			*pr.Out.URL = x.url
			pr.SetURL(x.to)
			pr.Out.URL.RawQuery = pr.In.URL.RawQuery // as it is: ReverseProxy takes out what it cannot read
			for _, name := range [...]string{TokenHeader, transport.RunHeader, transport.TurnHeader} {
				pr.Out.Header.Del(name)
			}
		},
		Transport:    p.base,
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) { p.fault(x, r, err) },
		ErrorLog:     slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // it names what upstreams said; fault.go does not
	}
	reverse.ServeHTTP(x, r)
}
