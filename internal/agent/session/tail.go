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
	firstStep = 16 << 10 // bytes read at first, which are mostly enough; then each step makes four times as many in all
	maxStep   = 4 << 20  // bytes read at a time
	maxLine   = 16 << 20 // bytes of the longest line that is read
	maxRead   = 64 << 20 // bytes of a file that are read at most
)

// tail reads a file from its end, line by line.
type tail struct {
	f       io.ReaderAt
	size    int64
	from    int64 // nothing before this offset is read
	longest int   // bytes; longer lines are passed over
	whole   bool  // the first line of the file was reached
	err     error
}

// open opens a session's file and returns its length in bytes. For a file that does not exist, and for
// anything but a regular file, it returns nil and no error.
func open(path string) (*os.File, int64, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, 0, notThere(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // so as not to block if it has become a pipe
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

// lines yields lines without their line feeds, the last one first, each with its offset. A line is valid
// until the next one. What comes after the last line feed is yielded, too: it may be a line that is cut off.
func (t *tail) lines(ctx context.Context) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		// the beginning of what was read, up to the end of the current line: it was not yielded, and has no line
		// feed
		var held []byte
		at := t.size  // offset of held
		long := false // the current line is too long, and held has nothing of it
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
				if !errors.Is(err, io.EOF) { // EOF: the file has become shorter, since it is being written anew
					t.err = err
				}
				return
			}
			at -= step
			if first {
				b = bytes.TrimSuffix(b, []byte("\n"))
			}
			end := bytes.LastIndexByte(b, '\n') + 1 // where the current line begins in b; 0: before b
			if end == 0 {
				if held, long = append(b, held...), long || len(b)+len(held) > t.longest; long {
					held = nil
				}
				continue
			}
			if long = long || len(b)-end+len(held) > t.longest; !long && !yield(at+int64(end),
				append(b[end:len(b):cap(b)], held...)) {
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
