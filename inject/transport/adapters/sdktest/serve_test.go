package sdktest_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	aside "github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// behind puts "asided serve", which counts, between a client and the fake.
func (w way) behind(t *testing.T) way {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "rules.yaml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	w.url = "http://" + testkit.Serve(t, "asided", dir, "--rules", file, "--state", "memory", "--upstream",
		w.url)
	w.client = http.DefaultClient
	return w
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

// atServe holds the scene through "asided serve" and checks it: with attempts that fail, where the SDK may
// try again.
func atServe(t *testing.T, s sdk, m mode) {
	t.Helper()
	opts := modelapi.Options{Script: modelapi.Turns(replies...)}
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
