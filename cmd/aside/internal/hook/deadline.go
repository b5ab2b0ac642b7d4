package hook

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

const (
	// target is how long a hook means to take; what can be left out, as reading more of a session's file, is
	// left out to keep it.
	target = 300 * time.Millisecond
	// limit is how long a hook may take by default, on a machine that is busy with other things. Agents wait for
	// longer: they are told 5 s.
	limit = 2 * time.Second
)

// phase is how far the process is. Where the limit comes first, the event is spooled and the process ends;
// once it has begun to store what it decided, it finishes.
type phase struct{ at atomic.Int32 }

const (
	working int32 = iota
	storing
	over
)

// leave goes from working to next, and reports whether the phase was still working.
func (p *phase) leave(next int32) bool { return p.at.CompareAndSwap(working, next) }

// begin is called before anything is stored. It does not return where the limit is over, since the process
// ends then.
func (h *Host) begin() {
	if !h.phase.leave(storing) && h.phase.at.Load() == over {
		select {}
	}
}

// endInTime returns the context of a call, and ends the process with 0 where nothing is being stored when its
// limit is over.
func (h *Host) endInTime(c Call) (context.Context, context.CancelFunc) {
	time.AfterFunc(c.Limit, func() {
		if !h.phase.leave(over) {
			return
		}
		time.AfterFunc(c.Limit/6, func() { os.Exit(0) }) // in case the disk hangs, too
		err := errors.New("it took too long")
		if r := h.event.Load(); r != nil {
			if spooled := r.leave(); spooled != nil {
				err = errors.Join(err, spooled)
			} else {
				err = errors.New("it took too long: its event waits for the next hook")
			}
		}
		h.report(c, err)
		os.Exit(0)
	})
	return context.WithTimeout(context.Background(), c.Limit)
}
