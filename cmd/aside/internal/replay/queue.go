package replay

import (
	"sync"

	"github.com/aside-go/aside/eval"
)

// item is one of: a step or a rest for the views, or a note for the user.
type item struct {
	step *Step
	rest *Rest
	note string
}

// queueRoom is how many bytes of items may wait in a queue.
const queueRoom = 2 << 20

// batch is how many items are taken at a time: waking the presenter for each would take longer than most of them do.
const batch = 32

// queue carries the items of one file from a player to the presenter. It is bounded: put waits for room until the presenter abandons
// the queue.
type queue struct {
	mu        sync.Mutex
	changed   sync.Cond // of mu; signals each change of the fields below that put or take may wait for
	items     []item
	weight    int  // of items
	ready     bool // take may return items
	closed    bool // nothing more is put
	abandoned bool // nothing more is taken
}

func newQueue() *queue {
	q := &queue{}
	q.changed.L = &q.mu
	return q
}

// put adds an item, and waits for room before. It returns false where the queue was abandoned. An empty queue has room for an item of
// any weight.
func (q *queue) put(it item) bool {
	w := it.weight()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.weight > 0 && q.weight+w > queueRoom && !q.abandoned {
		q.wake()
		q.changed.Wait()
	}
	if q.abandoned {
		return false
	}
	q.items = append(q.items, it)
	q.weight += w
	if len(q.items) >= batch {
		q.wake()
	}
	return true
}

// wake lets take return the items. mu is held.
func (q *queue) wake() {
	if !q.ready {
		q.ready = true
		q.changed.Broadcast()
	}
}

// flush lets take return the items although they are no whole batch. A player calls it before it reads, which may take a while.
func (q *queue) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 {
		q.wake()
	}
}

// close ends the queue: nothing more is put.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.changed.Broadcast()
}

// abandon drops all items, and lets put return false from now on.
func (q *queue) abandon() {
	q.mu.Lock()
	q.abandoned = true
	q.items, q.weight = nil, 0
	q.mu.Unlock()
	q.changed.Broadcast()
}

// take waits for items and returns all that are there; none means that the queue was closed. It reuses the memory of into.
func (q *queue) take(into []item) []item {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.ready && !q.closed {
		q.changed.Wait()
	}
	into = append(into[:0], q.items...)
	clear(q.items)
	q.items, q.weight, q.ready = q.items[:0], 0, false
	q.changed.Broadcast()
	return into
}

// weight returns about how many bytes of memory an item takes.
func (it item) weight() int {
	const each, call = 2 << 10, 64
	n := each + len(it.note)
	if s := it.step; s != nil {
		n += len(s.Response) + call*len(s.Calls) + decisionWeight(s.Decision)
		for _, p := range s.Prompts {
			n += len(p)
		}
		if s.Against != nil {
			n += decisionWeight(s.Against)
		}
	}
	if r := it.rest; r != nil && r.After != nil {
		n += len(r.After.Response)
	}
	return n
}

// decisionWeight returns about how many bytes of memory a decision takes.
func decisionWeight(d *eval.Decision) int {
	const facts, due, why, held = 2 << 10, 160, 1 << 10, 64
	n := facts + due*len(d.Due) + why*len(d.Fired) + held*len(d.Held)
	for _, f := range d.Due {
		n += len(f.Text)
	}
	return n
}
