package replay

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestQueue: who puts waits once there is as much as there is room for, goes on when something is taken, and ends when nobody takes.
func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		note := item{note: strings.Repeat("x", 100<<10)}
		puts, ended := 0, false
		go func() {
			for q.put(note) {
				puts++
			}
			ended = true
		}()
		synctest.Wait()
		room := queueRoom / note.weight()
		if puts != room {
			t.Errorf("%d items were put, there is room for %d", puts, room)
		}
		if got := q.take(nil); len(got) != room {
			t.Errorf("%d items were taken, %d put", len(got), room)
		}
		synctest.Wait()
		if puts != 2*room {
			t.Errorf("%d items were put, there was room for %d more", puts, room)
		}
		q.abandon()
		synctest.Wait()
		if !ended || q.weight != 0 {
			t.Errorf("ended %v, %d bytes are kept", ended, q.weight)
		}
	})
}

// TestQueueHands: what was put is taken once it is a batch, or was flushed, or is all there will be.
func TestQueueHands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		var took []int
		go func() {
			for items := q.take(nil); len(items) > 0; items = q.take(items) {
				took = append(took, len(items))
			}
		}()
		put := func(n int) {
			for range n {
				q.put(item{note: "x"})
			}
			synctest.Wait()
		}
		put(batch - 1)
		if len(took) > 0 {
			t.Errorf("%v were taken before they were a batch", took)
		}
		put(1)
		put(3)
		q.flush()
		synctest.Wait()
		q.flush()
		put(2)
		q.close()
		synctest.Wait()
		if len(took) != 3 || took[0] != batch || took[1] != 3 || took[2] != 2 {
			t.Errorf("taken %v", took)
		}
	})
}
