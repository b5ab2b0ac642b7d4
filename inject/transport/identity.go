package transport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/response"
)

// name finds the run that the request belongs to. The package comment says in which order.
func (x *exchange) name(ctx context.Context) error {
	run := &x.report.Run
	if *run == "" {
		*run = eval.RunFrom(ctx)
	}
	id := x.q.Thread
	switch {
	case *run != "":
		x.named = true
	case id.Run != "" && id.Source != "prompt_cache_key":
		*run, x.named = id.Key(), true
		return x.fork(ctx)
	default:
		return x.unnamed(ctx)
	}
	return nil
}

// fork begins a new session as a copy of the run whose history the conversation begins with, if
// there is one.
func (x *exchange) fork(ctx context.Context) error {
	if !x.conv.Answered() {
		return nil
	}
	notes, mark, err := x.t.ev.Notes(ctx, x.report.Run)
	if err != nil || notes != nil || mark != "" {
		return err
	}
	from := x.joined(byNamedCall)
	for _, h := range slices.Backward(x.conv.Heads()) {
		if from != "" {
			break
		}
		from = x.t.index.find(x.tenant, byNamedHead, h)
	}
	if from != "" && from != x.report.Run {
		return x.copyRun(ctx, from)
	}
	return nil
}

// copyRun begins the run as a copy of another one, answers that are not saved yet included.
func (x *exchange) copyRun(ctx context.Context, from string) error {
	a, unsaved := x.t.answers.Get(from) // before the state: save writes that, and then removes it
	x.inherit(from)
	_, err := x.t.ev.Fork(ctx, from, x.report.Run)
	if unsaved && err == nil {
		x.t.answers.Add(x.report.Run, a)
	}
	return err
}

// unnamedRun begins the names of runs that nobody has named.
const unnamedRun = "conversation-"

// unnamed names the run by the conversation, so that every process finds the same one.
//
// There are two kinds of runs. The run of a request (ofRequest) is for the one turn that asks this; it begins
// a conversation, or goes on otherwise than others that have begun alike. The run of an answer (ofAnswer)
// begins as a copy of the run of the request that was answered, and is for the turns after that, as long as
// each goes on from the one before. So conversations share the turns in which they are the same to the word,
// and no other.
func (x *exchange) unnamed(ctx context.Context) error {
	steps, err := x.steps(ctx)
	if err != nil {
		return err
	}
	if len(steps) > 0 {
		x.to = x.answerOf(steps[len(steps)-1].Step)
	}
	if x.heardBy(ctx, steps) {
		return nil
	}
	best := place{at: -1, reach: -2}
	for i, s := range steps {
		if i >= maxSteps && i < len(steps)-maxSteps {
			continue
		}
		places, err := x.lookUp(ctx, s)
		for _, p := range slices.Backward(places) { // the latest of conversations that are the same to here
			if n, last := p.notes, steps[len(steps)-1]; n.Asked == last.Before &&
				(n.Answer == last.Answer || x.t.answers.Contains(x.to)) {
				x.report.Run, x.found = p.run, n.Turn
				return err // the run has seen all, and the answer with it or this process has
			}
			best = x.better(best, p, steps)
		}
		if err != nil {
			if best.run != "" {
				x.report.Run = best.run // its texts are repeated
			}
			return err
		}
	}
	if best.run != "" && best.at == len(best.notes.Past) {
		x.report.Run, x.found = best.run, best.notes.Turn
		return nil
	}
	near := best.run
	if near == "" && len(steps) > 0 { // a history that the client has rewritten from its beginning on
		near = x.joined(byCall)
	}
	x.report.Run, x.alone = x.ofRequest(x.asked), true
	if err := x.renew(ctx); err != nil {
		return err
	}
	switch {
	case near == "":
		return nil
	case x.q.Kind != api.KindTurn && x.q.Kind != api.KindCount:
		x.report.Run, x.alone = near, false
		return nil
	}
	if best.at >= 0 {
		return x.split(ctx, best, steps)
	}
	return x.copyRun(ctx, near)
}

// heardBy reports whether this process knows the run that has got the last answer of a conversation, and sets
// it as the run of the exchange. So no step before is looked up, which takes the longer the longer a
// conversation is that has parted from another.
func (x *exchange) heardBy(ctx context.Context, steps []step) bool {
	run := x.t.index.find(x.tenant, byAnswer, x.to)
	if run == "" || len(steps) == 0 {
		return false
	}
	n, err := x.notesOf(ctx, run)
	last := steps[len(steps)-1]
	if err != nil || n.More || n.Asked != last.Before || n.Answer != last.Answer {
		return false // the steps say more, also of the error
	}
	x.report.Run, x.found = run, n.Turn
	return true
}

// maxSteps is how many answers at each end of a conversation are looked up. A conversation that was seen from
// its beginning on is found by its first answer.
const maxSteps = 256

// ofAnswer names the run that begins with an answer. The name says nothing of who asks, since the credentials
// of a client may be others the next time: whoever knows the whole conversation up to the answer gains
// nothing by joining it. Conversations that are the same to the answer, and were begun anew (see fresh), are
// told apart by n, from 0.
func (x *exchange) ofAnswer(s body.Step, n int) string {
	parts := []string{"answer", s.Before, s.Answer}
	if n > 0 {
		parts = append(parts, strconv.Itoa(n))
	}
	return x.base + "-" + digest(parts...)
}

// answerOf names an answer. It is not the name of the run that begins with it, which gets answers to its own
// turns.
func (x *exchange) answerOf(s body.Step) string { return "answer of " + x.ofAnswer(s, 0) }

// maxAnew is how many conversations that are the same to an answer, and were begun anew, have runs of their
// own.
const maxAnew = 8

// lookUp returns the runs that begin with an answer, oldest first, or else the one in which it was given. The
// error is of the last one, x.report.Run.
func (x *exchange) lookUp(ctx context.Context, s step) (places []place, err error) {
	for i := range maxAnew {
		var n notes
		x.report.Run = x.ofAnswer(s.Step, i)
		if i > 0 {
			n, err = x.notesOf(ctx, x.report.Run)
		} else {
			n, err = x.known(ctx, s.Step)
		}
		if n.Turn > 0 {
			places = append(places, place{run: x.report.Run, notes: n})
		}
		if err != nil || !n.More {
			break
		}
	}
	if len(places) > 0 || err != nil || s.run == "" {
		return places, err
	}
	x.report.Run = s.run
	n, err := x.notesOf(ctx, s.run)
	if n = x.orLast(n); n.Turn > 0 {
		places = append(places, place{run: s.run, notes: n})
	}
	return places, err
}

// fresh is how long the run of a request is good for the same request again: as long as a prompt cache holds
// the prefix at the least (WIRE.md §3.1). A retry comes sooner. Later the same words are another
// conversation, for which the turn is decided anew: what the clock says, and how long the run lasts, are not
// the same any more.
const fresh = 5 * time.Minute

// renew forgets the run of this request if its turn was decided too long ago, or by other rules. A
// conversation that has got an answer does not need it any more.
func (x *exchange) renew(ctx context.Context) error {
	n, err := x.notesOf(ctx, x.report.Run)
	if err != nil || n.At == 0 || n.Rules == x.rules() && x.t.ev.Now().Sub(time.Unix(n.At, 0)).Abs() < fresh {
		return err
	}
	x.t.last.Remove(x.report.Run)
	return x.t.ev.Forget(ctx, x.report.Run)
}

// rules returns a hash of the reminders in use for the run.
func (x *exchange) rules() string {
	t, set := x.t, x.t.ev.SetOf(cmp.Or(x.root(), x.report.Run))
	if set.Digest() != "" {
		return set.Digest()
	}
	if r := t.hashed.Load(); r != nil && r.set == set {
		return r.hash
	}
	d := sha256.New()
	for i := range set.Len() {
		r := set.Reminder(i).Reminder
		r.Predicate = nil
		_, _ = fmt.Fprintf(d, "%+v\x00", r)
	}
	r := &hashedSet{set, hex.EncodeToString(d.Sum(nil)[:8])}
	t.hashed.Store(r)
	return r.hash
}

// hashedSet is a set, and a hash of its reminders.
type hashedSet struct {
	set  *compile.Set
	hash string
}

// ofRequest names the run of the one turn that asks for an answer. It is another one for another client, so
// that nobody decides the turn of a stranger by saying the same; the hash, which is of the conversation too,
// does not give the credentials away.
func (x *exchange) ofRequest(asked string) string {
	parts := append([]string{"request", asked, x.q.Thread.Run}, x.client...)
	return x.base + "-" + digest(parts...)
}

// digest returns a hash of strings: 16 hexadecimal digits.
func digest(parts ...string) string {
	d := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(d, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(d.Sum(nil)[:8])
}

// known returns the notes of the run of an answer, which is x.report.Run: as they are saved, or else as this
// process knows them. Where the run has not begun, perhaps because nobody has seen the answer end, it begins
// now, if the run of the request that was answered has taken its turn.
func (x *exchange) known(ctx context.Context, s body.Step) (n notes, err error) {
	if n, err = x.notesOf(ctx, x.report.Run); err == nil && n.Turn > 0 {
		return n, nil
	}
	from := x.ofRequest(s.Before)
	x.inherit(from)
	if err == nil {
		var asked notes
		if asked, err = x.notesOf(ctx, from); err == nil && asked.Asked == s.Before {
			if _, err = x.t.ev.Fork(ctx, from, x.report.Run); err == nil {
				n, err = x.notesOf(ctx, x.report.Run)
			}
		}
	}
	return x.orLast(n), err
}

// orLast returns the notes that this process has in memory of the run, where the state has none.
func (x *exchange) orLast(n notes) notes {
	if l, ok := x.t.last.Peek(x.report.Run); ok && n.Turn == 0 {
		return l.notes
	}
	return n
}

// notesOf returns the notes of a run as they are saved.
func (x *exchange) notesOf(ctx context.Context, run string) (notes, error) {
	carried, _, err := x.t.ev.Notes(ctx, run)
	if err != nil {
		return notes{}, err
	}
	return decode(carried)
}

// joined returns the run that has made one of the calls in this conversation, as far as this process knows
// it; "" for none.
func (x *exchange) joined(kind indexKind) string {
	for id := range x.conv.Calls() {
		if isUnique(id) {
			if run := x.t.index.find(x.tenant, kind, id); run != "" {
				return run
			}
		}
	}
	return ""
}

// remember adds the conversation to the index, so that its next request is known.
func (x *exchange) remember() {
	if x.named && !x.q.Partial {
		x.t.index.add(x.tenant, byNamedHead, x.head, x.report.Run)
	}
	x.rememberCalls()
}

// rememberCalls adds the latest tool calls to the index, back to the first that an earlier request
// has added. A request that is no turn does so too: one that asks for a summary may be the last to
// hold a call before the client rewrites its history.
func (x *exchange) rememberCalls() {
	kind := byCall
	if x.named {
		kind = byNamedCall
	}
	n := 0
	for id := range x.conv.Calls() {
		if !isUnique(id) {
			continue
		}
		if n++; n > maxCalls || x.t.index.add(x.tenant, kind, id, x.report.Run) {
			return
		}
	}
}

// maxCalls is how many of a request's calls are remembered: the last ones, more than a model makes
// at once.
const maxCalls = 16

// isUnique reports whether a tool call's id is long enough to be random.
func isUnique(id string) bool { return len(id) >= response.MinID }
