package control

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/state"
)

const (
	// every is how often a process reads the record.
	every = 2 * time.Second
	// soon is how long a process waits that has not read it yet.
	soon = 100 * time.Millisecond
	// renewed is how old the record gets before a process writes it again.
	renewed = time.Minute
	// patience is how long a store may take to be read.
	patience = 2 * time.Second
	// calm is how long the record could be read when an outage is over.
	calm = 5 * time.Second
)

// Follower has an evaluator do what the record of a store says.
type Follower struct {
	Eval  *eval.Evaluator
	Store state.Store
	Log   *slog.Logger

	mu     sync.Mutex // guards last and away; Read alone writes them
	last   Record
	away   bool      // at the last try
	known  bool      // the record was read
	told   bool      // the log has said that it cannot be read
	failed time.Time // when that was so last
}

// Switched returns how many rules are off and in shadow here, and whether the record could be read last.
func (f *Follower) Switched() (rules map[State]int, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rules = map[State]int{Off: 0, Shadow: 0}
	for _, e := range f.last.Rules {
		rules[e.State]++
	}
	return rules, !f.away
}

// Run reads the record every two seconds, and for each value from again, until ctx ends, and logs what it
// takes up. While the record cannot be read, all stays as it was last.
func (f *Follower) Run(ctx context.Context, again <-chan struct{}) {
	for {
		wait := soon
		if f.known {
			wait = every
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-time.After(wait):
		}
		f.Read(ctx)
	}
}

// Read does what the record says now. It is called before Run, so that nothing is decided otherwise where the
// store is there.
func (f *Follower) Read(ctx context.Context) {
	some, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := Read(some, f.Store)
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		if f.note(f.last, true); !f.told {
			f.Log.Error("which rules are switched cannot be read; they stay as they are here", "why", err.Error())
		}
		f.told, f.failed = true, time.Now()
		return
	}
	if f.told && time.Since(f.failed) >= calm {
		f.Log.Info("which rules are switched can be read again")
		f.told = false
	}
	f.known = true
	f.note(f.last, false)
	if len(r.Rules)+len(r.Bundles) > 0 && time.Since(r.Written) > renewed {
		now := time.Now()
		_ = edit(some, f.Store, func(r *Record) { r.Written = now }) // another process tries, too
	}
	if maps.Equal(r.Rules, f.last.Rules) {
		return
	}
	names := f.Eval.Names()
	f.Eval.Control(r.control())
	ids := slices.AppendSeq(slices.Collect(maps.Keys(f.last.Rules)), maps.Keys(r.Rules))
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		was, is := f.last.Rules[id], r.Rules[id]
		if was == is {
			continue
		}
		if is.State == "" {
			f.Log.Warn("rule is switched", "rule", id, "to", On, "after", was.State)
			continue
		}
		f.Log.Warn("rule is switched", "rule", id, "to", is.State, "by", is.By, "at", is.At, "why", is.Why)
		if was.State == "" && len(names) > 0 && !slices.Contains(names, id) { // those of a bundle come later
			f.Log.Warn("no rule in use has the name that is switched", "rule", id, "did_you_mean",
				near.Names(id, names))
		}
	}
	f.note(r, false)
}

func (f *Follower) note(last Record, away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.away = last, away
}
