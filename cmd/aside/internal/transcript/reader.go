package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Format is what a file turned out to be.
type Format uint8

// The formats that are told apart, by content alone.
const (
	Unknown  Format = iota
	Empty           // nothing but blanks
	Claude          // a session file of Claude Code, or of one of its subagents
	Codex           // a rollout of Codex CLI
	Gemini          // a session file of Gemini CLI
	Requests        // a log of requests, or of conversations
)

// String returns the format's name.
func (f Format) String() string {
	return [...]string{"unknown", "empty", "Claude Code session", "Codex session", "Gemini CLI session", "request log"}[f]
}

// FormatError says that a file is no transcript that this package reads.
type FormatError struct {
	Source string
	Reason string // what it looks like
}

// Error implements error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s is not a transcript: %s", e.Source, e.Reason)
}

// Reader reads the turns of one file, in the order in which they were recorded.
type Reader struct {
	name   string
	lines  *lines
	format Format
	thread string

	source source // nil while the format is not known
	out    sink
	junk   int // lines that could not be read, while nothing is decided
	notes  []Note
	omit   int // notes that were left out
	failed error
}

// NewReader returns a reader of r, which is called source in what it reports. Thread is the thread type of a subagent's
// file where something beside it says so, else "".
func NewReader(r io.Reader, source, thread string) *Reader {
	return &Reader{name: source, lines: newLines(r), thread: thread}
}

// Next returns the next turn; io.EOF behind the last one. An empty file has no turns. A file that is no transcript
// is a *FormatError. The turn is the caller's.
func (r *Reader) Next() (*Turn, error) {
	for {
		if len(r.out.turns) > 0 {
			t := r.out.turns[0]
			r.out.turns = r.out.turns[1:]
			return t, nil
		}
		if r.failed != nil {
			if r.source != nil {
				r.out.ended = append(r.out.ended, r.source.rest()...)
				r.source = &over{r.source}
			}
			r.lines.release()
			return nil, r.failed
		}
		r.out.turns = nil
		line, err := r.lines.next()
		switch {
		case errors.Is(err, errLong):
			r.note(fmt.Sprintf("a line of more than %d MB was skipped", MaxLine>>20))
		case err != nil:
			r.failed = r.end(err)
			if r.source != nil {
				r.source.finish()
			}
		default:
			r.line(line)
		}
	}
}

// over is a source that has told everything.
type over struct{ source }

func (*over) rest() []*Turn { return nil }

// line reads one line in the format of the file, or finds out what that is.
func (r *Reader) line(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	if r.source == nil {
		r.decide(line)
		return
	}
	if !r.source.line(line, r.lines.number) {
		r.broken()
	}
	for _, text := range r.out.notes {
		r.note(text)
	}
	r.out.notes = nil
}

// broken notes a line that could not be read. At the end of a file that is nothing out of the ordinary: the agent
// was still writing, or was stopped while it did.
func (r *Reader) broken() {
	if r.lines.torn {
		r.note("the last line is cut off and was left out")
	} else {
		r.note("a line that could not be read was left out")
	}
}

// maxNotes is how many lines of a file are told of. A file of which no line can be read is told of as a whole.
const maxNotes = 20

func (r *Reader) note(text string) {
	if len(r.notes) == maxNotes {
		r.omit++
		return
	}
	r.notes = append(r.notes, Note{r.name, r.lines.number, text})
}

// decide looks at a line of a file whose format is not known yet.
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

// recognize returns a source for the format that a line is of; nil if it is of none. ok is false when it is no whole object.
func (r *Reader) recognize(line []byte) (f Format, src source, ok bool) {
	if g, ok := readGemini(line); ok && g.known() {
		return Gemini, newGemini(r.name, &r.out), true
	}
	if isCodex(line) {
		return Codex, newCodex(r.name, &r.out), true
	}
	if c, ok := readCall(line); ok {
		if c.isRequest(line) {
			return Requests, newRequests(r.name, &r.out), true
		}
		return Requests, &conversations{out: &r.out, source: r.name}, true
	}
	rec, ok := readRecord(line)
	if rec.known {
		return Claude, newClaude(r.name, r.thread, &r.out), true
	}
	return Unknown, nil, ok
}

// whole reads the rest of a file whose first line begins an object and does not end it.
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
	if f, src, _ := r.recognize(all); src != nil && f != Claude && f != Codex {
		r.format, r.source = f, src
		src.line(all, 1)
		return
	}
	r.junk++
}

// end says why there are no more turns.
func (r *Reader) end(err error) error {
	switch {
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%s: %w", r.name, err)
	case r.format != Unknown:
		return io.EOF
	case r.junk > 0 || len(r.notes) > 0:
		return &FormatError{r.name, "no line is a session record or a request with messages"}
	default:
		r.format = Empty
		return io.EOF
	}
}

// Format says what the file is; it is settled once Next has returned.
func (r *Reader) Format() Format { return r.format }

// Notes returns what was odd about the file, as far as it was read.
func (r *Reader) Notes() []Note {
	if r.omit == 0 {
		return r.notes
	}
	return append(slices.Clip(r.notes), Note{Source: r.name, Text: fmt.Sprintf("and %d more lines", r.omit)})
}

// Pending returns the turn that would come next: what has happened since the last model call that Next returned or
// is about to, without name and model; of the run heard of last, where several go on. It is nil if the file holds no conversation.
func (r *Reader) Pending() *Turn {
	src := r.source
	if o, ok := src.(*over); ok {
		src = o.source
	}
	if src == nil {
		return nil
	}
	rest := src.rest()
	if len(rest) == 0 {
		return nil
	}
	return rest[len(rest)-1]
}

// Ended returns what came behind the last turn of each run that has ended since it was last asked, as the turn that would have
// come next. It is to be asked after each call of Next, and is about what came before that turn.
func (r *Reader) Ended() []*Turn {
	out := r.out.ended
	r.out.ended = nil
	return out
}
