package transcript

import "time"

// source reads the lines of one format.
type source interface {
	// line takes in a line, the n-th from 1. It is false if that could not be read.
	line(line []byte, n int) bool
	// finish says that there are no more lines. It may lead to turns.
	finish()
	// rest returns for each run that goes on the turn that would be next.
	rest() []*Turn
}

// sink is where a source puts what it finds.
type sink struct {
	turns []*Turn
	ended []*Turn // what came behind the last turn of a run that has ended, before turns
	notes []string
}

// note says something about the line at hand.
func (s *sink) note(text string) { s.notes = append(s.notes, text) }

func (s *sink) turn(t *Turn) { s.turns = append(s.turns, t) }

// clock is the time of the records of a run.
type clock struct {
	now time.Time // of the latest one that has a time
}

// read takes in a time stamp.
func (c *clock) read(raw []byte) {
	if at, ok := readTime(raw); ok {
		c.now = at
	}
}

// set takes in a time, if it is one.
func (c *clock) set(at time.Time) {
	if !at.IsZero() {
		c.now = at
	}
}

// stamp gives a turn its time. The first one decides whether its run has times at all.
func (c *clock) stamp(t *Turn) {
	t.At = c.now
	if t.N == 1 {
		t.Run.Timed = !c.now.IsZero()
	}
	if !t.Run.Timed {
		t.At = time.Time{}
	}
}
