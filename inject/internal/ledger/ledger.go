// Package ledger remembers which text was put where in the requests of a run, so that later requests hold it
// there again.
//
// A client keeps its history without our texts, so each request comes without the texts of the requests
// before. If they were then missing, a model that binds its thinking to every earlier byte would refuse the
// request, and a cache that is keyed by the prefix would miss. So a text that went out once stays, byte for
// byte, as long as the message is there that it stands with (body.Insertion.Anchor).
//
//	client's request ─► body.Conversation ─► Gone ─► Settle ─► decision ─► End ─► Edit(Puts, due) ─► Add
//	response 2xx ─────► Accept
//
// Keep says for how long a text is wanted. When it has ended, the text is not put anew; where it stands, it
// stays, for to take it out would change what the model has thought on and what is cached.
//
// A Ledger is a value: its methods return another Ledger and write to none. The package knows nothing of
// triggers, runs and HTTP.
package ledger

import (
	"slices"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/body"
)

// Ledger holds the texts that were put into the requests of a run and are to stay there. The zero Ledger is
// of a run without such texts. As JSON it is part of the run's snapshot.
type Ledger struct {
	Entries []Entry `json:"entries,omitempty"` // in the order in which they were put
}

// Entry is an Insertion and its history.
type Entry struct {
	body.Insertion
	Turn     int      `json:"turn"`               // the run's turn on which it was put
	Once     bool     `json:"once,omitempty"`     // it was put into one request only, and is not repeated
	Accepted bool     `json:"accepted,omitempty"` // a request that held it was answered
	Ended    []string `json:"ended,omitempty"`    // ids of the reminders in it that are no longer due
	Missing  int      `json:"missing,omitempty"`  // for how many turns in a row its place has not been there
	// the client's message that it stood with in the latest request that held it, from 1; 0: the beginning
	With  int      `json:"with,omitempty"`
	Fired []Firing `json:"fired,omitempty"` // what is known of each text; empty: nothing
}

// Firing is what is known of a firing, for those who see its text.
type Firing struct {
	ID      string `json:"id,omitempty"` // of the reminder, where nothing else says it
	Turn    int    `json:"turn,omitempty"`
	Why     string `json:"why,omitempty"`
	Tokens  int    `json:"tokens,omitempty"`
	Outcome string `json:"outcome,omitempty"`
}

// Lost says that texts of earlier requests no longer stand in the run's requests.
type Lost struct {
	IDs   []string // of the reminders whose texts they are
	Why   string   // in one line
	Offer bool     // no answered request has held the texts, so they are due again
}

// patience is how many turns an entry is kept while its message is not there. A client that goes back to
// where it was, or switches between branches of a history, then gets it back. While the message is there and
// the model takes no such text, or another API is asked, the turns are not counted: a client that goes back
// to the earlier model goes on with what that one thought, which is bound to the text.
const patience = 16

// Puts returns the Insertions of the Entries. Those that the next request must repeat have texts.
func (l Ledger) Puts() []body.Insertion {
	puts := make([]body.Insertion, len(l.Entries))
	for i, e := range l.Entries {
		if puts[i] = e.Insertion; e.Once {
			puts[i].Texts = nil
		}
	}
	return puts
}

// Holds reports whether a text of the reminder id stands in the requests of the run, and is still due.
func (l Ledger) Holds(id string) bool {
	return slices.ContainsFunc(l.Entries, func(e Entry) bool {
		return !e.Once && e.Missing == 0 && slices.Contains(e.IDs, id) && !slices.Contains(e.Ended, id)
	})
}

// Settle returns the ledger with which a new turn begins. gone are those of Puts that the turn's request
// cannot repeat. Entries that went out once are dropped. lost are the texts that stood in the request before
// and do not stand in this one, in the order in which they were put.
func (l Ledger) Settle(gone []body.Gone) (next Ledger, lost []Lost) {
	unsettled := func(e Entry) bool { return e.Once || e.Missing > 0 }
	if len(gone) == 0 && !slices.ContainsFunc(l.Entries, unsettled) {
		return l, nil
	}
	missing := make(map[int]body.Gone, len(gone))
	for _, g := range gone {
		missing[g.Index] = g
	}
	for i, e := range l.Entries {
		g := missing[i]
		if e.Once {
			g.Why = "it went out once, and the request was not answered"
		}
		switch {
		case g.Why == "":
			e.Missing = 0
			next.Entries = append(next.Entries, e)
		case !e.Accepted:
			ended := func(id string) bool { return slices.Contains(e.Ended, id) }
			lost = append(lost, Lost{IDs: slices.DeleteFunc(slices.Clone(e.IDs), ended), Why: g.Why, Offer: true})
		case !e.Once:
			if e.Missing == 0 {
				lost = append(lost, Lost{IDs: e.IDs, Why: g.Why})
			}
			if e.Missing == 0 || g.Away {
				e.Missing++
			}
			if e.Missing <= patience {
				next.Entries = append(next.Entries, e)
			}
		}
	}
	return next, lost
}

// End notes which reminders are no longer due: those that are not in due, the list of all reminders that the
// model is to see on this turn, and those that are in fired, whose texts are put anew.
func (l Ledger) End(due, fired []reminder.Due) Ledger {
	wanted := func(id string) bool {
		is := func(d reminder.Due) bool { return d.ID == id }
		return slices.ContainsFunc(due, is) && !slices.ContainsFunc(fired, is)
	}
	return l.edited(func(e *Entry) { e.Ended = slices.Concat(e.Ended, e.over(wanted)) })
}

// edited returns the ledger with each entry edited, which must not write to what an entry refers to.
func (l Ledger) edited(edit func(e *Entry)) Ledger {
	l.Entries = slices.Clone(l.Entries)
	for i := range l.Entries {
		edit(&l.Entries[i])
	}
	return l
}

// Add returns the ledger with the Puts of a turn. once is whether the next request is to come without them.
func (l Ledger) Add(turn int, once bool, puts ...body.Insertion) Ledger {
	l.Entries = slices.Clip(l.Entries)
	for _, p := range puts {
		l.Entries = append(l.Entries, Entry{Insertion: p, Turn: turn, Once: once})
	}
	return l
}

// Know returns the ledger with the Firings of the texts that a turn has put, as far as all tells them.
func (l Ledger) Know(turn int, all []Firing) Ledger {
	return l.edited(func(e *Entry) {
		if e.Turn != turn || e.Once {
			return
		}
		e.Fired = make([]Firing, len(e.IDs))
		for k, id := range e.IDs {
			if n := slices.IndexFunc(all, func(f Firing) bool { return f.ID == id }); n >= 0 {
				e.Fired[k] = all[n]
				e.Fired[k].ID = ""
			}
		}
	})
}

// Ends returns the ledger after the outcome of a reminder's firing on a turn.
func (l Ledger) Ends(id string, turn int, outcome string) Ledger {
	return l.edited(func(e *Entry) {
		for k, f := range e.Fired {
			if e.IDs[k] == id && f.Turn == turn {
				e.Fired = slices.Clone(e.Fired)
				e.Fired[k].Outcome = outcome
			}
		}
	})
}

// Stand returns the ledger after a request in which its texts stand as all says, in its own order.
func (l Ledger) Stand(all []body.Stand) Ledger {
	return l.edited(func(e *Entry) {
		at := slices.IndexFunc(all, func(s body.Stand) bool {
			return len(e.IDs) > 0 && s.ID == e.IDs[0] && len(e.Texts) > 0 && s.Text == e.Texts[0]
		})
		if at >= 0 && !e.Once {
			e.With = all[at].Message + 1
			all = all[at+1:]
		}
	})
}

// Accept returns the ledger after an answer to a request with all Puts up to a turn.
func (l Ledger) Accept(turn int) Ledger {
	if !slices.ContainsFunc(l.Entries, func(e Entry) bool { return e.Turn <= turn && !e.Accepted }) {
		return l
	}
	return l.edited(func(e *Entry) { e.Accepted = e.Accepted || e.Turn <= turn })
}

// Drop returns the ledger without the entries that are meant.
func (l Ledger) Drop(meant func(e Entry) bool) Ledger {
	l.Entries = slices.DeleteFunc(slices.Clone(l.Entries), meant)
	return l
}

// Until returns the ledger as it was after a turn, as far as it keeps that.
func (l Ledger) Until(turn int) Ledger { return l.Drop(func(e Entry) bool { return e.Turn > turn }) }

// Without returns the ledger without the Puts of a turn, as if the turn had not been.
func (l Ledger) Without(turn int) Ledger { return l.Drop(func(e Entry) bool { return e.Turn == turn }) }

// FiredOn returns the Firings of the texts that a turn has put.
func (l Ledger) FiredOn(turn int) (all []Firing) {
	for _, e := range l.Entries {
		for k, f := range e.Fired {
			if e.Turn == turn {
				f.ID = e.IDs[k]
				all = append(all, f)
			}
		}
	}
	return all
}

// Offered returns the ids of the reminders in entries that no answered request is known to have held.
func (l Ledger) Offered() []string { return l.ids(func(e *Entry) bool { return !e.Accepted }) }

// Refused returns the ledger whose texts the API of a model takes no more.
func (l Ledger) Refused(model string) Ledger {
	return l.edited(func(e *Entry) {
		if !e.Once && !slices.Contains(e.Refused, model) {
			e.Refused = append(slices.Clip(e.Refused), model)
		}
	})
}

// Of returns the ids of the reminders whose texts a turn has put.
func (l Ledger) Of(turn int) []string { return l.ids(func(e *Entry) bool { return e.Turn == turn }) }

// ids returns the ids of the reminders in the entries that are meant.
func (l Ledger) ids(meant func(e *Entry) bool) (ids []string) {
	for i := range l.Entries {
		if e := &l.Entries[i]; meant(e) {
			ids = append(ids, e.IDs...)
		}
	}
	return ids
}

// Anew returns the ledger for a run that begins anew in the middle of its conversation: its texts stand
// there, or will, and were put before the first turn.
func (l Ledger) Anew() Ledger {
	return l.edited(func(e *Entry) { e.Turn, e.Accepted = 0, true })
}

// over returns the ids of the reminders that are no longer wanted and were until now, each once.
func (e Entry) over(wanted func(id string) bool) (ids []string) {
	for _, id := range e.IDs {
		if !wanted(id) && !slices.Contains(e.Ended, id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
