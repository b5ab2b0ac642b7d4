package readset

import (
	lru "github.com/hashicorp/golang-lru/v2"
)

// Recent guesses that no other process has saved a run since this one did, where this one has saved it the
// last few times. A request that saves finds out whether that is right by its save, and need not read the run
// before. It may be used concurrently.
type Recent struct{ runs *lru.Cache[string, recent] }

// recent is what this process has saved last of a run.
type recent struct {
	version
	times int // in a row, without another process between
}

const (
	maxRecent = 4096 // runs
	// saves in a row from which on a guess is made: where requests go to any of several processes, it hardly
	// ever is, and costs a save in vain
	enough = 3
)

// NewRecent returns a Recent that knows nothing yet.
func NewRecent() *Recent {
	runs, _ := lru.New[string, recent](maxRecent) // fails for a size below 1 only
	return &Recent{runs}
}

// Begin returns the Set of a request about a run. Where it Guesses when the request is answered, nothing has
// told whether that is right: Reset it and ask anew.
func (r *Recent) Begin(run string) *Set {
	s := new(Set)
	if is, _ := r.runs.Get(run); is.times >= enough {
		s.know(run, version{snapshot: is.snapshot, rev: is.rev, guess: true})
	}
	return s
}

// End keeps what the request has saved of the run.
func (r *Recent) End(run string, s *Set) {
	s.mu.Lock()
	now := s.runs[run]
	s.mu.Unlock()
	if !now.saved {
		return
	}
	next := recent{now, 1}
	if was, _ := r.runs.Peek(run); was.rev == now.base {
		next.times += was.times
	}
	r.runs.Add(run, next)
}
