package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// ask is the body of a request to a model, in a conversation that has a name.
func ask(stream bool, session, prompt string) string {
	return fmt.Sprintf(`{"model":"claude-opus-5","max_tokens":100,"stream":%v,`+
		`"metadata":{"user_id":"{\"session_id\":\"%s\"}"},`+
		`"messages":[{"role":"user","content":%q}]}`, stream, session, prompt)
}

// TestStreams: each event is there while the upstream still waits for the next.
func TestStreams(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/v1/responses",
		"/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", "/model/claude-opus-5/converse-stream"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			resume := make(chan struct{})
			fake := modelapi.New(modelapi.Options{Script: modelapi.Turns(modelapi.Reply{
				Parts: []modelapi.Part{{Text: "hello"}}, Fault: modelapi.Fault{After: 1, Stall: true, Resume: resume},
			})})
			w := open(t, fake, proxy.Options{}, manual)
			body := map[string]string{
				"/v1/messages":         ask(true, "s", "hi"),
				"/v1/chat/completions": `{"model":"gpt-5.6","stream":true,"messages":[{"role":"user","content":"hi"}]}`,
				"/v1/responses":        `{"model":"gpt-5.6","stream":true,"input":"hi"}`,
			}[path]
			switch {
			case strings.Contains(path, "gemini"):
				body = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
			case body == "":
				body = `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`
			}
			res := w.send("POST", path, body)
			defer res.Body.Close()
			first := make([]byte, 16)
			if _, err := io.ReadFull(res.Body, first); err != nil || res.StatusCode != 200 {
				t.Fatal(res.StatusCode, err, string(first))
			}
			close(resume)
			if rest := readAll(t, res.Body); rest == "" {
				t.Error("nothing came after the first event")
			}
			if len(fake.Refused()) > 0 {
				t.Error(fake.Refused()[0].Answer.Refusal)
			}
		})
	}
}

// TestClientLeaves: a client that leaves ends the request at the upstream, before the answer and in its
// middle.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	for _, begun := range []bool{false, true} {
		arrived, ended := make(chan struct{}), make(chan struct{})
		w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if begun {
				_, _ = rw.Write([]byte("data: 1\n\n"))
				_ = http.NewResponseController(rw).Flush()
			}
			close(arrived)
			<-r.Context().Done()
			close(ended)
		}), proxy.Options{}, manual)
		ctx, leave := context.WithCancel(context.Background())
		r, _ := http.NewRequestWithContext(ctx, "POST", w.url+"/v1/messages",
			strings.NewReader(ask(true, "s", "hi")))
		done := make(chan struct{})
		go func() {
			defer close(done)
			if res, err := w.client.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}()
		<-arrived
		leave()
		<-ended
		<-done
	}
}

// TestFaults: an upstream that gives no answer is an error that SDKs can read, in words of ours.
func TestFaults(t *testing.T) {
	t.Parallel()
	const hush = "hush-hush"
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		name   string
		err    error
		status int
		why    string
	}{
		{"refused", dial(syscall.ECONNREFUSED), 502, "connection refused"},
		{"no such name", dial(&net.DNSError{Err: "no such host " + hush, Name: "up"}), 502,
			"its name cannot be resolved"},
		{"too many files", dial(os.NewSyscallError("socket", syscall.EMFILE)), 503,
			"no connection can be opened here: too many files are open"},
		{"no way there", dial(syscall.EHOSTUNREACH), 502, "it cannot be reached"},
		{"not in time", dial(context.DeadlineExceeded), 504, "it did not answer in time"},
		{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, 502,
			"it closed the connection without an answer"},
		{"closed", io.EOF, 502, "it closed the connection without an answer"},
		{"no TLS", tls.RecordHeaderError{Msg: hush}, 502, "it does not speak TLS"},
		{"TLS alert", tls.AlertError(40), 502, "TLS failed"},
		{"certificate", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, 502,
			"its certificate is not valid here"},
		{"garbage", errors.New("malformed HTTP response " + hush), 502, "what it sent is not an answer"},
	} {
		for path, shape := range map[string][]string{
			"/v1/messages":         {"type", "error.type", "error.message"},
			"/v1/chat/completions": {"error.message", "error.type"},
			"/v1/responses":        {"error.message", "error.type"},
			"/v1beta/models/gemini-3-x:generateContent": {"error.message", "error.code", "error.status"},
			"/model/m/converse":                         {"message"},
			"/v1/other":                                 {"error.message", "error.type"},
		} {
			w := open(t, nil, nowhere(t, func(*http.Request) (*http.Response, error) { return nil, c.err },
				"http://up:1/path-"+hush))
			res, body := w.do("POST", path+"?key="+hush, `{"prompt":"`+hush+`"}`)
			if res.StatusCode != c.status || !strings.Contains(body, "aside: upstream http://up:1: "+c.why) {
				t.Errorf("%s %s: %d %s", c.name, path, res.StatusCode, body)
			}
			if strings.Contains(body+w.logs.String(), hush) {
				t.Errorf("%s %s: told\n%s%s", c.name, path, body, w.logs)
			}
			var v map[string]any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Errorf("%s: %v", body, err)
			}
			inner, _ := v["error"].(map[string]any)
			for _, member := range shape {
				name, ok := strings.CutPrefix(member, "error.")
				if ok && inner[name] == nil || !ok && v[name] == nil {
					t.Errorf("%s: no %s in %s", path, member, body)
				}
			}
		}
	}
}

// TestRealFaults: the same from real connections.
func TestRealFaults(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer silent.Close()
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = nil
	secure.StartTLS()
	defer secure.Close()
	garbage, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer garbage.Close()
	go func() {
		for {
			c, err := garbage.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(c).ReadString('\n')
			_, _ = c.Write([]byte("hush hush\r\n\r\n"))
			c.Close()
		}
	}()
	for _, c := range []struct {
		name, url string
		headers   time.Duration
		status    int
		why       string
	}{
		{"refused", "http://" + free.Addr().String(), 0, 502, "connection refused"},
		{"silent", silent.URL, time.Millisecond, 504, "it did not answer in time"},
		{"unknown certificate", secure.URL, 0, 502, "its certificate is not valid here"},
		{"no TLS", strings.Replace(silent.URL, "http:", "https:", 1), 0, 502, ""},
		{"garbage", "http://" + garbage.Addr().String(), 0, 502, "what it sent is not an answer"},
	} {
		b := proxy.NewBase(c.headers)
		w := open(t, nil, proxy.Options{Upstreams: upstreams(t, c.url), Transport: transport.Options{Base: b}})
		res, body := w.do("POST", "/v1/messages", ask(false, "s", "hi"))
		if res.StatusCode != c.status || !strings.Contains(body, c.why) ||
			strings.Contains(body+w.logs.String(), "hush") {
			t.Errorf("%s: %d %s\n%s", c.name, res.StatusCode, body, w.logs)
		}
		b.CloseIdleConnections()
	}
}

// TestErrorsPass: what the upstream says of itself passes, status, headers and body.
func TestErrorsPass(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 429, 500, 503, 529} {
		w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Retry-After", "7")
			rw.WriteHeader(status)
			_, _ = rw.Write([]byte(`{"type":"error"}`))
		}), proxy.Options{}, manual)
		res, body := w.do("POST", "/v1/messages", ask(true, "s", "hi"))
		if res.StatusCode != status || body != `{"type":"error"}` || res.Header.Get("Retry-After") != "7" {
			t.Error(status, res.StatusCode, body, res.Header)
		}
	}
}

// TestCut: an answer that is cut reaches the client cut, not as if it were whole.
func TestCut(t *testing.T) {
	t.Parallel()
	w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = rw.Write([]byte("data: 1\n\n"))
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	}), proxy.Options{}, manual)
	res := w.send("POST", "/v1/messages", ask(true, "s", "hi"))
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if string(b) != "data: 1\n\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q %v", b, err)
	}
}

// TestLarge: a body beyond the limit passes through as it came, whatever is due.
func TestLarge(t *testing.T) {
	t.Parallel()
	var got []byte
	w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
	}), proxy.Options{Transport: transport.Options{MaxBody: 1000}}, always)
	body := ask(false, "s", strings.Repeat("x", 2000))
	if res, _ := w.do("POST", "/v1/messages", body); res.StatusCode != 200 || string(got) != body {
		t.Errorf("%d, %d bytes of %d", res.StatusCode, len(got), len(body))
	}
}

// TestOwnFault: a fault of ours is an answer, or a cut one, and the next request is served.
func TestOwnFault(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		w := open(t, nil, nowhere(t, func(r *http.Request) (*http.Response, error) {
			if !late {
				panic("hush")
			}
			res := says(200, "")
			res.ContentLength, res.Body = -1, io.NopCloser(&failing{data: []byte("data: 1\n\n")})
			return res, nil
		}, "http://up"))
		for range 2 {
			res := w.send("POST", "/v1/other", "{}")
			b, err := io.ReadAll(res.Body)
			res.Body.Close()
			if late && (err == nil || res.StatusCode != 200) || !late && (res.StatusCode != 500 || !json.Valid(b)) {
				t.Error(late, res.StatusCode, string(b), err)
			}
		}
		if log := w.logs.String(); strings.Contains(log, "hush") || strings.Count(log, "internal error") != 2 {
			t.Error(log)
		}
	}
}

// failing is a body whose reading panics behind its data.
type failing struct{ data []byte }

func (f *failing) Read(p []byte) (int, error) {
	if len(f.data) == 0 {
		panic("hush")
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

// TestCompressed: what the client accepts goes on, and what comes compressed stays so.
func TestCompressed(t *testing.T) {
	t.Parallel()
	var accept string
	w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		accept = r.Header.Get("Accept-Encoding")
		rw.Header().Set("Content-Encoding", "gzip")
		_, _ = rw.Write([]byte("\x1f\x8b compressed"))
	}), proxy.Options{}, manual)
	for _, want := range []string{"gzip", "identity"} {
		res, body := w.do("GET", "/v1/files/f", "", "Accept-Encoding: "+want)
		if accept != want || body != "\x1f\x8b compressed" || res.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%q %q %v", accept, body, res.Header)
		}
	}
	r, _ := http.NewRequest("GET", w.url+"/v1/files/f", nil)
	plain := &http.Transport{DisableCompression: true}
	defer plain.CloseIdleConnections()
	res, err := (&http.Client{Transport: plain}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, _ = b.ReadFrom(res.Body); accept != "" || !strings.HasPrefix(b.String(), "\x1f\x8b") {
		t.Errorf("%q %q", accept, &b)
	}
}

// TestHTTP2: upstreams that speak HTTP/2 are spoken to in it, with reminders on the way and events as they
// come.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	resume := make(chan struct{})
	major := make(chan int, 1)
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body := readAll(t, r.Body)
		if !strings.Contains(body, "Be kind.") || r.ContentLength != int64(len(body)) {
			t.Errorf("%d bytes announced: %s", r.ContentLength, body)
		}
		major <- r.ProtoMajor
		_, _ = rw.Write([]byte("data: 1\n\n"))
		_ = http.NewResponseController(rw).Flush()
		<-resume
		_, _ = rw.Write([]byte("data: 2\n\n"))
	}))
	up.EnableHTTP2 = true
	up.StartTLS()
	defer up.Close()
	b := proxy.NewBase(0)
	b.TLSClientConfig = up.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	b.TLSClientConfig.NextProtos = nil
	defer b.CloseIdleConnections()
	w := open(t, nil, proxy.Options{Upstreams: upstreams(t, up.URL), Transport: transport.Options{Base: b}},
		always)
	res := w.send("POST", "/v1/messages", ask(true, "s", "hi"))
	defer res.Body.Close()
	if n := <-major; n != 2 {
		t.Errorf("HTTP/%d", n)
	}
	first := make([]byte, 9)
	if _, err := io.ReadFull(res.Body, first); err != nil || string(first) != "data: 1\n\n" {
		t.Error(string(first), err)
	}
	close(resume)
	if rest := readAll(t, res.Body); rest != "data: 2\n\n" {
		t.Error(rest)
	}
}
