package transport

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/near"
)

// compose makes the copy for a new turn. It returns the run's notes with the texts of the copy, and
// the ids of due texts that the copy could not hold. In most requests all earlier texts have their
// places, so the first copy assumes that; a copy that misses one is made again without it.
func (x *exchange) compose(n notes, d *eval.Decision) (next notes, missed []string) {
	var gone []body.Gone
	n.Ledger = x.unkept(x.accepted(n))
	if x.q.Partial {
		gone = x.gone(n.Ledger)
	}
	l, c := x.settle(n.Ledger, gone, d)
	if len(c.Gone) > 0 && !x.q.Partial {
		l, c = x.settle(n.Ledger, x.gone(n.Ledger), d)
	}
	var carried []string
	for _, f := range unsent(d) {
		switch {
		case slices.Contains(x.report.Put, f.ID):
			carried = append(carried, f.ID)
		case !mark.Blank(f.Text):
			missed = append(missed, f.ID)
		}
	}
	x.report.Held, x.placed = c.Held, c.Placed
	if c.Delivery == wire.Tail {
		l = l.Add(d.Turn, true, body.Insertion{API: x.q.API, IDs: carried})
	} else {
		l = l.Add(d.Turn, false, c.Put...)
	}
	n.Ledger, n.Late = known(l.Stand(c.Stands), n.Late, d, missed)
	return n, missed
}

// known returns the ledger with what its texts are to be known by, now and for who sees them later. late are
// the firings whose texts no request has carried yet, then and after the turn, which has missed some.
func known(l ledger.Ledger, late []ledger.Firing, d *eval.Decision, missed []string) (ledger.Ledger,
	[]ledger.Firing) {
	for _, o := range d.Outcomes {
		l = l.Ends(o.ID, d.Turn-o.After, o.Outcome)
	}
	if len(d.Fired) == 0 && len(late) == 0 {
		return l, nil
	}
	all := make([]ledger.Firing, 0, len(d.Fired)+len(late))
	for _, f := range d.Fired {
		all = append(all, ledger.Firing{ID: f.ID, Turn: d.Turn, Why: d.Why(f.ID), Tokens: f.Tokens})
	}
	all = append(all, late...) // behind those that say the same anew
	return l.Know(d.Turn, all), slices.DeleteFunc(all, func(f ledger.Firing) bool {
		return !slices.Contains(missed, f.ID)
	})
}

// settle makes the copy, given the Puts of the ledger that have lost their places.
func (x *exchange) settle(l ledger.Ledger, gone []body.Gone, d *eval.Decision) (ledger.Ledger, body.Copy) {
	next, lost := l.Settle(gone)
	x.report.Gone = nil
	for _, e := range lost {
		x.report.Gone = append(x.report.Gone, Lost{IDs: e.IDs, Why: e.Why})
	}
	next = next.End(d.Due, d.Fired)
	due := unsent(d)
	if x.tail() {
		due = notHeld(next, d.Due)
	}
	if name := x.report.Unknown; name != "" {
		due = append(due, reminder.Due{ID: "/remind", Text: near.Reply(name, x.t.ev.Names())})
	}
	return next, x.write(next.Puts(), due, d.Mark)
}

// accepted returns the ledger of the notes. Where the request has more answers than that of the last turn,
// the last turn was answered, though the process that saw the answer may have been killed before it noted
// that.
func (x *exchange) accepted(n notes) ledger.Ledger {
	if x.q.Partial || n.Free || x.conv.Answers() <= n.Count {
		return n.Ledger
	}
	return n.Ledger.Accept(n.Turn)
}

// gone returns the Puts of the ledger that cannot stand in this request. Where the server keeps the
// conversation, it has every text of a request that it has answered; a text of any other request
// must find its message in this request.
func (x *exchange) gone(l ledger.Ledger) (gone []body.Gone) {
	if !x.q.Partial {
		return x.conv.Gone(l.Puts())
	}
	const why = "the request that held it was not answered, and its message is not there any more"
	for i, e := range l.Entries {
		if !e.Once && !e.Accepted && !x.conv.Has(e.Anchor) {
			gone = append(gone, body.Gone{Index: i, Why: why, Away: true})
		}
	}
	return gone
}

// unkept returns the ledger without the texts that the API has in a conversation that it keeps: a message of
// this request may look like that of an earlier one. Of the system prompt, it keeps nothing.
func (x *exchange) unkept(l ledger.Ledger) ledger.Ledger {
	if x.q.Thread.Conversation == "" {
		return l
	}
	return l.Drop(func(e ledger.Entry) bool { return e.Accepted && e.Shape != body.ShapePrompt })
}

// copyAgain makes the copy for a turn that was stored before, byte for byte as it was.
func (x *exchange) copyAgain(d *eval.Decision) error {
	n, err := x.current(d.Notes())
	if err != nil {
		return err
	}
	if x.tail() {
		c := x.write(n.Ledger.Puts(), notHeld(n.Ledger, d.Due), d.Mark)
		x.report.Put, x.report.Held = nil, c.Held
		return nil
	}
	x.repeatAll(n, d.Mark)
	return nil
}

// repeat makes a copy with the texts of earlier requests, as far as the API has not got them, and nothing
// new.
func (x *exchange) repeat(n notes, mark string) {
	n.Ledger = x.unkept(n.Ledger)
	x.repeatAll(n, mark)
}

// repeatAll makes a copy with the texts of earlier requests, and nothing new. A request that is not a turn
// mostly has a system prompt of its own; then the texts that stood with the turns' system prompt are left
// out.
func (x *exchange) repeatAll(n notes, mark string) {
	past := n.Ledger.Puts()
	ownPrompt := false
	switch api.Kind(x.report.Kind) {
	case api.KindTitle, api.KindRouter, api.KindSide:
		ownPrompt = true
	case api.KindCompaction: // some clients keep prompt and tools, for the sake of the cache
		ownPrompt = n.Tools && x.q.Tools != fact.True
	}
	if ownPrompt {
		past = slices.DeleteFunc(past, func(p body.Insertion) bool { return p.Shape == body.ShapePrompt })
	}
	x.write(past, nil, mark)
}

// write makes the copy.
func (x *exchange) write(past []body.Insertion, due []reminder.Due, mark string) body.Copy {
	e, made := x.conv.Marked(mark).Edit(past, due)
	x.report.Tokens = reminder.Tokens(max(e.Len()-len(x.from.Body), 0))
	if x.out, x.beta = nil, ""; e.Changed() {
		x.out, x.beta = &e, made.Beta
	}
	x.report.Repeat, x.report.Put, x.report.Stands = 0, nil, made.Stands
	for _, s := range made.Stands {
		if s.New {
			x.report.Put = append(x.report.Put, s.ID)
		} else {
			x.report.Repeat++
		}
	}
	return made
}

// tail reports whether each request gets a text anew as long as the text is due. Where the server
// keeps the conversation, none does: the server keeps the text, too.
func (x *exchange) tail() bool { return x.t.opts.Delivery == wire.Tail && !x.q.Partial }

// notHeld returns those of due that do not stand in the ledger, so that this request must carry them.
func notHeld(l ledger.Ledger, due []reminder.Due) []reminder.Due {
	return slices.DeleteFunc(slices.Clone(due), func(d reminder.Due) bool { return l.Holds(d.ID) })
}

// unsent returns the texts that no request has held yet: those that fired on this turn, and those
// that fired before and could not be put. The order is that of d.Due. A text of which the run is held
// out is not sent.
func unsent(d *eval.Decision) []reminder.Due {
	due := slices.DeleteFunc(slices.Clone(d.Fired), func(f reminder.Due) bool { return f.HeldOut })
	for _, x := range d.Due {
		if x.Late && !slices.ContainsFunc(due, func(f reminder.Due) bool { return f.ID == x.ID }) {
			due = append(due, x)
		}
	}
	rank := func(id string) int {
		return slices.IndexFunc(d.Due, func(d reminder.Due) bool { return d.ID == id })
	}
	slices.SortStableFunc(due, func(a, b reminder.Due) int { return rank(a.ID) - rank(b.ID) })
	return due
}
