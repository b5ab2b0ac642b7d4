package filestore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// record is the record of a firing with a number.
func record(n int) reminder.Record {
	return reminder.Record{Time: time.Unix(1_700_000_000, 0).UTC(), Run: "r",
		Firing: fmt.Sprintf("%016x", n), ID: "a",
		Version: "v", Outcome: reminder.Fired}
}

// recorded returns the firings that a store has records of.
func recorded(t *testing.T, s *Store) (firings []string) {
	t.Helper()
	for r, err := range s.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		firings = append(firings, r.Firing)
	}
	return firings
}

// TestTornRecord: a line that is not whole is left out, and takes no other with it. The file is nobody
// else's.
func TestTornRecord(t *testing.T) {
	t.Parallel()
	s, err := Open(t.TempDir(), Options{Durability: Process})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := s.SaveRecorded(t.Context(), "run", 0, firing.Remind(nil, "a"),
		[]reminder.Record{record(1), record(2)})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.dir, "outcomes")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 40, len(whole)/2 - 1} {
		if err := os.WriteFile(path, append(whole, whole[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		if rev, err = s.SaveRecorded(t.Context(), "run", rev, firing.Remind(nil, "a"),
			[]reminder.Record{record(3)}); err != nil {
			t.Fatal(err)
		}
		want := "0000000000000001 0000000000000002 0000000000000003"
		if cut == len(whole)/2-1 { // all but the end of its line
			want = "0000000000000001 0000000000000002 0000000000000001 0000000000000003"
		}
		if got := strings.Join(recorded(t, s), " "); got != want {
			t.Errorf("torn after %d bytes: %s, want %s", cut, got, want)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestManyRecords: records of many writers stay whole, each of them once, also while files are full and get
// other names; of the oldest, whole files go.
func TestManyRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const writers, saves, each = 4, 25, 3
	var all sync.WaitGroup
	for w := range writers {
		s, err := Open(dir, Options{Durability: Process})
		if err != nil {
			t.Fatal(err)
		}
		s.full = 2000
		all.Go(func() {
			var rev state.Revision
			for n := range saves {
				var records []reminder.Record
				for k := range each {
					records = append(records, record((w*saves+n)*each+k))
				}
				var err error
				if rev, err = s.SaveRecorded(t.Context(), fmt.Sprint(w), rev, firing.Remind(nil, "a"),
					records); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	s, err := Open(dir, Options{Durability: Process})
	if err != nil {
		t.Fatal(err)
	}
	s.full, s.maxFull = 2000, 4000
	seen := map[string]int{}
	for _, f := range recorded(t, s) {
		seen[f]++
	}
	if len(seen) != writers*saves*each || seen[fmt.Sprintf("%016x", 0)] != 1 {
		t.Errorf("%d firings, want %d", len(seen), writers*saves*each)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "outcomes-*")); err != nil || len(files) < 5 {
		t.Errorf("%d full files, %v", len(files), err)
	}
	for n := range 20 {
		if _, err := s.SaveRecorded(t.Context(), fmt.Sprint("late", n), 0, firing.Remind(nil, "a"),
			[]reminder.Record{record(1000 + n)}); err != nil {
			t.Fatal(err)
		}
	}
	if left := recorded(t, s); len(left) > 60 || left[len(left)-1] != record(1019).Firing {
		t.Errorf("%d are left, the last %s", len(left), left[len(left)-1])
	}
}
