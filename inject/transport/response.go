package transport

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
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
	w := &watched{ReadCloser: resp.Body, x: x, left: resp.ContentLength}
	if x.report.Turn > 0 && resp.StatusCode < 300 {
		w.tap = x.tap()
		w.sink = sinkOf(w.tap, resp)
	}
	resp.Body = w
	if w.ReadCloser == http.NoBody || w.left == 0 {
		w.end(true)
	}
}

// watched is a response's body, observed while the client reads it.
type watched struct {
	io.ReadCloser
	x    *exchange
	tap  *response.Tap // nil: the response tells nothing of interest
	sink sink          // feeds the tap
	seen bool          // its first byte: the request was accepted
	sure bool          // and its final usage
	left int64         // bytes to come; negative: not known
	once sync.Once     // guards end
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if w.tap != nil && n > 0 {
		_, _ = w.sink.Write(p[:n])
		w.observe()
	}
	if w.left > 0 {
		w.left -= int64(n)
	}
	if err != nil || w.left == 0 { // a client that has the last byte may go on before it asks for the end
		w.end(err == nil || errors.Is(err, io.EOF))
	}
	return n, err
}

// observe lets the run's next request know the response so far, each time that this is more than
// before.
func (w *watched) observe() {
	sure := w.sink.certain()
	if w.seen && w.sure == sure {
		return
	}
	w.seen, w.sure = true, sure
	a := answer{turn: w.x.report.Turn}
	if sure {
		a = w.x.told(w.tap)
	}
	w.x.observed(a)
}

// tap returns a Tap for the response.
func (x *exchange) tap() *response.Tap {
	t := api.NewTap()
	if x.base != "" {
		t = api.NewAnswerTap(x.q.API)
	}
	if x.q.Kept {
		x.items = new(api.Items)
		t.Also(x.items.Read)
	}
	return t
}

// told takes in the answer, which is there as a whole.
func (x *exchange) told(t *response.Tap) answer {
	x.heard(t)
	return answer{turn: x.report.Turn, usage: usageOf(t.Usage(), x.q.Model), made: x.made, key: x.answerKey}
}

// heard takes in the answer, if that is there as a whole. It names the run that goes on from the request, if
// that is another one, and notes the calls of an answer that the server keeps.
func (x *exchange) heard(t *response.Tap) {
	if a := t.Answer(); a != nil && t.Certain() {
		if x.answerKey = a.Key(); x.alone {
			x.next = x.ofAnswer(body.Step{Before: x.asked, Answer: x.answerKey}, 0)
		}
	}
	if x.made == nil && x.items != nil {
		if list := x.items.List(); list != nil {
			x.made = x.madeBy(t.Usage().ID, list)
		}
	}
	if t.Certain() {
		x.keepReply(t.Usage())
	}
}

// answerName is the name by which the answer to this request is kept: that of its run, or, where others may
// get other answers to the same turn, its own.
func (x *exchange) answerName() string {
	if x.answerKey != "" {
		return x.answerOf(body.Step{Before: x.asked, Answer: x.answerKey})
	}
	return x.report.Run
}

// observed keeps an answer that is not saved, unless the run is known to have gone on.
func (x *exchange) observed(a answer) {
	x.keep(x.answerName(), func(was answer) answer {
		if was.turn > a.turn {
			return was
		}
		a.saved = was.saved
		return a
	})
}

// keep changes an answer that the Transport keeps. Where it keeps none, edit gets the zero answer, and may
// return that.
func (x *exchange) keep(name string, edit func(was answer) answer) {
	x.t.keeping.Lock()
	defer x.t.keeping.Unlock()
	was, _ := x.t.answers.Peek(name)
	if a := edit(was); a.turn > 0 {
		x.t.answers.Add(name, a)
	}
}

// save saves an answer in the run's notes, unless a later turn has done so.
func (x *exchange) save(a answer) error {
	name := x.answerName()
	if was, _ := x.t.answers.Peek(name); !x.alone && was.saved >= a.turn {
		return nil
	}
	if x.next == "" {
		other := false
		err := x.note(func(n notes) notes {
			if other = n.sharedBy(a); other {
				return n
			}
			return n.answered(a)
		})
		if err != nil || !other {
			return x.forget(name, a, err)
		}
		x.next = x.ofAnswer(body.Step{Before: x.asked, Answer: x.answerKey}, 0)
	}
	begun, err := x.begin(a)
	if err == nil && !begun {
		err = x.noteOf(x.next, func(n notes) notes { return n.answered(a) })
	}
	return x.forget(name, a, err)
}

// forget stops keeping an answer that is saved, and remembers which run has got it.
func (x *exchange) forget(name string, a answer, err error) error {
	if err != nil {
		return err
	}
	if x.answerKey != "" {
		x.t.index.add(x.tenant, byAnswer, name, cmp.Or(x.next, x.report.Run))
	}
	x.t.keeping.Lock()
	defer x.t.keeping.Unlock()
	if was, _ := x.t.answers.Peek(name); was.turn == a.turn && was.usage == a.usage {
		x.t.answers.Remove(name)
	}
	return nil
}

// begin begins x.next, the run that goes on with the answer to this request, if it has not begun. Where it
// belongs to a conversation that was the same to the word, and was begun before this turn was decided anew,
// it begins a further one.
func (x *exchange) begin(a answer) (begun bool, err error) {
	ctx := context.WithoutCancel(x.ctx)
	if x.decided == nil {
		_, err = x.t.ev.Fork(ctx, x.report.Run, x.next)
		return false, err
	}
	n, err := decode(x.decided.Notes())
	if err != nil {
		return false, err
	}
	n = n.answered(a)
	n.More = false
	s, err := state.Note(x.decided.After(), &stored{n})
	if err != nil {
		return false, err
	}
	for i := 1; ; i++ {
		if begun, err = x.t.ev.Begin(ctx, x.next, s); err != nil || begun {
			break
		}
		_, mark, read := x.t.ev.Notes(ctx, x.next)
		if err = read; err != nil || mark == x.decided.Mark {
			break
		}
		if i >= maxAnew { // the latest one is the likeliest to go on
			if err = x.t.ev.Forget(ctx, x.next); err != nil || i > 2*maxAnew {
				break
			}
			continue
		}
		if err = x.noteOf(x.next, func(n notes) notes { n.More = true; return n }); err != nil {
			break
		}
		x.next = x.ofAnswer(body.Step{Before: x.asked, Answer: x.answerKey}, i)
	}
	x.t.keeping.Lock() // not before: what this process knows of a run goes before what the store does not have
	defer x.t.keeping.Unlock()
	if !x.t.last.Contains(x.next) {
		x.t.last.Add(x.next, last{notes: n, mark: x.decided.Mark})
	}
	return begun, err
}

// Close implements io.Closer.
func (w *watched) Close() error {
	err := w.ReadCloser.Close()
	w.end(w.left == 0)
	return err
}

// end ends the exchange, once. whole is whether all of the response has come.
func (w *watched) end(whole bool) {
	w.once.Do(func() {
		if w.tap == nil {
			w.x.done(nil)
			return
		}
		_ = w.sink.Close()
		w.tap.End(whole)
		w.x.heard(w.tap)
		u := w.tap.Usage()
		w.x.done(&u)
	})
}

// done ends the exchange: it is reported, and its usage is saved in the run's notes. u is the usage
// of the response to a turn, nil where there is none.
func (x *exchange) done(u *response.Usage) {
	x.report.Took = time.Since(x.arrived)
	if u == nil {
		if x.report.Turn > 0 && x.report.Status >= 300 {
			x.observed(answer{turn: x.report.Turn, none: true})
		}
		x.tell()
		return
	}
	x.report.Usage = reported(*u)
	x.keepReply(*u) // of a response that was cut off
	a := answer{turn: x.report.Turn, usage: usageOf(*u, x.q.Model), made: x.made, key: x.answerKey}
	x.observed(a)
	if x.t.opts.Later == nil {
		defer x.tell()
		x.addWhy(errors.Join(x.save(a), x.dropOutdated()))
		return
	}
	x.tell()
	x.t.opts.Later(func() error { return errors.Join(x.save(a), x.dropOutdated()) })
}

// reported returns a usage for the Report.
func reported(u response.Usage) Usage {
	return Usage{Count(u.Context), Count(u.Response), Count(u.Read), Count(u.Written), Count(u.Reasoning), u.ID,
		u.Model}
}

// tell reports the exchange.
func (x *exchange) tell() {
	x.sight.judge(&x.report)
	if x.t.opts.Report != nil {
		x.t.opts.Report(x.ctx, x.report)
	}
}

// noteRefusal takes the texts of this turn out of the ledger, makes them due again, and notes that
// the model takes no texts in this run.
func (x *exchange) noteRefusal() {
	turn := x.report.Turn
	if turn == 0 {
		return
	}
	refused := func(n notes) notes {
		n.Refused, n.Ledger = x.q.Model, n.Ledger.Without(turn)
		return n
	}
	x.decided = nil
	err := x.note(refused)
	x.addWhy(err)
	x.lastly(func(l *last) {
		l.notes = refused(l.notes)
		if err != nil {
			l.withhold(x.head)
		}
	})
	if ids := x.report.Put; len(ids) > 0 && err == nil {
		ctx := context.WithoutCancel(x.ctx)
		x.addWhy(x.t.ev.Missed(ctx, x.report.Run, ids...))
	}
	x.report.Put, x.report.Stands = nil, nil
}

// sink takes a response's bytes as they come.
type sink interface {
	io.WriteCloser
	// certain reports whether the bytes so far are known to tell the final usage.
	certain() bool
}

// sinkOf returns a sink that feeds a tap, through a decompressor if need be.
func sinkOf(tap *response.Tap, resp *http.Response) sink {
	encoding := resp.Header.Get("Content-Encoding")
	if encoding == "" || resp.Uncompressed {
		return plain{tap}
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
	return &compressed{w, done}
}

// plain is a sink for a response that is not compressed.
type plain struct{ *response.Tap }

func (plain) Close() error { return nil }

func (p plain) certain() bool { return p.Certain() }

// compressed is a sink that hands bytes to a decompressor on another goroutine, which is done when
// Close returns.
type compressed struct {
	*io.PipeWriter
	done chan struct{}
}

func (*compressed) certain() bool { return false } // the decompressor has the tap

// Close implements io.Closer.
func (c *compressed) Close() error {
	err := c.PipeWriter.Close()
	<-c.done
	return err
}
