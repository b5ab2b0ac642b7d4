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

// watch has the response's body observed while the client reads it, and the exchange ended when it is over.
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

// watched is a response's body, observed while the client reads it.
type watched struct {
	io.ReadCloser
	x    *exchange
	tap  *wire.Tap // nil: what the response says does not matter
	sink sink      // feeds the tap
	seen progress  // how much the run's next request can know of it
	left int64     // bytes that are to come; negative: not known
	once sync.Once // guards end
}

// progress is how much of a response was seen.
type progress uint8

const (
	seenNothing progress = iota
	seenBegun            // its first byte: the request was accepted
	seenUsage            // what it reports of tokens, as far as that is final
)

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
	if err != nil {
		w.end(errors.Is(err, io.EOF))
	}
	return n, err
}

// observe lets the run's next request know what the response says by now, each time that this is more than before.
func (w *watched) observe() {
	now := w.sink.progress()
	if now <= w.seen {
		return
	}
	w.seen = now
	var u wire.Usage
	if now == seenUsage {
		u = w.tap.Usage()
	}
	w.x.inFlight.observe(w.x.Run, w.x.Turn, u)
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
		u := w.tap.Usage()
		w.x.done(&u)
	})
}

// done ends the exchange: it is saved in the run's notes, and reported. u is what the response to a turn reported, nil where there was
// none.
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
	x.unsaved.begin(x.Run)
	x.later(func() {
		defer x.report()
		defer x.unsaved.end(x.Run)
		x.note(func(n notes) notes { return n.answered(x.Turn, x.Usage) })
	})
}

// later does what the client need not wait for.
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

// refused takes out of the ledger what this turn has put, makes it due again, and notes that the model takes no texts in this run.
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

// note changes the run's notes outside of a turn. It does so too when the client is gone.
func (x *exchange) note(edit func(notes) notes) {
	err := x.ev.Note(context.WithoutCancel(x.in.Context()), x.Run, func(raw eval.Notes) (eval.Notes, error) {
		n, err := x.cache.decode(x.Run, raw)
		if err != nil {
			return nil, err
		}
		return x.cache.encode(x.Run, edit(n)), nil
	})
	if err != nil {
		x.Why += err.Error()
	}
}

// sink takes a response's bytes as they come.
type sink interface {
	io.WriteCloser
	// progress returns how much the bytes so far are known to say.
	progress() progress
}

// tapOf returns a sink that feeds a tap, through a decompressor if need be.
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
		_, _ = io.Copy(io.Discard, r) // what cannot be decompressed must not hold up the client, whose reading feeds the pipe
	}()
	return &piped{w, done}
}

// direct is a sink for a response that is not compressed.
type direct struct{ *wire.Tap }

func (direct) Close() error { return nil }

func (d direct) progress() progress {
	if d.Certain() {
		return seenUsage
	}
	return seenBegun
}

// piped is a sink that hands bytes to a decompressor on another goroutine, which is done when Close returns.
type piped struct {
	*io.PipeWriter
	done chan struct{}
}

func (*piped) progress() progress { return seenBegun } // the decompressor has the tap

// Close implements io.Closer.
func (p *piped) Close() error {
	err := p.PipeWriter.Close()
	<-p.done
	return err
}
