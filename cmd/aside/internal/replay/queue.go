package replay

import (
	"sync"

	"github.com/aside-go/aside/eval"
)

// item is something for the views, or a note for the user.
type item struct {
	step *Step
	rest *Rest
	note string
}

// queueRoom is how much of what was decided may wait for the views, in bytes, for each file.
const queueRoom = 2 << 20

// batch is how many items are handed on at a time: to wake somebody for each would take longer than most of them do.
const batch = 32

// queue hands on what comes out of one file. It holds a bounded amount: who puts waits until there is room, as long as somebody
// takes.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond // mu; told whenever one of these changes for somebody who may wait
	items   []item
	weight  int
	ready   bool // to be taken
	closed  bool // nothing more comes
	left    bool // nobody takes any more
}

func newQueue() *queue {
	q := &queue{}
	q.changed.L = &q.mu
	return q
}

// put adds an item; false says that nobody wants it any more. A single item is taken however heavy it is.
func (q *queue) put(it item) bool {
	w := it.weight()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.weight > 0 && q.weight+w > queueRoom && !q.left {
		q.hand()
		q.changed.Wait()
	}
	if q.left {
		return false
	}
	q.items = append(q.items, it)
	q.weight += w
	if len(q.items) >= batch {
		q.hand()
	}
	return true
}

// hand has what is there taken. mu is held.
func (q *queue) hand() {
	if !q.ready {
		q.ready = true
		q.changed.Broadcast()
	}
}

// flush has what is there taken, since it may be a while until there is more.
func (q *queue) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 {
		q.hand()
	}
}

// close says that nothing more comes.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.changed.Broadcast()
}

// leave says that nobody takes any more.
func (q *queue) leave() {
	q.mu.Lock()
	q.left = true
	q.items, q.weight = nil, 0
	q.mu.Unlock()
	q.changed.Broadcast()
}

// take returns what has come since, and waits for something; nil is the end. The list is valid until the next call.
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

// weight is about how many bytes an item holds in memory.
func (it item) weight() int {
	const each, call = 2 << 10, 64
	n := each + len(it.note)
	if s := it.step; s != nil {
		n += len(s.Response) + call*len(s.Calls) + heft(s.Decision)
		for _, p := range s.Prompts {
			n += len(p)
		}
		if s.Against != nil {
			n += heft(s.Against)
		}
	}
	if r := it.rest; r != nil && r.After != nil {
		n += len(r.After.Response)
	}
	return n
}

// heft is about how many bytes a decision holds.
func heft(d *eval.Decision) int {
	const facts, due, why, held = 2 << 10, 160, 1 << 10, 64
	n := facts + due*len(d.Due) + why*len(d.Fired) + held*len(d.Held)
	for _, f := range d.Due {
		n += len(f.Text)
	}
	return n
}
