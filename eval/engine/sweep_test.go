package engine

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// swept is a store that is told to forget old runs.
type swept struct{ err error }

func (s *swept) Sweep(context.Context) (int, error) { return 0, s.err }

// TestSweep: old runs are forgotten at each tick, and a fault is logged.
func TestSweep(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	e := &Engine{log: slog.New(slog.NewTextHandler(&said, nil))}
	ctx, cancel := context.WithCancel(t.Context())
	tick, done := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(done)
		e.sweep(ctx, &swept{errors.New("the disk is full")}, tick)
	}()
	tick <- time.Time{}
	tick <- time.Time{} // the first has ended
	cancel()
	<-done
	if !strings.Contains(said.String(), "the disk is full") {
		t.Errorf("the log says %q", &said)
	}
}
