//go:build unix

package races

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
)

// Take takes the run over the turn of a key, on which one reminder fires, until the store says that it did.
// It does what a host does whose store fails: the same turn again. tried is how often the store failed.
func Take(t *testing.T, store state.Store, key string) (d *reminder.Decision, tried int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for c := (client{store: store}); ; tried++ {
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		c.err = nil
		c.take(once, key)
		cancel()
		switch {
		case c.err == nil:
			return c.decision, tried
		case errors.Is(c.err, state.ErrOldKey), ctx.Err() != nil:
			t.Fatalf("turn %s: %v", key, c.err)
		}
	}
}

// Cuts takes the run over turns through a proxy that cuts the connections n times, each at a random byte.
// Each turn must be taken once: none is lost, and none is taken twice. Of connections that are cut while
// nothing is under way nobody is told.
func Cuts(t *testing.T, store state.Store, proxy *servers.Proxy, n int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	turn, failed := 1, 0
	var wg sync.WaitGroup
	for range 8 { // several connections
		wg.Go(func() { _, _, _ = store.Load(t.Context(), "nobody") })
	}
	wg.Wait()
	told := 0
	for ; turn <= 10; turn++ {
		proxy.Cut()
		d, tried := Take(t, store, strconv.Itoa(turn))
		if told += tried; d.Turn != turn {
			t.Fatalf("turn %d is %+v", turn, d)
		}
	}
	if told > 1 { // a pool may take a connection back when the read is over
		t.Errorf("of 10 turns on connections that were cut before, %d had to be tried again", told)
	}
	for ; proxy.Cuts() < n && turn <= 10*n; turn++ {
		direction, most := servers.Out, 3000
		if turn%2 == 0 {
			direction, most = servers.In, 100
		}
		proxy.CutAfter(random.IntN(most), direction)
		d, tried := Take(t, store, strconv.Itoa(turn))
		if failed += min(tried, 1); d.Turn != turn || len(d.Fired) != 1 {
			t.Fatalf("turn %d is %+v", turn, d)
		}
	}
	t.Logf("%d turns, %d cuts, %d turns had to be tried again", turn-1, proxy.Cuts(), failed)
	if proxy.Cuts() < n {
		t.Error("this shows nothing")
	}
}

// Kills takes the run over turns while the server is killed and started again n times. Each turn must be
// taken once: what the store has acknowledged is there afterwards.
func Kills(t *testing.T, store state.Store, server *servers.Server, n int) {
	t.Helper()
	var over error
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < n && over == nil; i++ {
			time.Sleep(rand.N(30 * time.Millisecond)) // so that it dies in the middle of something
			server.Kill()
			over = server.Start()
		}
	}()
	turn, failed := 0, 0
	for alive := true; alive; {
		select {
		case <-done:
			alive = false
		default:
		}
		turn++
		d, tried := Take(t, store, strconv.Itoa(turn))
		if failed += min(tried, 1); d.Turn != turn || len(d.Fired) != 1 {
			t.Fatalf("turn %d is %+v", turn, d)
		}
	}
	if over != nil {
		t.Fatal(over)
	}
	t.Logf("%d turns, %d kills, %d turns had to be tried again", turn, n, failed)
}
