package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/aside-go/aside/internal/agent/session"
)

// FormatError says that a file is no transcript of a known format.
type FormatError struct {
	Source string
	Reason string
}

// Error implements error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s is not a transcript: %s", e.Source, e.Reason)
}

// Reader reads the turns of one file, in the order in which they were recorded.
type Reader struct {
	name   string
	lines  *lines
	format session.Format
	thread string

	source session.Source // nil while the format is not known
	out    session.Sink
	junk   int // lines that could not be read while the format is not known
	notes  []session.Note
	omit   int   // notes beyond maxNotes
	failed error // what Next returns from now on
}

// NewReader returns a reader of r. source is the file's name, for turns, notes and errors. thread is the type
// of the subagent whose file it is, where File.Thread says so, else "".
func NewReader(r io.Reader, source, thread string) *Reader {
	return &Reader{name: source, lines: newLines(r), thread: thread}
}

// Next returns the next turn, which is the caller's, and io.EOF after the last one. An empty file has no
// turns. A file that is no transcript is a *FormatError.
func (r *Reader) Next() (*session.Turn, error) {
	for {
		if len(r.out.Turns) > 0 {
			t := r.out.Turns[0]
			r.out.Turns = r.out.Turns[1:]
			return t, nil
		}
		if r.failed != nil {
			if r.source != nil {
				r.out.Ended = append(r.out.Ended, r.source.Pending()...)
				r.source = &drained{r.source}
			}
			r.lines.release()
			return nil, r.failed
		}
		r.out.Turns = nil
		line, err := r.lines.next()
		switch {
		case errors.Is(err, errLong):
			r.note(fmt.Sprintf("a line of more than %d MB was skipped", MaxLine>>20))
		case err != nil:
			r.failed = r.end(err)
			if r.source != nil {
				r.source.Finish()
			}
		default:
			r.line(line)
		}
	}
}

// drained is a source whose pending turns were handed out with Ended.
type drained struct{ session.Source }

func (*drained) Pending() []*session.Turn { return nil }

// line reads one line, by which the format is decided where it is not known yet.
func (r *Reader) line(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	if r.source == nil {
		r.decide(line)
		return
	}
	if !r.source.Line(line, r.lines.number) {
		r.broken()
	}
	for _, text := range r.out.Notes {
		r.note(text)
	}
	r.out.Notes = nil
}

// broken adds a note about a line that could not be read. At the end of a file this is nothing unusual: the
// agent is still writing, or was killed while it wrote.
func (r *Reader) broken() {
	if r.lines.torn {
		r.note("the last line is cut off and was left out")
	} else {
		r.note("a line that could not be read was left out")
	}
}

// maxNotes is how many notes there are of a file, besides one on how many more there would be. While the
// format is not known, lines that cannot be read have no notes: if that stays so, Next returns a FormatError.
const maxNotes = 20

func (r *Reader) note(text string) {
	if len(r.notes) == maxNotes {
		r.omit++
		return
	}
	r.notes = append(r.notes, session.Note{Source: r.name, Line: r.lines.number, Text: text})
}

// decide decides the file's format by a line. Where the line does not tell, the next one will be asked.
func (r *Reader) decide(line []byte) {
	if bytes.TrimSpace(line)[0] != '{' {
		r.junk++
		return
	}
	f, src, ok := r.recognize(line)
	switch {
	case src != nil:
		r.format, r.source = f, src
		r.line(line)
	case !ok && r.junk == 0 && !r.lines.torn:
		r.whole(line)
	default:
		r.junk++
	}
}

// recognize returns the format that a line is of, and a source for it, nil where it is of none. ok is false
// where the line is not a whole object.
func (r *Reader) recognize(line []byte) (f session.Format, src session.Source, ok bool) {
	f, src = session.Recognise(line, r.name, r.thread, &r.out)
	if src == nil || f == session.Claude { // a record of Claude Code has members that a log may have, too
		if c, ok := readCall(line); ok {
			if c.isRequest(line) {
				return session.Requests, newRequests(r.name, &r.out), true
			}
			return session.Requests, session.NewConversations(r.name, &r.out), true
		}
	}
	return f, src, src != nil || session.Typed(line)
}

// whole reads a file whose first line begins an object and does not end it: the file may be a single object
// on many lines.
func (r *Reader) whole(first []byte) {
	all := append(bytes.Clone(first), '\n')
	for {
		line, err := r.lines.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.failed = r.end(err)
			}
			break
		}
		if all = append(append(all, line...), '\n'); len(all) > MaxLine {
			r.junk++
			return
		}
	}
	if f, src, _ := r.recognize(all); src != nil && f != session.Claude && f != session.Codex {
		r.format, r.source = f, src
		src.Line(all, 1)
		return
	}
	r.junk++
}

// end returns what Next returns after the last turn, given the error that has ended the reading.
func (r *Reader) end(err error) error {
	switch {
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%s: %w", r.name, err)
	case r.format != session.Unknown:
		return io.EOF
	case r.junk > 0 || len(r.notes) > 0:
		return &FormatError{r.name, "no line is a session record or a request with messages"}
	default:
		r.format = session.Empty
		return io.EOF
	}
}

// Format returns the file's format, which is known once Next has returned.
func (r *Reader) Format() session.Format { return r.format }

// Notes returns notes about the part of the file that was read.
func (r *Reader) Notes() []session.Note {
	if r.omit == 0 {
		return r.notes
	}
	return append(slices.Clip(r.notes), session.Note{Source: r.name,
		Text: fmt.Sprintf("and %d more lines", r.omit)})
}

// Pending returns the turn that would be next, without Key and Model: what has happened since the last model
// call that was read, which Next may not have returned yet. Where several runs go on, it is of the one heard
// of last. It is nil where the file holds no conversation.
func (r *Reader) Pending() *session.Turn {
	src := r.source
	if d, ok := src.(*drained); ok {
		src = d.Source
	}
	if src == nil {
		return nil
	}
	pending := src.Pending()
	if len(pending) == 0 {
		return nil
	}
	return pending[len(pending)-1]
}

// Ended returns, for each run that has ended since Ended was called last, the turn that would have been next:
// what has happened after its last turn. Call it after each call of Next; the runs have ended before the turn
// that Next returned.
func (r *Reader) Ended() []*session.Turn {
	out := r.out.Ended
	r.out.Ended = nil
	return out
}

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
