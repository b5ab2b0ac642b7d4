package proxy

import (
	"context"
	"errors"
	"sync"
	"time"
)

// syncer is a store that makes durable what was saved when it is asked to.
type syncer interface {
	Sync(ctx context.Context) error
}

// sweeper is a store that forgets old runs when it is asked to, and returns how many.
type sweeper interface {
	Sweep(ctx context.Context) (int, error)
}

const (
	syncEvery  = time.Second
	sweepEvery = time.Hour
	sweepTime  = time.Minute // what is left then is forgotten an hour later
)

// keepStore looks after the store until ctx ends: it syncs what was saved once a second, and forgets old runs
// once an hour, for a minute at most.
func (p *Proxy) keepStore(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	if store, ok := p.opts.Store.(syncer); ok {
		wg.Go(func() { p.syncEach(ctx, store) })
	}
	if store, ok := p.opts.Store.(sweeper); ok {
		wg.Go(func() { p.sweepEach(ctx, store) })
	}
}

func (p *Proxy) syncEach(ctx context.Context, store syncer) {
	for every(ctx, syncEvery) {
		if err := store.Sync(ctx); err == nil {
			p.stateUp(syncing)
		} else if ctx.Err() == nil {
			p.stateDown(syncing, err.Error())
		}
	}
}

func (p *Proxy) sweepEach(ctx context.Context, store sweeper) {
	for {
		begun := time.Now()
		some, cancel := context.WithTimeout(ctx, sweepTime)
		n, err := store.Sweep(some)
		cancel()
		late := errors.Is(err, context.DeadlineExceeded)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !late:
			p.stateDown("", err.Error())
		case n > 0:
			p.log.Info("old runs forgotten", "runs", n, "took", time.Since(begun), "more", late)
		}
		if !every(ctx, sweepEvery) {
			return
		}
	}
}

// syncStore makes durable what was saved, before the process ends.
func (p *Proxy) syncStore(ctx context.Context) {
	if store, ok := p.opts.Store.(syncer); ok {
		if err := store.Sync(ctx); err != nil {
			p.stateDown(syncing, err.Error())
		}
	}
}

// every waits for a time, and reports whether ctx has not ended meanwhile.
func every(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// outage is the last time in which the state of runs could not be read, written or synced.
type outage struct {
	mu    sync.Mutex
	run   string    // that failed last, or syncing; "": the store as a whole
	saved time.Time // when a save succeeded last; zero: one has failed since
	told  time.Time // when that was logged last
	more  int       // failures since
	open  bool      // its end is to be logged
}

// syncing stands in the place of a run where the store could not be synced.
const syncing = "\x00"

// tellEvery is the least time between two log lines about failures.
const tellEvery = time.Minute

// State notes whether the state of a run could be read and written.
func (p *Proxy) State(run string, err error) {
	if err == nil {
		p.stateUp(run)
	} else {
		p.stateDown(run, err.Error())
	}
}

// stateDown counts and logs that the state of a run failed, or for "" that of the store as a whole. A failed
// disk fails for each request: what is logged is the first, and then one a minute.
func (p *Proxy) stateDown(run, why string) {
	p.meter.StateFailed()
	o := &p.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if run != "" || !o.open {
		o.run = run
	}
	now := p.now()
	o.saved = time.Time{}
	if !o.told.IsZero() && now.Sub(o.told) < tellEvery {
		o.more++
		return
	}
	p.log.Error("state failed: until it is back, requests hold the reminders that they held before, "+
		"and no new ones",
		"error", why, "failures_since_told", o.more)
	o.told, o.more, o.open = now, 0, true
}

// stateUp notes that the state of a run was saved, or for syncing the store synced. It logs the end of an
// outage if that was what failed last, or if all had failed.
func (p *Proxy) stateUp(run string) {
	o := &p.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if run != syncing {
		o.saved = p.now()
	}
	if !o.open || o.run != run && (o.run != "" || run == syncing) {
		return
	}
	p.log.Info("state is back", "failures_since_told", o.more)
	o.more, o.open = 0, false
}
