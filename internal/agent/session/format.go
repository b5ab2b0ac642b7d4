package session

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/aside-go/aside/internal/jsonscan"
)

// Format is the form of a file.
type Format uint8

// The forms, which are told apart by content alone.
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
	switch f {
	case Empty:
		return "empty"
	case Requests:
		return "request log"
	}
	for i := range formats {
		if formats[i].format == f {
			return formats[i].name
		}
	}
	return "unknown"
}

// format is a form of session files, with its readers from both ends.
type format struct {
	format Format
	name   string // agent.Session.Format
	// known reports whether a line can only be of this form.
	known func(line []byte) bool
	// forward returns a source for the turns of a file. thread is the type of the subagent whose file it is, ""
	// where that is not known.
	forward func(name, thread string, out *Sink) Source
	// end returns a reader of the file's past from its end.
	end func(options) ender
	// subagent returns the path of a subagent's file, given the path that the agent names; "" where there is
	// none.
	subagent func(path, id string) string
}

// formats are all forms, in the order in which lines are held against them.
var formats = [...]format{
	{
		format: Gemini, name: "Gemini CLI session",
		known:    func(line []byte) bool { l, ok := readGemini(line); return ok && l.known() },
		forward:  func(name, _ string, out *Sink) Source { return newGemini(name, out) },
		end:      newGeminiEnd,
		subagent: func(string, string) string { return "" },
	},
	{
		format: Codex, name: "Codex session",
		known:   isCodex,
		forward: func(name, _ string, out *Sink) Source { return newCodex(name, out) },
		end:     newCodexEnd,
		subagent: func(path, id string) string {
			if !ownRollout(path, id) {
				return ""
			}
			return path
		},
	},
	{
		format: Claude, name: "Claude Code session",
		known:    func(line []byte) bool { r, _ := readRecord(line); return r.known },
		forward:  func(name, thread string, out *Sink) Source { return newClaude(name, thread, out) },
		end:      newClaudeEnd,
		subagent: Subagent,
	},
}

func formatNamed(name string) (*format, bool) {
	for i := range formats {
		if formats[i].name == name {
			return &formats[i], true
		}
	}
	return nil, false
}

// Recognise returns the format that a line is of, and a source for it; Unknown and nil where it is of none.
func Recognise(line []byte, name, thread string, out *Sink) (Format, Source) {
	for i := range formats {
		if f := &formats[i]; f.known(line) {
			return f.format, f.forward(name, thread, out)
		}
	}
	return Unknown, nil
}

// Typed reports whether a line is a whole object with a type, as the records of sessions are.
func Typed(line []byte) bool { _, ok := readRecord(line); return ok }

// Began returns the time at which a file began, by one of its first lines; false where the line has none.
func Began(line []byte) (time.Time, bool) {
	if at, ok := jsonscan.Time(jsonscan.Member(line, "startTime")); ok {
		return at, true
	}
	if r, ok := readRecord(line); ok {
		return jsonscan.Time(r.timestamp)
	}
	return time.Time{}, false
}

// GeminiID returns the id of the session of Gemini CLI that a line begins, "" for any other line.
func GeminiID(line []byte) string {
	if l, ok := readGemini(line); ok && l.known() {
		return jsonscan.Unquote(l.session)
	}
	return ""
}

// Source reads the lines of one format.
type Source interface {
	// Line reads a line, the n-th from 1, and appends what it finds to the sink. It returns false if the line
	// could not be read.
	Line(line []byte, n int) bool
	// Finish is called after the last line. It may append turns.
	Finish()
	// Pending returns the turn that would be next of each run that goes on, the run heard of last at the end.
	Pending() []*Turn
}

// Sink takes the findings of a source.
type Sink struct {
	Turns []*Turn
	Ended []*Turn // for each run that has ended, before the first of Turns, the turn that would have been next
	Notes []string
}

// Note adds a note about the current line.
func (s *Sink) Note(text string) { s.Notes = append(s.Notes, text) }

// Turn adds a turn.
func (s *Sink) Turn(t *Turn) { s.Turns = append(s.Turns, t) }

// Clock keeps the time at which a run is.
type Clock struct {
	Now time.Time // the time of the latest record that has one
}

// Read sets the time from a time stamp, if raw is one.
func (c *Clock) Read(raw []byte) {
	if at, ok := jsonscan.Time(raw); ok {
		c.Now = at
	}
}

// Set sets the time, unless at is zero.
func (c *Clock) Set(at time.Time) {
	if !at.IsZero() {
		c.Now = at
	}
}

// Stamp sets the time of a turn. The first turn of a run decides whether the run has times at all.
func (c *Clock) Stamp(t *Turn) {
	t.At = c.Now
	if t.N == 1 {
		t.Run.Timed = !c.Now.IsZero()
	}
	if !t.Run.Timed {
		t.At = time.Time{}
	}
}

// Unpacked returns a path without the suffix of a compressed file.
func Unpacked(p string) string { return strings.TrimSuffix(strings.TrimSuffix(p, ".gz"), ".zst") }

// stem returns the name of a file without directory and extensions.
func stem(file string) string {
	name := Unpacked(filepath.Base(file))
	return strings.TrimSuffix(name, filepath.Ext(name))
}
