package wire

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Reader reads requests as Read does, and does not read again what it has read before: a request of a run mostly begins
// with the messages of the one before it. It keeps no text, but where the messages stand, what is in them, and a hash of
// their bytes; so what it remembers of a body is a fraction of it, and what it gives is what Read gives. It remembers what
// was released, and of that the latest, 16 MiB at most.
//
// The zero Reader is ready. It may be used concurrently.
type Reader struct {
	once sync.Once
	seed uint64
	free sync.Pool // of *reading

	mu         sync.Mutex // of what follows
	young, old generation
}

// generation is memories by the chains of their first message, first 4, 16 and so on: whichever of them two bodies share, the
// one finds the other. The old one goes as a whole when the young one is full.
type generation struct {
	at    map[uint64]*memory
	bytes int
}

// mostRemembered is how many bytes a generation holds.
const mostRemembered = 8 << 20

// reading is what the reading of one request works with. It is used again for others.
type reading struct {
	of    *Reader // nil: nothing is remembered, and nothing used again
	scan  reader
	doc   body
	said  history
	keys  keyer
	heads headers
	sum   xxhash.Digest // of the list, up to the last message of doc
	mem   *memory       // where what is in doc goes
	spare *memory
}

// memory is what is remembered of a list of messages. It belongs to one reading, or to a generation: nobody else sees what
// is in it, so that it can be written on.
type memory struct {
	parts
	f    *format
	from int // where the list began
	size int // bytes
}

// Read is wire.Read. The Conversation should be released when it is not needed any more.
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

// Release gives the memory of a Conversation back to the Reader that it is from. Neither it nor what Marked has made of it may
// be used any more; what Edit has made of it may. It does nothing to one that no Reader has read.
func (c *Conversation) Release() {
	if c == nil || c.reading == nil {
		return
	}
	w := c.reading
	c.reading, c.body = nil, nil
	w.end(true)
}

// end ends a reading. sound is whether what was read is worth remembering.
func (w *reading) end(sound bool) {
	r, m := w.of, w.mem
	m.parts = w.doc.parts
	if sound && len(m.chains) > 0 && len(m.chains) == len(m.messages) {
		r.put(m)
		w.mem, w.spare = w.spare, nil
	}
	w.scan, w.doc, w.said = reader{}, body{}, history{}
	w.keys.body, w.of = nil, nil
	clear(w.heads)
	r.free.Put(w)
}

// lookupStep is by how much the numbers of messages differ at which a memory is looked for.
const lookupStep = 4

// put remembers m.
func (r *Reader) put(m *memory) {
	if m.size = m.parts.size(); m.size > mostRemembered/2 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g := &r.young
	if g.at == nil || g.bytes+m.size > mostRemembered {
		r.old = r.young
		r.young = generation{at: map[uint64]*memory{}}
	}
	for n := 1; n <= len(m.chains); n *= lookupStep {
		g.at[m.chains[n-1]] = m
	}
	g.bytes += m.size
}

// take returns a memory that begins with the messages of this chain, nil if there is none. It is not remembered any more.
func (r *Reader) take(chain uint64) *memory {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range [...]*generation{&r.young, &r.old} {
		m := g.at[chain]
		if m == nil {
			continue
		}
		for n := 1; n <= len(m.chains); n *= lookupStep {
			if c := m.chains[n-1]; g.at[c] == m {
				delete(g.at, c)
			}
		}
		g.bytes -= m.size
		return m
	}
	return nil
}

// recall is called behind a message, and goes behind those that are remembered to follow it.
func (r *reader) recall() {
	d, w := r.doc, r.work
	n := len(d.messages)
	from := d.list.from
	if n == 1 {
		w.sum.ResetWithSeed(w.of.seed + uint64(from)) // the spans in a memory are those of a list that begins there
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
	m := w.of.take(d.chains[n-1])
	if m == nil {
		return
	}
	same := 0
	if m.f == r.f && m.from == d.list.from {
		same = w.follow(m, n)
	}
	switch {
	case same <= n:
		w.of.put(m)
		return
	case len(m.messages)-same <= movable:
		w.mem.parts, w.spare = d.emptied(), w.mem
		w.mem = m
		d.parts = m.prefix(same)
	default: // it is another one's, which goes on otherwise
		d.parts.copyFrom(m.prefix(same))
		w.of.put(m)
	}
	d.known, r.i = same, d.messages[same-1].to
}

// movable is how many messages a client may change at the end of its history, to move its marks.
const movable = 4

// follow returns how many messages of m the body begins with, given that it begins with n of them.
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
	if late := len(m.messages) - movable - 1; late > i && reach(late) { // so it is mostly, and one hash tells
		i = late // where it has come to already
	}
	for same = n; i < len(m.messages) && reach(i); i++ {
		if delimited(b[at-1]) {
			same, w.sum = i+1, sum
		}
	}
	return same
}

// delimited reports whether a value that ends with this byte ends there whatever follows.
func delimited(c byte) bool { return c == '}' || c == ']' || c == '"' }

// prefix returns the parts of the first n messages, to be written on.
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

// copyFrom copies q.
func (p *parts) copyFrom(q parts) {
	p.keySeed = q.keySeed
	p.messages, p.chains = append(p.messages[:0], q.messages...), append(p.chains[:0], q.chains...)
	p.blocks, p.calls, p.names = append(p.blocks[:0], q.blocks...), append(p.calls[:0], q.calls...), append(p.names[:0], q.names...)
	p.texts = append(p.texts[:0], q.texts...)
	p.keys, p.repeats = append(p.keys[:0], q.keys...), append(p.repeats[:0], q.repeats...)
}

// emptied returns the room of p.
func (p *parts) emptied() parts {
	return parts{messages: p.messages[:0], blocks: p.blocks[:0], calls: p.calls[:0], names: p.names[:0], texts: p.texts[:0],
		keys: p.keys[:0], repeats: p.repeats[:0], chains: p.chains[:0]}
}

// size returns how many bytes the room takes.
func (p *parts) size() int {
	return sizeOf(p.messages) + sizeOf(p.blocks) + sizeOf(p.calls) + sizeOf(p.names) + sizeOf(p.texts) + sizeOf(p.keys) + sizeOf(p.repeats) + sizeOf(p.chains)
}

func sizeOf[E any](s []E) int { return cap(s) * int(reflect.TypeFor[E]().Size()) }
