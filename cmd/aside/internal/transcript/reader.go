package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Format is what a file turned out to be.
type Format uint8

// The formats that are told apart, by content alone.
const (
	Unknown  Format = iota
	Empty           // nothing but blanks
	Claude          // a session file of Claude Code, or of one of its subagents
	Requests        // a log of requests
)

// String returns the format's name.
func (f Format) String() string {
	return [...]string{"unknown", "empty", "Claude Code session", "request log"}[f]
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
	source string
	lines  *lines
	format Format
	thread string

	session *claude
	queue   []*Turn // of the request read last
	tail    *Turn
	ended   []*Turn // for Ended
	records int // requests so far
	junk    int // lines that could not be read, while nothing is decided
	looks   string
	notes   []Note
	failed  error
}

// NewReader returns a reader of r, which is called source in what it reports. Thread is the thread type of a subagent's
// file where something beside it says so, else "".
func NewReader(r io.Reader, source, thread string) *Reader {
	return &Reader{source: source, lines: newLines(r), thread: thread, session: newClaude(source)}
}

// Next returns the next turn; io.EOF behind the last one. An empty file has no turns. A file that is no transcript
// is a *FormatError. The turn is the caller's.
func (r *Reader) Next() (*Turn, error) {
	for r.failed == nil {
		if len(r.queue) > 0 {
			t := r.queue[0]
			r.queue = r.queue[1:]
			return t, nil
		}
		line, err := r.lines.next()
		switch {
		case errors.Is(err, errLong):
			r.note(fmt.Sprintf("a line of more than %d MB was skipped", MaxLine>>20))
		case err != nil:
			r.failed = r.end(err)
			if p := r.Pending(); p != nil {
				r.ended = append(r.ended, p)
			}
		default:
			if t := r.line(line); t != nil {
				return t, nil
			}
		}
	}
	return nil, r.failed
}

// line reads one line in the format of the file, or finds out what that is.
func (r *Reader) line(line []byte) *Turn {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	switch r.format {
	case Requests:
		r.request(line)
		return nil
	case Claude:
		return r.record(line)
	default:
		return r.decide(line)
	}
}

func (r *Reader) record(line []byte) *Turn {
	rec, ok := readRecord(line)
	if !ok {
		r.broken()
		return nil
	}
	return r.session.add(&rec, r.lines.number)
}

func (r *Reader) request(line []byte) {
	r.records++
	req, ok := readRequest(line, r.source, r.records)
	if !ok {
		r.broken()
		return
	}
	r.conversation(req)
}

// conversation takes in a request, which ends the one before.
func (r *Reader) conversation(req *request) {
	if r.tail != nil {
		r.ended = append(r.ended, r.tail)
	}
	r.queue, r.tail = req.turns, req.pending(req.messages)
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

func (r *Reader) note(text string) {
	r.notes = append(r.notes, Note{r.source, r.lines.number, text})
}

// decide looks at a line of a file whose format is not known yet.
func (r *Reader) decide(line []byte) *Turn {
	if bytes.TrimSpace(line)[0] != '{' {
		r.junk++
		return nil
	}
	if _, ok := readRequest(line, r.source, 0); ok {
		r.format = Requests
		r.request(line)
		return nil
	}
	rec, ok := readRecord(line)
	switch {
	case rec.known:
		r.format = Claude
		if r.thread != "" {
			r.session.run.Thread = r.thread
		}
		if ok {
			return r.session.add(&rec, r.lines.number)
		}
		r.broken()
	case !ok && r.junk == 0 && r.looks == "" && !r.lines.torn:
		r.whole(line)
	default:
		r.junk++
		r.looks = elsewhere(line)
	}
	return nil
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
	if req, ok := readRequest(all, r.source, 1); ok {
		r.format = Requests
		r.conversation(req)
		return
	}
	r.junk++
}

// elsewhere says what a line of another program's looks like.
func elsewhere(line []byte) string {
	if kind := stringMember(line, "type"); kind != nil && stringMember(line, "payload") != nil {
		return "it looks like a Codex session file, which is not read yet"
	}
	return ""
}

// end says why there are no more turns.
func (r *Reader) end(err error) error {
	switch {
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%s: %w", r.source, err)
	case r.format != Unknown:
		return io.EOF
	case r.junk > 0 || len(r.notes) > 0:
		reason := r.looks
		if reason == "" {
			reason = "no line is a session record or a request with messages"
		}
		return &FormatError{r.source, reason}
	default:
		r.format = Empty
		return io.EOF
	}
}

// Format says what the file is; it is settled once Next has returned.
func (r *Reader) Format() Format { return r.format }

// Notes returns what was odd about the file, as far as it was read.
func (r *Reader) Notes() []Note { return r.notes }

// Pending returns the turn that would come next: what has happened since the last model call that Next returned or
// is about to, without name and model. It is nil if the file holds no conversation.
func (r *Reader) Pending() *Turn {
	if r.format == Claude {
		return r.session.pending()
	}
	return r.tail
}

// Ended returns what came behind the last turn of each run that has ended since it was last asked, as the turn that would have
// come next. It is to be asked after each call of Next, and is about what came before that turn.
func (r *Reader) Ended() []*Turn {
	out := r.ended
	r.ended = nil
	return out
}

// Bytes returns how much was read.
func (r *Reader) Bytes() int64 { return r.lines.read }
