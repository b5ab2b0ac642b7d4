package control_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/aside-go/aside/cmd/asided/internal/control"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// faulty is a store that fails while err is set.
type faulty struct {
	state.Store
	err error
}

func (f *faulty) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if f.err != nil {
		return nil, 0, f.err
	}
	return f.Store.Load(ctx, run)
}

// TestFollowAway: each try that fails is told, and says so until the next one succeeds.
func TestFollowAway(t *testing.T) {
	t.Parallel()
	set, _ := compile.New(nil, compile.Options{})
	store, failed := &faulty{Store: state.NewMemory()}, []string{}
	f := control.Follower{Eval: eval.New(set, eval.Options{}), Store: store, Log: slog.New(slog.DiscardHandler),
		Failed: func(err error) { failed = append(failed, err.Error()) }}
	for _, err := range []error{nil, errors.New("reset"), errors.New("refused"), nil} {
		store.err = err
		f.Read(t.Context())
		if _, known := f.Switched(); known != (err == nil) {
			t.Errorf("after %v known is %v", err, known)
		}
	}
	if !slices.Equal(failed, []string{"reset", "refused"}) {
		t.Error(failed)
	}
}
