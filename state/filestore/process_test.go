package filestore

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/state"
)

var long = flag.Bool("long", false, "run the slow tests in full")

// asProcess, in the environment, makes the test binary one of the processes of TestS1Processes: its value is the directory.
const (
	asProcess = "ASIDE_TEST_FILESTORE"
	unlocked  = "ASIDE_TEST_UNLOCKED"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(asProcess); dir != "" {
		if err := process(dir, os.Getenv(unlocked) != "", os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// process takes the run over the turn of each key that it reads, and answers with the decision.
func process(dir string, noLock bool, in io.Reader, out io.Writer) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	if noLock {
		s.disk.lock = func(path string) (locked, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }
	}
	for keys := bufio.NewScanner(in); keys.Scan(); {
		d, err := handle(s, keys.Text())
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

// handle is what a hook does: load, step, save, and all again on a conflict. The text says who rendered it, so that two
// processes that both believe they fired are seen.
func handle(s *Store, key string) (*state.Decision, error) {
	for {
		prev, rev, err := s.Load(context.Background(), "run")
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(key)
		if err != nil {
			return nil, err
		}
		next, d, err := state.Step(prev, edges, state.Input{
			Key: key, At: time.Unix(int64(n), 0),
			Judge:  func(r *state.Run) (trigger, rearm []fact.Truth) { return []fact.Truth{fact.Of(n%2 == 0)}, nil },
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

// TestS1Processes lets many processes handle every turn at once: each edge fires once, and all of them come to the same
// bytes. Without the lock the same test finds two that disagree.
func TestS1Processes(t *testing.T) {
	t.Parallel()
	processes, rounds := 6, 20
	if *long {
		processes, rounds = 64, 100
	}
	if n, err := disagreements(t, processes, rounds, false); n > 0 || err != nil {
		t.Errorf("in %d of %d rounds the processes disagreed, %v", n, rounds, err)
	}
}

func TestS1ProcessesWithoutLock(t *testing.T) {
	if testing.Short() {
		t.Skip("looks for a race for as long as it takes")
	}
	t.Parallel()
	for range 20 {
		if n, _ := disagreements(t, 6, 40, true); n > 0 {
			return
		}
	}
	t.Error("without the lock nothing went wrong: TestS1Processes shows nothing")
}

// disagreements returns in how many rounds not all processes had the same, right decision; the error is that of a process
// that gave up.
func disagreements(t *testing.T, processes, rounds int, noLock bool) (int, error) {
	t.Helper()
	dir := t.TempDir()
	var (
		ins  []io.WriteCloser
		outs []*bufio.Reader
	)
	for range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), asProcess+"="+dir)
		if noLock {
			cmd.Env = append(cmd.Env, unlocked+"=1")
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { in.Close(); _ = cmd.Wait() }()
		ins, outs = append(ins, in), append(outs, bufio.NewReader(out))
	}
	bad := 0
	for round := 1; round <= rounds; round++ {
		for _, in := range ins {
			if _, err := fmt.Fprintln(in, round); err != nil {
				return bad, err
			}
		}
		first := ""
		for i, out := range outs {
			line, err := out.ReadString('\n')
			if err != nil {
				return bad, err
			}
			if i == 0 {
				first = line
				var d state.Decision
				if err := json.Unmarshal([]byte(line), &d); err != nil || d.Turn != round || len(d.Fired) != 1-round%2 {
					bad++
					break
				}
			}
			if line != first {
				bad++
				break
			}
		}
		if bad > 0 {
			return bad, nil // what follows may never be answered in step
		}
	}
	return 0, nil
}
