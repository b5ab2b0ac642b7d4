// Package races lets many clients in several processes race for the edges of one run in a store that
// processes share, and checks what came of it. The test of a store has
//
//	func TestMain(m *testing.M) { os.Exit(races.Main(m, open)) }
//
// where open opens the store that the arguments of a Race name.
package races

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
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
	// Blind makes the clients save without regard to what they loaded. A race must find that, and ends once it
	// has; in which round two clients meet is chance.
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
	all := make([]*testkit.Process, r.Processes)
	for i := range all {
		all[i] = start(t, r)
	}
	result, holds := Result{Linearizable: true}, ""
	found := func() bool { return result.Twice+result.Lost > 0 && !result.Linearizable }
	for round := 1; round <= r.Rounds && !(r.Blind && found()); round++ {
		for _, c := range all {
			if _, err := fmt.Fprintln(c.In, round); err != nil {
				t.Fatal(err)
			}
		}
		texts, lost, ops := map[string]bool{}, 0, []operation(nil)
		for p, c := range all {
			var did report
			line, err := c.Line()
			if err == nil {
				err = json.Unmarshal([]byte(line), &did)
			}
			if err != nil {
				t.Fatalf("a process of the race: %v", err)
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

func start(t *testing.T, r Race) *testkit.Process {
	t.Helper()
	args := append([]string{fmt.Sprint(r.Clients), fmt.Sprint(r.Blind)}, r.Args...)
	env := append(os.Environ(), asProcess+"="+strings.Join(args, "\n"))
	return testkit.NewProcess(t, env, os.Args[0]).Begin(t)
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
