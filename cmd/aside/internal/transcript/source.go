package transcript

import "time"

// source reads the lines of one format.
type source interface {
	// line reads a line, the n-th from 1, and appends what it finds to the sink. It returns false if the line could not be read.
	line(line []byte, n int) bool
	// finish is called after the last line. It may append turns.
	finish()
	// pending returns the turn that would be next of each run that goes on, the run heard of last at the end.
	pending() []*Turn
}

// sink is what a source appends its findings to.
type sink struct {
	turns []*Turn
	ended []*Turn // for each run that has ended, before the first of turns, the turn that would have been next
	notes []string
}

// note adds a note about the current line.
func (s *sink) note(text string) { s.notes = append(s.notes, text) }

func (s *sink) turn(t *Turn) { s.turns = append(s.turns, t) }

// clock keeps the time at which a run is.
type clock struct {
	now time.Time // the time of the latest record that has one
}

// read sets the time from a time stamp, if raw is one.
func (c *clock) read(raw []byte) {
	if at, ok := readTime(raw); ok {
		c.now = at
	}
}

// set sets the time, unless at is zero.
func (c *clock) set(at time.Time) {
	if !at.IsZero() {
		c.now = at
	}
}

// stamp sets the time of a turn. The first turn of a run decides whether the run has times at all.
func (c *clock) stamp(t *Turn) {
	t.At = c.now
	if t.N == 1 {
		t.Run.Timed = !c.now.IsZero()
	}
	if !t.Run.Timed {
		t.At = time.Time{}
	}
}
