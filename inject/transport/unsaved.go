package transport

import (
	"context"
	"sync"
)

// unsaved counts, for each run, the responses that are over and not written into the run's notes yet: Options.Later may write them
// on another goroutine. Whoever reads the notes of a run waits for them. The zero value is ready; it may be used concurrently.
type unsaved struct {
	mu   sync.Mutex
	runs map[string]*backlog // none of them is empty
}

// backlog is what is unsaved of one run.
type backlog struct {
	open  int
	saved chan struct{} // closed when open comes to 0; nil as long as nobody waits
}

// begin says that a response of a run is going to be saved. One call of end must follow.
func (u *unsaved) begin(run string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.runs == nil {
		u.runs = map[string]*backlog{}
	}
	b := u.runs[run]
	if b == nil {
		b = &backlog{}
		u.runs[run] = b
	}
	b.open++
}

// end says that a response of a run is saved, or could not be.
func (u *unsaved) end(run string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	b := u.runs[run]
	if b.open--; b.open > 0 {
		return
	}
	delete(u.runs, run)
	if b.saved != nil {
		close(b.saved)
	}
}

// wait waits until nothing of a run is unsaved. Its error is the cause for which ctx ended before.
func (u *unsaved) wait(ctx context.Context, run string) error {
	u.mu.Lock()
	b := u.runs[run]
	if b == nil {
		u.mu.Unlock()
		return nil
	}
	if b.saved == nil {
		b.saved = make(chan struct{})
	}
	saved := b.saved
	u.mu.Unlock()
	select {
	case <-saved:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
