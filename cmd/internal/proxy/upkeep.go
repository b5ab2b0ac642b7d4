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

// keepStore looks after the store until ctx ends: it syncs what was saved once a second, forgets old runs
// once an hour, for a minute at most, and sees when an outage is over.
func (p *Proxy) keepStore(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { p.watchOutage(ctx) })
	if store, ok := p.opts.Store.(syncer); ok {
		wg.Go(func() { p.syncEach(ctx, store) })
	}
	if store, ok := p.opts.Store.(sweeper); ok {
		wg.Go(func() { p.sweepEach(ctx, store) })
	}
}

func (p *Proxy) syncEach(ctx context.Context, store syncer) {
	for every(ctx, syncEvery) {
		if err := store.Sync(ctx); err != nil && ctx.Err() == nil {
			p.stateDown(err.Error())
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
			p.stateDown(err.Error())
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
			p.stateDown(err.Error())
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
	mu     sync.Mutex
	saved  time.Time // when a save succeeded last; zero: something has failed since
	failed time.Time // when something failed last
	told   time.Time // when that was logged last
	more   int       // failures since
	open   bool      // it goes on
}

const (
	// tellEvery is the least time between two log lines about an outage.
	tellEvery = time.Minute
	// calm is how long nothing has failed when an outage is over: a part of a database may fail, and one
	// connection of two.
	calm = 5 * time.Second
)

// State notes whether the state of a run, or of all, could be read and written.
func (p *Proxy) State(err error) {
	if err == nil {
		p.stateUp()
	} else {
		p.stateDown(err.Error())
	}
}

// stateDown counts and logs that the state could not be read, written or synced. A failed disk fails for each
// request: what is logged is the first, and then one a minute.
func (p *Proxy) stateDown(why string) {
	p.meter.StateFailed()
	o := &p.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	now := p.now()
	o.saved, o.failed = time.Time{}, now
	if o.open && now.Sub(o.told) < tellEvery {
		o.more++
		return
	}
	then := "requests hold the reminders that they held before, and no new ones"
	if p.opts.Transport.FailClosed {
		then = "requests to models get status 503"
	}
	p.log.Error("state failed: until it is back, "+then, "error", why, "failures_since_told", o.more)
	o.told, o.more, o.open = now, 0, true
}

// stateUp notes that something was saved.
func (p *Proxy) stateUp() {
	p.outage.mu.Lock()
	defer p.outage.mu.Unlock()
	p.outage.saved = p.now()
}

// watchOutage logs the end of each outage, also where no request comes that would save something.
func (p *Proxy) watchOutage(ctx context.Context) {
	for every(ctx, checkEvery) {
		if p.outage.isOpen() && p.checkState(ctx).OK && p.outage.over(p.now()) {
			p.log.Info("state is back")
		}
	}
}

func (o *outage) isOpen() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open
}

// over closes an outage if something was saved since, and nothing has failed of late.
func (o *outage) over(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.saved.IsZero() && now.Sub(o.failed) >= calm {
		o.open, o.more = false, 0
	}
	return !o.open
}
