//go:build unix

package main

import (
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
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestServe: from the first rule to Ctrl-C.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/kind.md", "---\nwhile: always\n---\nBe kind.\n")
	process.Put(t, dir, "models.json", `[{"prefix":"m","system":["claude"]}]`)
	var got atomic.Value
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got.Store(string(b))
		_, _ = w.Write([]byte(`{"type":"message"}`))
	}))
	defer up.Close()
	s := exe.Serve(t, dir, nil, "--upstream", up.URL, "--rules", "rules", "--rules", "later",
		"--addr-file", "addr",
		"--window", "m=1000", "--model-table", "models.json", "--max-body", "1MiB")
	addr, err := os.ReadFile(filepath.Join(dir, "addr"))
	if err != nil || "http://"+string(addr) != s.URL+"\n" {
		t.Errorf("%q %v, %s", addr, err, s.URL)
	}
	if body := s.Ask("POST", "/v1/messages",
		`{"model":"m","messages":[{"role":"user","content":"hi"}]}`); body != `{"type":"message"}` {
		t.Error(body)
	}
	if b, _ := got.Load().(string); !strings.Contains(b, "Be kind.") {
		t.Errorf("sent on: %q", b)
	}
	for _, path := range []string{"/metrics", "/v1/runs", "/v1/runs/r/why", "/v1/openapi.json"} {
		if body := s.Ask("GET", path, ""); !strings.Contains(body, "asided serve") {
			t.Errorf("%s: %s", path, body)
		}
	}
	var health struct{ Version, Status string }
	if err := json.Unmarshal([]byte(s.Ask("GET", "/readyz", "")), &health); err != nil ||
		health.Status != "ready" || !strings.HasPrefix(health.Version, "aside ") {
		t.Error(health, err)
	}

	// The other commands see its runs.
	if r := exe.Invoke(t, dir, nil, "why", "kind", "--rules", "rules"); r.Code != 0 || !strings.Contains(r.Out,
		"kind fired") {
		t.Errorf("exit code %d\n%s%s", r.Code, r.Out, r.Err)
	}

	process.Put(t, dir, "later/more.md", "---\nwhen: manual\n---\nMore.\n")
	s.Await("rules reloaded")
	s.Signal(syscall.SIGHUP)
	s.Await("rules read anew")
	if body := s.Ask("GET", "/readyz", ""); !strings.Contains(body, `"reminders":2`) {
		t.Error(body)
	}
	if r := exe.Invoke(t, dir, nil, "serve", "--listen", strings.TrimPrefix(s.URL, "http://"), "--rules",
		"rules"); r.Code != command.ExitMachine || !strings.Contains(r.Err, "is in use") {
		t.Errorf("a second one: exit code %d: %s", r.Code, r.Err)
	}
	s.Signal(os.Interrupt)
	if code := s.End(); code != 0 {
		t.Errorf("exit code %d\n%s", code, &s.Said)
	}
	if _, err := os.Stat(filepath.Join(dir, "addr")); err == nil {
		t.Error("the address is still there")
	}
	for _, line := range []string{"aside: later is not there yet\n",
		"aside: 1 reminder; runs are remembered in home/.local/state/aside\n", "aside: upstream all " + up.URL +
			"\n", "msg=request ",
		"aside: reminders go into anthropic, converse, gemini, gemini-interactions, openai-chat, " +
			"openai-responses; ",
		"aside: requests that called a model: 1 (injected 1, nothing due 0, held 0, passed 0)\n"} {
		if !strings.Contains(s.Said.String(), line) {
			t.Errorf("no %q in\n%s", line, &s.Said)
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
		process.Put(t, dir, "rules/no.md", "---\nwhen: never\n---\nNothing.\n")
		var got atomic.Value
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			got.Store(string(b))
			_, _ = w.Write([]byte(`{"type":"message"}`))
		}))
		defer up.Close()
		s := exe.Serve(t, dir, nil, "--upstream", up.URL, "--rules", "rules", "--neutralise", c.policy)
		s.Ask("POST", "/v1/messages", in)
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
		s := exe.Serve(t, t.TempDir(), nil, "--upstream", up.URL, "--state", "memory")
		res, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		s.Signal(syscall.SIGTERM)
		s.Await("stopping")
		if twice {
			s.Signal(syscall.SIGTERM)
			if code := s.End(); code == 0 {
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
			if code := s.End(); code != 0 {
				t.Errorf("exit code %d\n%s", code, &s.Said)
			}
		}
		up.Close()
	}
}

// TestServeJSON: with a log in JSON all of stderr is JSON, the address and the diagnostics of rules included.
func TestServeJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "bad.md", "---\nwhen: turn_cuont > 3\n---\nx\n")
	s := exe.Serve(t, dir, nil, "--rules", "bad.md", "--log-format", "json", "--state", "state")
	if body := s.Ask("GET", "/readyz", ""); !strings.Contains(body, `"reminders":0`) {
		t.Error(body)
	}
	s.Signal(os.Interrupt)
	if code := s.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for line := range strings.Lines(s.Said.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	if !strings.Contains(s.Said.String(), `"msg":"listening","url":"http://127.0.0.1:`) ||
		!strings.Contains(s.Said.String(), `did you mean turn_count?`) {
		t.Error(&s.Said)
	}
}

// TestServeProjectRules: the rules of a project are somebody else's words: no way leads to them but trust.
func TestServeProjectRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "p/.aside/reminders/kind.md", "Be kind.\n")
	process.Put(t, dir, "home/.aside/reminders/mine.md", "Mine.\n")
	rules := func(want string, args ...string) {
		t.Helper()
		if body := exe.Serve(t, dir, nil, append([]string{"--state", "memory"}, args...)...).Ask("GET", "/readyz",
			""); !strings.Contains(body, want) {
			t.Errorf("%q: %s", args, body)
		}
	}
	rules(`"reminders":1`)
	rules(`"reminders":0`, "--rules", "p/.aside/reminders")
	rules(`"reminders":0`, "--rules", "p/.aside/reminders/kind.md")
	rules(`"reminders":1`, "--project", "p")
	running := exe.Serve(t, dir, nil, "--state", "memory", "--project", "p")
	if r := exe.Invoke(t, dir, nil, "trust", "p", "--yes"); r.Code != 0 {
		t.Fatal(r.Err)
	}
	running.Await("rules=2") // without a signal
	rules(`"reminders":1`, "--rules", "p/.aside/reminders")
	rules(`"reminders":1`, "--rules", "p/.aside/reminders/kind.md")
	rules(`"reminders":2`, "--project", "p")
	rules(`"reminders":2`, "--project", "p/.aside/reminders")
}

// TestElsewhere: aside answers a flag, a command or a database of asided with one sentence that names asided,
// and prints no password.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "home/.config/aside/config.yaml",
		"serve: {rate: 20, log-level: warn}\nbundle build: {name: team}\n")
	for line, want := range map[string]string{
		"serve --tokens t":                        "--tokens is a flag of asided serve",
		"serve --no-metrics":                      "--no-metrics is a flag of asided serve",
		"serve --bundle https://a.example/b":      "--bundle is a flag of asided serve",
		"bundle build rules":                      "it is asided bundle",
		"runs --state postgres://u:secret@h/d":    "asided keeps them in a database",
		"why --state redis://:secret@h":           "asided keeps them in a database",
		"serve --state valkeys://u:secret@h/1":    "asided keeps them in a database",
		"state copy postgres://u:secret@h/d here": "asided keeps them in a database",
	} {
		r := exe.Invoke(t, dir, nil, strings.Fields(line)...)
		if r.Code != command.ExitUsage || !strings.Contains(r.Err, want) || strings.Contains(r.Err, "secret") {
			t.Errorf("aside %s: exit code %d\n%s", line, r.Code, r.Err)
		}
	}
}

// TestLight: the program for a person is built without databases, metrics and exporters.
func TestLight(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(out)) {
		for _, heavy := range []string{"jackc/", "rueidis", "opentelemetry", "prometheus", "google.golang.org/",
			"goldmark", "md2man", "gonum", "tidwall"} {
			if strings.Contains(dep, heavy) {
				t.Errorf("aside is built with %s", dep)
			}
		}
	}
}
