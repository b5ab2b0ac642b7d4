package eval_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// faulty is a store whose saves can fail: before or after they were written.
type faulty struct {
	state.Store
	fail   []error // of the next saves; nil is none
	write  bool    // whether a save that fails is written all the same
	saves  int
	unread error // of the next load; nil is none
}

func (s *faulty) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if err := s.unread; err != nil {
		s.unread = nil
		return nil, 0, err
	}
	return s.Store.Load(ctx, run)
}

func (s *faulty) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	s.saves++
	var err error
	if len(s.fail) > 0 {
		err, s.fail = s.fail[0], s.fail[1:]
	}
	if err != nil && !s.write {
		return 0, err
	}
	rev, saved := s.Store.Save(ctx, run, prev, next)
	if saved != nil {
		return 0, saved
	}
	return rev, err
}

// TestIndeterminate holds that a reminder fires once although the store does not know whether it saved.
func TestIndeterminate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, c := range []struct {
		name, key string
		written   bool
		fail      []error
	}{
		{"written", "", true, []error{state.ErrIndeterminate}},
		{"not written", "", false, []error{state.ErrIndeterminate}},
		{"written, with a key", "k", true, []error{state.ErrIndeterminate}},
		{"not written, with a key", "k", false, []error{state.ErrIndeterminate}},
		{"a conflict", "", false, []error{state.ErrConflict, state.ErrConflict}},
		{"a conflict, with a key", "k", false, []error{state.ErrConflict}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := &faulty{Store: state.NewMemory(), fail: c.fail, write: c.written}
			ev := eval.New(set(t, when("r", "turn_gt:0")), eval.Options{Store: store, Clock: stopped})
			on := facts{"user_message": true}
			d, err := ev.Decide(ctx, "run", eval.Turn{Key: c.key, Facts: on})
			if err != nil || d.Turn != 1 || ids(d.Fired) != "r" {
				t.Fatalf("%v %+v", err, d)
			}
			if d := decide(t, ev, eval.Turn{Facts: on}); d.Turn != 2 || ids(d.Fired) != "" {
				t.Errorf("turn %d fired %s", d.Turn, ids(d.Fired))
			}
		})
	}
	t.Run("never known", func(t *testing.T) {
		t.Parallel()
		store := &faulty{Store: state.NewMemory(), fail: []error{state.ErrIndeterminate, nil}, write: true}
		unread := errors.New("unread")
		ev := eval.New(set(t, when("r", "user_message")), eval.Options{Store: store, Clock: stopped})
		d, err := ev.Prepare(ctx, "run", eval.Turn{Facts: facts{"user_message": true}})
		if err != nil {
			t.Fatal(err)
		}
		store.unread = unread
		if err := d.Commit(ctx); !errors.Is(err, state.ErrIndeterminate) || !errors.Is(err, unread) {
			t.Fatal(err)
		}
		decide(t, ev, eval.Turn{})
		for range 2 {
			if err := d.Commit(ctx); !errors.Is(err, state.ErrIndeterminate) {
				t.Error(err)
			}
		}
	})
}

// TestConflictTime holds that a turn has one time, however often it is tried: that at which Decide was
// called.
func TestConflictTime(t *testing.T) {
	t.Parallel()
	asked := 0
	clock := func() time.Time {
		asked++
		return stopped().Add(time.Duration(asked) * time.Hour)
	}
	store := &faulty{Store: state.NewMemory(), fail: []error{state.ErrConflict, state.ErrConflict}}
	ev := eval.New(set(t, when("r", "user_message")),
		eval.Options{Store: store, Clock: clock})
	if _, err := ev.Decide(context.Background(), "run", eval.Turn{}); err != nil {
		t.Fatal(err)
	}
	if asked != 1 || store.saves != 3 {
		t.Errorf("the clock was asked %d times in %d tries", asked, store.saves)
	}
}

// TestConflictForEver holds that trying again has an end.
func TestConflictForEver(t *testing.T) {
	t.Parallel()
	var fail []error
	for range 10_000 {
		fail = append(fail, state.ErrConflict)
	}
	store := &faulty{Store: state.NewMemory(), fail: fail}
	ev := eval.New(set(t, when("r", "user_message")), eval.Options{Store: store, Clock: stopped})
	if _, err := ev.Decide(context.Background(), "run", eval.Turn{}); !errors.Is(err, state.ErrConflict) {
		t.Error(err)
	}
	if err := ev.Remind(context.Background(), "run", "r"); !errors.Is(err, state.ErrConflict) {
		t.Error(err)
	}
	if store.saves > 1000 {
		t.Errorf("%d saves", store.saves)
	}
}

// TestStoreErrors holds that the errors of a store come through.
func TestStoreErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	store := &faulty{Store: state.NewMemory(), fail: []error{boom, boom}}
	ev := eval.New(set(t, when("r", "user_message")), eval.Options{Store: store, Clock: stopped})
	if _, err := ev.Decide(context.Background(), "run", eval.Turn{}); !errors.Is(err, boom) {
		t.Error(err)
	}
	if err := ev.Remind(context.Background(), "run", "r"); !errors.Is(err, boom) {
		t.Error(err)
	}
}
