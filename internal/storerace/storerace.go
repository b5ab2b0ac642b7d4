// Package storerace lets many clients in several processes race for the edges of one run in a store that
// processes share, and checks what came of it. The test of a store has
//
//	func TestMain(m *testing.M) { os.Exit(storerace.Main(m, open)) }
//
// where open opens the store that the arguments of a Race name.
package storerace

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/aside-go/aside/state"
)

// asProcess is a variable of the environment that makes the test binary one of the processes of a race. Its
// value is the arguments of Race.
const asProcess = "ASIDE_TEST_STORERACE"

// Open opens the store that arguments name.
type Open func(args ...string) (state.Store, error)

// Main runs the tests of a package, or is one of the processes of a race.
func Main(m *testing.M, open Open) int {
	args, race := os.LookupEnv(asProcess)
	if !race {
		return m.Run()
	}
	if err := process(open, strings.Split(args, "\n"), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Race is a race. In each round all clients handle one turn at once, on which one reminder is due.
type Race struct {
	Processes, Clients, Rounds int // Clients are those of each process
	// Blind makes the clients save without regard to what they loaded. A race must find that.
	Blind bool
	Args  []string // which store it is
}

// Result is what came of a race.
type Result struct {
	Once         int // rounds in which the reminder fired once, and all clients were told so
	Twice        int // rounds in which it fired more than once
	Lost         int // answers that name another turn, or no firing
	Operations   int
	Linearizable bool // whether all operations can be those of one store that does one after the other
}

// Run runs the race. It ends the test where a process fails.
func (r Race) Run(t *testing.T) Result {
	t.Helper()
	all := make([]*child, r.Processes)
	for i := range all {
		all[i] = start(t, r)
	}
	result, holds := Result{Linearizable: true}, ""
	for round := 1; round <= r.Rounds; round++ {
		for _, c := range all {
			if _, err := fmt.Fprintln(c.in, round); err != nil {
				t.Fatal(err)
			}
		}
		texts, lost, ops := map[string]bool{}, 0, []operation(nil)
		for p, c := range all {
			var did report
			line, err := c.out.ReadBytes('\n')
			if err == nil {
				err = json.Unmarshal(line, &did)
			}
			if err != nil {
				t.Fatalf("a process of the race: %v: %s", err, c.err)
			}
			for _, d := range did.Decisions {
				if d.Turn != round || len(d.Fired) != 1 {
					lost++
					continue
				}
				texts[d.Fired[0].Text] = true
			}
			for _, o := range did.Operations {
				o.Client += p * r.Clients
				ops = append(ops, o)
			}
		}
		switch {
		case len(texts) > 1:
			result.Twice++
		case len(texts) == 1 && lost == 0:
			result.Once++
		}
		result.Lost += lost
		result.Operations += len(ops)
		var ok bool
		holds, ok = linearizable(ops, holds) // by round: all clients wait for each other in between
		result.Linearizable = result.Linearizable && ok
	}
	return result
}

// child is a process of a race.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *strings.Builder
}

func start(t *testing.T, r Race) *child {
	t.Helper()
	c := &child{Cmd: exec.CommandContext(t.Context(), os.Args[0]), err: &strings.Builder{}}
	args := append([]string{fmt.Sprint(r.Clients), fmt.Sprint(r.Blind)}, r.Args...)
	c.Env = append(os.Environ(), asProcess+"="+strings.Join(args, "\n"))
	c.Stderr = c.err
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.in.Close(); _ = c.Wait() })
	return c
}

// blind saves whatever the revision is.
type blind struct{ state.Store }

func (b blind) Save(ctx context.Context, run string, _ state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	for {
		_, rev, err := b.Store.Load(ctx, run)
		if err != nil {
			return 0, err
		}
		if rev, err = b.Store.Save(ctx, run, rev, next); !errors.Is(err, state.ErrConflict) {
			return rev, err
		}
	}
}
