package access_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
)

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(h[:])
}

func tokens(t *testing.T, lines ...string) []access.Token {
	t.Helper()
	ts, err := access.Parse([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

func TestParse(t *testing.T) {
	t.Parallel()
	if n := len(tokens(t, "# ours", "", "a  read,decide\tfirst", "a read "+sum("second"),
		"\tb admin third\r")); n != 3 {
		t.Error(n)
	}
	for text, want := range map[string]string{
		"":                         "no token stands there",
		"# x":                      "no token stands there",
		"\na hush-hush":            "line 2: a token has three words",
		"a reed hush-hush":         `line 1: there is no scope "reed"; did you mean read?`,
		"a read, hush-hush":        `there is no scope ""`,
		"a read sha256:12":         "64 hexadecimal digits",
		"a read " + sum("x") + "0": "64 hexadecimal digits",
		"a read sha256:" + strings.Repeat("zz", 32): "64 hexadecimal digits",
		"a read hush-hush\nb proxy hush-hush":       "line 2: the same secret",
		"a read hush-hush x\nb red y":               "line 2: there is no scope",
	} {
		if _, err := access.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func request(header ...string) *http.Request {
	r := httptest.NewRequest("POST", "http://127.0.0.1:7717/", nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	return r
}

// status is that of a refusal, 200 for a request that is let in.
func status(g *access.Guard, need access.Scope, header ...string) int {
	leave, refused := g.Admit(request(header...), need)
	if refused != nil {
		return refused.Status
	}
	leave()
	return 200
}

// TestScopes: a token is good for its scopes alone, as a header or, before paths of ours, as a bearer.
func TestScopes(t *testing.T) {
	t.Parallel()
	g := access.New(tokens(t, "a decide,read one", "b proxy "+sum("two"), "c admin three"), access.Limits{})
	for _, c := range []struct {
		need   access.Scope
		header []string
		want   int
	}{
		{access.Decide, []string{access.Header, "one"}, 200},
		{access.Read, []string{"Authorization", "bearer one"}, 200},
		{access.Remind, []string{access.Header, "one"}, 403},
		{access.Admin, []string{access.Header, "one"}, 403},
		{access.Proxy, []string{access.Header, "one"}, 403},
		{access.Proxy, []string{access.Header, "two"}, 200},
		{access.Proxy, []string{"Authorization", "Bearer two"}, 401},
		{access.Proxy, nil, 401},
		{access.Read, nil, 401},
		{access.Read, []string{access.Header, sum("two")}, 401},
		{access.Read, []string{access.Header, "tw"}, 401},
		{access.Admin, []string{access.Header, "three"}, 200},
		{access.Proxy, []string{access.Header, "three", "Authorization", "Bearer key"}, 200},
	} {
		if got := status(g, c.need, c.header...); got != c.want {
			t.Errorf("%s %v: %d, want %d", c.need, c.header, got, c.want)
		}
	}
}

// TestLocal: without tokens this machine may ask, and no web page but of this machine, and that only a model.
func TestLocal(t *testing.T) {
	t.Parallel()
	g := access.New(access.Single(""), access.Limits{Hosts: []string{"Gateway.lan", "10.0.0.7"}})
	for _, c := range []struct {
		header     []string
		own, model int
	}{
		{nil, 200, 200},
		{[]string{"Host", "localhost:7717"}, 200, 200},
		{[]string{"Host", "LOCALHOST:7717"}, 200, 200},
		{[]string{"Host", "Aside.LocalHost"}, 200, 200},
		{[]string{"Host", "[::1]:7717"}, 200, 200},
		{[]string{"Host", "gateway.LAN:7717"}, 200, 200},
		{[]string{"Host", "10.0.0.7"}, 200, 200},
		{[]string{"Host", "x.gateway.lan"}, 403, 403},
		{[]string{"Host", "rebound.example:7717"}, 403, 403},
		{[]string{"Host", "localhost.example"}, 403, 403},
		{[]string{"Host", "192.168.0.7"}, 403, 403},
		{[]string{"Host", ""}, 403, 403},
		{[]string{"Origin", "http://127.0.0.1:7717"}, 200, 200},
		{[]string{"Origin", "http://localhost:3000"}, 403, 200},
		{[]string{"Origin", "http://[::1]:3000"}, 403, 200},
		{[]string{"Origin", "https://gateway.lan"}, 403, 200},
		{[]string{"Origin", "https://evil.example"}, 403, 403},
		{[]string{"Origin", "http://localhost.evil.example"}, 403, 403},
		{[]string{"Origin", "null"}, 403, 403},
		{[]string{"Origin", "file://"}, 403, 403},
		{[]string{"Origin", "http://[::1"}, 403, 403},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403, 200},
	} {
		if got := status(g, access.Decide, c.header...); got != c.own {
			t.Errorf("%v: %d", c.header, got)
		}
		if got := status(g, access.Proxy, c.header...); got != c.model {
			t.Errorf("a model, %v: %d", c.header, got)
		}
	}
	_, refused := g.Admit(request("Host", "rebound.example"), access.Proxy)
	if refused == nil || !strings.Contains(refused.Why, "rebound.example") ||
		!strings.Contains(refused.Why, "--allow-host") {
		t.Errorf("%+v", refused)
	}
}

// TestLimits: each token has its own rate, and all together a number of requests at once.
func TestLimits(t *testing.T) {
	t.Parallel()
	g := access.New(tokens(t, "a read one", "b read two"), access.Limits{Rate: 0.001})
	if status(g, access.Read, access.Header, "one") != 200 || status(g, access.Read, access.Header,
		"two") != 200 {
		t.Error("a first request is refused")
	}
	_, refused := g.Admit(request(access.Header, "one"), access.Read)
	if refused == nil || refused.Status != 429 || refused.After < 900*time.Second {
		t.Fatalf("%+v", refused)
	}
	h := http.Header{}
	if refused.Set(h); h.Get("Retry-After") != "1000" {
		t.Error(h)
	}
	g = access.New(nil, access.Limits{AtOnce: 2})
	one, _ := g.Admit(request(), access.Read)
	two, _ := g.Admit(request(), access.Proxy)
	if status(g, access.Read) != 503 {
		t.Error("a third one is let in")
	}
	one()
	if status(g, access.Read) != 200 {
		t.Error("not after one has left")
	}
	two()
}

// TestFollow: a file that changes is read again, a faulty one keeps the tokens, in whatever way it is
// replaced.
func TestFollow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "tokens")
	put := func(text string) {
		if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	put("a read one\n")
	ts, err := access.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	g := access.New(ts, access.Limits{})
	said := make(chan string, 100)
	ctx, stop := context.WithCancel(context.Background())
	again, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		g.Follow(ctx, file, again, slog.New(slog.NewTextHandler(lines(said), nil)))
	}()
	await := func(part string) {
		t.Helper()
		for line := range said {
			if strings.Contains(line, "one") || strings.Contains(line, "two") {
				t.Error("a secret is logged: ", line)
			}
			if strings.Contains(line, part) {
				return
			}
		}
	}
	await("tokens=1")
	put("a read one\na read two\n")
	await("tokens=2")
	if status(g, access.Read, access.Header, "two") != 200 {
		t.Error("the new token is not in use")
	}
	put("a reed two\n")
	await("those before stay in use")
	if status(g, access.Read, access.Header, "one") != 200 {
		t.Error("the tokens before are gone")
	}
	if g.Fault() == "" {
		t.Error("the guard has nothing to say of the mistake")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	await("no such file")
	for range 3 { // it is logged once
		again <- struct{}{}
	}
	put("a read one\na read two\n")
	if line := <-said; !strings.Contains(line, "tokens=2") || g.Fault() != "" {
		t.Error(line, g.Fault())
	}
	put("a read two\n")
	await("tokens=1")
	if status(g, access.Read, access.Header, "one") != 401 {
		t.Error("a token that is gone is still good")
	}
	again <- struct{}{}
	await("tokens=1")
	stop()
	<-done
}

type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

var _ io.Writer = lines(nil)
