package proxy

import (
	"context"
	"net/http"
	"runtime/debug"
	"sync"
)

// background counts the requests that are answered and not saved yet, so that a stop can wait for them. It is a sync.WaitGroup whose
// wait has an end.
type background struct {
	mu   sync.Mutex
	open int
	none chan struct{} // closed when open comes to 0; nil as long as nobody waits
}

// later is the Transport's Options.Later. Where the answer is short, the request's own goroutine calls f once it has flushed the
// answer (exchange.finish): that is cheaper than another goroutine. The end of a long answer goes out only when that goroutine
// returns, so there f gets one of its own.
func (p *Proxy) later(r *http.Request, f func()) {
	p.background.begin()
	rest := func() {
		defer p.background.end()
		defer func() {
			if fault := recover(); fault != nil {
				p.log.Error("internal error", "at", string(debug.Stack()))
			}
		}()
		f()
	}
	if x, ok := r.Context().Value(exchangeKey{}).(*exchange); ok && x.short {
		x.rest = rest
	} else {
		go rest()
	}
}

func (b *background) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

func (b *background) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open--; b.open == 0 && b.none != nil {
		close(b.none)
		b.none = nil
	}
}

// wait waits until nothing is open. Its error is that ctx ended before.
func (b *background) wait(ctx context.Context) error {
	b.mu.Lock()
	if b.open > 0 && b.none == nil {
		b.none = make(chan struct{})
	}
	open, none := b.open, b.none
	b.mu.Unlock()
	if open == 0 {
		return nil
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
