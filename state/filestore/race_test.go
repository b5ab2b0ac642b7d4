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
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// takeTurns takes the run over the turn of each key that it reads, and answers with the decision. Its
// arguments are the directory, and "unlocked" to do without the lock, or "process" for that durability.
func takeTurns(args []string, in io.Reader, out io.Writer) error {
	var o Options
	if args[1] == "process" {
		o.Durability = Process
	}
	s, err := Open(args[0], o)
	if err != nil {
		return err
	}
	if args[1] == "unlocked" {
		s.disk.lock = func(path string, _ bool) (lockFile, error) {
			return os.OpenFile(path,
				os.O_RDWR|os.O_CREATE, 0o600)
		}
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

var edges = firing.NewRules([]reminder.Reminder{{ID: "r", Trigger: "v"}})

// takeTurn is the work of a hook: load, step, save, and all again on a conflict. Every second turn is an
// edge. The text names the process that rendered it, so a test sees two processes that both believe they
// fired.
func takeTurn(s *Store, key string) (*reminder.Decision, error) {
	n, err := strconv.Atoi(key)
	if err != nil {
		return nil, err
	}
	for {
		prev, rev, err := s.Load(context.Background(), "run")
		if err != nil {
			return nil, err
		}
		next, d, err := firing.Step(prev, edges, firing.Input{
			Key: key, At: time.Unix(int64(n), 0),
			Judge:  func(*firing.Run) (trigger, rearm []fact.Truth) { return []fact.Truth{fact.Of(n%2 == 0)}, nil },
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

// TestS1Processes lets many processes race for one edge, round after round: it fires once, in one process,
// and all of them come to the same bytes.
func TestS1Processes(t *testing.T) {
	t.Parallel()
	processes, times := testkit.Repeat(6, 32), testkit.Repeat(10, 60)
	r, err := race(t, processes, times, "locked")
	if err != nil || r != (tally{rounds: times, fires: times}) {
		t.Errorf("%+v, %v, want %d rounds, in each of which one fires", r, err, times)
	}
	t.Logf("%d processes: %+v", processes, r)
}

// TestS1ProcessesWithoutLock takes the lock out of the same test: it must see an edge that two processes
// fire, or an update that is lost, else TestS1Processes shows nothing.
func TestS1ProcessesWithoutLock(t *testing.T) {
	if !testkit.Thorough() {
		t.Skip("looks for a race for as long as it takes")
	}
	t.Parallel()
	for range 400 { // many, beside tests that keep the disk busy
		r, err := race(t, 6, 20, "unlocked")
		if r.double+r.lost > 0 {
			t.Logf("%+v, %v", r, err)
			return
		}
	}
	t.Error("without the lock no edge fired twice and no update was lost")
}

// tally has the results of a race: the number of rounds, of rounds in which one process fired the edge, of
// rounds in which several did, and of answers with a wrong turn.
type tally struct{ rounds, fires, double, lost int }

// race ends with the first round that goes wrong, since later answers may never be in step. The error is that
// of a process that stopped.
func race(t *testing.T, processes, rounds int, how string) (r tally, err error) {
	t.Helper()
	dir := quickDir(t)
	var all []*testkit.Process
	for range processes {
		all = append(all, start(t, "turns", dir, how))
	}
	for round := 1; round <= rounds && r.double+r.lost == 0; round++ {
		r.rounds++
		// One takes the run over the turn between two edges, and all of them over the next.
		if _, err := decide(all[round%processes:][:1], 2*round-1); err != nil {
			return r, err
		}
		said, err := decide(all, 2*round)
		if err != nil {
			return r, err
		}
		fired := map[string]bool{}
		for _, d := range said {
			if d.Turn != 2*round || len(d.Fired) != 1 {
				r.lost++
				continue
			}
			fired[d.Fired[0].Text] = true
		}
		switch {
		case len(fired) > 1:
			r.double++
		case len(fired) == 1:
			r.fires++
		}
	}
	return r, nil
}

// decide lets the processes handle one turn at once, and returns each decision that one of them came to.
func decide(processes []*testkit.Process, turn int) ([]reminder.Decision, error) {
	for _, c := range processes {
		if _, err := fmt.Fprintln(c.In, turn); err != nil {
			return nil, err
		}
	}
	said := map[string]bool{}
	for _, c := range processes {
		line, err := c.Line()
		if err != nil {
			return nil, err
		}
		said[line] = true
	}
	var decisions []reminder.Decision
	for line := range said {
		var d reminder.Decision
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return nil, err
		}
		decisions = append(decisions, d)
	}
	return decisions, nil
}
