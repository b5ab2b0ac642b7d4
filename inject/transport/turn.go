package transport

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/state"
)

// decide takes the run over a turn, if the request is one, and sets x.out to the copy with reminders; it leaves x.out nil where
// nothing stands in the copy. passed is why the request must go out as it came; err says more about that.
func (x *exchange) decide(ctx context.Context) (passed string, err error) {
	if err := x.read(); err != nil {
		return PassedShape, err
	}
	x.API, x.Kind, x.Report.Model = x.q.API, x.q.Kind, x.q.Model
	if x.Kind == wire.KindOther {
		return PassedOther, nil
	}
	x.head = x.conv.Head()
	x.tenant = x.known.tenantOf(x.in)
	if err := x.name(ctx); err != nil {
		return PassedState, err
	}
	raw, mark, err := x.stored(ctx, x.Run)
	if err != nil {
		return PassedState, err
	}
	x.marked = mark != ""
	n, err := x.cache.decode(x.Run, raw)
	if err != nil {
		return PassedState, err
	}
	n = x.inFlight.merge(x.Run, n)
	if x.Kind = x.q.KindIn(n.Tools); n.Refused != "" && n.Refused == x.q.Model {
		return PassedRefused, nil
	}
	switch {
	case x.Kind != wire.KindTurn && x.Kind != wire.KindCount:
		if n.Turn > 0 {
			x.rememberCalls()
			if x.Kind == wire.KindCompaction {
				x.note(func(n notes) notes { n.Summary = true; return n })
			}
		}
		x.repeat(n, mark)
		return "", nil
	case raw == nil && len(x.ev.Names()) == 0:
		x.repeat(n, mark)
		return "", nil
	case x.Kind == wire.KindCount:
		err = x.preview(ctx, n)
	default:
		err = x.turn(ctx, n)
	}
	if errors.Is(err, state.ErrOldKey) { // the history went back to a turn that was taken
		x.repeat(n, mark)
		return "", nil
	}
	if err != nil {
		return PassedState, err
	}
	return "", nil
}

// read reads the body: for what it asks, and for being written to.
func (x *exchange) read() (err error) {
	in := wire.Incoming{API: x.opts.API, Path: x.in.URL.Path, Header: plain(x.in.Header), Body: x.body.text}
	x.q, x.conv, err = wire.Read(in, wire.Options{Options: inject.Options{Prefix: x.opts.Prefix}, Delivery: x.opts.Delivery, Model: x.Report.Model, Models: x.opts.Models})
	return err
}

// turn takes the run over a turn: decided, composed and committed in one step, so that the state never holds a text that is not in
// the copy, or the other way round.
func (x *exchange) turn(ctx context.Context, n notes) error {
	if n.Head != x.head && n.Ledger.Pending() { // what no answered request has held, and cannot be repeated, is offered again on this very turn
		_, lost := n.Ledger.Settle(x.gone(n.Ledger))
		for _, l := range lost {
			if !l.Offer || len(l.IDs) == 0 {
				continue
			}
			if err := x.ev.Missed(ctx, x.Run, l.IDs...); err != nil {
				return err
			}
		}
	}
	d, err := x.ev.DecideWith(ctx, x.Run, x.facts(n), func(d *eval.Decision) error {
		n, err := x.cache.decode(x.Run, d.Notes())
		if err != nil {
			return err
		}
		n = x.inFlight.merge(x.Run, n)
		if d.Again {
			x.again(n, d)
			return nil
		}
		next, missed := x.compose(n, d)
		return d.Carry(x.cache.encode(x.Run, next.turned(d.Turn, x)), missed...)
	})
	if err != nil {
		return err
	}
	x.Turn, x.Again = d.Turn, d.Again
	for _, f := range d.Fired {
		if !d.Again {
			x.Fired = append(x.Fired, Fire{ID: f.ID, Tokens: f.Tokens, Manual: f.Manual})
		}
	}
	x.remember()
	return nil
}

// preview makes the copy that a turn would send, for a request that only counts its tokens. Nothing of it is kept.
func (x *exchange) preview(ctx context.Context, n notes) error {
	d, err := x.ev.Prepare(ctx, x.Run, x.facts(n))
	if err != nil {
		return err
	}
	defer d.Discard()
	if d.Again {
		x.again(n, d)
		return nil
	}
	x.compose(n, d)
	return nil
}

// compose makes the copy for a new turn. It returns the run's notes with what the copy holds, and the ids of due texts that it could
// not hold. As a rule all earlier texts have their places again, so that is tried first, and only a copy that says otherwise is made
// a second time.
func (x *exchange) compose(n notes, d *eval.Decision) (next notes, missed []string) {
	var gone []wire.Gone
	if x.q.Partial {
		gone = x.gone(n.Ledger)
	}
	l, c, due := x.settled(n.Ledger, gone, d)
	if len(c.Gone) > 0 && !x.q.Partial {
		l, c, due = x.settled(n.Ledger, x.gone(n.Ledger), d)
	}
	l.Since = c.Since
	put := holds(c, due)
	for _, f := range newly(d) {
		if !slices.Contains(put, f.ID) && !mark.Blank(f.Text) {
			missed = append(missed, f.ID)
		}
	}
	x.Put, x.Held = put, c.Held
	if c.Delivery == wire.Tail {
		l = l.Add(d.Turn, true, wire.Put{API: x.API, IDs: carried(newly(d), put)})
	} else {
		l = l.Add(d.Turn, false, c.Puts...)
	}
	n.Ledger = l
	return n, missed
}

// settled makes the copy on the assumption that these Puts of the ledger have lost their places. due is what was to be put anew.
func (x *exchange) settled(l ledger.Ledger, gone []wire.Gone, d *eval.Decision) (next ledger.Ledger, c wire.Copy, due []reminder.Due) {
	next, x.Gone = l.Settle(gone)
	next = next.End(d.Due, d.Fired)
	due = newly(d)
	if x.tail() {
		due = anew(next, d.Due)
	}
	return next, x.write(next.Puts(), due, next.Since, d.Mark), due
}

// gone returns which of the ledger's Puts cannot stand in this request. Where the server keeps the conversation, it has every text of
// a request that it has answered; a text of one that it has not must find its message in this request.
func (x *exchange) gone(l ledger.Ledger) (gone []wire.Gone) {
	if !x.q.Partial {
		return x.conv.Gone(l.Puts())
	}
	n := 0
	for _, e := range l.Entries {
		if e.Once {
			continue
		}
		if !e.Accepted && !x.conv.Has(e.Anchor) {
			gone = append(gone, wire.Gone{Put: n, Why: "the request that held it was not answered, and its message is not there any more"})
		}
		n++
	}
	return gone
}

// again makes the copy for a turn that was taken before, byte for byte as it was.
func (x *exchange) again(n notes, d *eval.Decision) {
	x.Put = nil
	if x.tail() {
		c := x.write(n.Ledger.Puts(), anew(n.Ledger, d.Due), n.Ledger.Since, d.Mark)
		x.Held = c.Held
		return
	}
	x.repeat(n, d.Mark)
}

// repeat makes a copy that holds what earlier requests held, and nothing new. A request that is no turn mostly has a system prompt of
// its own, and then what stood with the system prompt of the turns is left out.
func (x *exchange) repeat(n notes, mark string) {
	past := n.Ledger.Puts()
	own := false
	switch x.Kind {
	case wire.KindTitle, wire.KindRouter, wire.KindSide:
		own = true
	case wire.KindCompaction: // some clients keep the prompt and the tools of the turns, for the sake of the cache
		own = n.Tools && !offers(x.q)
	}
	if own {
		past = slices.DeleteFunc(past, func(p wire.Put) bool { return p.Shape == wire.ShapePrompt })
	}
	x.write(past, nil, n.Ledger.Since, mark)
}

// write makes the copy.
func (x *exchange) write(past []wire.Put, due []reminder.Due, since, mark string) wire.Copy {
	x.drop()
	e, made := x.conv.Marked(mark).Edit(past, due, since)
	x.Tokens = (max(e.Len()-len(x.body.text), 0) + 3) / 4
	if x.texts = e.Changed(); x.texts {
		x.out, x.beta = &e, made.Beta
	}
	x.Repeat = 0
	for _, p := range past {
		x.Repeat += len(p.Texts)
	}
	for _, g := range made.Gone {
		x.Repeat -= len(past[g.Put].Texts)
	}
	return made
}

// holds returns the ids of those of due that a copy holds.
func holds(c wire.Copy, due []reminder.Due) (ids []string) {
	if c.Delivery == wire.Tail {
		for _, d := range due {
			ids = append(ids, d.ID)
		}
		return ids
	}
	for _, p := range c.Puts {
		ids = append(ids, p.IDs...)
	}
	return ids
}

// tail reports whether a text is put into each request anew as long as it is due. Not where the server keeps the conversation: what
// it was sent once it has for good.
func (x *exchange) tail() bool { return x.opts.Delivery == wire.Tail && !x.q.Partial }

// anew returns what of due does not stand in the ledger, and so must be put into this request.
func anew(l ledger.Ledger, due []reminder.Due) []reminder.Due {
	return slices.DeleteFunc(slices.Clone(due), func(d reminder.Due) bool { return l.Holds(d.ID) })
}

// newly returns what has stood in no request yet: what fired on this turn, and what fired before and could not be put. The order is
// that of d.Due.
func newly(d *eval.Decision) []reminder.Due {
	due := slices.Clone(d.Fired)
	for _, x := range d.Due {
		if x.Late && !slices.ContainsFunc(due, func(f reminder.Due) bool { return f.ID == x.ID }) {
			due = append(due, x)
		}
	}
	slices.SortStableFunc(due, func(a, b reminder.Due) int { return rank(d.Due, a.ID) - rank(d.Due, b.ID) })
	return due
}

func rank(due []reminder.Due, id string) int {
	return slices.IndexFunc(due, func(d reminder.Due) bool { return d.ID == id })
}

// carried returns the ids of due that were put.
func carried(due []reminder.Due, put []string) (ids []string) {
	for _, d := range due {
		if slices.Contains(put, d.ID) {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// facts returns what the request and the run's notes say of this turn.
func (x *exchange) facts(n notes) eval.Turn {
	q, since := x.q, n.since(x)
	t := eval.Turn{Key: x.head, Fill: func(f *fact.Frame) {
		q.Fill(f)
		since.fill(f)
	}}
	if !x.marked {
		t.Mark = newMark()
	}
	if x.opts.Commands && q.UserMessage == fact.True && !since.counted {
		if name, ok := command(q.Prompt.S); ok {
			if slices.Contains(x.ev.Names(), name) {
				t.Remind = []string{name}
			} else {
				x.Unknown = name
			}
		}
	}
	return t
}

// command returns the NAME of a prompt that begins with "/remind NAME".
func command(prompt string) (name string, ok bool) {
	line, _, _ := strings.Cut(strings.TrimLeft(prompt, " \t\r\n"), "\n")
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "/remind" {
		return "", false
	}
	return words[1], true
}

// newMark returns a token for a run that has none yet.
func newMark() string { return rand.Text()[:8] }

// offers reports whether the model is offered tools.
func offers(q *wire.Request) bool { return q.Tools == fact.True }

// plain returns a header without Content-Encoding: the body is read decompressed.
func plain(h map[string][]string) map[string][]string {
	if _, ok := h["Content-Encoding"]; !ok {
		return h
	}
	out := make(map[string][]string, len(h))
	for k, v := range h {
		if k != "Content-Encoding" {
			out[k] = v
		}
	}
	return out
}
