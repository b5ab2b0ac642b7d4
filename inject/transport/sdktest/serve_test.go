package sdktest_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	aside "github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/wiretest"
)

// scratch is a folder that lives as long as the tests.
var scratch string

// foreign are the beginnings of variables of the environment by which SDKs would be led elsewhere.
var foreign = regexp.MustCompile("^(ANTHROPIC|OPENAI|AZURE|GOOGLE|GEMINI|AWS|ASIDE)_")

func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); foreign.MatchString(name) {
			_ = os.Unsetenv(name)
		}
	}
	dir, err := os.MkdirTemp("", "sdktest")
	if err != nil {
		panic(err)
	}
	scratch = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// binary builds the command, once.
var binary = sync.OnceValues(func() (string, error) {
	name := filepath.Join(scratch, "aside")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	c := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-o", name, "./cmd/aside")
	if out, err := c.CombinedOutput(); err != nil {
		return "", &buildError{err, out}
	}
	return name, nil
})

type buildError struct {
	error
	out []byte
}

func (b *buildError) Error() string { return b.error.Error() + "\n" + string(b.out) }

// behind puts "aside serve" between a client and the fake.
func (w way) behind(t *testing.T) way {
	t.Helper()
	name, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, addr := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "addr")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(name, "serve", "--listen", "127.0.0.1:0", "--addr-file", addr, "--rules", file, "--state",
		"memory", "--upstream", w.url)
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
		if err := <-ended; err != nil {
			t.Errorf("aside serve: %v\n%s", err, log.Bytes())
		} else if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
	})
	w.url, w.client = "http://"+listening(t, addr, ended, &log), http.DefaultClient
	return w
}

// listening waits for the file with the address.
func listening(t *testing.T, file string, ended chan error, log *bytes.Buffer) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		if b, err := os.ReadFile(file); err == nil && len(b) > 0 {
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

var fires = regexp.MustCompile(`(?m)^aside_fires_total\{.*reminder="(\w+)".*\} (\d+)$`)

// measured are the firings that the metrics count, once they are those wanted, or after ten seconds: a
// request is counted at the end of its answer, and some clients do not read that.
func (w way) measured(t *testing.T, want map[string]int) map[string]int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		got := w.counted(t)
		if maps.Equal(got, want) {
			return got
		}
		select {
		case <-ctx.Done():
			return got
		case <-look.C:
		}
	}
}

// counted are the firings that the metrics count now.
func (w way) counted(t *testing.T) map[string]int {
	t.Helper()
	res, err := http.Get(w.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, m := range fires.FindAllStringSubmatch(string(b), -1) {
		if n, _ := strconv.Atoi(m[2]); n > 0 {
			out[m[1]] = n
		}
	}
	return out
}

// atServe holds the scene through "aside serve" and checks it: with attempts that fail, where the SDK may try
// again.
func atServe(t *testing.T, s sdk, m mode) {
	t.Helper()
	opts := wiretest.Options{Script: wiretest.Turns(replies...)}
	if m.retries > 0 {
		opts.Faults = s.troubled()
	}
	w := servePlain(t, opts).behind(t)
	a := s.open(t, w, m)
	got := play(t, a)
	held(t, s, m, aside.Auto, w, got, a)
	if m.retries > 0 {
		sameAttempts(t, w.fake.Records())
	}
	want := firings(due(s, m, aside.Auto))
	if got := w.measured(t, want); !maps.Equal(got, want) {
		t.Errorf("fired %v, want %v", got, want)
	}
}

// TestServe: what holds of a Transport holds of the proxy.
func TestServe(t *testing.T) {
	t.Parallel()
	// which sends no token without TLS
	plain := slices.DeleteFunc(slices.Clone(sdks), func(s sdk) bool { return s.api == aside.Converse })
	for i := range plain {
		plain[i].models = plain[i].models[:1]
	}
	each(t, plain, atServe)
}
