package replay

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aside-go/aside/cmd/internal/terminal"
)

// progress shows on a terminal, on one line, how far the replay is, once it takes longer than a second. Each
// read and each turn may update the line.
type progress struct {
	w     io.Writer
	on    bool // Options.Progress
	clock func() time.Time
	began time.Time
	files int
	total int64 // length of all files in bytes; 0: unknown

	bytes   int64 // read so far, of files as they are
	turns   int64
	at      int       // number of the file that is being replayed, from 1
	shown   time.Time // when the line was written last
	visible bool      // the line is on the terminal
}

const (
	patience = time.Second            // the line is first written after this time
	rhythm   = 200 * time.Millisecond // and then at most once in this time
)

func (p *progress) turn() {
	p.turns++
	p.show()
}

// show updates the line if it is time to.
func (p *progress) show() {
	if !p.on {
		return
	}
	now := p.clock()
	if now.Sub(p.began) < patience || now.Sub(p.shown) < rhythm {
		return
	}
	p.shown, p.visible = now, true
	done := fmt.Sprintf("%d MB", p.bytes>>20)
	if p.total > p.bytes && p.total >= 1<<20 {
		done = fmt.Sprintf("%d of %d MB", p.bytes>>20, p.total>>20)
	}
	if p.files > 1 {
		done = fmt.Sprintf("file %d of %d, %s", max(p.at, 1), p.files, done)
	}
	fmt.Fprintf(p.w, "\r\x1b[Kreplaying: %s, %s turns", done, terminal.Thousands(p.turns))
}

// pause clears the line, so that something else can be written to the terminal.
func (p *progress) pause() {
	if p.visible {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.visible = false
	}
}

// reader returns a reader of r that counts its bytes, and fails when the context has ended.
func (p *progress) reader(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := r.Read(b)
		p.bytes += int64(n)
		p.show()
		return n, err
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// output buffers the output on its way to w, and keeps the first error.
type output struct {
	*bufio.Writer
	w        io.Writer
	progress *progress
	shared   bool   // Options.Shared
	paged    bool   // Options.Paged
	failed   func() // called at the first error
	err      error
}

func (o *output) write(b []byte) (int, error) {
	if o.shared {
		o.progress.pause()
	}
	o.progress.on = o.progress.on && !o.paged
	n, err := o.w.Write(b)
	if o.err == nil && err != nil {
		o.err = err
		o.failed()
	}
	return n, err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
