package replay

import "sync"

// item is something for the views, or a note for the user.
type item struct {
	step *Step
	rest *Rest
	note string
}

// queueRoom is how much of what was decided may wait for the views, in bytes, for each file.
const queueRoom = 2 << 20

// queue hands on what comes out of one file. It holds a bounded amount: who puts waits until there is room, as long as somebody
// takes.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond // mu; signalled whenever one of these changes
	items   []item
	weight  int
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
		q.changed.Wait()
	}
	if q.left {
		return false
	}
	q.items = append(q.items, it)
	q.weight += w
	if len(q.items) == 1 {
		q.changed.Signal()
	}
	return true
}

// close says that nothing more comes.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.changed.Signal()
}

// leave says that nobody takes any more.
func (q *queue) leave() {
	q.mu.Lock()
	q.left = true
	q.items, q.weight = nil, 0
	q.mu.Unlock()
	q.changed.Signal()
}

// take returns what has come since, and waits for something; nil is the end. The list is valid until the next call.
func (q *queue) take(into []item) []item {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.changed.Wait()
	}
	into = append(into[:0], q.items...)
	clear(q.items)
	q.items, q.weight = q.items[:0], 0
	q.changed.Signal()
	return into
}

// weight is about how many bytes an item holds in memory.
func (it item) weight() int {
	const each, call = 3 << 10, 64 // the facts of a turn and the decision on it
	n := each + len(it.note)
	if s := it.step; s != nil {
		n += len(s.Response) + call*len(s.Calls)
		for _, p := range s.Prompts {
			n += len(p)
		}
		for _, d := range s.Decision.Due {
			n += len(d.Text)
		}
	}
	if r := it.rest; r != nil && r.After != nil {
		n += len(r.After.Response)
	}
	return n
}
