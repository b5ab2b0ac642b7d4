package readset_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

// TestOver: what a request has read or saved of a run stands for it, whatever others save meanwhile, until a
// save of its own fails; a context without a Set reads the store.
func TestOver(t *testing.T) {
	t.Parallel()
	store := state.NewMemory()
	s := firing.Remind(nil, "a")
	var set readset.Set
	ctx := set.In(context.Background())
	over := readset.Over(ctx, store)
	read := func(from state.Store) state.Revision {
		_, rev, err := from.Load(ctx, "run")
		if err != nil {
			t.Fatal(err)
		}
		return rev
	}
	if readset.Over(context.Background(), store) != state.Store(store) || read(over) != 0 {
		t.Error("not as the store has it")
	}
	first, err := store.Save(ctx, "run", 0, s) // by another
	if err != nil || read(over) != 0 || read(store) != first {
		t.Error("a run was read twice", err)
	}
	if _, err = over.Save(ctx, "run", 0, s); !errors.Is(err, state.ErrConflict) || read(over) != first {
		t.Error("not read anew after", err)
	}
	own, err := over.Save(ctx, "run", first, s)
	if err != nil {
		t.Fatal(err)
	}
	latest, err := store.Save(ctx, "run", own, s)
	if err != nil || read(over) != own {
		t.Error("what it has saved does not stand", err)
	}
	if set.Reset(); read(over) != latest {
		t.Error("not read anew")
	}
	if err := over.Delete(ctx, "run"); err != nil || read(over) != 0 || read(store) != 0 {
		t.Error("not deleted", err)
	}
}
