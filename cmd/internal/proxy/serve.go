package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of a client.
const (
	headerTime  = 10 * time.Second // to send the header of a request
	clientIdle  = 2 * time.Minute  // between two requests on a connection
	headerBytes = 256 << 10
)

// GCPercent is the garbage collection target, as of debug.SetGCPercent, for a program that does nothing but
// Serve. Each request leaves behind a multiple of its body, and little stays: with Go's own 100, collecting
// takes a fifth of all time.
const GCPercent = 400

// saveTime is how long a stop waits at least for answers to be saved.
const saveTime = time.Second

// Serve answers requests on l until ctx ends. Then it goes on for Options.Drain while /readyz says 503,
// accepts no more, waits at most grace for the requests
// under way, and for their answers to be saved. It closes l. After a stop it returns nil, whether or not all
// requests came to their end in time.
func (p *Proxy) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	base, end := context.WithCancelCause(context.Background())
	defer end(errStopped)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	srv := &http.Server{
		Handler:           p,
		Protocols:         protocols,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       clientIdle,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // it quotes what clients send
	}
	keeping, keptEnough := context.WithCancel(ctx)
	var kept sync.WaitGroup
	kept.Go(func() { p.keepStore(keeping) })
	defer kept.Wait()
	defer keptEnough()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(&accepting{Listener: l, p: p}) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	p.drain()
	if p.opts.Drain > 0 {
		p.log.Info("stopping: requests should go elsewhere", "within", p.opts.Drain)
		select {
		case err := <-failed:
			return err
		case <-p.opts.After(p.opts.Drain):
		}
	}
	p.log.Info("stopping: requests under way may finish", "within", grace)
	until := time.Now().Add(grace)
	wait, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	if err := srv.Shutdown(wait); errors.Is(err, context.DeadlineExceeded) {
		p.log.Warn("stopped before all requests had finished")
	}
	end(errStopped) // connections that were taken over end by this
	_ = srv.Close()
	<-failed
	saved, cancel := context.WithTimeout(context.Background(), max(time.Until(until), saveTime))
	defer cancel()
	if p.open.wait(saved) != nil {
		p.log.Warn("stopped before the state of all runs was saved")
	}
	kept.Wait()
	p.syncStore(saved)
	return nil
}

// accepting is a listener that logs why no connection can be taken, at most once a minute: the server tries
// again in silence.
type accepting struct {
	net.Listener
	p    *Proxy
	told time.Time
}

// Accept implements net.Listener. The server calls it from one goroutine.
func (a *accepting) Accept() (net.Conn, error) {
	c, err := a.Listener.Accept()
	if now := a.p.now(); err != nil && !errors.Is(err, net.ErrClosed) && now.Sub(a.told) >= tellEvery {
		a.told = now
		a.p.log.Error("connections cannot be accepted; it tries again", "why", err.Error())
	}
	return c, err
}

// tasks counts what is under way. Its wait can end early, unlike that of a sync.WaitGroup.
type tasks struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed while n is 0; nil before the first task
}

func (t *tasks) add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == 0 {
		t.none = make(chan struct{})
	}
	if t.n += n; t.n == 0 {
		close(t.none)
	}
}

// wait waits until nothing is under way. Its error is that ctx ended before.
func (t *tasks) wait(ctx context.Context) error {
	t.mu.Lock()
	none := t.none
	t.mu.Unlock()
	if none == nil {
		return nil
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
