package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/wire"
)

// watch lets the response go by, and tells at its end what it said.
func (x *exchange) watch(resp *http.Response) {
	x.Status = resp.StatusCode
	w := &watched{ReadCloser: resp.Body, x: x, left: resp.ContentLength}
	if x.Turn > 0 && resp.StatusCode < 300 {
		w.tap = wire.NewTap()
		w.sink = tapOf(w.tap, resp)
	}
	resp.Body = w
	if resp.Body == http.NoBody || resp.ContentLength == 0 {
		w.end(true)
	}
}

// watched is a response's body that is read by somebody else.
type watched struct {
	io.ReadCloser
	x    *exchange
	tap  *wire.Tap // nil: what it says does not matter
	sink sink
	told told  // what the next request can know of it
	left int64 // bytes that are to come; negative: not known
	once sync.Once
}

// told is how much was heard of an answer.
type told uint8

const (
	toldNothing told = iota
	toldBegun        // there is one
	toldAll          // what it took
)

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if w.tap != nil && n > 0 {
		_, _ = w.sink.Write(p[:n])
		w.hear()
	}
	if w.left > 0 {
		w.left -= int64(n)
	}
	if err != nil {
		w.end(errors.Is(err, io.EOF))
	}
	return n, err
}

// hear lets the next request know what the answer says by now. It says nothing new but twice: at its first byte, and where it tells
// what it took.
func (w *watched) hear() {
	switch now := w.sink.told(); {
	case now <= w.told:
	case now == toldAll:
		w.told = now
		w.x.heard.hear(w.x.Run, w.x.Turn, w.tap.Usage())
	default:
		w.told = now
		w.x.heard.hear(w.x.Run, w.x.Turn, wire.Usage{})
	}
}

// Close implements io.Closer.
func (w *watched) Close() error {
	err := w.ReadCloser.Close()
	w.end(w.left == 0)
	return err
}

// end is called when nothing more comes; whole is whether all has come.
func (w *watched) end(whole bool) {
	w.once.Do(func() {
		if w.tap == nil {
			w.x.done(nil)
			return
		}
		_ = w.sink.Close()
		w.tap.End(whole)
		u := w.tap.Usage()
		w.x.done(&u)
	})
}

// done notes what came of the exchange, and reports it. u is what an answer said, nil if there was none.
func (x *exchange) done(u *wire.Usage) {
	if x.body != nil && x.body.rest == nil {
		x.body.raw.release()
		x.body.copy.release()
	}
	x.Took = time.Since(x.arrived)
	if u == nil {
		x.later(x.report)
		return
	}
	x.Usage = *u
	if u.ID != "" && x.API == wire.Responses {
		x.known.add(x.tenant, indexResponse, u.ID, x.Run)
	}
	x.ends.begin(x.Run)
	x.later(func() {
		defer x.report()
		defer x.ends.end(x.Run)
		x.note(func(n notes) notes { return n.answered(x.Turn, x.Usage) })
	})
}

// later does what nobody who waits for the answer needs.
func (x *exchange) later(f func()) {
	if x.opts.Later != nil {
		x.opts.Later(x.in, f)
	} else {
		f()
	}
}

func (x *exchange) report() {
	if x.opts.Report != nil {
		x.opts.Report(x.Report)
	}
}

// refused takes out of the ledger what this turn has put, offers it again, and puts no more on this model.
func (x *exchange) refused() {
	if x.Turn == 0 {
		return
	}
	x.note(func(n notes) notes {
		n.Refused, n.Ledger = x.q.Model, n.Ledger.Without(x.Turn)
		return n
	})
	if len(x.Put) > 0 {
		if err := x.ev.Missed(context.WithoutCancel(x.in.Context()), x.Run, x.Put...); err != nil {
			x.Why += "; " + err.Error()
		}
	}
	x.Put = nil
}

// note changes the run's notes after the turn. The client may be gone by then.
func (x *exchange) note(edit func(notes) notes) {
	err := x.ev.Note(context.WithoutCancel(x.in.Context()), x.Run, func(raw eval.Notes) (eval.Notes, error) {
		n, err := x.desk.read(x.Run, raw)
		if err != nil {
			return nil, err
		}
		return x.desk.write(x.Run, edit(n)), nil
	})
	if err != nil {
		x.Why += err.Error()
	}
}

// sink takes a response's bytes as they come.
type sink interface {
	io.WriteCloser
	// told returns how much the bytes so far say, as far as that can be known before all are there.
	told() told
}

// tapOf returns what feeds a tap with a response's bytes, decompressed if need be.
func tapOf(tap *wire.Tap, resp *http.Response) sink {
	encoding := resp.Header.Get("Content-Encoding")
	if encoding == "" || resp.Uncompressed {
		return direct{tap}
	}
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if d, err := decoder(r, encoding); err == nil && d != nil {
			_, _ = io.Copy(tap, d)
			_ = d.Close()
		}
		_, _ = io.Copy(io.Discard, r) // what cannot be read must not hold up who does read
	}()
	return &piped{w, done}
}

type direct struct{ *wire.Tap }

func (direct) Close() error { return nil }

func (d direct) told() told {
	if d.Certain() {
		return toldAll
	}
	return toldBegun
}

// piped hands bytes to a decompressor, which works beside and is done when Close returns.
type piped struct {
	*io.PipeWriter
	done chan struct{}
}

func (*piped) told() told { return toldBegun }

// Close implements io.Closer.
func (p *piped) Close() error {
	err := p.PipeWriter.Close()
	<-p.done
	return err
}
