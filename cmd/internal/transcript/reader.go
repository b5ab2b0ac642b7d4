package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/jsonscan"
)

// FormatError says that a file is not a transcript of a known format.
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

	source  session.Source // nil while the format is not known
	out     session.Sink
	junk    int // lines that could not be read while the format is not known
	notes   []session.Note
	omit    int   // notes beyond maxNotes
	failed  error // what Next returns from now on
	drained bool  // the pending turns of source were handed out with Ended
}

// NewReader returns a reader of r. source is the file's name, for turns, notes and errors. thread is the type
// of the subagent whose file it is, where File.Thread says so, else "".
func NewReader(r io.Reader, source, thread string) *Reader {
	return &Reader{name: source, lines: newLines(r, 64<<10), thread: thread}
}

// Tell has calls told as far as rules read them; otherwise their tools and outcomes alone are. Call it before
// Next.
func (r *Reader) Tell(reads compile.CallReads, p session.Place) {
	if reads.Subjects || reads.Outputs || reads.Before {
		r.out.Subject, r.out.Outputs, r.out.Place = reads.Subject, reads.Outputs, p
	}
}

// Forks has turns told that the file's session has copied from another one, as Sink.Answers and Sink.Answer
// say. Call it before Next.
func (r *Reader) Forks(answers func(session string, stand bool) []uint64, answer func(digest uint64)) {
	r.out.Answers, r.out.Answer = answers, answer
}

// Next returns the next turn, which is the caller's, and io.EOF after the last one. An empty file has no
// turns. A file that is not a transcript is a *FormatError.
func (r *Reader) Next() (*session.Turn, error) {
	for {
		if len(r.out.Turns) > 0 {
			t := r.out.Turns[0]
			r.out.Turns = r.out.Turns[1:]
			return t, nil
		}
		if r.failed != nil {
			if r.source != nil && !r.drained {
				r.out.Ended = append(r.out.Ended, r.source.Pending()...)
				r.drained = true
			}
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
		if log := logged(line, r.name, &r.out); log != nil {
			return session.Requests, log, true
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
	if r.source == nil {
		return nil
	}
	if pending := r.source.Pending(); len(pending) > 0 {
		return pending[len(pending)-1]
	}
	return nil
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

// lines cuts a stream into lines. Its memory is bounded by the longest line, and by MaxLine.
type lines struct {
	r    *bufio.Reader
	long []byte // the latest line for which the buffer of r was too small

	number int  // number of the line returned last, from 1
	torn   bool // the line returned last has no line feed
}

func newLines(r io.Reader, buffer int) *lines { return &lines{r: bufio.NewReaderSize(r, buffer)} }

var errLong = errors.New("line too long")

// next returns the next line without its line feed; a carriage return stays, since to JSON it is a blank. The
// line is valid until the next call. The error is errLong for a line that was skipped, and io.EOF at the end.
func (l *lines) next() ([]byte, error) {
	line, long, err := jsonscan.ReadLine(l.r, &l.long, MaxLine)
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err
	}
	l.number++
	line, whole := bytes.CutSuffix(line, []byte("\n"))
	l.torn = !whole
	if long {
		l.torn = err != nil
		return nil, errLong
	}
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}
