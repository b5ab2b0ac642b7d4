package hook

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// limit is how long a hook may take by default. After that it ends without printing anything.
const limit = 300 * time.Millisecond

// phase is how far the process is. A process either prints or gives up, whichever begins first.
type phase struct{ at atomic.Int32 }

const (
	working int32 = iota
	printing
	over
)

// leave goes from working to next, and reports whether the phase was still working.
func (p *phase) leave(next int32) bool { return p.at.CompareAndSwap(working, next) }

// processDeadline is a context with a deadline at which it does not end: Main ends the process then, and with
// it all that is under way. Its Done is nil, so that nobody needs a goroutine to stop waiting in time.
type processDeadline struct {
	context.Context
	at time.Time
}

func (d processDeadline) Deadline() (time.Time, bool) { return d.at, true }

// endInTime returns the context of a call, and ends the process with 0 where the call is not printing when
// its limit is over.
func (h *Host) endInTime(c Call, p *phase) context.Context {
	time.AfterFunc(c.Limit, func() {
		if p.leave(over) {
			time.AfterFunc(c.Limit/6, func() { os.Exit(0) }) // in case writing the log hangs, too
			h.report(c, errors.New("it took too long"))
			os.Exit(0)
		}
	})
	return processDeadline{context.Background(), time.Now().Add(c.Limit)}
}
