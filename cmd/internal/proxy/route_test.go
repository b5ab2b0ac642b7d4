package proxy_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/internal/api"
)

// TestRoutes: where a request goes, and with which address it arrives. Each API of a vendor has a path
// here, and its maker is the name of an upstream.
func TestRoutes(t *testing.T) {
	t.Parallel()
	const vendors = ""
	routed := map[api.Name]bool{api.Messages: true} // the generic shape is of no vendor
	for _, c := range []struct{ flags, method, path, header, want string }{
		// paths of model APIs
		{vendors, "POST", "/v1/messages", "", "https://api.anthropic.com/v1/messages"},
		{vendors, "POST", "/v1/messages?beta=true", "", "https://api.anthropic.com/v1/messages?beta=true"},
		{vendors, "POST", "/v1/messages/count_tokens", "", "https://api.anthropic.com/v1/messages/count_tokens"},
		{vendors, "POST", "/v1/messages/batches", "", "https://api.anthropic.com/v1/messages/batches"},
		{vendors, "POST", "/v1/complete", "", "https://api.anthropic.com/v1/complete"},
		{vendors, "POST", "/v1/chat/completions", "", "https://api.openai.com/v1/chat/completions"},
		{vendors, "POST", "/v1/completions", "", "https://api.openai.com/v1/completions"},
		{vendors, "POST", "/v1/responses", "", "https://api.openai.com/v1/responses"},
		{vendors, "GET", "/v1/responses/resp_1", "", "https://api.openai.com/v1/responses/resp_1"},
		{vendors, "POST", "/v1/threads/t_1/messages", "", "https://api.openai.com/v1/threads/t_1/messages"},
		{vendors, "POST", "/v1/embeddings", "", "https://api.openai.com/v1/embeddings"},
		{vendors, "POST", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse&key=k", "",
			"https://generativelanguage.googleapis.com/v1beta/models/" +
				"gemini-3-pro:streamGenerateContent?alt=sse&key=k"},
		{vendors, "POST", "/v1beta/interactions", "",
			"https://generativelanguage.googleapis.com/v1beta/interactions"},
		{vendors, "GET", "/v1beta/models", "", "https://generativelanguage.googleapis.com/v1beta/models"},
		{vendors, "POST", "/upload/v1beta/files", "",
			"https://generativelanguage.googleapis.com/upload/v1beta/files"},
		{vendors, "POST", "/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro:generateContent",
			"",
			"https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/models/" +
				"gemini-3-pro:generateContent"},
		{vendors, "POST", "/v1/projects/p/locations/global/publishers/anthropic/models/claude-opus-5:rawPredict",
			"",
			"https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic/models/" +
				"claude-opus-5:rawPredict"},
		{vendors, "POST", "/model/us.anthropic.claude-opus-5-v1%3A0/converse", "",
			"https://bedrock-runtime.eu-west-1.amazonaws.com/model/us.anthropic.claude-opus-5-v1%3A0/converse"},
		{vendors, "POST", "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fx/invoke", "",
			"https://bedrock-runtime.eu-west-1.amazonaws.com/model/" +
				"arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fx/invoke"},

		// prefixes
		{vendors, "GET", "/anthropic/v1/models", "", "https://api.anthropic.com/v1/models"},
		{vendors, "GET", "/openai/v1/models", "X-Api-Key: k", "https://api.openai.com/v1/models"},
		{vendors, "GET", "/gemini", "", "https://generativelanguage.googleapis.com/"},
		{vendors, "GET", "/vertex/", "", "https://aiplatform.googleapis.com/"},
		{vendors, "POST", "/bedrock/model/a%2Fb/converse", "",
			"https://bedrock-runtime.eu-west-1.amazonaws.com/model/a%2Fb/converse"},
		{vendors, "GET", "/openai/openai/x", "", "https://api.openai.com/openai/x"},
		{vendors, "GET", "/openaix/v1/models", "", ""},

		// headers
		{vendors, "GET", "/v1/models", "Anthropic-Version: 2023-06-01", "https://api.anthropic.com/v1/models"},
		{vendors, "GET", "/v1/files", "X-Api-Key: k", "https://api.anthropic.com/v1/files"},
		{vendors, "HEAD", "/", "User-Agent: claude-cli/2.1.329 (external, cli)", "https://api.anthropic.com/"},
		{vendors, "GET", "/v1/models", "Authorization: Bearer k", "https://api.openai.com/v1/models"},
		{vendors, "GET", "/v1/models?key=k", "", "https://generativelanguage.googleapis.com/v1/models?key=k"},
		{vendors, "GET", "/v1/models", "X-Goog-Api-Key: k", "https://generativelanguage.googleapis.com/v1/models"},
		{vendors, "GET", "/v1/files", "User-Agent: OpenAI/Python 2.1", "https://api.openai.com/v1/files"},
		{vendors, "GET", "/foundation-models", "Authorization: AWS4-HMAC-SHA256 x",
			"https://bedrock-runtime.eu-west-1.amazonaws.com/foundation-models"},

		// nothing tells
		{vendors, "GET", "/v1/models", "", ""},
		{vendors, "HEAD", "/", "", ""},
		{vendors, "GET", "/favicon.ico", "Authorization: Bearer k", ""},

		// other upstreams
		{"http://gw:4000/base/", "GET", "/v1/models", "", "http://gw:4000/base/v1/models"},
		{"http://gw:4000", "POST", "/v1/messages", "", "http://gw:4000/v1/messages"},
		{"http://gw:4000", "GET", "/anthropic/v1/models", "", "http://gw:4000/anthropic/v1/models"},
		{"https://x.openai.azure.com", "POST", "/openai/deployments/d/chat/completions?api-version=1", "",
			"https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1"},
		{"http://gw:4000 openai=http://vllm:8000", "GET", "/openai/v1/models", "", "http://vllm:8000/v1/models"},
		{"http://gw:4000 openai=http://vllm:8000", "POST", "/v1/chat/completions", "",
			"http://vllm:8000/v1/chat/completions"},
		{"http://gw:4000 openai=http://vllm:8000", "POST", "/v1/messages", "", "http://gw:4000/v1/messages"},
		{"http://gw:4000 openai=http://vllm:8000", "GET", "/x", "", "http://gw:4000/x"},
		{"openai=http://vllm:8000", "POST", "/v1/messages", "", "https://api.anthropic.com/v1/messages"},
		{"openai=http://vllm:8000", "GET", "/x", "", ""},
		{"converse=http://aws", "POST", "/model/m/converse", "", "http://aws/model/m/converse"},
		{"openai=https://x.openai.azure.com/openai", "POST", "/openai/deployments/d/chat/completions?api-version=1",
			"",
			"https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1"},

		// what nobody can read goes on as it is
		{"http://gw", "GET", "/x?a;b=%zz&&c=d+e", "", "http://gw/x?a;b=%zz&&c=d+e"},
		{"http://gw", "GET", "/a//b/../c/%2e%2e", "", "http://gw/a//b/../c/%2e%2e"},
	} {
		if c.want != "" {
			routed[api.EndpointOf(c.path).API] = true
		}
		t.Run(c.flags+" "+c.method+" "+c.path+" "+c.header, func(t *testing.T) {
			t.Parallel()
			got := ""
			w := open(t, nil, nowhere(t, func(r *http.Request) (*http.Response, error) {
				got = r.URL.String()
				if r.Host != "" && r.Host != r.URL.Host {
					t.Errorf("Host: %s", r.Host)
				}
				return says(200, "{}"), nil
			}, strings.Fields(c.flags)...))
			// The client would tidy the path.
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			header := ""
			if c.header != "" {
				header = c.header + "\r\n"
			}
			fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n%sContent-Length: 2\r\n\r\n{}",
				c.method, c.path, header)
			res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: c.method})
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if got != c.want {
				t.Errorf("went to %q, want %q", got, c.want)
			}
			if want := map[bool]int{true: 200, false: 404}[c.want != ""]; res.StatusCode != want {
				t.Errorf("status %d, want %d", res.StatusCode, want)
			}
		})
	}
	for _, name := range api.Names() {
		if !routed[name] {
			t.Errorf("no path of %s has a route", name)
		}
		maker, _, _ := strings.Cut(string(name), "-")
		if _, err := proxy.ParseUpstreams([]string{maker + "=http://x"}, "r"); err != nil && name != api.Messages {
			t.Errorf("no upstream has a name for %s: %v", name, err)
		}
	}
}

func TestParseUpstreams(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		"opnai=http://x": `"opnai" is not an upstream; did you mean openai?; ` +
			`there are anthropic, bedrock, gemini, openai, vertex`,
		"http://x http://y":                  `"http://y": it was said before where that goes`,
		"openai=http://x openai=http://y":    `"openai=http://y": it was said before where that goes`,
		"converse=http://x bedrock=http://y": `"bedrock=http://y": it was said before where that goes`,
		"ftp://x":                            `"ftp://x" is not an address such as https://api.example.com`,
		"localhost:8080":                     `"localhost:8080" is not an address such as https://api.example.com`,
		"https://":                           `"https://" is not an address such as https://api.example.com`,
		"openai=":                            `"" is not an address such as https://api.example.com`,
		"http://x/?key=hush":                 `http://x: an address has no query and no fragment here`,
		"http://me:hush@x":                   `http://x: a name and a password do not belong in an address; clients send their own keys`,
		"http://me:hush@x:port":              `not an address such as https://api.example.com`,
	} {
		if _, err := proxy.ParseUpstreams(strings.Fields(flags), "r"); err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", flags, err, want)
		}
	}
	if _, err := proxy.ParseUpstreams(nil, "a b"); err == nil {
		t.Error("a region with a blank")
	}
	if got := upstreams(t, "http://x").Lines(); len(got) != 1 || got[0] != "all http://x" {
		t.Error(got)
	}
	if got := upstreams(t, "http://x", "openai=http://y").Lines(); len(got) != 5 ||
		got[3] != "openai http://y" || got[4] != "vertex http://x" {
		t.Error(got)
	}
}

// TestPasses: what is not a request to a model goes through as it is, and so does its answer.
func TestPasses(t *testing.T) {
	t.Parallel()
	type seen struct {
		method, uri, body, length string
		header                    http.Header
	}
	ch := make(chan seen, 1)
	up := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		_, _ = fmt.Fprint(&b, readAll(t, r.Body))
		ch <- seen{r.Method, r.RequestURI, b.String(), r.Header.Get("Content-Length"), r.Header}
		rw.Header().Set("X-Vendor", "v")
		rw.Header().Set("Content-Encoding", "br")
		rw.WriteHeader(http.StatusTeapot)
		_, _ = rw.Write([]byte("\x1b\x00answer"))
	})
	w := open(t, up, proxy.Options{Guard: guard("sesame")})
	res, body := w.do("PUT", "/v1/files/f?x=1", "data", "X-Aside-Token: sesame", "X-Other: o",
		"X-Forwarded-For: me", "Accept-Encoding: br", "X-Aside-Run: r")
	got := <-ch
	if got.method != "PUT" || got.uri != "/v1/files/f?x=1" || got.body != "data" ||
		got.header.Get("X-Other") != "o" || got.header.Get("Accept-Encoding") != "br" {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{"X-Aside-Token", "X-Aside-Run", "X-Forwarded-For", "X-Forwarded-Host", "Via"} {
		if v := got.header.Get(name); v != "" {
			t.Errorf("%s: %s", name, v)
		}
	}
	if res.StatusCode != http.StatusTeapot || body != "\x1b\x00answer" || res.Header.Get("X-Vendor") != "v" ||
		res.Header.Get("Content-Encoding") != "br" {
		t.Errorf("%d %q %v", res.StatusCode, body, res.Header)
	}
}

// TestOwnUpstream: a proxy that is its own upstream, under another address too, says so at the first request,
// which comes back to it once.
func TestOwnUpstream(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "localhost", "127.0.0.2"} {
		l, err := net.Listen("tcp", "0.0.0.0:0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		w := open(t, nil, proxy.Options{Upstreams: upstreams(t, "http://"+host+":"+port)}, always)
		back := &http.Server{Handler: w.proxy}
		t.Cleanup(func() { back.Close() })
		go func() { _ = back.Serve(l) }()
		for _, path := range []string{"/v1/messages", "/v1/models"} {
			res, body := w.do("POST", path, ask(false, "a", "hi"))
			if res.StatusCode != http.StatusLoopDetected || !strings.Contains(body, "leads to itself") {
				t.Errorf("%s: %d %s", host, res.StatusCode, body)
			}
		}
		if n := strings.Count(w.logs.String(), `"ERROR"`); n != 2 {
			t.Errorf("%d came back:\n%s", n, w.logs)
		}
	}
}

// TestUpgrade: a connection that changes its protocol is handed through, both ways.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"X-Aside-Run", "X-Reminder-Turn"} {
			if r.Header.Get(name) != "" {
				t.Errorf("%s was sent on", name)
			}
		}
		conn, buf, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " +
			"websocket\r\n\r\n"))
		line, _ := buf.ReadString('\n')
		_, _ = conn.Write([]byte("you said " + line))
	}))
	defer up.Close()
	w := open(t, nil, proxy.Options{Upstreams: upstreams(t, up.URL)})
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /v1/responses HTTP/1.1\r\nHost: [::1]\r\nConnection: Upgrade\r\nUpgrade: "+
		"websocket\r\nX-Aside-Run: r\r\nX-Reminder-Turn: user\r\n\r\n")
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(res, err)
	}
	fmt.Fprint(conn, "hello\n")
	if line, err := r.ReadString('\n'); err != nil || line != "you said hello\n" {
		t.Error(line, err)
	}
}
