package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// watch has the response's body observed while the client reads it. The end of the body ends the
// exchange.
func (x *exchange) watch(resp *http.Response) {
	x.report.Status = resp.StatusCode
	x.sight.answered(resp)
	if resp.StatusCode == http.StatusSwitchingProtocols { // the body is a connection, and stays one
		x.done(nil)
		return
	}
	w := &observedBody{ReadCloser: resp.Body, x: x, left: resp.ContentLength}
	if x.answers() > 0 && resp.StatusCode < 300 {
		w.tap = api.NewAnswerTap(x.q.API)
		if a := w.tap.Answer(); a != nil && x.sums {
			a.KeepText()
		}
		w.to, w.packed = feed(w.tap, resp)
	}
	resp.Body = w
	if w.ReadCloser == http.NoBody || w.left == 0 {
		w.end(true)
	}
}

// answers returns the turn that the response answers. A compaction by the API, or a summary, stands in the
// place of the conversation up to its last turn, and so is another answer to that. 0: nothing.
func (x *exchange) answers() int {
	if x.report.Turn == 0 && (x.compacts || x.sums) {
		return x.at.turn
	}
	return x.report.Turn
}

// concerns reports whether the response changes what is known of the run: it answers a turn, or is known to
// be a compaction or a summary.
func (x *exchange) concerns() bool {
	return x.report.Turn > 0 || x.cut.Compactions.N > 0 || x.summary
}

// observedBody is a response's body, observed while the client reads it.
type observedBody struct {
	io.ReadCloser
	x      *exchange
	tap    *response.Tap // nil: the response tells nothing of interest
	to     io.Writer     // feeds the tap
	packed func()        // ends that, where it is decompressed on another goroutine; nil: it is not
	seen   bool          // its first byte: the request was accepted
	sure   bool          // and its final usage
	left   int64         // bytes to come; negative: not known
	once   sync.Once     // guards end
}

// Read implements io.Reader.
func (w *observedBody) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if w.tap != nil && n > 0 {
		_, _ = w.to.Write(p[:n])
		w.observe()
	}
	if w.left > 0 {
		w.left -= int64(n)
	}
	if err != nil || w.left == 0 { // a client that has the last byte may go on before it asks for the end
		w.end(err == nil || errors.Is(err, io.EOF))
	}
	if w.x.report.Unsaved && w.x.t.opts.FailClosed { // whoever has the end may go on, by another process
		return 0, ErrState
	}
	return n, err
}

// observe lets the run's next request know the response so far, each time that this is more than before. What
// is known to be the whole answer is saved first: the client may go on as soon as it has it, by any process.
func (w *observedBody) observe() {
	sure := w.packed == nil && w.tap.Certain()
	if w.seen && w.sure == sure {
		return
	}
	w.seen, w.sure = true, sure
	a := answer{turn: w.x.answers()}
	if sure {
		a = w.x.told(w.tap)
	}
	if !w.x.concerns() {
		return
	}
	if sure {
		w.x.learn(a)
	} else {
		w.x.observed(a)
	}
}

// keeps reports whether the server keeps the response, so that a later turn may go on from it.
func (x *exchange) keeps() bool { return x.q.Kept && x.report.Turn > 0 }

// told takes in the answer, which is there as a whole.
func (x *exchange) told(t *response.Tap) answer {
	x.hear(t)
	return x.answerWith(t.Usage())
}

// answerWith returns the answer as far as it is known.
func (x *exchange) answerWith(u response.Usage) answer {
	a := answer{turn: x.answers(), usage: usageOf(u, x.q.Model), made: x.made}
	if a.usage.Compactions, a.usage.Cleared = x.cut.Compactions, x.cut.Cleared; x.report.Turn == 0 {
		a.usage = x.cut // how long the context is behind a compaction is not told
	}
	if x.summary { // nobody knows yet whether the client takes it
		a.usage = usage{}
	}
	if x.said != nil {
		a.said = *x.said
	}
	return a
}

// hear takes in the answer, if that is there as a whole: the run is found by it, before the client has seen
// its end. It notes the calls of an answer that the server keeps.
func (x *exchange) hear(t *response.Tap) {
	a := t.Answer()
	if a == nil || !t.Certain() {
		return
	}
	if x.said == nil {
		said := a.Said()
		if x.sums && a.Compactions() == 0 {
			if lines, tells := evidence.Summary(a.Text()); tells {
				said, x.summary = lines, true
			}
		}
		said.Before, said.Asked = x.before(), number(x.head)
		x.said = &said
		x.cut.Compactions, x.cut.Cleared = count{a.Compactions(), true}, count{a.Cleared, true}
		if x.concerns() {
			x.enter(x.report.Run, &evidence.Answer{Said: said, Turn: x.answers()})
		}
	}
	if x.made == nil && x.keeps() {
		if list := api.Calls(x.q.API, a); list != nil {
			x.made, x.items = x.callsIn(t.Usage().ID, list), nil
			for _, i := range a.Items {
				if i.ID != "" {
					x.items = append(x.items, i.ID)
				}
			}
		}
	}
	x.keepReply(t.Usage())
}

// before returns the message to which the request asks for an answer.
func (x *exchange) before() evidence.Message { return x.conv.Message(-1) }

// observed keeps an answer that is not saved yet. It replaces the earlier part of the same answer.
func (x *exchange) observed(a answer) {
	a.of = x.token
	x.keep(x.report.Run, func(list []answer) []answer {
		return append(slices.DeleteFunc(list, func(b answer) bool {
			return b.of == x.token || b.turn < a.turn && b.none
		}), a)
	})
}

// keep changes the answers to a run that are not saved.
func (x *exchange) keep(run string, edit func([]answer) []answer) {
	x.t.keeping.Lock()
	defer x.t.keeping.Unlock()
	was, _ := x.t.pending.Peek(run)
	if list := edit(slices.Clone(was)); len(list) > 0 {
		x.t.pending.Add(run, list)
	} else {
		x.t.pending.Remove(run)
	}
}

// save saves an answer in the run's notes, unless a later turn has done so, and then by what the run is
// found: who finds the run by an answer also finds the answer there.
func (x *exchange) save(a answer) error {
	run := x.report.Run
	list, _ := x.t.pending.Peek(run)
	if !slices.ContainsFunc(list, func(b answer) bool { return b.of == x.token && b.saved }) {
		if err := x.note(func(n notes) notes { return n.answered(a) }); err != nil {
			return err
		}
	}
	err := x.saveRows(a)
	x.keep(run, func(list []answer) []answer {
		return slices.DeleteFunc(list, func(b answer) bool { return b.of == x.token && b.usage == a.usage })
	})
	return err
}

// saveRows has every process find a run without a name by an answer: by its words, and where others say the
// same, by the ids of its calls. The store keeps as many of a run's answers as it keeps states of it.
func (x *exchange) saveRows(a answer) error {
	if x.named || a.said.Words == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(x.lasting(), stateTime)
	defer cancel()
	if x.reads.Finds(ctx) { // which has found it since the notes were saved
		return nil
	}
	err := x.saveRow(ctx, evidence.Answer{Said: a.said, Turn: a.turn})
	if x.decided == nil || err != nil {
		return err
	}
	n, err := decode(x.decided.Notes())
	if err != nil || n.Listed == listed(x.report.Run) {
		return err
	}
	list := n.heardOnly() // which it has from another run, from which it has parted
	for _, b := range list[max(0, len(list)-maxCheckpoints):] {
		if err == nil && b.Words != 0 && (b.Len >= evidence.Enough || len(b.IDs) > 0) {
			err = x.saveRow(ctx, b)
		}
	}
	if err != nil {
		return err
	}
	return x.note(func(n notes) notes {
		n.Listed = listed(x.report.Run)
		return n
	})
}

// listed is what notes.Listed is of a run that every process finds by its answers.
func listed(run string) uint32 { return uint32(number(digest("listed", run))) }

// saveRow has every process find the run by an answer. A process that is killed in the midst of it leaves the
// row of the words as it was, so that whoever says the same next does all of it.
func (x *exchange) saveRow(ctx context.Context, a evidence.Answer) error {
	own := holder{x.report.Run, a.Turn, a.All(), a.IDs}
	var r row
	if begun, err := x.keepNew(ctx, x.rowName(a.Words), row{[]holder{own}}); begun || err != nil {
		return err
	}
	_, err := x.kept(ctx, x.rowName(a.Words), &r)
	if len(r.Held) == 1 && r.Held[0].Run == own.Run && r.Held[0].Turn == own.Turn {
		return err // as it is
	}
	for _, h := range append(r.Held, own) {
		ids := h.IDs
		h.IDs = nil
		for _, id := range ids {
			err = cmp.Or(err, x.storeRow(ctx, id, h))
		}
	}
	own.IDs = nil
	return cmp.Or(err, x.storeRow(ctx, a.Words, own))
}

// Close implements io.Closer.
func (w *observedBody) Close() error {
	err := w.ReadCloser.Close()
	w.end(w.left == 0)
	return err
}

// end ends the exchange, once. whole is whether all of the response has come.
func (w *observedBody) end(whole bool) {
	w.once.Do(func() {
		if w.tap == nil {
			w.x.done(nil)
			return
		}
		if w.packed != nil {
			w.packed()
		}
		w.tap.End(whole)
		w.x.hear(w.tap)
		if !w.x.concerns() {
			w.x.done(nil)
			return
		}
		u := w.tap.Usage()
		w.x.done(&u)
	})
}

// done ends the exchange: it is reported, and its usage is saved in the run's notes. u is the usage
// of the response to a turn, nil where there is none.
func (x *exchange) done(u *response.Usage) {
	x.report.Took = time.Since(x.arrived)
	x.awaitClean()
	if u == nil {
		if x.report.Turn > 0 && x.report.Status >= 300 {
			x.observed(answer{turn: x.report.Turn, none: true})
		}
		x.tell()
		return
	}
	x.report.Usage = Usage{u.Context, u.Response, u.Read, u.Written, u.Reasoning, u.ID, u.Model}
	x.keepReply(*u) // of a response that was cut off
	a := x.answerWith(*u)
	if x.t.opts.Later == nil {
		defer x.tell()
		if !x.complete {
			x.learn(a)
		}
		return
	}
	x.observed(a)
	x.tell()
	x.t.opts.Later(func() error { return x.save(a) })
}

// patience is how long the end of an answer waits while it cannot be saved: a server that is started again,
// or a connection that was cut, is back by then.
const patience = 5 * time.Second

// learn takes in a whole answer, and saves it before the client has its end.
func (x *exchange) learn(a answer) {
	x.observed(a)
	if x.t.opts.Later != nil {
		return
	}
	x.awaitClean()
	err := x.save(a)
	for began, wait := time.Now(), 5*time.Millisecond; passing(err) && time.Since(began) < patience; wait *= 2 {
		time.Sleep(wait)
		err = x.save(a)
	}
	x.complete, x.report.Unsaved = true, err != nil
	x.addWhy(err)
}

// passing reports whether an error of a save may pass: a file system that is full, read-only or gone is not
// another one within seconds.
func passing(err error) bool {
	var file *fs.PathError
	var link *os.LinkError
	return err != nil && !errors.As(err, &file) && !errors.As(err, &link) && !errors.Is(err, state.ErrCorrupt) &&
		!errors.Is(err, state.ErrNewer) && !errors.Is(err, context.Canceled)
}

// tell reports the exchange.
func (x *exchange) tell() {
	x.sight.judge(&x.report)
	if x.t.opts.Report != nil {
		x.t.opts.Report(x.ctx, x.report)
	}
}

// refused notes that the API has taken the request, with a status, without texts with which it has refused
// it: it takes none at the places of the new ones, or, where it has refused the earlier ones, none of those.
// The new texts are due again.
func (x *exchange) refused(status int) {
	x.addWhy(fmt.Errorf("status %d with reminders, %d without", x.refusal, status))
	if x.out == nil {
		x.report.Passed = PassedRefused
	}
	turn := x.report.Turn
	if turn == 0 || x.decided == nil {
		return
	}
	before, err := decode(x.decided.Notes())
	x.addWhy(err)
	ids := before.Ledger.Of(turn)
	edit := func(n notes) notes {
		n.Late = append(slices.Clip(n.Late), n.Ledger.FiredOn(turn)...)
		n.Ledger = n.Ledger.Without(turn)
		if len(ids) == 0 || x.reduced && x.out == nil {
			n.Ledger = n.Ledger.Refused(x.q.Model)
			return n
		}
		for _, at := range x.placed {
			if r := (refusal{x.q.Model, at}); !slices.Contains(n.Refusals, r) {
				n.Refusals = append(slices.Clip(n.Refusals), r)
			}
		}
		return n
	}
	x.decided = nil
	err = x.note(edit)
	x.addWhy(err)
	x.remember(func(l *fallback) {
		l.notes = edit(l.notes)
		if err != nil {
			l.withhold(x.head)
		}
	})
	if len(ids) > 0 {
		x.report.Held = append(x.report.Held, wire.Held{Texts: len(ids), Why: whyRefused})
		if err == nil {
			x.addWhy(x.t.ev.Missed(x.lasting(), x.report.Run, ids...))
		}
	}
}

const whyRefused = "the API has refused it at this place; the next place is tried, if there is one"

// feed returns what a tap takes the bytes of a response from, through a decompressor if need be. With that,
// the tap belongs to another goroutine until it is closed (packed).
func feed(tap *response.Tap, resp *http.Response) (to io.Writer, packed func()) {
	encoding := resp.Header.Get("Content-Encoding")
	if encoding == "" || resp.Uncompressed {
		return tap, nil
	}
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if d, err := decoder(r, encoding); err == nil && d != nil {
			_, _ = io.Copy(tap, d)
			_ = d.Close()
		}
		_, _ = io.Copy(io.Discard, r) // bytes that cannot be decompressed must not hold up the client
	}()
	return w, func() {
		_ = w.Close()
		<-done
	}
}
