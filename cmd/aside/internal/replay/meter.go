package replay

import (
	"context"
	"fmt"
	"io"
	"time"
)

// meter shows on a terminal how far the work is, once it takes longer than a second. It needs no goroutine: whoever
// reads and whoever counts turns drives it.
type meter struct {
	w       io.Writer
	on      bool
	clock   func() time.Time
	began   time.Time
	shown   time.Time
	visible bool

	files, at int
	turns     int
	bytes     int64
	size      int64 // of the file at hand, where it is known
}

const (
	patience = time.Second
	rhythm   = 200 * time.Millisecond
)

func (m *meter) turn() {
	m.turns++
	m.show()
}

func (m *meter) show() {
	if !m.on {
		return
	}
	now := m.clock()
	if now.Sub(m.began) < patience || now.Sub(m.shown) < rhythm {
		return
	}
	m.shown, m.visible = now, true
	done := fmt.Sprintf("%d MB", m.bytes>>20)
	switch {
	case m.files > 1:
		done = fmt.Sprintf("file %d of %d, %s", m.at+1, m.files, done)
	case m.size > m.bytes:
		done = fmt.Sprintf("%d of %d MB", m.bytes>>20, m.size>>20)
	}
	fmt.Fprintf(m.w, "\r\x1b[Kreplaying: %s, %s turns", done, thousands(int64(m.turns)))
}

// clear takes the line away, so that something else can be written.
func (m *meter) clear() {
	if m.visible {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.visible = false
	}
}

func (m *meter) done() {
	m.clear()
	m.on = false
}

// reader returns r, which counts for the meter and ends with the context.
func (m *meter) reader(ctx context.Context, r io.Reader) io.Reader { return &metered{ctx, r, m} }

type metered struct {
	ctx context.Context
	r   io.Reader
	m   *meter
}

func (r *metered) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(b)
	r.m.bytes += int64(n)
	r.m.show()
	return n, err
}
