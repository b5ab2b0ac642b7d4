package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"syscall"
)

const (
	firstStep = 16 << 10 // bytes read at first, which are mostly enough; then four times as much in all, and so on
	maxStep   = 4 << 20  // bytes read at a time
	maxLine   = 16 << 20 // bytes of a line
	maxRead   = 64 << 20 // bytes of a file that are read
)

// tail is a file that is read from its end, line by line.
type tail struct {
	f       io.ReaderAt
	size    int64
	from    int64 // nothing before this place is read
	longest int   // bytes of a line; a longer one is passed over
	whole   bool  // every line was handed out, up to the first
	err     error
}

// open opens a session's file. A file that is not there, and whatever is no regular file, is nil.
func open(path string) (*os.File, int64, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, 0, notThere(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which does not wait, should it have become a pipe
	if err != nil {
		return nil, 0, notThere(err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func notThere(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// lines hands out lines without their ends, the last one first, each with the place where it begins. A line is valid until the next.
// What stands behind the last line feed is handed out, too: it may be cut off.
func (t *tail) lines(ctx context.Context) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		var held []byte // what was read and not handed out: it ends where a line ends, and has no line feed from seen on
		at := t.size    // where held begins
		long := false   // the line in hand is too long, and held has nothing of it
		for first := true; ; first = false {
			step := min(max(firstStep, 3*(t.size-at)), maxStep, at-t.from)
			switch {
			case at == 0:
				if !long {
					if len(held) > 0 && !yield(0, held) {
						return
					}
					t.whole = true
				}
				return
			case step <= 0, ctx.Err() != nil:
				return
			}
			b := make([]byte, int(step), int(step)+len(held))
			if n, err := t.f.ReadAt(b, at-step); n < len(b) {
				if !errors.Is(err, io.EOF) { // a file that became shorter is being written anew
					t.err = err
				}
				return
			}
			at -= step
			if first {
				b = bytes.TrimSuffix(b, []byte("\n"))
			}
			end := bytes.LastIndexByte(b, '\n') + 1 // of what is not the end of the line in hand
			if end == 0 {
				if held, long = append(b, held...), long || len(b)+len(held) > t.longest; long {
					held = nil
				}
				continue
			}
			if long = long || len(b)-end+len(held) > t.longest; !long && !yield(at+int64(end), append(b[end:len(b):cap(b)], held...)) {
				return
			}
			long = false
			for b = b[:end-1]; ; b = b[:end-1] {
				if end = bytes.LastIndexByte(b, '\n') + 1; end == 0 {
					break
				}
				if !yield(at+int64(end), b[end:]) {
					return
				}
			}
			held = b
		}
	}
}
