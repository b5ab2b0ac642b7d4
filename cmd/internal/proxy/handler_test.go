package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/inject/transport"
)

// BenchmarkHandler is a request's way through the handlers of BenchmarkAimServe, without any network: what
// serve does beside httputil.ReverseProxy, where the path is none of a model and where it is one.
func BenchmarkHandler(b *testing.B) {
	for _, c := range []struct {
		name, path string
		events     int
	}{
		{"other", "/v1/other", 0}, {"turn", "/v1/messages", 0}, {"other stream", "/v1/other", 200}, {"turn stream",
			"/v1/messages", 200},
	} {
		answer := recorded(c.events)
		up := base(func(r *http.Request) (*http.Response, error) {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
			return answer(), nil
		})
		for _, h := range []struct {
			name string
			http.Handler
		}{
			{"proxy", process.Rival("http://up:1", up)},
			{"serve", open(b, nil, proxy.Options{Upstreams: upstreams(b, "http://up:1"),
				Transport: transport.Options{Base: up}, Log: slog.New(slog.NewTextHandler(io.Discard,
					nil))}, twenty()...).proxy},
		} {
			runs := 0
			b.Run(c.name+"/"+h.name, func(b *testing.B) {
				var said *conversation
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if i%requests() == 0 {
						runs++
						b.StopTimer()
						said = newConversation(runs, 2<<10)
						b.StartTimer()
					}
					body := said.next()
					r := httptest.NewRequest(http.MethodPost, "http://localhost"+c.path, bytes.NewReader(body))
					r.Header = http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {"key"},
						"Accept-Encoding": {"identity"}, "User-Agent": {"x"}, transport.RunHeader: {fmt.Sprint("run-", runs)}}
					h.ServeHTTP(&nowhereTo{header: http.Header{}}, r)
				}
			})
		}
	}
}

// recorded returns what gives the answer of quick again and again, an event at a time.
func recorded(events int) func() *http.Response {
	w := httptest.NewRecorder()
	quick(events, 0)(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("")))
	all := w.Body.Bytes()
	var pieces [][]byte
	if events > 0 {
		pieces = bytes.SplitAfter(all, []byte("\n\n"))
	} else {
		pieces = [][]byte{all}
	}
	return func() *http.Response {
		res := &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: w.Header().Clone(),
			Body: &inPieces{left: pieces}, ContentLength: -1}
		if events == 0 {
			res.ContentLength = int64(len(all))
		}
		return res
	}
}

// inPieces is a body that comes in pieces.
type inPieces struct {
	left [][]byte
	at   int // in the first of them
}

func (p *inPieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.left[0][p.at:])
	if p.at += n; p.at == len(p.left[0]) {
		p.left, p.at = p.left[1:], 0
	}
	return n, nil
}

func (p *inPieces) Close() error { return nil }

// nowhereTo is an http.ResponseWriter to nobody.
type nowhereTo struct{ header http.Header }

func (w *nowhereTo) Header() http.Header         { return w.header }
func (w *nowhereTo) Write(p []byte) (int, error) { return len(p), nil }
func (w *nowhereTo) WriteHeader(int)             {}
func (w *nowhereTo) Flush()                      {}
