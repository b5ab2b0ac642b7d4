package session

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/aside-go/aside/internal/jsonscan"
)

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
