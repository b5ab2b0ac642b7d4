package session

import (
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
