package transport

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/state"
)

// decide takes the run over a turn, if the request is one, and sets x.out to the copy with
// reminders; it leaves x.out nil where the copy holds none. passed is the reason for which the
// request must go out as it came; err says more about it.
func (x *exchange) decide(ctx context.Context) (passed string, err error) {
	if err := x.read(x.t.ev.Set()); err != nil {
		return PassedShape, err
	}
	if x.counts {
		x.q.Kind = api.KindCount
	}
	x.report.API, x.report.Model = x.q.API, x.q.Model
	x.report.Kind = x.q.Kind.String()
	if x.q.Kind == api.KindOther {
		return PassedOther, nil
	}
	x.head = x.conv.Head()
	ctx, cancel := x.t.patience(x.reads.In(ctx))
	defer func() { cancel(err) }()
	if err := x.name(ctx); err != nil {
		return x.standStill(notes{}, "", err)
	}
	n, mark, err := x.load(ctx)
	if err != nil {
		return x.standStill(notes{}, "", err)
	}
	kind := x.q.KindIn(n.Tools)
	x.report.Kind = kind.String()
	switch {
	case kind != api.KindTurn && kind != api.KindCount:
		x.sums = n.Turn > 0 && !x.named && (kind == api.KindCompaction || kind == api.KindSide)
		if n.Turn > 0 && kind == api.KindCompaction {
			x.compacts = true
			if x.named {
				x.at.turn = n.Turn
			}
			x.addWhy(x.note(func(n notes) notes {
				n = x.positioned(n)
				x.cut.Cost = n.Usage.Cost
				x.enterAll(n.Answers)
				n.Summary = true
				return n
			}))
		}
		x.repeat(n, mark)
		return "", nil
	case kind == api.KindCount:
		err = x.preview(ctx, n)
	default:
		if n, err = x.handover(ctx, n, mark); err == nil {
			err = x.turn(ctx, n)
		}
	}
	if errors.Is(err, state.ErrOldKey) || errors.Is(err, errIdle) { // the history went back to an earlier turn
		if err != errIdle { // perhaps by now
			x.readAnew()
			if n, mark, err = x.load(ctx); err != nil {
				return x.standStill(n, mark, err)
			}
		}
		if !x.named && n.took(x.asked, x.at.turn+1) {
			x.report.Turn, x.report.Again = x.at.turn+1, true
			n.Ledger = n.Ledger.Until(x.report.Turn)
			x.reopen(n, x.report.Turn)
		}
		x.repeat(n, mark)
		return "", nil
	}
	if err != nil {
		return x.standStill(n, mark, err)
	}
	return "", nil
}

// handover takes the turn up where another door has begun it. n and mark are those of the run.
func (x *exchange) handover(ctx context.Context, n notes, mark string) (notes, error) {
	if x.t.opts.Handover == nil || x.report.Agent == "" {
		return n, nil
	}
	did, err := x.t.opts.Handover(ctx, x.report)
	if !did || err != nil {
		return n, err
	}
	x.readAnew()
	if n, _, err = x.load(ctx); err == nil {
		x.begun = cmp.Or(mark, x.last.mark, rand.Text()[:8])
	}
	return n, err
}

// load returns the notes of the run, and its mark.
func (x *exchange) load(ctx context.Context) (n notes, mark string, err error) {
	x.last, _ = x.t.last.Get(x.report.Run)
	x.owed = nil
	carried, mark, pending, err := x.readRun(ctx, x.report.Run)
	x.pending = pending
	if err != nil {
		return notes{}, "", err
	}
	x.marked = mark != ""
	n, err = x.current(carried)
	return n, mark, err
}

// How long a request waits at most for the state of its run: stateTime, and hangTime where a request has
// waited that long in vain within the last hangFor.
const (
	stateTime = 5 * time.Second
	hangTime  = stateTime / 20
	hangFor   = 30 * time.Second
)

// patience returns a context for what a request asks of the state. done tells how that has ended.
func (t *Transport) patience(ctx context.Context) (_ context.Context, done func(error)) {
	now, limit, hung := time.Now(), stateTime, t.hung.Load()
	if hung != nil && now.Sub(*hung) < hangFor {
		limit = hangTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errHangs)
	return ctx, func(err error) {
		switch {
		case err == nil && hung != nil:
			t.hung.CompareAndSwap(hung, nil)
		case err != nil && limit == stateTime && context.Cause(ctx) == errHangs:
			t.hung.Store(&now)
		}
		cancel()
	}
}

// errHangs says why a request has waited for its state no longer.
var errHangs = fmt.Errorf("the state has not answered: %w", context.DeadlineExceeded)

// read reads the body twice over: for the facts in it that a set reads, and for putting texts into it.
func (x *exchange) read(set *compile.Set) (err error) {
	x.set, x.from.Calls, x.from.Place = set, x.t.detail(compile.ReadsOf(set)), x.t.opts.Place
	x.q, x.conv, err = request.Read(x.from, body.Options{
		Options:  mark.Options{Neutralise: x.t.opts.Neutralise},
		Delivery: x.t.opts.Delivery, Model: x.report.Model, Takes: api.Takes(x.t.opts.Models),
		Refused: func(model string, at body.Placement) bool {
			return slices.Contains(x.refusals, refusal{model, at})
		},
	})
	return err
}

// turn takes the run over a turn, and makes the turn's copy.
func (x *exchange) turn(ctx context.Context, n notes) error {
	if err := x.offerLost(ctx, n); err != nil {
		return err
	}
	if len(x.owed) > 0 {
		if err := x.t.ev.Missed(ctx, x.report.Run, x.owed...); err != nil {
			return err
		}
	}
	d, err := x.commit(ctx, n)
	if err != nil {
		return err
	}
	if d.Again {
		if err := x.copyAgain(d); err != nil {
			return err
		}
	} else {
		for _, f := range d.Fired {
			fire := Fire{Due: f, Why: d.Why(f.ID), File: fileOf(d.Set(), f.ID)}
			x.report.Fired = append(x.report.Fired, fire)
		}
	}
	x.report.Turn, x.report.Again, x.report.Rules, x.report.Untold = d.Turn, d.Again, d.Rules, d.Untold()
	x.report.Outcomes = d.Outcomes
	if n, err := decode(d.Notes()); err == nil {
		if d.Again {
			x.reopen(n, d.Turn)
		}
		x.saved(n, d.Mark)
	}
	return nil
}

// offerLost makes texts due again that no answered request has held and that this request cannot
// repeat.
func (x *exchange) offerLost(ctx context.Context, n notes) error {
	if n.Head == x.head || len(n.Ledger.Offered()) == 0 || !x.named && n.Turn != x.at.turn {
		return nil
	}
	l := x.accepted(n)
	_, lost := l.Settle(x.gone(l))
	for _, l := range lost {
		if !l.Offer || len(l.IDs) == 0 {
			continue
		}
		if err := x.t.ev.Missed(ctx, x.report.Run, l.IDs...); err != nil {
			return err
		}
	}
	return nil
}

// commit decides a turn, makes its copy, and stores both in one step, so the state never holds a
// text that is not in the copy, or the other way round. If the decision has Again set, the turn was
// stored before, perhaps by another process, and there is no copy yet.
func (x *exchange) commit(ctx context.Context, n notes) (*eval.Decision, error) {
	var d *eval.Decision
	turn := x.facts(n)
	try := func() (err error) {
		if d, err = x.ask(ctx, n, &turn); err != nil || d.Again {
			return err
		}
		n, err := x.current(d.Notes())
		if err != nil {
			return err
		}
		if x.strayed(n) {
			return errStrayed
		}
		next, missed := x.compose(n, d)
		if !x.named && n.Turn > 0 {
			if next.Past = n.Past.add(d.Before(), n); n.Turn == 1 {
				next.Origin = next.Past[0]
			}
		}
		if n.Turn == 0 && len(n.Answers) == 0 {
			next.Answers = x.learnt(nil, 1)
		}
		if err := d.Carry(&carriedNotes{next.after(d.Turn, x)}, missed...); err != nil {
			return err
		}
		return d.Commit(ctx)
	}
	err := state.Retry(func() error {
		err := try()
		if err == errStrayed {
			return x.rename(ctx, &turn, err)
		}
		return err
	})
	x.decided = d
	if err == nil && !d.Again {
		x.enterTurn(d)
		if len(x.pending) > 0 {
			x.keep(x.report.Run, func(list []answer) []answer {
				for i, a := range list {
					list[i].saved = a.saved || slices.ContainsFunc(x.pending, func(b answer) bool {
						return b.of == a.of && b.usage == a.usage && b.said.Words == a.said.Words
					})
				}
				return list
			})
		}
	}
	return d, err
}

// reopen notes that a turn is asked again: it may have an answer that nobody hears.
func (x *exchange) reopen(n notes, turn int) {
	said := evidence.Said{Asked: number(x.head), Before: x.before()}
	open := completion{Answer: evidence.Answer{Said: said, Turn: turn}}
	if !x.named && n.indexOf(open) < 0 {
		x.addWhy(x.note(func(n notes) notes {
			n.Answers = n.with(open)
			return n
		}))
	}
}

// enterTurn notes by what the run is found after a turn: by the form in which its client writes the latest
// answer, by the turn's request, and, of a run that has just begun, by all that it holds.
func (x *exchange) enterTurn(d *eval.Decision) {
	n, err := decode(d.Notes())
	if err != nil {
		return
	}
	list := n.Answers
	if d.Turn > 1 && !x.parted && !x.at.unseen {
		list = list[max(0, len(list)-1):]
	}
	x.enterAll(list)
	asked := evidence.Said{Asked: number(x.head)}
	x.t.index.add(x.indexed(asked.Asked), holder{Run: x.report.Run, Turn: d.Turn, All: asked.All()})
}

// enterAll notes that the run holds answers.
func (x *exchange) enterAll(list completions) {
	for i := range list {
		x.enter(x.report.Run, &list[i].Answer)
	}
}

// learnt returns the answers of a run with those that the request holds behind them, before the turn next.
func (x *exchange) learnt(have completions, next int) completions {
	q := evidence.Request{Answers: x.at.said}
	for _, a := range q.Learnt(notes{Answers: have}.heardOnly(), next) {
		have = append(have, completion{Answer: a})
	}
	return have[max(0, len(have)-evidence.Kept):]
}

// strayed reports whether the run, whose notes are n, has gone on since it was found: another request was
// quicker.
func (x *exchange) strayed(n notes) bool {
	return !x.named && n.Turn > 0 && n.Turn != x.at.turn && !n.took(x.asked, x.at.turn+1)
}

// errStrayed says so.
var errStrayed = errors.New("the run has gone on otherwise")

// rename finds the run anew, after it has strayed or has taken this turn and others since. It returns
// state.ErrConflict, which asks for the turn once more, or why if the run is the same.
func (x *exchange) rename(ctx context.Context, turn *eval.Turn, why error) error {
	was := x.report.Run
	x.readAnew()
	if err := x.unnamed(ctx); err != nil {
		return err
	}
	if x.report.Run == was && why != errStrayed {
		return why
	}
	n, _, err := x.load(ctx)
	if err != nil {
		return err
	}
	*turn = x.facts(n)
	return state.ErrConflict
}

// errIdle says that the run has no turns, because nothing can ever fire in it.
var errIdle = errors.New("there are no reminders")

// ask prepares a turn of the run. A command that names no reminder is left out and reported. Where reminders
// that were added to the run may read more of the request than those of the set, the request is read again.
func (x *exchange) ask(ctx context.Context, n notes, turn *eval.Turn) (*eval.Decision, error) {
	d, err := x.t.ev.Prepare(ctx, x.report.Run, *turn)
	if unknown := (*eval.UnknownError)(nil); errors.As(err, &unknown) && slices.Contains(turn.Remind,
		unknown.Name) {
		x.report.Unknown, turn.Remind = unknown.Name, nil
		return x.ask(ctx, n, turn)
	}
	if err != nil || d.Again {
		return d, err
	}
	if d.Turn == 1 && d.Set().Len() == 0 {
		return nil, errIdle
	}
	more := x.t.detail(compile.ReadsOf(d.Set())) < x.from.Calls
	if d.Set() == x.set || !more && n.Made == nil {
		return d, nil
	}
	if x.set = d.Set(); more {
		if err := x.read(x.set); err != nil {
			return nil, err
		}
	}
	remind := turn.Remind
	*turn = x.facts(n)
	turn.Remind = remind
	return x.ask(ctx, n, turn)
}

// preview makes the copy that a turn would send, for a request that only counts its tokens. It
// stores nothing.
func (x *exchange) preview(ctx context.Context, n notes) error {
	turn := x.facts(n)
	d, err := x.ask(ctx, n, &turn)
	if err != nil {
		return err
	}
	defer d.Discard()
	if d.Again {
		return x.copyAgain(d)
	}
	x.compose(n, d)
	return nil
}
