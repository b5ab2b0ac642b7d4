package clients_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/wiretest"
)

// scratch is a folder that lives as long as the tests.
var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "clients")
	if err != nil {
		panic(err)
	}
	scratch = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// aside builds the command, once.
var aside = sync.OnceValues(func() (string, error) {
	name := filepath.Join(scratch, "aside")
	c := exec.Command("go", "build", "-C", filepath.Join("..", "..", "..", ".."), "-o", name, "./cmd/aside")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return name, nil
})

// way is the way from a client through "aside serve" to a fake: client → front → aside → fake.
type way struct {
	url  string // of the front
	fake *wiretest.Fake

	mu    sync.Mutex
	asked []wiretest.Request // as the client sent them
}

// open opens a way. The state is on the disk, as by default.
func open(t *testing.T, opts wiretest.Options) *way {
	t.Helper()
	w := &way{fake: wiretest.New(opts)}
	api := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Retry-After-Ms", "1") // so that no client waits
		w.fake.ServeHTTP(rw, r)
	}))
	t.Cleanup(api.Close)
	to, err := url.Parse("http://" + serve(t, api.URL))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1}
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.mu.Lock()
		w.asked = append(w.asked, wiretest.Request{Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: b})
		w.mu.Unlock()
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(front.Close)
	w.url = front.URL
	return w
}

// serve starts "aside serve" before an upstream and returns its address.
func serve(t *testing.T, upstream string) string {
	t.Helper()
	name, err := aside()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, addr := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "addr")
	if err := os.WriteFile(file, rules(), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(name, "serve", "--listen", "127.0.0.1:0", "--addr-file", addr, "--rules", file,
		"--upstream",
		upstream)
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir)
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil || t.Failed() {
			t.Logf("aside serve: %v\n%s", err, log.Bytes())
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		if b, err := os.ReadFile(addr); err == nil && len(b) > 0 {
			return strings.TrimSpace(string(b))
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("aside serve: %v\n%s", err, log.Bytes())
		case <-ctx.Done():
			t.Fatal("aside serve does not listen")
		case <-look.C:
		}
	}
}

// check holds the requests that have reached the fake against those that the client has made: each is the
// client's own but for the texts; the texts are those that a person counts, each new at its turn; and what
// was put stays.
func (w *way) check(t *testing.T) {
	t.Helper()
	sent := w.fake.Records()
	if len(sent) != len(w.asked) {
		t.Errorf("%d requests have reached the API, the client has made %d", len(sent), len(w.asked))
	}
	var conversation []asked
	var turns []wiretest.Record
	for i, r := range sent {
		if no := r.Answer.Refusal; no != nil && no.Rule != "" {
			t.Errorf("request %d: %v\n%s", i+1, no, r.Request.Body)
		}
		if i >= len(w.asked) {
			break
		}
		sameBut(t, i+1, w.asked[i], r)
		if r.Answer.Refusal != nil || len(r.Prompt.Tools) == 0 {
			continue
		}
		a := asked{request: w.asked[i]}
		for _, p := range r.Answer.Reply.Parts {
			if p.Call != nil {
				a.calls = append(a.calls, *p.Call)
			}
		}
		conversation, turns = append(conversation, a), append(turns, r)
	}
	if err := (wiretest.Stable{Ours: ours.MatchString}).Check(sent); err != nil {
		t.Errorf("I4: %v", err)
	}
	want, seen := count(conversation), map[string]bool{}
	for i, r := range turns {
		var now []string
		here := map[string]bool{}
		for _, m := range ours.FindAllStringSubmatch(strings.Join(texts(r.Prompt), "\n"), -1) {
			id := m[1] + "@" + m[2]
			if here[id] {
				t.Errorf("turn %d holds %s twice", i+1, id)
			}
			if here[id] = true; !seen[id] {
				now, seen[id] = append(now, id), true
			}
		}
		if slices.Sort(now); !slices.Equal(now, want[i]) {
			t.Errorf("turn %d brings %q, want %q", i+1, now, want[i])
		}
	}
	if len(turns) == 0 {
		t.Error("there was no turn")
	}
}

// texts are the texts of a prompt, that of tool results among them.
func texts(p *wiretest.Prompt) (out []string) {
	for _, b := range p.System {
		out = append(out, b.Text)
	}
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			out = append(out, b.Text)
		}
	}
	return out
}

// tag is a reminder of ours, with its tag and the line ends before it.
var tag = regexp.MustCompile(`\n*<system-reminder[^>]*>\s*rule \w+, turn \d+\s*</system-reminder>`)

// sameBut: without our texts a request says what the client has said, and stripping gives the client's bytes.
func sameBut(t *testing.T, n int, own wiretest.Request, r wiretest.Record) {
	t.Helper()
	if r.Prompt == nil {
		return
	}
	p, no := wiretest.Read(own)
	if no != nil {
		t.Errorf("request %d of the client: %v", n, no)
		return
	}
	q, no := wiretest.Read(r.Request) // without what the server has kept
	if no != nil {
		t.Errorf("request %d on the wire: %v", n, no)
		return
	}
	var want, got []string
	for _, x := range p.Messages {
		for _, b := range x.Blocks {
			want = append(want, x.Role+" "+said(b))
		}
	}
	for _, x := range q.Messages {
		for _, b := range x.Blocks {
			if own := tag.ReplaceAllString(said(b), ""); own != "" || said(b) == "" {
				got = append(got, x.Role+" "+own)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("request %d is not the client's:\n%q\nwant\n%q", n, got, want)
	}
	opts := wire.Options{API: names[q.API]}
	if m := marked.FindSubmatch(r.Request.Body); m != nil {
		opts.Mark = string(m[1])
	}
	back, err := wire.Strip(r.Request.Body, opts)
	if err != nil || !bytes.Equal(back, own.Body) {
		t.Errorf("request %d, stripped (%v):\n%s\nwant\n%s", n, err, back, own.Body)
	}
}

// said is what a block says.
func said(b wiretest.Block) string {
	if b.Kind == wiretest.Text {
		return b.Text
	}
	return b.Raw
}

// marked finds the mark of a run in a body.
var marked = regexp.MustCompile(`<system-reminder mark=\\"(\w+)\\">`)

// names are those of the APIs.
var names = map[wiretest.API]wire.API{wiretest.Anthropic: wire.Anthropic, wiretest.Chat: wire.Chat,
	wiretest.Responses: wire.Responses, wiretest.Gemini: wire.Gemini}
