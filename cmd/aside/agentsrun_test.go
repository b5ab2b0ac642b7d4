package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
)

// numberHeader numbers the requests that an agent sends, so that a request from the proxy can be laid beside
// the one that went in.
const numberHeader = "X-Agents-Number"

// logged is a line of serve's log.
type logged struct {
	Level string   `json:"level"`
	Msg   string   `json:"msg"`
	URL   string   `json:"url"`
	Run   string   `json:"run"`
	API   string   `json:"api"`
	Kind  string   `json:"kind"`
	Turn  int      `json:"turn"`
	Again bool     `json:"again"`
	Fired []string `json:"fired"`
	Put   []string `json:"put"`
	Held  []string `json:"held"`
	Gone  []string `json:"gone"`
	Pass  string   `json:"passed"`
	Why   string   `json:"why"`
	In    int      `json:"bytes_in"`
	Out   int      `json:"bytes_out"`
	Code  int      `json:"status"`
}

// hop is a request on one side of the proxy.
type hop struct {
	n      int
	method string
	path   string
	header http.Header
	body   []byte
	status int
}

// trip is a request of an agent's: as the agent sent it, as it came out of the proxy, and as the proxy's log
// has it.
type trip struct {
	session int
	in, out hop
	log     *logged // nil: not a request to a model
}

// api is that of the request.
func (x trip) api() wire.API { return api.EndpointOf(x.in.path).API }

// station is a proxy with its upstream's port and, in front of it, a recorder of the requests that come.
type station struct {
	port string // of the upstream
	url  string // where agents are to send their requests
	cmd  *exec.Cmd
	stop func() // ends the proxy and waits for the end of its log

	mu  sync.Mutex // guards the rest
	in  []hop
	log []logged
	raw bytes.Buffer // the log as it came
}

// newStation starts "aside serve" with these rules, in an empty home.
func newStation(t *testing.T, dir string, rules map[string]string, flags ...string) *station {
	t.Helper()
	s := &station{port: freePort(t)}
	for name, text := range rules {
		process.Put(t, dir, "rules/"+name+".md", text)
	}
	home := filepath.Join(dir, "serve-home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:" + s.port,
		"--rules", filepath.Join(dir, "rules"), "--log-format", "json"}, flags...)
	s.cmd = exec.Command("aside", args...)
	s.cmd.Dir, s.cmd.Env = dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		s.follow(errs, listening)
	}()
	s.stop = sync.OnceFunc(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		<-read
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("aside serve: %v\n%s", err, &s.raw)
		}
	})
	t.Cleanup(s.stop)
	select {
	case at, ok := <-listening:
		if !ok {
			t.Fatalf("aside serve did not begin\n%s", s.text())
		}
		to, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		front := httptest.NewServer(s.front(to))
		t.Cleanup(front.Close)
		s.url = front.URL
	case <-time.After(30 * time.Second):
		t.Fatalf("aside serve does not listen\n%s", s.text())
	}
	return s
}

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// follow reads the log.
func (s *station) follow(r io.Reader, listening chan<- string) {
	defer close(listening)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l logged
		err := json.Unmarshal(lines.Bytes(), &l)
		s.mu.Lock()
		s.raw.Write(lines.Bytes())
		s.raw.WriteByte('\n')
		if err != nil {
			l = logged{Level: "ERROR", Msg: "no JSON: " + lines.Text()}
		}
		s.log = append(s.log, l)
		s.mu.Unlock()
		if l.Msg == "listening" {
			listening <- l.URL
		}
	}
	if err := lines.Err(); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log = append(s.log, logged{Level: "ERROR", Msg: "the rest is not read: " + err.Error()})
	}
}

func (s *station) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// front passes requests on to the proxy, each with a number, and writes them down.
func (s *station) front(to *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				body = []byte("not read: " + err.Error())
			}
			r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Out.Header["User-Agent"] = r.In.Header["User-Agent"]
			s.mu.Lock()
			defer s.mu.Unlock()
			n := len(s.in) + 1
			r.Out.Header.Set(numberHeader, strconv.Itoa(n))
			s.in = append(s.in, hop{n: n, method: r.In.Method, path: r.In.URL.RequestURI(),
				header: r.In.Header.Clone(), body: body})
		},
	}
}

// session is one start of an agent.
type session struct {
	prompt string
	script script
	flags  []string // of run.sh
	more   []string // of the agent
}

// outcome is the end of an agent's session.
type outcome struct {
	code        int
	out, stderr string
	got         []hop // the requests that came to the fake
}

// address is where an agent finds the model API; the zero address is the fake itself.
type address struct{ port, base string }

// run starts an agent with the script sh.
func (ss session) run(t *testing.T, sh, agent, work string, at address, flags []string) outcome {
	t.Helper()
	args := append([]string{agent, work, "--script", ss.script.write(t, filepath.Dir(work)), "--prompt",
		ss.prompt}, flags...)
	args = append(args, ss.flags...)
	if at.base != "" {
		args = append(args, "--port", at.port, "--base-url", at.base)
	}
	if len(ss.more) > 0 {
		args = append(append(args, "--"), ss.more...)
	}
	cmd := exec.Command(sh, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err := cmd.Run()
	var x *exec.ExitError
	if err != nil && !errors.As(err, &x) {
		t.Fatal(err)
	}
	o := outcome{code: cmd.ProcessState.ExitCode(), stderr: errs.String()}
	if o.code == 2 || o.code == 3 {
		t.Fatalf("%s %q: %s", sh, args, &errs)
	}
	b, err := os.ReadFile(filepath.Join(work, "out", "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	o.out, o.got = string(b), captured(t, filepath.Join(work, "out", "requests.jsonl"))
	o.got = slices.DeleteFunc(o.got, func(h hop) bool { // requests of Grok's own, and of Codex's socket
		ask := h.header.Get("x-grok-req-id")
		return h.header.Get("x-grok-client-version") != "" && (ask == "" || strings.HasPrefix(ask, "xai-")) ||
			h.status == http.StatusUpgradeRequired
	})
	return o
}

// baselines are the outcomes of sessions without a proxy; equal sessions are run once.
type baselines struct {
	mu   sync.Mutex // guards made, and is not held while agents run
	made map[string]func() []outcome
}

func (b *baselines) of(t *testing.T, agent string, flags []string, sessions []session,
	run func() []outcome) []outcome {
	t.Helper()
	key, err := json.Marshal([]any{agent, flags})
	if err != nil {
		t.Fatal(err)
	}
	for _, ss := range sessions {
		one, err := json.Marshal([]any{ss.prompt, ss.script, ss.flags, ss.more})
		if err != nil {
			t.Fatal(err)
		}
		key = append(key, one...)
	}
	b.mu.Lock()
	if b.made == nil {
		b.made = map[string]func() []outcome{}
	}
	once, ok := b.made[string(key)]
	if !ok {
		once = sync.OnceValue(run)
		b.made[string(key)] = once
	}
	b.mu.Unlock()
	return once()
}

// captured reads the requests that the fake has written down.
func captured(t *testing.T, path string) (hops []hop) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r struct {
			Method, Path, Body string
			Status             int
			Headers            [][2]string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		h := hop{method: r.Method, path: r.Path, body: []byte(r.Body), status: r.Status, header: http.Header{}}
		for _, kv := range r.Headers {
			h.header.Add(kv[0], kv[1])
		}
		h.n, _ = strconv.Atoi(h.header.Get(numberHeader))
		hops = append(hops, h)
	}
	return hops
}

// trips lays what went in, what came out and the log beside each other, after the proxy has stopped. got are
// the requests that came to the fake, session by session.
func (s *station) trips(t *testing.T, got [][]hop) (all []trip) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := map[int]bool{}
	for number, hops := range got {
		for _, h := range hops {
			if h.n < 1 || h.n > len(s.in) {
				t.Fatalf("a request without a number came to the fake: %s %s", h.method, h.path)
			}
			x := trip{session: number, in: s.in[h.n-1], out: h}
			for i := range s.log {
				l := &s.log[i]
				if l.Msg == "request" && !taken[i] && l.In == len(x.in.body) && l.Out == len(h.body) &&
					l.Code == h.status && l.API == string(x.api()) {
					taken[i], x.log = true, l
					break
				}
			}
			all = append(all, x)
		}
	}
	return all
}
