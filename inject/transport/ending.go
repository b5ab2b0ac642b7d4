package transport

import (
	"context"
	"sync"
)

// endings are the runs of which an answer is over and not noted yet: the end of one is noted beside (Options.Later). Whoever reads
// the notes of a run waits for those.
type endings struct {
	mu   sync.Mutex
	runs map[string]*ending
}

type ending struct {
	open int           // answers
	over chan struct{} // closed when none is open; nil as long as nobody waits
}

// begin says that an answer of a run is going to be noted; it is followed by an end.
func (s *endings) begin(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[string]*ending{}
	}
	e := s.runs[run]
	if e == nil {
		e = &ending{}
		s.runs[run] = e
	}
	e.open++
}

// end says that it was.
func (s *endings) end(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.runs[run]
	if e.open--; e.open > 0 {
		return
	}
	delete(s.runs, run)
	if e.over != nil {
		close(e.over)
	}
}

// wait waits until all that is over in a run is noted. Its error is that ctx ended before.
func (s *endings) wait(ctx context.Context, run string) error {
	s.mu.Lock()
	e := s.runs[run]
	if e == nil {
		s.mu.Unlock()
		return nil
	}
	if e.over == nil {
		e.over = make(chan struct{})
	}
	over := e.over
	s.mu.Unlock()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
