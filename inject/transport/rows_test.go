package transport_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// TestRows: a run without a name has a row of its own in the store. A store that does not find runs has one
// for each of its last 16 answers, too. Another process finds the run by each of these answers, though
// nothing else of the conversation is left: without a row, one answer finds nothing.
func TestRows(t *testing.T) {
	t.Parallel()
	const agents, turns, kept = 3, 40, 16
	answer := func(agent, turn int) string {
		return fmt.Sprintf("Agent %d has done step %d%s.", agent, turn, strings.Repeat(" of all steps", 5))
	}
	plain := func() state.Store { return onDisk{state.NewMemory()} }
	finds := func() state.Store { return newFinder(plain()) }
	same := func(s *state.Snapshot) *state.Snapshot { return s }
	for _, c := range []struct {
		rows       int // of a run
		open, next func() state.Store
		copied     func(*state.Snapshot) *state.Snapshot
	}{
		{1 + kept, plain, plain, same},
		{1, finds, finds, transport.Findable},
		{1 + kept, plain, finds, same}, // the rows are of a program that did not find runs
	}[:testkit.Repeat(2, 3)] {
		agent, turn := 0, 0
		store := c.open()
		w := newWorld(t, rules(t, "once: turn_count == 3"), setting{store: store,
			fake: modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply {
				return modelapi.Say(answer(agent, turn))
			}}})
		ask := func(c chat) int {
			t.Helper()
			if status, got := w.post(messages, c.of(plainly)); status != 200 {
				t.Fatal(status, got)
			}
			_, r := w.last()
			return r.Turn
		}
		rows := func() (all []string) {
			all, err := state.AllRuns(t.Context(), store)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		var others []string
		for agent = range agents {
			others = rows()
			c := chat{}
			for turn = range turns {
				c = c.user(fmt.Sprintf("Agent %d, do step %d.", agent, turn))
				ask(c)
				c = c.says(answer(agent, turn))
			}
		}
		all := rows()
		if len(all) != agents*c.rows {
			t.Errorf("%d conversations have left %d rows", agents, len(all))
		}
		last := slices.DeleteFunc(all, func(row string) bool { return slices.Contains(others, row) })
		// lost returns how many of the answers of the last conversation find nothing without a row.
		lost := func(without string) (n int) {
			for turn = turns - kept; turn < turns; turn++ {
				copied := c.next()
				for _, row := range last {
					s, _, err := store.Load(t.Context(), row)
					if err == nil && row != without {
						_, err = copied.Save(t.Context(), row, 0, c.copied(s))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				w.restart(eval.New(w.ev.Set(), eval.Options{Store: copied}))
				left := chat{}.user("What was it?").says(answer(agents-1, turn)).user("And then?")
				switch is := ask(left); is {
				case turn + 2:
				case 1:
					n++
				default:
					t.Errorf("behind the answer to turn %d it is turn %d", turn+1, is)
				}
			}
			return n
		}
		if n := lost(""); n > 0 {
			t.Errorf("%d of the last %d answers find nothing", n, kept)
		}
		needed := 0
		for _, row := range last {
			if response.Kept(row) {
				needed += lost(row)
			}
		}
		if needed != c.rows-1 {
			t.Errorf("%d answers find nothing without one of the rows, not each of %d", needed, c.rows-1)
		}
	}
}

// finder is a store of bytes that finds runs.
type finder struct {
	state.Store
	mu   sync.Mutex
	keys map[string][2][]uint64 // of each run, and their values
}

func newFinder(s state.Store) *finder { return &finder{Store: s, keys: map[string][2][]uint64{}} }

// Find implements readset.Finder.
func (f *finder) Find(_ context.Context, key uint64, limit int) (map[string][]uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[string][]uint64{}
	for run, list := range f.keys {
		for i, k := range list[0] {
			if k == key && (len(found) < limit || found[run] != nil) {
				found[run] = append(found[run], list[1][i])
			}
		}
	}
	return found, nil
}

// Save implements state.Store.
func (f *finder) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	rev, err := f.Store.Save(ctx, run, prev, next)
	if keys, values := readset.KeysOf(next); keys != nil && err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.keys[run] = [2][]uint64{keys, values}
	}
	return rev, err
}

// counted counts what is asked of a store.
type counted struct {
	state.Store
	mu                  sync.Mutex
	loads, saves, drops int
}

func (c *counted) count(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}

// Load implements state.Store.
func (c *counted) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	c.count(&c.loads)
	return c.Store.Load(ctx, run)
}

// Save implements state.Store.
func (c *counted) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	c.count(&c.saves)
	return c.Store.Save(ctx, run, prev, next)
}

// Delete implements state.Store.
func (c *counted) Delete(ctx context.Context, run string) error {
	c.count(&c.drops)
	return c.Store.Delete(ctx, run)
}

// TestTrips: a request asks the store for its run once, saves the decision, and saves what the answer told.
// Where the store does not find runs, one without a name takes a row for the answer beside that, and gives
// up the row of its oldest answer while the model answers.
func TestTrips(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		finds bool
		want  [3]int
	}{{"", false, [3]int{2, 3, 1}}, {"", true, [3]int{1, 2, 0}}, {"named", false, [3]int{1, 2, 0}}} {
		name, want, turn := c.name, c.want, 0
		answer := func() string {
			return fmt.Sprintf("This is the answer to request %d, and nothing else was said in it.", turn)
		}
		store := &counted{Store: onDisk{state.NewMemory()}}
		var over state.Store = store
		if c.finds {
			over = newFinder(store)
		}
		w := newWorld(t, rules(t, "once: turn_count == 3"), setting{store: over,
			fake: modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply { return modelapi.Say(answer()) }}})
		w.header.Set(transport.RunHeader, name)
		c := chat{}
		for turn = range 24 {
			store.loads, store.saves, store.drops = 0, 0, 0
			c = c.user(fmt.Sprintf("Do step %d.", turn))
			if status, got := w.post(messages, c.of(plainly)); status != 200 {
				t.Fatal(status, got)
			}
			c = c.says(answer())
			if got := [3]int{store.loads, store.saves, store.drops}; turn > 16 && got != want {
				t.Errorf("run %q, request %d: %d loads, saves and deletes, not %d", name, turn, got, want)
			}
		}
	}
}
