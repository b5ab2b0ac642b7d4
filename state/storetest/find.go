package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

// Keyed are notes of a host by which a store finds their run: keys, and the value of each.
type Keyed [][2]uint64

// Keys has a store find the run, see state.Store.
func (k Keyed) Keys() (keys, values []uint64) {
	keys = []uint64{}
	for _, pair := range k {
		keys, values = append(keys, pair[0]), append(values, pair[1])
	}
	return keys, values
}

// MarshalJSON implements json.Marshaler.
func (k Keyed) MarshalJSON() ([]byte, error) { return json.Marshal([][2]uint64(k)) }

// find: a run is found by the keys of its last save, by those alone, also after a save that knows none; it is
// not found by those of a conflict, nor once it is deleted.
func find(ctx context.Context, s state.Store) error {
	f, ok := s.(readset.Finder)
	if !ok {
		return nil
	}
	const high = 1<<63 + 4 // of 64 bits
	revs := map[string]state.Revision{}
	save := func(run string, prev state.Revision, notes firing.Notes) error {
		next, err := firing.Note(step(nil, run), notes)
		if err != nil {
			return err
		}
		rev, err := s.Save(ctx, run, prev, next)
		if err == nil {
			revs[run] = rev
		}
		return err
	}
	finds := func(key uint64, want ...string) error {
		found, err := f.Find(ctx, key, 10)
		if err != nil {
			return fmt.Errorf("Find(%d): %w", key, err)
		}
		if runs := slices.Sorted(maps.Keys(found)); !slices.Equal(runs, want) {
			return fmt.Errorf("Find(%d): %q, want %q", key, runs, want)
		}
		return nil
	}
	steps := []func() error{
		func() error { return save("a", 0, Keyed{{1, 10}, {high, 11}, {1, 12}}) },
		func() error { return save("é\x00", 0, Keyed{{1, 20}}) },
		func() error { return finds(1, "a", "é\x00") },
		func() error { return finds(high, "a") },
		func() error { return finds(4) },
		func() error { return finds(10) },
		func() error {
			found, err := f.Find(ctx, 1, 10)
			slices.Sort(found["a"])
			want := fmt.Sprint(map[string][]uint64{"a": {10, 12}, "é\x00": {20}})
			if fmt.Sprint(found) != want || err != nil {
				return fmt.Errorf("found %v, %w; want %s", found, err, want)
			}
			for limit := range 2 {
				if found, err = f.Find(ctx, 1, limit); len(found) != limit || err != nil {
					return fmt.Errorf("found at most %d: %v, %w", limit, found, err)
				}
			}
			return nil
		},
		func() error { return save("a", revs["a"], json.RawMessage(`{}`)) },
		func() error { return finds(1, "a", "é\x00") },
		func() error {
			if err := save("a", 1, Keyed{{3, 0}}); err == nil {
				return fmt.Errorf("a save on another revision")
			}
			return finds(3)
		},
		func() error { return save("a", revs["a"], Keyed{{2, 0}}) },
		func() error { return finds(1, "é\x00") },
		func() error { return finds(2, "a") },
		func() error { return save("a", revs["a"], Keyed{}) },
		func() error { return finds(2) },
		func() error { return s.Delete(ctx, "é\x00") },
		func() error { return finds(1) },
	}
	for i, do := range steps {
		if err := do(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}
