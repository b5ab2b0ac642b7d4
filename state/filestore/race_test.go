package filestore

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/state"
)

// takeTurns takes the run over the turn of each key that it reads, and answers with the decision. Its arguments are the
// directory and whether it does without the lock.
func takeTurns(args []string, in io.Reader, out io.Writer) error {
	s, err := Open(args[0])
	if err != nil {
		return err
	}
	if args[1] == "unlocked" {
		s.disk.lock = func(path string, _ bool) (lockFile, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }
	}
	for keys := bufio.NewScanner(in); keys.Scan(); {
		d, err := takeTurn(s, keys.Text())
		if err != nil {
			return err
		}
		b, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", b); err != nil {
			return err
		}
	}
	return nil
}

var edges = state.NewRules([]state.Rule{{ID: "r", Version: "v"}})

// takeTurn is what a hook does: load, step, save, and all again on a conflict. Every second turn is an edge. The text says
// who rendered it, so that two processes that both believe they fired are seen.
func takeTurn(s *Store, key string) (*state.Decision, error) {
	n, err := strconv.Atoi(key)
	if err != nil {
		return nil, err
	}
	for {
		prev, rev, err := s.Load(context.Background(), "run")
		if err != nil {
			return nil, err
		}
		next, d, err := state.Step(prev, edges, state.Input{
			Key: key, At: time.Unix(int64(n), 0),
			Judge:  func(*state.Run) (trigger, rearm []fact.Truth) { return []fact.Truth{fact.Of(n%2 == 0)}, nil },
			Render: func(int) (string, error) { return fmt.Sprintf("by process %d", os.Getpid()), nil },
		})
		if err != nil {
			return nil, err
		}
		if next == prev {
			return d, nil
		}
		if _, err = s.Save(context.Background(), "run", rev, next); err == nil {
			return d, nil
		}
		if !errors.Is(err, state.ErrConflict) && !errors.Is(err, state.ErrIndeterminate) {
			return nil, err
		}
	}
}

// TestS1Processes lets many processes handle every turn at once: each edge fires once, in one process, and all of them
// come to the same bytes.
func TestS1Processes(t *testing.T) {
	t.Parallel()
	processes, rounds := 6, 20
	if slow() {
		processes, rounds = 64, 200 // every second round is an edge
	}
	r, err := race(t, processes, rounds, "locked")
	if err != nil || r.rounds != rounds || r.fires != rounds/2 || r.double+r.lost > 0 {
		t.Errorf("%+v, %v, want %d rounds and %d edges, each fired by one", r, err, rounds, rounds/2)
	}
	t.Logf("%d processes: %+v", processes, r)
}

// TestS1ProcessesWithoutLock takes the lock out of the same test: it must see an edge that two processes fire, or an update
// that is lost, else TestS1Processes shows nothing.
func TestS1ProcessesWithoutLock(t *testing.T) {
	if testing.Short() {
		t.Skip("looks for a race for as long as it takes")
	}
	t.Parallel()
	for range 20 {
		r, err := race(t, 6, 40, "unlocked")
		if r.double+r.lost > 0 {
			t.Logf("%+v, %v", r, err)
			return
		}
	}
	t.Error("without the lock no edge fired twice and no update was lost")
}

// races is what became of a race: in how many rounds an edge fired, two processes fired it, and the run was not where that
// round should have taken it. It ends with the first round that goes wrong, for what follows may never be answered in step.
type races struct{ rounds, fires, double, lost int }

// race returns what the processes come to; the error is that of a process that gave up.
func race(t *testing.T, processes, rounds int, how string) (r races, err error) {
	t.Helper()
	dir := quickDir(t)
	var all []*child
	for range processes {
		all = append(all, start(t, "turns", dir, how))
	}
	for round := 1; round <= rounds && r.double+r.lost == 0; round++ {
		r.rounds++
		for _, c := range all {
			if _, err := fmt.Fprintln(c.in, round); err != nil {
				return r, err
			}
		}
		said := map[string]bool{}
		for _, c := range all {
			line, err := c.line()
			if err != nil {
				return r, err
			}
			said[line] = true
		}
		fired := 0
		for line := range said {
			var d state.Decision
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				return r, err
			}
			if d.Turn != round || len(d.Fired) != 1-round%2 {
				r.lost++
			}
			fired += len(d.Fired)
		}
		if fired > 0 {
			r.fires++
		}
		if fired > 1 {
			r.double++
		}
		if len(said) > 1 && fired <= 1 {
			r.lost++
		}
	}
	return r, nil
}
