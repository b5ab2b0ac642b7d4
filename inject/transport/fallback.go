package transport

import (
	"errors"
	"slices"

	"github.com/aside-go/aside/state"
)

// fallback is what this process knows of a run beside its state, for the time in which that cannot be read or
// written.
type fallback struct {
	notes notes // as after the last turn that was saved; zero: none was, by this process
	mark  string

	// unsent are the heads of the turns since then that may have been saved, and whose requests went out without
	// the turn's new texts. A later one was perhaps not saved, so the state may have any of them.
	unsent []string
	// bare is the model whose API has refused a request of the run, and refused it without texts alike, and
	// head the request; times is how often in a row.
	bare, head string
	times      int
}

// maxUnsent is how many of fallback.unsent are kept: more model calls than an outage lasts that saves all the
// same.
const maxUnsent = 64

// withhold notes that the request of a turn went out without the turn's new texts.
func (l *fallback) withhold(head string) {
	l.unsent = append(slices.Clone(l.unsent[max(0, len(l.unsent)-maxUnsent+1):]), head)
}

// maxLast is the number of runs of which the Transport keeps the last notes.
const maxLast = 4096

// remember changes what the Transport keeps of the run.
func (x *exchange) remember(edit func(l *fallback)) {
	x.t.keeping.Lock()
	defer x.t.keeping.Unlock()
	l, _ := x.t.last.Peek(x.report.Run)
	edit(&l)
	x.t.last.Add(x.report.Run, l)
}

// inherit has the run begin with what the Transport keeps of another one, unless it keeps something of the
// run itself: the run is a copy of the other one, or will be one when the state is back.
func (x *exchange) inherit(from string) {
	x.t.keeping.Lock()
	defer x.t.keeping.Unlock()
	if l, ok := x.t.last.Peek(from); ok && !x.t.last.Contains(x.report.Run) {
		x.t.last.Add(x.report.Run, l)
	}
}

// saved keeps the notes of a turn that was saved, and whose request goes out with the turn's texts.
func (x *exchange) saved(n notes, mark string) {
	x.remember(func(l *fallback) {
		if n.Turn >= l.notes.Turn || l.mark != mark { // else a request that was decided later came first
			l.notes, l.mark = n, mark
		}
		l.unsent = nil
	})
}

// standStill makes the copy of a request whose run cannot be read or written, with what earlier requests of
// the run held and nothing new. n and mark are of the state, zero where it could not be read.
func (x *exchange) standStill(n notes, mark string, why error) (passed string, err error) {
	l, known := x.t.last.Get(x.report.Run)
	if known && (mark == "" || l.notes.Turn > n.Turn) {
		n, mark = l.notes, l.mark
	}
	x.out = nil
	x.report.Turn, x.report.Again, x.report.Fired, x.report.Put, x.report.Held = 0, false, nil, nil, nil
	x.report.Stands = nil
	if x.report.Run == "" {
		return PassedState, why
	}
	x.remember(func(l *fallback) {
		if mark != "" && (n.Turn >= l.notes.Turn || l.mark != mark) {
			l.notes, l.mark = n, mark
		}
		if errors.Is(why, state.ErrIndeterminate) {
			l.withhold(x.head)
		}
	})
	if mark != "" { // else no request has held a text, as far as this process knows
		x.report.Kind = x.q.KindIn(n.Tools).String()
		x.repeat(n, mark)
	}
	return PassedState, why
}

// recovered returns notes as they were stored, together with what only this process knows: texts of a turn
// that were saved and never sent are not there, and owed; where the state has lost the run in the middle of
// the conversation, its earlier texts are there.
func (x *exchange) recovered(n notes) notes {
	known := x.last.notes
	switch {
	// the request of the last turn went out without them, and the conversation has gone on
	case n.Head != x.head && slices.Contains(x.last.unsent, n.Head):
		x.owed = n.Ledger.Of(n.Turn)
		n.Ledger = n.Ledger.Without(n.Turn)
	case n.Turn == 0 && len(n.Ledger.Entries) == 0 && known.Turn > 0 && x.conv.Answered():
		n.Ledger = known.Ledger.Anew()
	}
	if n.Refusals == nil {
		n.Refusals = known.Refusals
	}
	return n
}

// maxBare is how often in a row a run's requests to one model are tried without texts, and refused alike.
const maxBare = 3

// mayBare reports whether a request that was refused is worth sending without texts. It is not where that
// was refused as well: then the mistake is the client's own.
func (x *exchange) mayBare() bool {
	l, _ := x.t.last.Get(x.report.Run)
	return l.bare != x.q.Model || l.head != x.head && l.times < maxBare
}

// blame remembers whether a request of the run was refused without texts as well, or clears that after the
// API has accepted one.
func (x *exchange) blame(refused bool) {
	if l, known := x.t.last.Peek(x.report.Run); !refused && (!known || l.bare == "") {
		return
	}
	x.remember(func(l *fallback) {
		if !refused || l.bare != x.q.Model {
			l.bare, l.head, l.times = "", "", 0
		}
		if refused {
			l.bare, l.head, l.times = x.q.Model, x.head, l.times+1
		}
	})
}
