package state_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// rows is a Store of one's own: a table of bytes.
type rows struct {
	mu    sync.Mutex
	table map[string]row
	rev   state.Revision // the last one given: none is used twice
}

type row struct {
	snapshot []byte
	rev      state.Revision
}

func (s *rows) Load(_ context.Context, run string) (*state.Snapshot, state.Revision, error) {
	s.mu.Lock()
	r, ok := s.table[run]
	s.mu.Unlock()
	if !ok {
		return nil, 0, nil
	}
	snapshot, err := state.Decode(r.snapshot)
	return snapshot, r.rev, err
}

func (s *rows) Save(_ context.Context, run string, prev state.Revision, next *state.Snapshot) (state.Revision,
	error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table[run].rev != prev {
		return 0, fmt.Errorf("run %q: %w", run, state.ErrConflict)
	}
	s.rev++
	s.table[run] = row{next.Encode(), s.rev}
	return s.rev, nil
}

func (s *rows) Delete(_ context.Context, run string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.table, run)
	return nil
}

func (s *rows) Runs(context.Context, string) (runs []string, next string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.table)), "", nil
}

// A Store of one's own keeps bytes and compares revisions.
func ExampleStore() {
	ctx := context.Background()
	store := &rows{table: map[string]row{}}
	set := compile.Must(compile.New([]reminder.Reminder{{ID: "hello", Text: "Hello."}}, compile.Options{}))
	ev := eval.New(set, eval.Options{Store: store})
	for range 2 {
		d, err := ev.Decide(ctx, "run", eval.Turn{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(d.Turn, len(d.Fired))
	}
	runs, err := state.AllRuns(ctx, store)
	fmt.Println(runs, err)
	// Output:
	// 1 1
	// 2 0
	// [run] <nil>
}
