package proxy

import (
	"context"
	"net/http"
	"runtime/debug"
	"sync"
)

// beside is what goes on while nobody waits for it: what is left of requests that are answered.
type beside struct {
	mu   sync.Mutex
	open int
	none chan struct{} // closed when nothing is open; nil as long as nobody waits
}

// later does f, which is left of a request whose answer is over. A short answer is on its way when the request's own goroutine does
// it; the end of another one goes out when that goroutine is done, so there it takes one of its own.
func (p *Proxy) later(r *http.Request, f func()) {
	p.beside.begin()
	rest := func() {
		defer p.beside.end()
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

func (b *beside) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

func (b *beside) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open--; b.open == 0 && b.none != nil {
		close(b.none)
		b.none = nil
	}
}

// wait waits until nothing goes on; its error is that ctx ended before.
func (b *beside) wait(ctx context.Context) error {
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
