package transcript

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// MaxLine is the length in bytes of the longest line that is read. A longer line is skipped, with a note. An
// image in a session file is a line of a few megabytes.
const MaxLine = 64 << 20

const firstBuffer = 256 << 10

// lines cuts a stream into lines. Its memory is bounded by the longest line, and by MaxLine.
type lines struct {
	r          io.Reader
	buf        []byte
	first      *[firstBuffer]byte // what buf was at first, from buffers; nil once given back
	start, end int                // the unread bytes of buf
	scanned    int                // how many bytes from start on hold no line feed
	eof        bool

	number int  // number of the line returned last, from 1
	torn   bool // the line returned last has no line feed
}

// buffers is a pool of first buffers.
var buffers = sync.Pool{New: func() any { return new([firstBuffer]byte) }}

func newLines(r io.Reader) *lines {
	l := &lines{r: r, first: buffers.Get().(*[firstBuffer]byte)}
	l.buf = l.first[:]
	return l
}

// release gives the first buffer back to the pool. No line that was returned may be used after that.
func (l *lines) release() {
	if l.first != nil {
		buffers.Put(l.first)
		l.first, l.buf, l.start, l.end, l.scanned, l.eof = nil, nil, 0, 0, 0, true
	}
}

var errLong = errors.New("line too long")

// next returns the next line without its line feed; a carriage return stays, since to JSON it is a blank. The
// line is valid until the next call. The error is errLong for a line that was skipped, and io.EOF at the end.
func (l *lines) next() ([]byte, error) {
	for {
		if n := bytes.IndexByte(l.buf[l.start+l.scanned:l.end], '\n'); n >= 0 {
			line := l.buf[l.start : l.start+l.scanned+n]
			l.start, l.scanned = l.start+l.scanned+n+1, 0
			return l.found(line, false), nil
		}
		l.scanned = l.end - l.start
		if l.eof {
			if l.scanned == 0 {
				return nil, io.EOF
			}
			line := l.buf[l.start:l.end]
			l.start, l.scanned = l.end, 0
			return l.found(line, true), nil
		}
		if l.scanned >= MaxLine {
			return nil, l.skip()
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

func (l *lines) found(line []byte, torn bool) []byte {
	l.number++
	l.torn = torn
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line
}

// fill reads more into buf. It makes room by moving the unread bytes to the front, and by doubling buf where
// that is full.
func (l *lines) fill() error {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.start, l.end = 0, l.end-l.start
	}
	if l.end == len(l.buf) {
		grown := make([]byte, 2*len(l.buf))
		copy(grown, l.buf)
		l.buf = grown
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	if errors.Is(err, io.EOF) {
		l.eof, err = true, nil
	}
	return err
}

// skip skips a line that is too long, and returns errLong, or an error of reading.
func (l *lines) skip() error {
	l.number++
	for {
		l.start, l.end, l.scanned = 0, 0, 0
		if err := l.fill(); err != nil {
			return err
		}
		if n := bytes.IndexByte(l.buf[:l.end], '\n'); n >= 0 {
			l.start = n + 1
			l.torn = false
			return errLong
		}
		if l.eof {
			l.start, l.torn = l.end, true
			return errLong
		}
	}
}
