package replay

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// meter shows on a terminal how far the work is, once it takes longer than a second. It needs no goroutine: whoever
// reads and whoever counts turns drives it.
type meter struct {
	w     io.Writer
	on    bool // never changes but in done
	clock func() time.Time
	began time.Time
	files int
	total int64 // bytes in all files; 0 unknown

	bytes atomic.Int64 // that were read
	turns atomic.Int64

	mu      sync.Mutex // guards what is shown, and w while the line is there
	at      int        // number of the file that is shown
	shown   time.Time
	visible bool
}

const (
	patience = time.Second
	rhythm   = 200 * time.Millisecond
)

// next says that the next file is being shown.
func (m *meter) next() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at++
}

func (m *meter) turn() {
	m.turns.Add(1)
	m.show()
}

func (m *meter) show() {
	if !m.on || !m.mu.TryLock() { // somebody else shows it, or writes
		return
	}
	defer m.mu.Unlock()
	now := m.clock()
	if now.Sub(m.began) < patience || now.Sub(m.shown) < rhythm {
		return
	}
	m.shown, m.visible = now, true
	done := fmt.Sprintf("%d MB", m.bytes.Load()>>20)
	if m.total > m.bytes.Load() && m.total >= 1<<20 {
		done = fmt.Sprintf("%d of %d MB", m.bytes.Load()>>20, m.total>>20)
	}
	if m.files > 1 {
		done = fmt.Sprintf("file %d of %d, %s", max(m.at, 1), m.files, done)
	}
	fmt.Fprintf(m.w, "\r\x1b[Kreplaying: %s, %s turns", done, thousands(m.turns.Load()))
}

// pause takes the line away, so that something else can be written until the function it returns is called.
func (m *meter) pause() (resume func()) {
	m.mu.Lock()
	if m.visible {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.visible = false
	}
	return m.mu.Unlock
}

// done takes the line away for good. Nobody else may use the meter any more.
func (m *meter) done() {
	m.pause()()
	m.on = false
}

// reader returns r, which counts for the meter and ends with the context. It calls before each time before it reads.
func (m *meter) reader(ctx context.Context, r io.Reader, before func()) io.Reader {
	return &metered{ctx, r, m, before}
}

type metered struct {
	ctx    context.Context
	r      io.Reader
	m      *meter
	before func()
}

func (r *metered) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	r.before()
	n, err := r.r.Read(b)
	r.m.bytes.Add(int64(n))
	r.m.show()
	return n, err
}
