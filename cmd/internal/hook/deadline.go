package hook

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

const (
	// limit is how long a hook may take by default, on a machine that is busy with other things. Agents wait for
	// longer: they are told 5 s.
	limit = 2 * time.Second
	// target is how long a hook means to take then.
	target = limit * 3 / 20
)

// target is how long the hook means to take; what can be left out, as reading more of a session's file, is
// left out to keep it.
func (c Call) target() time.Duration { return cmp.Or(c.Limit, limit) * 3 / 20 }

// phase is how far the process is. Where the limit comes first, the event is left to the next hook and the
// process ends; once it has begun to store what it decided, it finishes. Who decides with all rules and who
// decides with those of safety alone store one after the other, and the first who has a text wins.
type phase struct{ at atomic.Int32 }

const (
	working int32 = iota
	storing       // what was decided with all rules
	safety        // with those of safety alone
	over
)

// begin is called before anything is stored. It does not return where the limit is over, since the process
// ends then, or where the other one has won.
func (r *run) begin() {
	if r.side == safety {
		<-r.half
	}
	for !r.phase.begin(r.side) {
		time.Sleep(time.Millisecond)
	}
}

// begin reports whether side may store. It does not return where the limit is over.
func (p *phase) begin(side int32) bool {
	if p.at.CompareAndSwap(working, side) {
		return true
	}
	now := p.at.Load()
	if now == over {
		select {}
	}
	return now == side
}

// end is called where what side has stored is not the answer to the event, or could not be stored.
func (p *phase) end(side int32) { p.at.CompareAndSwap(side, working) }

// endInTime returns the context of a call, and ends the process with 0 as soon as its limit is over and
// nothing is being stored, and after two more seconds in any case: what it leaves, the next hook takes up.
func (h *Host) endInTime(c Call) (context.Context, context.CancelFunc) {
	time.AfterFunc(c.Limit+limit, func() { os.Exit(0) })
	time.AfterFunc(c.Limit, func() {
		r := h.event.Load()
		for from := time.Now(); r == nil && !h.over.Load() && time.Since(from) < limit/2; r = h.event.Load() {
			time.Sleep(time.Millisecond) // on a machine that is as busy the event may not be known yet
		}
		for r != nil && !r.phase.at.CompareAndSwap(working, over) {
			time.Sleep(time.Millisecond)
		}
		if h.over.Load() {
			return
		}
		time.AfterFunc(limit/2, func() { os.Exit(0) }) // in case the disk hangs, too
		if left := h.taking.Load(); left != nil {
			_ = left.untried()
		}
		err := errors.New("it took too long")
		if r != nil {
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
