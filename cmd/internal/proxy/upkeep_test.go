package proxy_test

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/state"
)

// kept is a store that counts what is done for it.
type kept struct {
	state.Store
	syncs, sweeps atomic.Int32
	endless       bool // Sweep has more to forget than it has time for
}

func (k *kept) Sync(context.Context) error { k.syncs.Add(1); return nil }

func (k *kept) Sweep(ctx context.Context) (int, error) {
	k.sweeps.Add(1)
	if k.endless {
		<-ctx.Done()
	}
	return 7, ctx.Err()
}

// TestUpkeep: a store is synced once a second, and old runs are forgotten at the start and once an hour.
func TestUpkeep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &kept{Store: state.NewMemory()}
		p, _ := alone(t, k)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); p.KeepStore(ctx) }()
		time.Sleep(time.Hour + time.Second/2)
		if syncs, sweeps := k.syncs.Load(), k.sweeps.Load(); syncs != 3600 || sweeps != 2 {
			t.Errorf("%d syncs and %d sweeps in an hour, want 3600 and 2", syncs, sweeps)
		}
		stop()
		<-ended
	})
}

// TestLongSweep: where there are more old runs than can be forgotten within a minute, the others are
// forgotten an hour later. That is no outage.
func TestLongSweep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &kept{Store: state.NewMemory(), endless: true}
		p, log := alone(t, k)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); p.KeepStore(ctx) }()
		time.Sleep(2*time.Hour + 5*time.Minute)
		if n, got := k.sweeps.Load(), log.String(); n != 3 || strings.Count(got, `"runs":7`) != 3 ||
			strings.Contains(got, "state failed") {
			t.Errorf("%d sweeps within two hours, want 3\n%s", n, got)
		}
		stop()
		<-ended
	})
}

// TestOutage: a state that fails is one line, one more each minute, and one when something can be saved and
// nothing has failed for five seconds, also where nobody asks for anything.
func TestOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, log := alone(t, state.NewMemory())
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); p.KeepStore(ctx) }()
		fails := func(passed string) {
			p.Tell(transport.Report{Run: "a", API: api.Anthropic, Kind: "turn", Turn: 2, Passed: passed})
		}
		want := func(failed, back int) {
			t.Helper()
			got := log.String()
			if strings.Count(got, "state failed") != failed || strings.Count(got, "state is back") != back {
				t.Errorf("want %d failures and %d returns\n%s", failed, back, got)
			}
		}
		for range 50 { // one request in two fails
			fails(transport.PassedState)
			time.Sleep(time.Second / 2)
			fails("")
		}
		want(1, 0)
		time.Sleep(time.Minute / 2)
		want(1, 1)
		for range 25 { // another one, of more than a minute
			fails(transport.PassedState)
			time.Sleep(3 * time.Second)
		}
		want(3, 1)
		if !strings.Contains(log.String(), `"failures_since_told":19`) {
			t.Errorf("the failures between are not counted\n%s", log)
		}
		time.Sleep(6 * time.Second)
		want(3, 2)
		stop()
		<-ended
	})
}

// TestUnsavedRuns: each run whose answer could not be saved is named, also between the lines on failures.
func TestUnsavedRuns(t *testing.T) {
	t.Parallel()
	p, log := alone(t, state.NewMemory())
	for _, run := range []string{"one", "two"} {
		p.Tell(transport.Report{Run: run, API: api.Anthropic, Kind: "turn", Turn: 2, Unsaved: true})
		p.Tell(transport.Report{Run: run, API: api.Anthropic, Kind: "turn", Turn: 3})
	}
	for _, run := range []string{"one", "two"} {
		if got := log.String(); strings.Count(got, `"level":"WARN","msg":"request"`) != 2 ||
			strings.Count(got, `"unsaved":true`) != 2 || !regexp.MustCompile(`"run":"`+run+`".*"unsaved":true`).
			MatchString(got) {
			t.Errorf("%s is not named\n%s", run, got)
		}
	}
}

// alone is a proxy without a network.
func alone(t *testing.T, s state.Store) (*proxy.Proxy, *logs) {
	set, ds := compile.New(twenty(), compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	log := &logs{}
	return proxy.New(proxy.Options{Eval: eval.New(set, eval.Options{Store: s}), Store: s,
		Upstreams: upstreams(t, "http://127.0.0.1:1"), Log: slog.New(slog.NewJSONHandler(log, nil))}), log
}
