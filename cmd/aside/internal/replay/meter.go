package replay

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// meter shows on a terminal, on one line, how far the replay is, once it takes longer than a second. It needs no goroutine of its own:
// each read and each turn may update the line. All methods but done may be called concurrently.
type meter struct {
	w     io.Writer
	on    bool // Options.Progress; only done changes it
	clock func() time.Time
	began time.Time
	files int
	total int64 // length of all files in bytes; 0: unknown

	bytes atomic.Int64 // read so far, of files as they are
	turns atomic.Int64

	mu      sync.Mutex // guards the fields below and w
	at      int        // number of the file that is being presented, from 1
	shown   time.Time  // when the line was written last
	visible bool       // the line is on the terminal
}

const (
	patience = time.Second            // the line is first written after this time
	rhythm   = 200 * time.Millisecond // and then at most once in this time
)

// next counts a file whose presentation begins.
func (m *meter) next() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at++
}

func (m *meter) turn() {
	m.turns.Add(1)
	m.show()
}

// show updates the line if it is time to.
func (m *meter) show() {
	if !m.on || !m.mu.TryLock() { // another goroutine updates the line, or has paused the meter
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

// pause clears the line, so that something else can be written to the terminal until resume is called.
func (m *meter) pause() (resume func()) {
	m.mu.Lock()
	if m.visible {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.visible = false
	}
	return m.mu.Unlock
}

// done clears the line for good. No other goroutine may use the meter any more.
func (m *meter) done() {
	m.pause()()
	m.on = false
}

// reader returns a reader of r that counts its bytes, and fails when the context has ended. It calls before ahead of each Read.
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
