package hook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

// outcome is what a decision comes to.
type outcome struct {
	out      []byte
	err      error
	panicked bool
}

// decide takes in what others have left, and decides the event. Where that takes longer than a hook means to,
// since the rules are many, or one of them is slow, the reminders of safety are decided by themselves
// besides, and go out once half of the time is over.
func (r *run) decide(ctx context.Context) ([]byte, error) {
	all, alone := make(chan outcome, 1), make(chan outcome, 1)
	most := cmp.Or(r.call.Limit, limit)
	slow, half := time.NewTimer(r.call.target()), make(chan struct{})
	defer slow.Stop()
	defer time.AfterFunc(most/2, func() { close(half) }).Stop()
	r.half = half
	go r.work(ctx, storing, all)
	for {
		select {
		case <-slow.C:
			go r.work(ctx, safety, alone)
		case a := <-alone:
			if a.out != nil {
				return a.out, errors.Join(a.err, errAlone)
			}
			r.phase.end(safety) // none is due, or none could be stored
		case a := <-all:
			if !r.phase.begin(storing) { // the others are first
				if b := <-alone; b.out != nil {
					return b.out, errors.Join(b.err, errAlone)
				}
				r.phase.end(safety)
				r.begin()
			}
			switch {
			case a.panicked:
				return nil, errors.Join(a.err, r.left.end(true)) // the next hook would fail as well
			case errors.Is(a.err, context.DeadlineExceeded): // the run was held by others
				return nil, errors.Join(a.err, r.leave())
			}
			return a.out, a.err
		}
	}
}

var errAlone = errors.New("all rules together take too long: the reminders of safety alone were decided; " +
	"aside setup --check says more")

// work decides the event with all rules, or with those of safety, on a copy of r.
func (r *run) work(ctx context.Context, side int32, done chan<- outcome) {
	var a outcome
	defer func() {
		if err := recovered(recover()); err != nil {
			a = outcome{err: err, panicked: true}
		}
		done <- a
	}()
	loaded := &loadedRun{Store: r.files}
	own := *r
	own.store, own.loaded, own.side = loaded, &ruleSet{}, side
	e := &own.event
	var late error
	switch {
	case side == storing:
		late = errors.Join(own.takeIn(ctx), own.settle(ctx))
	case !e.CanInject && e.File == "" && e.Moment == fact.Turn, e.Arms:
		return
	}
	a.out, a.err = own.handle(ctx)
	a.err = errors.Join(late, a.err, loaded.mended)
}

// safetyAlone reads the reminders of safety in a file, and no other file.
func safetyAlone(path string, src []byte) ([]compile.Source, grammar.Diagnostics) {
	if !bytes.Contains(src, []byte("safety")) {
		return nil, nil
	}
	all, ds := document.Read(path, src)
	return slices.DeleteFunc(all, func(s compile.Source) bool { return s.Tier != reminder.Safety }), ds
}
