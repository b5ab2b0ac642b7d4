package races

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// kind is what an operation did.
type kind string

const (
	loads     kind = "load"
	saved     kind = "saved"
	conflicts kind = "conflict"
	unknown   kind = "unknown" // whether it saved
)

// operation is one call of the store.
type operation struct {
	Client       int
	Call, Return int64 // half nanoseconds of the machine's clock, so that there is room between two
	Kind         kind
	Before       string // for a save: what was loaded before it
	Value        string // what was loaded, or is to be saved
}

// report is what the clients of a process did in a round.
type report struct {
	Decisions  []reminder.Decision // each that one of them came to, once
	Operations []operation
}

// process takes its clients over the turn of each round that it reads, and answers with a report.
func process(open Open, args []string, in io.Reader, out io.Writer) error {
	clients, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	store, err := open(args[2:]...)
	if err != nil {
		return err
	}
	if args[1] == "true" {
		store = blind{store}
	}
	all := make([]client, clients)
	for i := range all {
		all[i] = client{store: store, n: i}
	}
	for rounds := bufio.NewScanner(in); rounds.Scan(); {
		var (
			wg   sync.WaitGroup
			did  report
			seen = map[string]bool{}
		)
		for i := range all {
			wg.Go(func() { all[i].take(context.Background(), rounds.Text()) })
		}
		wg.Wait()
		for i := range all {
			c := &all[i]
			if c.err != nil {
				return c.err
			}
			did.Operations, c.did = append(did.Operations, c.did...), nil
			b, err := json.Marshal(c.decision)
			if err != nil {
				return err
			}
			if !seen[string(b)] {
				seen[string(b)] = true
				did.Decisions = append(did.Decisions, *c.decision)
			}
		}
		if err := json.NewEncoder(out).Encode(did); err != nil {
			return err
		}
	}
	return nil
}

// client takes the run over one turn after the other.
type client struct {
	store    state.Store
	n        int
	did      []operation
	decision *reminder.Decision
	err      error
}

var always = firing.NewRules([]reminder.Reminder{{ID: "r", Mode: reminder.While, Trigger: "always"}})

// take takes the run over the turn of a key: load, step, save, and all again on a conflict, as the Evaluator
// does. The text names who rendered it, so that a test sees two that both believe they fired.
func (c *client) take(ctx context.Context, key string) {
	for try := 0; ; try++ {
		prev, rev, err := c.load(ctx)
		if err != nil {
			c.err = err
			return
		}
		next, d, err := firing.Step(prev, always, firing.Input{
			Key: key, At: time.Unix(int64(1_700_000_000+prev.Turn()), 0),
			Judge: func(*firing.Run) (trigger, rearm []fact.Truth) { return []fact.Truth{fact.True}, nil },
			Render: func(int) (string, error) {
				return fmt.Sprintf("%s by %d/%d, try %d", key, os.Getpid(), c.n, try), nil
			},
		})
		if err != nil {
			c.err = err
			return
		}
		if c.decision = d; next == prev {
			return
		}
		err = c.save(ctx, rev, prev, next)
		if err == nil {
			return
		}
		if !errors.Is(err, state.ErrConflict) && !errors.Is(err, state.ErrIndeterminate) {
			c.err = err
			return
		}
	}
}

func clock() int64 { return 2 * time.Now().UnixNano() }

const run = "race"

func (c *client) load(ctx context.Context) (*state.Snapshot, state.Revision, error) {
	o := operation{Client: c.n, Kind: loads, Call: clock()}
	snap, rev, err := c.store.Load(ctx, run)
	if err == nil {
		o.Return, o.Value = clock(), textOf(snap)
		c.did = append(c.did, o)
	}
	return snap, rev, err
}

func (c *client) save(ctx context.Context, rev state.Revision, prev, next *state.Snapshot) error {
	o := operation{Client: c.n, Kind: saved, Before: textOf(prev), Value: textOf(next),
		Call: clock()}
	_, err := c.store.Save(ctx, run, rev, next)
	o.Return = clock()
	switch {
	case errors.Is(err, state.ErrIndeterminate):
		o.Kind, o.Return = unknown, 1<<62 // it may still be on its way
	case errors.Is(err, state.ErrConflict):
		o.Kind = conflicts
	case err != nil:
		return err
	}
	c.did = append(c.did, o)
	return err
}

// textOf returns the text of the last firing, which no other snapshot holds.
func textOf(s *state.Snapshot) string {
	if s == nil {
		return ""
	}
	return s.Decision().Fired[0].Text
}
