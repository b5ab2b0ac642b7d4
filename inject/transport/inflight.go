package transport

import (
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/inject/wire"
)

// inFlight is what responses have said that may not be in their run's notes yet. A client may send its next request at the last
// event of a stream, before it has seen the stream's end, which is when the notes are written; that request is judged by what its
// predecessor's response has said so far.
//
// It holds one response a slot. A run that loses its slot to another one is judged by its notes alone.
type inFlight struct {
	slots [1024]atomic.Pointer[partial]
}

// partial is a response to a turn of a run, from its first byte on.
type partial struct {
	run   string
	turn  int
	usage usage // what it has said of it; zero: nothing yet
}

func (f *inFlight) slot(run string) *atomic.Pointer[partial] {
	return &f.slots[xxhash.Sum64String(run)%uint64(len(f.slots))]
}

// observe keeps what the response to a turn has said by now, unless the slot is known to hold a later turn of the run.
func (f *inFlight) observe(run string, turn int, u wire.Usage) {
	slot := f.slot(run)
	was := slot.Load()
	if was != nil && was.run == run && was.turn > turn {
		return
	}
	// Where the swap fails another response has just taken the slot. It is of the same run only if the client has two requests of
	// that run under way at once, and then either may win.
	slot.CompareAndSwap(was, &partial{run, turn, usageOf(u)})
}

// merge returns the notes of a run together with what was observed since they were written.
func (f *inFlight) merge(run string, n notes) notes {
	p := f.slot(run).Load()
	if p == nil || p.run != run {
		return n
	}
	n.Ledger = n.Ledger.Accept(p.turn)
	if p.turn == n.Turn && n.Usage == (usage{}) {
		n.Usage = p.usage
	}
	return n
}
