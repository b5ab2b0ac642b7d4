package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/inject/transport"
)

// TestForwards: what is not a request to a model goes on, and its answer comes back, as httputil.ReverseProxy
// does it.
func TestForwards(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"plain": func(rw http.ResponseWriter, r *http.Request) {
			rw.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
			rw.Header().Set("Connection", "keep-alive, X-Mine")
			rw.Header().Set("X-Mine", "no")
			rw.Header().Set("Keep-Alive", "timeout=1")
			rw.Header().Set("Proxy-Authenticate", "Basic")
			_, _ = rw.Write([]byte("all there is"))
		},
		"empty": func(rw http.ResponseWriter, r *http.Request) { rw.WriteHeader(http.StatusNoContent) },
		"refused": func(rw http.ResponseWriter, r *http.Request) {
			http.Error(rw, "no",
				http.StatusTooManyRequests)
		},
		"stream": func(rw http.ResponseWriter, r *http.Request) {
			for i := range 3 {
				fmt.Fprintf(rw, "data: %d\n\n", i)
				_ = http.NewResponseController(rw).Flush()
			}
		},
		"large": func(rw http.ResponseWriter, r *http.Request) { _, _ = rw.Write(make([]byte, 200<<10)) },
		"early": func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Link", "</a>")
			rw.WriteHeader(http.StatusEarlyHints)
			rw.WriteHeader(http.StatusProcessing)
			rw.Header().Del("Link")
			_, _ = rw.Write([]byte("late"))
		},
		"trailers": func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Trailer", "X-Sum, X-Other")
			_, _ = rw.Write([]byte("short"))
			rw.Header().Set("X-Sum", "5")
			rw.Header().Set("X-Other", "6")
		},
		"more trailers": func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Trailer", "X-Sum")
			_, _ = rw.Write([]byte("short"))
			rw.Header().Set("X-Sum", "5")
			rw.Header().Set(http.TrailerPrefix+"X-More", "7")
		},
		"cut": func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Length", "1000")
			_, _ = rw.Write([]byte("not all"))
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		},
		"cut stream": func(rw http.ResponseWriter, r *http.Request) {
			_, _ = rw.Write([]byte("data: 1\n\n"))
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		},
		"switched": func(rw http.ResponseWriter, r *http.Request) {
			c, _, err := http.NewResponseController(rw).Hijack()
			if err == nil {
				fmt.Fprint(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
				c.Close()
			}
		},
	}
	requests := []string{
		"GET %s?q=a;b&%%zz&key=1 HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n",
		"HEAD %s HTTP/1.1\r\nHost: [::1]\r\nUser-Agent: me\r\nConnection: close, X-Drop,x-too, \r\nX-Drop: " +
			"1\r\nX-Too: 1\r\nTe: gzip, Trailers\r\nTransfer-Encoding:\r\n\r\n",
		"POST %s/..%%2fa//b HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\nKeep-Alive: 1\r\nProxy-Connection: " +
			"keep-alive\r\nProxy-Authorization: x\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: " +
			"h\r\nX-Forwarded-Proto: p\r\nForwarded: for=1\r\nX-Aside-Token: t\r\nUpgrade: h2c\r\nX-Two: " +
			"1\r\nX-Two: " +
			"2\r\nContent-Length: 4\r\n\r\nbody",
		"PUT %s HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\nExpect: 100-continue\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
		"PATCH %s HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\nAccept-Encoding: br\r\nContent-Length: 0\r\n\r\n",
	}
	var got string
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = fmt.Sprintln(r.Method, r.RequestURI, r.Host, r.ContentLength, r.TransferEncoding,
			string(b), r.Trailer)
		for _, name := range slices.Sorted(maps.Keys(r.Header)) {
			got += fmt.Sprintln(name, r.Header[name])
		}
		answers[r.Header.Get("X-Answer")](rw, r)
	}))
	up.Config.ErrorLog = log.New(io.Discard, "", 0)
	up.Start()
	defer up.Close()
	base := proxy.NewBase(0)
	defer base.CloseIdleConnections()
	for _, path := range []string{"", "/gate/"} {
		to, err := url.Parse(up.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		plain := httptest.NewServer(&httputil.ReverseProxy{
			Rewrite: func(pr *httputil.ProxyRequest) {
				pr.SetURL(to)
				pr.Out.URL.RawQuery = pr.In.URL.RawQuery
				pr.Out.Header.Del(access.Header)
			},
			FlushInterval: -1, Transport: base, ErrorLog: up.Config.ErrorLog,
			ErrorHandler: func(rw http.ResponseWriter, _ *http.Request,
				_ error) {
				rw.WriteHeader(http.StatusBadGateway)
			},
		})
		defer plain.Close()
		w := open(t, nil, proxy.Options{Upstreams: upstreams(t, to.String()),
			Transport: transport.Options{Base: base}})
		for name := range answers {
			for _, request := range requests {
				request = strings.Replace(fmt.Sprintf(request, "/v1/other"), "Host:", "X-Answer: "+name+"\r\nHost:", 1)
				want := exchanged(t, plain.URL, request)
				wanted := got
				have := exchanged(t, w.url, request)
				if diff := cmp.Diff(wanted, got); diff != "" {
					t.Errorf("%s: the upstream got (-want +got):\n%s", request, diff)
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("%s: the client got (-want +got):\n%s", request, diff)
				}
			}
		}
		exchanged(t, w.url, "POST /v1/other HTTP/1.1\r\nHost: [::1]\r\nX-Answer: plain\r\nConnection: "+
			"close\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nX-T: 1\r\n\r\n")
		if !strings.Contains(got, "map[X-T:[1]]") { // ReverseProxy sends on its name alone
			t.Errorf("the trailer of a request: %s", got)
		}
	}
}

// exchanged sends a request as it is, and tells what comes back.
func exchanged(t *testing.T, to, request string) (said []string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(to, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	for br := bufio.NewReader(c); ; {
		res, err := http.ReadResponse(br, &http.Request{Method: method})
		if err != nil {
			return append(said, "and then "+err.Error())
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		// now and then the upstream's comes besides that of the proxy's own end
		if res.StatusCode == http.StatusContinue {
			continue
		}
		res.Header.Del("Date")
		if res.StatusCode == http.StatusBadGateway { // the words are our own
			res.Header, res.ContentLength, b = nil, 0, nil
		}
		for _, name := range slices.Sorted(maps.Keys(res.Header)) {
			said = append(said, fmt.Sprint(name, ": ", res.Header[name]))
		}
		said = append(said, fmt.Sprint(res.Status, res.ContentLength, res.TransferEncoding, res.Close, string(b),
			err, res.Trailer))
		if res.StatusCode >= 200 {
			return said
		}
	}
}
