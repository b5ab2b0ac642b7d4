package control_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// TestFollowAway: the log has one line for an outage, even if its errors differ, and one for the end of it.
func TestFollowAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		set, _ := compile.New(nil, compile.Options{})
		store, log := &faulty{Store: state.NewMemory()}, new(bytes.Buffer)
		f := control.Follower{Eval: eval.New(set, eval.Options{}), Store: store,
			Log: slog.New(slog.NewTextHandler(log, nil))}
		for _, why := range []string{"", "connection reset", "", "connection refused", "", "", "", ""} {
			store.err = nil
			if why != "" {
				store.err = errors.New(why)
			}
			f.Read(t.Context())
			if _, known := f.Switched(); known != (why == "") {
				t.Errorf("after %q known is %v", why, known)
			}
			time.Sleep(2 * time.Second)
		}
		if got := log.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "connection reset") ||
			!strings.Contains(got, "can be read again") {
			t.Error(got)
		}
	})
}
