//go:build unix

package races

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
)

// once takes the run over the turn of a key, or fails within a time.
func once(t *testing.T, store state.Store, key int, within time.Duration) (*reminder.Decision, error) {
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	c := client{store: store}
	c.take(ctx, strconv.Itoa(key))
	return c.decision, c.err
}

// Pauses takes the run over turns while the server stands still n times. A turn fails when its time is over,
// and is taken once when the server goes on.
func Pauses(t *testing.T, store state.Store, server *servers.Server, n int) {
	t.Helper()
	for turn := 1; turn <= 2*n; turn++ {
		if turn%2 == 0 {
			server.Pause(t)
			_, err := once(t, store, turn, 30*time.Millisecond)
			server.Resume(t)
			if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, state.ErrIndeterminate) {
				t.Fatalf("turn %d of a server that stands still: %v", turn, err)
			}
		}
		if d, _ := Take(t, store, strconv.Itoa(turn)); d.Turn != turn || len(d.Fired) != 1 {
			t.Fatalf("turn %d is %+v", turn, d)
		}
	}
}

// Failover takes the run over turns until kill has ended the server in the middle, and goes on when promote
// has put another one in its place. It returns how many of the turns that were acknowledged the other one
// lacks. The run goes on from there: each later turn is taken once.
func Failover(t *testing.T, store state.Store, kill, promote func()) (acknowledged, lost int) {
	t.Helper()
	killed, begun := make(chan struct{}), false
	for alive := true; alive; {
		select {
		case <-killed:
			alive = false
		default:
		}
		if acknowledged >= 20 && !begun {
			begun = true
			go func() {
				defer close(killed)
				time.Sleep(rand.N(20 * time.Millisecond)) // so that it dies in the middle of something
				kill()
			}()
		}
		if _, err := once(t, store, acknowledged+1, 5*time.Second); err == nil {
			acknowledged++
		}
	}
	promote()
	for end := time.Now().Add(time.Minute); ; {
		snap, _, err := store.Load(t.Context(), run)
		if err == nil {
			lost = max(0, acknowledged-snap.Turn())
			acknowledged = snap.Turn()
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	for turn := acknowledged + 1; turn <= acknowledged+5; turn++ {
		if d, _ := Take(t, store, strconv.Itoa(turn)); d.Turn != turn || len(d.Fired) != 1 {
			t.Fatalf("turn %d is %+v", turn, d)
		}
	}
	return acknowledged + lost, lost
}

// Full takes the run over turns on a disk that fill fills up, until the server refuses three, and goes on
// when free has made room and has the server run again. What was acknowledged is there afterwards.
func Full(t *testing.T, store state.Store, fill, free func()) {
	t.Helper()
	turn, refused := 0, 0
	for ; refused < 3; turn++ {
		if turn == 5 {
			fill()
		}
		if turn > 50_000 {
			t.Fatal("the disk is not full")
		}
		d, err := once(t, store, turn+1, 5*time.Second)
		if err == nil && d.Turn != turn+1 {
			t.Fatalf("turn %d is %+v", turn+1, d)
		}
		if err != nil {
			turn--
			refused++
			t.Log(err)
		}
	}
	free()
	for n := turn + 1; n <= turn+5; n++ {
		if d, _ := Take(t, store, strconv.Itoa(n)); d.Turn != n || len(d.Fired) != 1 {
			t.Fatalf("turn %d is %+v", n, d)
		}
	}
}
