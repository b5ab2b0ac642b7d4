package eval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// unsureStore says once of a write that it may have been made, after it was made.
type unsureStore struct {
	state.Store
	left int
}

func (s *unsureStore) Save(ctx context.Context, run string, rev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	got, err := s.Store.Save(ctx, run, rev, next)
	if s.left--; s.left >= 0 && err == nil {
		return got, state.ErrIndeterminate
	}
	return got, err
}

// TestDecided: each turn that is stored is told once, with what fired and why; what was not stored is not.
func TestDecided(t *testing.T) {
	t.Parallel()
	ctx := context.WithValue(context.Background(), key{}, "here")
	store := &unsureStore{Store: state.NewMemory()}
	var told []string
	ev := eval.New(reminders(), eval.Options{Store: store,
		Decided: func(ctx context.Context, run string, d *eval.Decision) {
			if ctx.Value(key{}) != "here" {
				t.Error("another context")
			}
			line := fmt.Sprint(run, " ", d.Turn)
			for _, f := range d.Fired {
				line += fmt.Sprint(" ", f.ID, ": ", f.Text, " (", d.Why(f.ID), ")")
			}
			told = append(told, line)
		}})
	full := eval.Turn{Key: "1", Fill: func(f *fact.Frame) { f.SetRatio(fact.ContextUsage, 0.8) }}
	for range 2 { // the second is the first again
		if _, err := ev.Decide(ctx, "run", full); err != nil {
			t.Fatal(err)
		}
	}
	d, err := ev.Prepare(ctx, "run", eval.Turn{Key: "2"})
	if err != nil {
		t.Fatal(err)
	}
	d.Discard()
	store.left = 1
	d, err = ev.Prepare(ctx, "run", eval.Turn{Key: "3"})
	if err := errors.Join(err, d.Commit(ctx), d.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	want := []string{"run 1 near-full: The context is 80% full. (context_usage > 75%)", "run 2"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
