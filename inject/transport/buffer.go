package transport

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// buffer is bytes that are used for another request once nobody holds them: making a megabyte anew costs more than all that is
// done with it. One that is never let go is garbage like any other.
type buffer struct {
	b       []byte
	holders atomic.Int32
}

// maxPooled is how large a buffer may be, in bytes, to be kept for another request.
const maxPooled = 8 << 20

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// newBuffer returns an empty buffer that the caller holds, with room for at least so many bytes.
func newBuffer(room int) *buffer {
	b, _ := buffers.Get().(*buffer)
	if cap(b.b) < room {
		b.b = make([]byte, 0, room+room/8)
	}
	b.b = b.b[:0]
	b.holders.Store(1)
	return b
}

// release lets go of the buffer; a nil one is none.
func (b *buffer) release() {
	if b != nil && b.holders.Add(-1) == 0 && cap(b.b) <= maxPooled {
		buffers.Put(b)
	}
}

var errOver = errors.New("the exchange is over")

// open returns a reader of r, which reads out of the buffer and holds it until it is closed. It fails once nobody holds the buffer.
func (b *buffer) open(r io.Reader) (io.ReadCloser, error) {
	for {
		n := b.holders.Load()
		if n == 0 {
			return nil, errOver
		}
		if b.holders.CompareAndSwap(n, n+1) {
			return &opened{r: r, of: b}, nil
		}
	}
}

// opened reads a buffer. net/http may close a request's body while another goroutine still reads it.
type opened struct {
	mu sync.Mutex
	r  io.Reader
	of *buffer // nil: closed
}

// Read implements io.Reader.
func (o *opened) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		return 0, errOver
	}
	return o.r.Read(p)
}

// Close implements io.Closer.
func (o *opened) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of.release()
	o.of = nil
	return nil
}
