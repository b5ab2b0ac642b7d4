package session

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
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
	Copilot         // a session file of Copilot CLI
	Qwen            // a session file of Qwen Code, or of one of its subagents
	Kimi            // a session file of Kimi Code, or of one of its subagents
	Cline           // a session file of Cline
	Opencode        // a session that opencode has exported
	Pi              // a session file of pi
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
	if of := find(func(of *format) bool { return of.format == f }); of != nil {
		return of.name
	}
	return "unknown"
}

// Resumes reports whether turns of this form say that a session was resumed.
func (f Format) Resumes() bool {
	of := find(func(of *format) bool { return of.format == f })
	return f == Requests || of != nil && of.resumes
}

// format is a form of session files, with its reader. What is nil there is none of.
type format struct {
	format  Format
	name    string // agent.Session.Format
	resumes bool   // records say that the session was resumed
	// known reports whether a line can only be of this form, which is r where the form has fields.
	known func(line []byte, r *row) bool
	// source returns the reader of a form that is not a journal, or more than that. thread is the type of the
	// subagent whose file it is, "" where that is not known.
	source func(name, thread string, out *Sink) rereader
	// of a journal: the parts of a record, those of a record in cItems, and the meaning of a record
	fields, items fields
	take          func(s *journal, t *thread, r *row)
	// named sets what the path of the file says of its run.
	named func(r *Run)
	// subagent returns the path of a subagent's file, given the path that the agent names; "" where there is
	// none.
	subagent func(path, id string) string
	// folder returns the folder, with slashes, in which the files of a session's subagents lie, given the
	// session's file and a function that reads its first line; "" for none.
	folder func(path string, first func() []byte) string
	// holds reports whether a file in that folder is a subagent's whose requests are turns.
	holds func(file string) bool
	// spawned reports whether a file is a subagent's, given its path and a function that reads its beginning.
	spawned func(path string, head func() []byte) bool
}

// formats are all forms, in the order in which lines are held against them.
var formats = []*format{
	{
		format: Gemini, name: "Gemini CLI session", resumes: true,
		known: isGemini, fields: geminiFields,
		source: func(name, _ string, out *Sink) rereader { return newGemini(name, out) },
		folder: geminiFolder,
		holds:  func(file string) bool { return path.Ext(Unpacked(file)) == ".jsonl" },
	},
	{
		format: Codex, name: "Codex session",
		known:  func(line []byte, _ *row) bool { return isCodex(line) },
		source: func(name, _ string, out *Sink) rereader { return newCodex(name, out) },
		subagent: func(path, id string) string {
			if !ownRollout(path, id) {
				return ""
			}
			return path
		},
		spawned: func(path string, head func() []byte) bool { // they lie beside the session's
			if !strings.HasPrefix(filepath.Base(path), "rollout-") {
				return false
			}
			b := head() // a file that cannot be opened is none that anybody asks for
			return b == nil || bytes.Contains(b, []byte(`"source":{"subagent":`))
		},
	},
	&copilotFormat, &kimiFormat, &clineFormat, &opencodeFormat, &qwenFormat, &piFormat,
	{
		format: Claude, name: "Claude Code session", resumes: true,
		known:    func(line []byte, _ *row) bool { r, _ := readRecord(line); return r.known },
		source:   func(name, thread string, out *Sink) rereader { return newClaude(name, thread, out) },
		subagent: Subagent,
		folder: func(p string, _ func() []byte) string {
			p = Unpacked(filepath.ToSlash(p))
			return strings.TrimSuffix(p, path.Ext(p)) + "/subagents"
		},
		holds: func(file string) bool {
			_, internal, ok := SubagentOf(file)
			return ok && !internal
		},
		spawned: func(path string, _ func() []byte) bool { return isClaudeAgent(path) },
	},
}

// forward returns a source for the turns of a file.
func (f *format) forward(name, thread string, out *Sink) rereader {
	if f.source != nil {
		return f.source(name, thread, out)
	}
	return newJournal(f, name, thread, out)
}

// find returns the first of formats that is, nil for none.
func find(is func(f *format) bool) *format {
	if i := slices.IndexFunc(formats, is); i >= 0 {
		return formats[i]
	}
	return nil
}

func formatNamed(name string) (*format, bool) {
	f := find(func(f *format) bool { return f.name == name })
	return f, f != nil
}

// knows reports whether a line can only be of this form.
func (f *format) knows(line []byte) bool {
	if f.fields == nil {
		return f.known(line, nil)
	}
	var r row
	return f.fields.read(line, &r) && f.known(line, &r)
}

// Recognise returns the format that a line is of, and a source for it; Unknown and nil where it is of none.
func Recognise(line []byte, name, thread string, out *Sink) (Format, Source) {
	if f := find(func(f *format) bool { return f.knows(line) }); f != nil {
		return f.format, f.forward(name, thread, out)
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

// Folder is a folder in which files of a session's subagents may lie.
type Folder struct {
	Dir   string                 // with slashes
	Holds func(file string) bool // whether a file in it is a subagent's whose requests are turns
}

// SubagentFolders returns the folders in which the files of a session's subagents may lie. first reads the
// first line of the session's file.
func SubagentFolders(file string, first func() []byte) (folders []Folder) {
	for _, f := range formats {
		if f.folder != nil {
			if dir := f.folder(file, first); dir != "" {
				folders = append(folders, Folder{dir, f.holds})
			}
		}
	}
	return folders
}

// Spawned reports whether a session's file is a subagent's. head reads its beginning, of which 2 KB are
// enough.
func Spawned(path string, head func() []byte) bool {
	return find(func(f *format) bool { return f.spawned != nil && f.spawned(path, head) }) != nil
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
	// Subject reports whether calls of a tool are wanted with their subjects; nil: none are.
	Subject func(tool string, class fact.Class) bool
	Outputs bool  // calls are wanted with their outputs
	Place   Place // of calls
	// Answers returns digests of the answers of the session from which the file's session was forked. Where
	// nobody reads that session's file and stand is true, this file stands for it from now on. Nil: copied
	// answers count as new ones.
	Answers func(session string, stand bool) []uint64
	Answer  func(digest uint64) // is told each answer of the model in the file; nil: nobody wants them

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

// Read sets the time from a time stamp, or from milliseconds since 1970, if raw is one.
func (c *Clock) Read(raw []byte) {
	if at, ok := jsonscan.Time(raw); ok {
		c.Now = at
	} else if n := countOf(raw); n.N > 1e11 && n.N < 1<<48 { // later than 1973
		c.Now = time.UnixMilli(n.N).UTC()
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

// Named returns the id of the session whose file has this name. Codex and pi write the time before it.
func Named(file string) string {
	const before = len("rollout-2006-01-02T15-04-05-")
	if id := stem(file); strings.HasPrefix(id, "rollout-") && len(id) > before {
		return id[before:]
	}
	if at, id, ok := strings.Cut(stem(file), "_"); ok && len(at) == len("2006-01-02T15-04-05-000Z") {
		return id
	}
	return stem(file)
}

// Names reports whether the path of a session's file has an id, or a part of one, in it. At the end of a
// name, Gemini CLI writes the beginning of the id alone.
func Names(file, id string) bool {
	const beginning = len("01234567")
	return id != "" && (strings.Contains(file, id) ||
		len(id) > beginning && strings.HasSuffix(stem(file), "-"+id[:beginning]))
}

// stem returns the name of a file without directory and extensions.
func stem(file string) string {
	name := Unpacked(filepath.Base(file))
	return strings.TrimSuffix(name, filepath.Ext(name))
}
