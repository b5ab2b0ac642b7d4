package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of what clients may take their time over.
const (
	headerTime  = 10 * time.Second
	clientIdle  = 2 * time.Minute
	headerBytes = 256 << 10
)

// GCPercent is for debug.SetGCPercent in a program that serves, which makes much garbage beside the little that it keeps.
const GCPercent = 400

// noteTime is how long a stop waits at least for what was answered to be noted.
const noteTime = time.Second

// Serve answers what comes to l until ctx ends; then it takes no more, and lets what is under way come to its end for at most
// grace, and notes what was answered. It closes l, and returns nil after a stop, whether or not all came to their end in time.
func (p *Proxy) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	base, end := context.WithCancelCause(context.Background())
	defer end(errStopped)
	srv := &http.Server{
		Handler:           p,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       clientIdle,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // it quotes what clients send
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	p.log.Info("stopping: what is under way may come to its end", "within", grace)
	until := time.Now().Add(grace)
	wait, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	if err := srv.Shutdown(wait); errors.Is(err, context.DeadlineExceeded) {
		p.log.Warn("stopped before all requests were over")
	}
	end(errStopped) // connections that were taken over end by this
	_ = srv.Close()
	<-failed
	noted, cancel := context.WithTimeout(context.Background(), max(time.Until(until), noteTime))
	defer cancel()
	if p.beside.wait(noted) != nil {
		p.log.Warn("stopped before all that was answered was noted")
	}
	return nil
}
