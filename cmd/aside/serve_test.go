//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
)

// server is "aside serve" as a process of its own.
type server struct {
	t    *testing.T
	cmd  *exec.Cmd
	errs *bufio.Reader
	said bytes.Buffer // the part of errs that was read
	url  string
}

// startServe starts it in a directory, and waits until it listens. The process is over when the test is.
func startServe(t *testing.T, dir string, args ...string) *server {
	t.Helper()
	return startServeWith(t, dir, nil, args...)
}

// startServeWith is startServe with further variables of the environment.
func startServeWith(t *testing.T, dir string, env []string, args ...string) *server {
	t.Helper()
	s := &server{t: t, cmd: exec.Command("aside", append([]string{"serve", "--listen", "127.0.0.1:0"},
		args...)...)}
	s.cmd.Dir = dir
	s.cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}
	s.cmd.Env = append(s.cmd.Env, env...)
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.errs = bufio.NewReader(io.TeeReader(pipe, &s.said))
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	if _, s.url, _ = strings.Cut(s.await("listening"), "http://"); s.url != "" {
		s.url = "http://" + strings.TrimRight(strings.SplitN(s.url, `"`, 2)[0], "\n")
	}
	return s
}

// await reads stderr up to a line that holds a part.
func (s *server) await(part string) string {
	s.t.Helper()
	for {
		line, err := s.errs.ReadString('\n')
		if strings.Contains(line, part) {
			return line
		}
		if err != nil {
			s.t.Fatalf("no %q in\n%s", part, &s.said)
		}
	}
}

func (s *server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// end reads the rest of stderr, and returns the exit code; -1 after a signal.
func (s *server) end() int {
	s.t.Helper()
	_, _ = io.Copy(io.Discard, s.errs)
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

func (s *server) ask(method, path, body string) string {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// TestServe: from the first rule to Ctrl-C.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "rules/kind.md", "---\nwhile: always\n---\nBe kind.\n")
	put(t, dir, "models.json", `[{"prefix":"m","system":["claude"]}]`)
	var got atomic.Value
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got.Store(string(b))
		_, _ = w.Write([]byte(`{"type":"message"}`))
	}))
	defer up.Close()
	s := startServe(t, dir, "--upstream", up.URL, "--rules", "rules", "--rules", "later", "--addr-file", "addr",
		"--window", "m=1000", "--model-table", "models.json", "--max-body", "1MiB")
	addr, err := os.ReadFile(filepath.Join(dir, "addr"))
	if err != nil || "http://"+string(addr) != s.url+"\n" {
		t.Errorf("%q %v, %s", addr, err, s.url)
	}
	if body := s.ask("POST", "/v1/messages",
		`{"model":"m","messages":[{"role":"user","content":"hi"}]}`); body != `{"type":"message"}` {
		t.Error(body)
	}
	if b, _ := got.Load().(string); !strings.Contains(b, "Be kind.") {
		t.Errorf("sent on: %q", b)
	}
	if body := s.ask("GET", "/v1/runs", ""); !strings.Contains(body, `"conversation-`) {
		t.Error(body)
	}
	var health struct{ Version, Status string }
	if err := json.Unmarshal([]byte(s.ask("GET", "/readyz", "")), &health); err != nil ||
		health.Status != "ready" || !strings.HasPrefix(health.Version, "aside ") {
		t.Error(health, err)
	}

	// The other commands see its runs.
	if r := invoke(t, dir, nil, "why", "kind", "--rules", "rules"); r.code != 0 || !strings.Contains(r.out,
		"kind fired") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}

	put(t, dir, "later/more.md", "---\nwhen: manual\n---\nMore.\n")
	s.await("rules reloaded")
	s.signal(syscall.SIGHUP)
	s.await("rules read anew")
	if body := s.ask("GET", "/readyz", ""); !strings.Contains(body, `"reminders":2`) {
		t.Error(body)
	}
	if r := invoke(t, dir, nil, "serve", "--listen", strings.TrimPrefix(s.url, "http://"), "--rules",
		"rules"); r.code != command.ExitMachine || !strings.Contains(r.err, "is in use") {
		t.Errorf("a second one: exit code %d: %s", r.code, r.err)
	}
	s.signal(os.Interrupt)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d\n%s", code, &s.said)
	}
	if _, err := os.Stat(filepath.Join(dir, "addr")); err == nil {
		t.Error("the address is still there")
	}
	for _, line := range []string{"aside: later is not there yet\n",
		"aside: 1 reminder; runs are remembered in home/.local/state/aside\n", "aside: upstream all " + up.URL +
			"\n", "msg=request "} {
		if !strings.Contains(s.said.String(), line) {
			t.Errorf("no %q in\n%s", line, &s.said)
		}
	}
}

// TestServeNeutralise: a client's own tags go out as they are, unless serve is told otherwise.
func TestServeNeutralise(t *testing.T) {
	t.Parallel()
	const in = `{"model":"m","messages":[{"role":"user","content":"<system-reminder>theirs</system-reminder>"}]}`
	for _, c := range []struct{ policy, want string }{
		{"mark", in}, {"all", strings.NewReplacer("<", "&lt;").Replace(in)},
	} {
		dir := t.TempDir()
		put(t, dir, "rules/no.md", "---\nwhen: never\n---\nNothing.\n")
		var got atomic.Value
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			got.Store(string(b))
			_, _ = w.Write([]byte(`{"type":"message"}`))
		}))
		defer up.Close()
		s := startServe(t, dir, "--upstream", up.URL, "--rules", "rules", "--neutralise", c.policy)
		s.ask("POST", "/v1/messages", in)
		if b, _ := got.Load().(string); b != c.want {
			t.Errorf("%s: sent on: %s", c.policy, b)
		}
	}
}

// TestServeStops: the first signal waits for requests that are under way, the second does not.
func TestServeStops(t *testing.T) {
	t.Parallel()
	for _, twice := range []bool{false, true} {
		resume := make(chan struct{})
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = w.Write([]byte("data: 1\n\n"))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-resume:
				_, _ = w.Write([]byte("data: 2\n\n"))
			case <-r.Context().Done():
			}
		}))
		s := startServe(t, t.TempDir(), "--upstream", up.URL, "--state", "memory")
		res, err := http.Post(s.url+"/v1/messages", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		s.signal(syscall.SIGTERM)
		s.await("stopping")
		if twice {
			s.signal(syscall.SIGTERM)
			if code := s.end(); code == 0 {
				t.Errorf("exit code %d", code)
			}
		} else {
			close(resume)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if whole := string(b) == "data: 1\n\ndata: 2\n\n" && err == nil; whole == twice {
			t.Errorf("%q %v", b, err)
		}
		if !twice {
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d\n%s", code, &s.said)
			}
		}
		up.Close()
	}
}

// TestServeJSON: with a log in JSON all of stderr is JSON, the address and the diagnostics of rules included.
func TestServeJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "bad.md", "---\nwhen: turn_cuont > 3\n---\nx\n")
	s := startServe(t, dir, "--rules", "bad.md", "--log-format", "json", "--state", "state")
	if body := s.ask("GET", "/readyz", ""); !strings.Contains(body, `"reminders":0`) {
		t.Error(body)
	}
	s.signal(os.Interrupt)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for line := range strings.Lines(s.said.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	if !strings.Contains(s.said.String(), `"msg":"listening","url":"http://127.0.0.1:`) ||
		!strings.Contains(s.said.String(), `did you mean turn_count?`) {
		t.Error(&s.said)
	}
}

// TestServeTogether: two of them at once, on one state directory.
func TestServeTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "rules/hand.md", "---\nwhen: manual\n---\nx\n")
	a, b := startServe(t, dir, "--rules", "rules", "--state", "state"), startServe(t, dir, "--rules", "rules",
		"--state", "state")
	a.ask("POST", "/v1/runs/r/turns", `{}`)
	if body := b.ask("POST", "/v1/runs/r/remind/hand", ""); !strings.Contains(body, `"id":"hand"`) {
		t.Error(body)
	}
	if body := a.ask("POST", "/v1/runs/r/turns", `{}`); !strings.Contains(body, `"id":"hand"`) {
		t.Error(body)
	}
}

// TestServeProjectRules: the rules of a project are somebody else's words: no way leads to them but trust.
func TestServeProjectRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "p/.aside/reminders/kind.md", "Be kind.\n")
	put(t, dir, "home/.aside/reminders/mine.md", "Mine.\n")
	if body := startServe(t, dir, "--state", "memory").ask("POST", "/v1/runs/r/turns",
		`{"remind":["kind"]}`); !strings.Contains(body, "there is no reminder") {
		t.Error(body)
	}
	rules := func(want string, args ...string) {
		t.Helper()
		if body := startServe(t, dir, append([]string{"--state", "memory"}, args...)...).ask("GET", "/readyz",
			""); !strings.Contains(body, want) {
			t.Errorf("%q: %s", args, body)
		}
	}
	rules(`"reminders":0`, "--rules", "p/.aside/reminders")
	rules(`"reminders":0`, "--rules", "p/.aside/reminders/kind.md")
	rules(`"reminders":1`, "--project", "p")
	running := startServe(t, dir, "--state", "memory", "--project", "p")
	if r := invoke(t, dir, nil, "trust", "p", "--yes"); r.code != 0 {
		t.Fatal(r.err)
	}
	running.await("rules=2") // without a signal
	rules(`"reminders":1`, "--rules", "p/.aside/reminders")
	rules(`"reminders":1`, "--rules", "p/.aside/reminders/kind.md")
	rules(`"reminders":2`, "--project", "p")
	rules(`"reminders":2`, "--project", "p/.aside/reminders")
}
