package filestore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// TestOpenSweeps: Open leaves a temporary file whose lock is held, since a process may be writing it, and
// removes all others, however new. It waits for no lock.
func TestOpenSweeps(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	s := open(t, dir)
	rev := save(t, s, "run", 0, firing.Remind(nil, "x"))
	for _, name := range []string{fileName("run") + ".1", fileName("run") + ".2", fileName("busy") + ".3",
		fileName("gone") + ".4", "foreign.txt"} {
		if err := os.WriteFile(filepath.Join(dir, tmpDir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := s.lock(fileName("busy"), &operation{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s = open(t, dir)
	if left := temps(t, dir); !slices.Equal(left, []string{"foreign.txt", fileName("busy") + ".3"}) {
		t.Errorf("after Open: %q", left)
	}
	if _, got, err := s.Load(t.Context(), "run"); err != nil || got != rev {
		t.Errorf("Load = %d, %v", got, err)
	}
}

// expiring is a store with the clock of a test.
type expiring struct {
	t   *testing.T
	dir string
	now time.Time
}

func (e *expiring) open(keep time.Duration) *Store {
	e.t.Helper()
	d := quickDisk()
	d.now = func() time.Time { return e.now }
	s, err := Options{Keep: keep}.openOn(d, e.dir)
	if err != nil {
		e.t.Fatal(err)
	}
	return s
}

// save saves a run anew, so that it has that age.
func (e *expiring) save(s *Store, run string, age time.Duration) {
	e.t.Helper()
	_, rev, err := s.Load(e.t.Context(), run)
	if err != nil {
		e.t.Fatal(err)
	}
	save(e.t, s, run, rev, firing.Remind(nil, "x"))
	e.age(s, fileName(run)+runExt, age)
}

func (e *expiring) age(s *Store, file string, age time.Duration) {
	e.t.Helper()
	if err := os.Chtimes(s.path(file), e.now.Add(-age), e.now.Add(-age)); err != nil {
		e.t.Fatal(err)
	}
}

func (e *expiring) runs(s *Store) []string {
	e.t.Helper()
	runs, err := state.AllRuns(e.t.Context(), s)
	if err != nil {
		e.t.Fatal(err)
	}
	return runs
}

// TestSweepEnds: a sweep that has gone through all files is whole, though its time is over by then.
func TestSweepEnds(t *testing.T) {
	t.Parallel()
	e := &expiring{t, quickDir(t), time.Now()}
	s := e.open(0)
	e.save(s, "old", 31*day)
	e.age(s, stampFile, 25*time.Hour)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := s.Sweep(over); n != 1 || err != nil {
		t.Errorf("Sweep = %d, %v", n, err)
	}
}

// TestExpire forgets runs that were not saved for long, at most once a day, and never one whose lock somebody
// has.
func TestExpire(t *testing.T) {
	t.Parallel()
	e := &expiring{t, quickDir(t), time.Now()}
	s := e.open(0)
	for run, days := range map[string]int{"new": 0, "recent": 29, "old": 31, "held": 31, "older": 400} {
		e.save(s, run, time.Duration(days)*day)
	}
	for _, file := range []string{corruptName(fileName("corrupt"), 1), "foreign"} {
		if err := os.WriteFile(s.path(file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		e.age(s, file, 40*day)
	}
	l, err := s.lock(fileName("held"), &operation{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()

	e.age(s, stampFile, 23*time.Hour)
	if got := e.runs(e.open(0)); len(got) != 5 {
		t.Errorf("within the day: %q", got)
	}
	e.age(s, stampFile, 25*time.Hour)
	if got := e.runs(e.open(-1)); len(got) != 5 {
		t.Errorf("kept for ever: %q", got)
	}
	if got := e.runs(e.open(0)); !slices.Equal(got, []string{"held", "new", "recent"}) {
		t.Errorf("the next day: %q", got)
	}
	files, err := filepath.Glob(s.path("*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	want := []string{stampFile, "foreign", tmpDir, lockDir}
	for _, run := range []string{"held", "new", "recent"} {
		want = append(want, fileName(run)+runExt)
	}
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("left are %q, want %q", files, want)
	}
	if info, err := os.Stat(s.path(stampFile)); err != nil || !info.ModTime().Equal(e.now.Truncate(0)) &&
		e.now.Sub(info.ModTime()).Abs() > time.Second {
		t.Errorf("the stamp is not touched: %v, %v", info, err)
	}
	e.now = e.now.Add(2 * day)
	if got := e.runs(e.open(0)); !slices.Equal(got, []string{"held", "new"}) {
		t.Errorf("two days later: %q", got)
	}
}

// TestExpireClock lets the clock jump: no run in use is forgotten.
func TestExpireClock(t *testing.T) {
	t.Parallel()
	e := &expiring{t, quickDir(t), time.Now()}
	s := e.open(0)
	e.save(s, "used", 0)
	e.save(s, "left", 0)
	e.now = e.now.Add(365 * day)
	for range 3 {
		if got := e.runs(e.open(0)); len(got) != 2 {
			t.Fatalf("a year forward: %q", got)
		}
	}
	e.save(s, "used", 0)
	s = e.open(0)
	if _, err := s.Sweep(t.Context()); err != nil || len(e.runs(s)) != 2 {
		t.Errorf("within the hour: %q, %v", e.runs(s), err)
	}
	e.now = e.now.Add(2 * time.Hour)
	s = e.open(0)
	if n, err := s.Sweep(t.Context()); n != 1 || err != nil || !slices.Equal(e.runs(s), []string{"used"}) {
		t.Errorf("two hours later: %q, %d, %v", e.runs(s), n, err)
	}
	e.now = e.now.Add(-800 * day)
	for range 3 {
		if got := e.runs(e.open(0)); len(got) != 1 {
			t.Errorf("back again: %q", got)
		}
	}
}

// TestExpireMany forgets no more at once than a hook can wait for, and the rest when it is opened again or
// swept.
func TestExpireMany(t *testing.T) {
	t.Parallel()
	e := &expiring{t, quickDir(t), time.Now()}
	s := e.open(0)
	const many = 30_000
	for i := range many {
		path := s.path(fileName(fmt.Sprint(i)) + runExt)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		e.age(s, filepath.Base(path), 31*day)
	}
	e.age(s, stampFile, 25*time.Hour)
	left := many
	for range 2 {
		s = e.open(0)
		runs := len(e.runs(s))
		if runs == 0 || runs == left {
			t.Errorf("%d of %d are left after Open", runs, left)
		}
		left = runs
	}
	if n, err := s.Sweep(t.Context()); n != left || err != nil || len(e.runs(s)) > 0 {
		t.Errorf("Sweep = %d, %v, and %d are left", n, err, len(e.runs(s)))
	}
}

// TestSweepNothing: where the directory was removed there are no old runs, and the next save creates it
// again.
func TestSweepNothing(t *testing.T) {
	t.Parallel()
	e := &expiring{t, quickDir(t), time.Now()}
	s := e.open(0)
	e.save(s, "before", 0)
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("Sweep = %d, %v", n, err)
	}
	e.save(s, "after", 0)
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil || !slices.Equal(e.runs(s), []string{"after"}) {
		t.Errorf("saved again: %d, %v, %q", n, err, e.runs(s))
	}
}
