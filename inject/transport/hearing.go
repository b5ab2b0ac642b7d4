package transport

import (
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/inject/wire"
)

// hearing is what responses have said so far. A client may go on at the last event of an answer and not wait for its end, so that its
// next request is here before the answer is noted in the run's state.
type hearing struct{ slots [1024]atomic.Pointer[heard] }

// heard is an answer to a turn, from its first byte on.
type heard struct {
	run   string
	turn  int
	usage usage
}

func (h *hearing) slot(run string) *atomic.Pointer[heard] {
	return &h.slots[xxhash.Sum64String(run)%uint64(len(h.slots))]
}

// hear takes in what the answer to a turn says by now. An older turn counts no more.
func (h *hearing) hear(run string, turn int, u wire.Usage) {
	at := h.slot(run)
	was := at.Load()
	now := &heard{run, turn, usageOf(u)}
	if was == nil || was.run != run || was.turn <= turn {
		at.CompareAndSwap(was, now) // else another answer was quicker: they are of one run only if the client asked twice at once
	}
}

// add returns the notes of a run with what was heard since they were written.
func (h *hearing) add(run string, n notes) notes {
	s := h.slot(run).Load()
	if s == nil || s.run != run {
		return n
	}
	n.Ledger = n.Ledger.Accept(s.turn)
	if s.turn == n.Turn && n.Usage == (usage{}) {
		n.Usage = s.usage
	}
	return n
}
