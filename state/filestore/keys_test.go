package filestore

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/storetest"
)

// found returns the runs that a store finds by a key.
func found(t *testing.T, s *Store, key uint64) []string {
	t.Helper()
	runs, err := s.Find(t.Context(), key, 100)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(runs))
}

// TestKeysOfOthers: a process finds the runs of other processes, also after a search that found none. A save
// adds a short line for new keys, and no line for the same keys.
func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	a, b := open(t, dir), open(t, dir)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, keysFile))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if runs := found(t, b, 1); len(runs) > 0 {
		t.Errorf("before all saves: %q", runs)
	}
	var window storetest.Keyed
	rev, grown := state.Revision(0), int64(0)
	for i := range uint64(40) {
		if window = append(window, [2]uint64{i, 1 << 60}); len(window) > 16 {
			window = window[1:]
		}
		rev = save(t, a, "run", rev, withKeys(nil, slices.Clone(window)))
		was := size()
		rev = save(t, a, "run", rev, firing.Remind(withKeys(nil, slices.Clone(window)), "x"))
		if size() != was || was-grown > 150 {
			t.Errorf("save %d: the file grew from %d to %d and %d bytes", i, grown, was, size())
		}
		grown = was
		if runs := found(t, b, i); !slices.Equal(runs, []string{"run"}) {
			t.Errorf("by the key of save %d: %q", i, runs)
		}
		if runs := found(t, b, i-16); i >= 16 && len(runs) > 0 {
			t.Errorf("by the key of save %d after save %d: %q", i-16, i, runs)
		}
	}
	save(t, b, "run", rev, withKeys(nil, storetest.Keyed{{100, 0}})) // by a process that knows not what was
	if old, now := found(t, a, 39), found(t, a, 100); len(old) > 0 || len(now) != 1 {
		t.Errorf("after the save of another process: %q, %q", old, now)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if runs := found(t, a, 100); len(runs) > 0 {
		t.Errorf("without a directory: %q", runs)
	}
}

// TestTornKeys: a line that a loss of power has torn takes no other with it.
func TestTornKeys(t *testing.T) {
	t.Parallel()
	for cut := range len(`{"run":"a","anew":true,"keys":[1],"values":[2]}`) {
		dir := quickDir(t)
		s := open(t, dir)
		save(t, s, "a", 0, withKeys(nil, storetest.Keyed{{1, 2}}))
		path := filepath.Join(dir, keysFile)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(whole, whole[len(keysHead()):][:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		found(t, s, 1)
		save(t, s, "b", 0, withKeys(nil, storetest.Keyed{{3, 4}}))
		for _, s := range []*Store{s, open(t, dir)} {
			if a, b := found(t, s, 1), found(t, s, 3); len(a) != 1 || len(b) != 1 {
				t.Errorf("torn after %d bytes: %q, %q", cut, a, b)
			}
		}
	}
}

// TestKeysShrink: while many processes save, the file stays small, and each run is found by its keys and by
// no others; runs that are gone leave it.
func TestKeysShrink(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	const processes, runs, saves = 4, 5, 30
	own := func(p, r int) uint64 { return uint64(1000 + 100*p + r) }
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			s := open(t, dir)
			for i := range saves {
				for r := range runs {
					name := fmt.Sprintf("run-%d-%d", p, r)
					_, rev, err := s.Load(t.Context(), name)
					if err == nil {
						s.keysFull.Store(2000)
						keys := storetest.Keyed{{uint64(i), uint64(p)}, {own(p, r), 1}}
						_, err = s.Save(t.Context(), name, rev, withKeys(nil, keys))
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	s := open(t, dir)
	if all := found(t, s, saves-1); len(all) != processes*runs {
		t.Errorf("found %q", all)
	}
	for key := range uint64(saves - 1) {
		if some := found(t, s, key); len(some) > 0 {
			t.Errorf("by key %d: %q", key, some)
		}
	}
	for p := range processes {
		for r := range runs {
			name := fmt.Sprintf("run-%d-%d", p, r)
			if one := found(t, s, own(p, r)); !slices.Equal(one, []string{name}) {
				t.Errorf("%s: %q", name, one)
			}
			if err := s.Delete(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
	}
	rev, now := state.Revision(0), time.Now()
	for i := range uint64(2) { // first saves may be under way the first time
		s.keysFull.Store(0)
		s.disk.now = func() time.Time { return now.Add(time.Duration(i) * 2 * time.Hour) }
		rev = save(t, s, "last", rev, withKeys(nil, storetest.Keyed{{i, 7}}))
	}
	if b, err := os.ReadFile(filepath.Join(dir, keysFile)); strings.Count(string(b), "\n") != 2 || err != nil {
		t.Errorf("%s, %v", b, err)
	}
	if left := temps(t, dir); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
