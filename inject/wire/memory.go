package wire

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Reader reads requests as Read does, without reading again what it has read in an earlier request: a request of a run mostly
// begins with the messages of the one before it. The results are those of Read.
//
// A Reader remembers no text, but where messages stand, what is in them, their keys, and a hash of their bytes: a fraction of the
// size of a body. It remembers what was released, and of that the latest, at most 16 MiB.
//
// The zero Reader is ready for use. It may be used concurrently.
type Reader struct {
	once sync.Once
	seed uint64    // of all hashes
	free sync.Pool // of *reading

	past memories
}

// reading is the working memory for reading one request. A Reader's are pooled.
type reading struct {
	of    *Reader // nil: nothing is remembered or pooled
	scan  reader
	doc   body
	said  history
	keys  keyer
	heads headers
	sum   xxhash.Digest // hash of the list up to the end of the last message in doc
	mem   *memory       // whose parts doc uses
	spare *memory       // replaces mem when that goes to the Reader
}

// memory is what is remembered of a list of messages. It belongs to one reading or to memories, never to both, so its owner may
// write to it.
type memory struct {
	parts
	f    *format
	from int // where the list began in the body

	// Among memories:
	size         int // in bytes
	listed       int // under how many beginnings
	newer, older *memory
}

// Read is wire.Read. The Conversation should be released when it is no longer needed: what is not released is not remembered.
func (r *Reader) Read(in Incoming, opts Options) (*Request, *Conversation, error) {
	r.once.Do(func() { r.seed = rand.Uint64() })
	w, _ := r.free.Get().(*reading)
	if w == nil {
		w = &reading{}
	}
	w.of = r
	if w.mem == nil {
		w.mem = &memory{}
	}
	w.doc.parts = w.mem.emptied()
	q, c, err := w.read(in, opts)
	if c == nil {
		w.end(false)
	}
	return q, c, err
}

// Release gives the memory of a Conversation back to the Reader that it is from. After that, neither c nor any conversation that
// Marked has made of c may be used; what Edit returned may. On nil, and on a Conversation that no Reader has read, Release does
// nothing.
func (c *Conversation) Release() {
	if c == nil || c.reading == nil {
		return
	}
	w := c.reading
	c.reading, c.body = nil, nil
	w.end(true)
}

// end ends a reading and gives w back to the pool. sound is whether the body was read without an error, so that it may be
// remembered.
func (w *reading) end(sound bool) {
	r, m := w.of, w.mem
	m.parts = w.doc.parts
	if sound && len(m.chains) > 0 && len(m.chains) == len(m.messages) {
		w.mem, w.spare = w.spare, nil
		if dropped := r.past.put(m); w.mem == nil {
			w.mem = dropped
		}
	}
	w.scan, w.doc, w.said = reader{}, body{}, history{}
	w.keys.body, w.of = nil, nil
	clear(w.heads)
	r.free.Put(w)
}

// recall is called behind each message that was read. It looks for a memory that begins with the messages up to here, and if the
// body goes on like that memory, takes those messages over and steps behind them.
func (r *reader) recall() {
	d, w := r.doc, r.work
	n := len(d.messages)
	from := d.list.from
	if n == 1 {
		w.sum.ResetWithSeed(w.of.seed + uint64(from)) // spans are offsets, so only a list that begins at the same place is of use
		w.mem.f, w.mem.from = r.f, from
	} else {
		from = d.messages[n-2].to
	}
	w.sum.Write(r.b[from:r.i])
	d.chains = append(d.chains, w.sum.Sum64())
	for at := 1; at != n; at *= lookupStep {
		if at > n {
			return
		}
	}
	m := w.of.past.take(d.chains[n-1])
	if m == nil {
		return
	}
	same := 0
	if m.f == r.f && m.from == d.list.from {
		same = w.follow(m, n)
	}
	switch {
	case same <= n:
		w.of.past.put(m)
		return
	case len(m.messages)-same <= movable:
		w.mem.parts, w.spare = d.emptied(), w.mem
		w.mem = m
		d.parts = m.prefix(same)
	default: // the memory belongs to another branch of the conversation, which may need it again
		d.parts.copyFrom(m.prefix(same))
		w.of.past.put(m)
	}
	d.known, r.i = same, d.messages[same-1].to
}

// movable is how many messages at the end of its history a client may change from one request to the next, because it moves its
// cache marks.
const movable = 4

// follow returns with how many of the messages of m the body begins, given that it begins with n of them.
func (w *reading) follow(m *memory, n int) (same int) {
	b, at, sum := w.doc.b, m.messages[n-1].to, w.sum
	reach := func(i int) bool {
		to, next := m.messages[i].to, sum
		if to > len(b) {
			return false
		}
		next.Write(b[at:to])
		if next.Sum64() != m.chains[i] {
			return false
		}
		at, sum = to, next
		return true
	}
	i := n
	if late := len(m.messages) - movable - 1; late > i && reach(late) { // the common case: one hash for all of them
		i = late // reached already; the loop counts it
	}
	for same = n; i < len(m.messages) && reach(i); i++ {
		if delimited(b[at-1]) {
			same, w.sum = i+1, sum
		}
	}
	return same
}

// delimited reports whether a JSON value that ends with byte c ends there, whatever follows.
func delimited(c byte) bool { return c == '}' || c == ']' || c == '"' }

// prefix returns the parts of the first n messages, in the memory of p, to be appended to.
func (p *parts) prefix(n int) parts {
	q := *p
	last := &p.messages[n-1]
	q.messages, q.chains = p.messages[:n], p.chains[:n]
	q.blocks, q.calls, q.names = p.blocks[:last.blocks.to], p.calls[:last.calls.to], p.names[:last.calls.to]
	texts, _ := slices.BinarySearchFunc(p.texts, last.to, func(t foreignText, to int) int { return t.from - to })
	q.texts = p.texts[:texts]
	before := func(k messageKey, n int) int { return k.message - n }
	keys, _ := slices.BinarySearchFunc(p.keys, n, before)
	again, _ := slices.BinarySearchFunc(p.repeats, n, before)
	q.keys, q.repeats = p.keys[:keys], p.repeats[:again]
	return q
}

// copyFrom makes p a copy of q, in the memory of p.
func (p *parts) copyFrom(q parts) {
	p.keySeed = q.keySeed
	p.messages, p.chains = append(p.messages[:0], q.messages...), append(p.chains[:0], q.chains...)
	p.blocks, p.calls, p.names = append(p.blocks[:0], q.blocks...), append(p.calls[:0], q.calls...), append(p.names[:0], q.names...)
	p.texts = append(p.texts[:0], q.texts...)
	p.keys, p.repeats = append(p.keys[:0], q.keys...), append(p.repeats[:0], q.repeats...)
}

// emptied returns p without its content, to be appended to in the memory of p.
func (p *parts) emptied() parts {
	return parts{messages: p.messages[:0], blocks: p.blocks[:0], calls: p.calls[:0], names: p.names[:0], texts: p.texts[:0],
		keys: p.keys[:0], repeats: p.repeats[:0], chains: p.chains[:0]}
}

// size returns how many bytes of memory p takes.
func (p *parts) size() int {
	return sizeOf(p.messages) + sizeOf(p.blocks) + sizeOf(p.calls) + sizeOf(p.names) + sizeOf(p.texts) + sizeOf(p.keys) + sizeOf(p.repeats) + sizeOf(p.chains)
}

func sizeOf[E any](s []E) int { return cap(s) * int(reflect.TypeFor[E]().Size()) }
