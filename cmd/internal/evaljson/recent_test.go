package evaljson_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// reads counts the reads of a store.
type reads struct {
	*state.Memory
	n int
}

// Load implements state.Store.
func (r *reads) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	r.n++
	return r.Memory.Load(ctx, run)
}

// TestRecent: a process that has saved a run the last few times does not read it before it saves it again.
// Where another process was quicker, where a turn comes again, and where nothing is saved, it reads the run.
func TestRecent(t *testing.T) {
	t.Parallel()
	full := reminder.Reminder{ID: "full", Trigger: "context_usage > 75%", Text: "Full."}
	set := compile.Must(compile.New([]reminder.Reminder{full}, compile.Options{}))
	memory := state.NewMemory()
	var servers [2]*evaljson.Server
	var stores [2]*reads
	for i := range servers {
		stores[i] = &reads{Memory: memory}
		servers[i] = &evaljson.Server{Eval: eval.New(set, eval.Options{Store: stores[i]})}
	}
	turn := 0
	decide := func(by int, usage, more string, reads int, want string) *evaljson.Answer {
		t.Helper()
		stores[by].n = 0
		a, err := servers[by].Decide(t.Context(), "run", []byte(`{"facts":{"context_usage":`+usage+`}`+more+`}`))
		if err != nil || fired(a) != want || stores[by].n != reads {
			t.Fatalf("fired %q, want %q, after %d reads, not %d: %v", fired(a), want, stores[by].n, reads, err)
		}
		return a
	}
	own := func(times int) {
		t.Helper()
		for range times {
			turn++
			decide(0, "0.2", fmt.Sprintf(`,"key":"k%d"`, turn), 1, "")
		}
	}
	own(3)
	decide(0, "0.8", `,"key":"full"`, 0, "full ")
	decide(0, "0.8", `,"key":"full"`, 1, "full ") // the same turn again
	decide(0, "0.8", "", 0, "")
	decide(0, "0.2", "", 0, "")
	decide(0, "0.8", `,"prepare":true`, 1, "full ") // nothing is saved
	decide(1, "0.8", "", 1, "full ")                // another process is quicker
	decide(0, "0.8", "", 1, "")
	own(2)
	decide(1, "0.8", `,"key":"both"`, 1, "full ")
	decide(0, "0.8", `,"key":"both"`, 1, "full ")
}
