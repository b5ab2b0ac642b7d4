package transport

import (
	"errors"
	"io"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/aside-go/aside/inject/wire"
)

// buffer holds bytes in pooled memory and counts its holders: when the last one releases it, the memory is used for another request.
// To allocate a megabyte costs more than all that is done with it here. A buffer that is never released is left to the garbage
// collector.
type buffer struct {
	b       []byte
	of      *memory
	holders atomic.Int32
}

// memory is the pooled room for the bytes of one buffer after another.
type memory struct{ b []byte }

// maxClass is the class of the largest memory, of 8 MiB, that is kept for another request.
const maxClass = 23

// memories are pooled by class, class n having room for 2^n bytes at least, so that a short body never takes the room of a long one.
var memories [maxClass + 1]sync.Pool

// newBuffer returns an empty buffer with room for at least so many bytes. The caller is its first holder.
func newBuffer(room int) *buffer {
	class := bits.Len(uint(max(room, 512) - 1))
	var m *memory
	if class <= maxClass {
		m, _ = memories[class].Get().(*memory)
		room = 1 << class
	}
	if m == nil {
		m = &memory{make([]byte, 0, room)}
	}
	b := &buffer{b: m.b[:0], of: m}
	b.holders.Store(1)
	return b
}

// release gives up one hold on the buffer. On nil it does nothing.
func (b *buffer) release() {
	if b == nil || b.holders.Add(-1) != 0 {
		return
	}
	m := b.of
	m.b = b.b // it may have grown
	if class := bits.Len(uint(cap(m.b))) - 1; class <= maxClass {
		memories[class].Put(m)
	}
	b.b, b.of = nil, nil
}

var errOver = errors.New("the exchange is over")

// hold takes a hold on the buffer, unless all were given up.
func (b *buffer) hold() bool {
	for {
		n := b.holders.Load()
		if n == 0 {
			return false
		}
		if b.holders.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// open returns a request body that reads s, whose bytes lie in the buffer. It holds the buffer until it is closed, and fails where all
// holds were given up.
func (b *buffer) open(s wire.Source) (io.ReadCloser, error) {
	if !b.hold() {
		return nil, errOver
	}
	return &opened{s: s, of: b}, nil
}

// opened is a request body whose bytes lie in a buffer. net/http may close it while another goroutine still reads it. It is a
// wire.Source.
type opened struct {
	mu sync.Mutex
	s  wire.Source
	of *buffer // nil: closed
}

// Len returns how many bytes are left.
func (o *opened) Len() int { return o.s.Len() }

// Read implements io.Reader.
func (o *opened) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		return 0, errOver
	}
	return o.s.Read(p)
}

// WriteTo implements io.WriterTo. It has a hold of its own, so that Close need not wait for a slow w.
func (o *opened) WriteTo(w io.Writer) (int64, error) {
	b := o.held()
	if b == nil {
		return 0, errOver
	}
	defer b.release()
	return o.s.WriteTo(w)
}

// held returns the buffer with one more hold on it, nil where o is closed.
func (o *opened) held() *buffer {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil || !o.of.hold() {
		return nil
	}
	return o.of
}

// Close implements io.Closer.
func (o *opened) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of.release()
	o.of = nil
	return nil
}
