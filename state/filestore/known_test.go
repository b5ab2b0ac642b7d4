package filestore

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// TestI11Lost takes away what the disk holds, and gives back an older copy of it: each process goes on with
// the last state of a run that any save has told it of, and a run that was deleted stays deleted.
func TestI11Lost(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(quickDir(t), "s")
	s, other := open(t, dir), open(t, dir)
	rev := save(t, s, "run", 0, firing.Remind(nil, "1"))
	save(t, s, "deleted", 0, firing.Remind(nil, "1"))
	copyDir(t, dir, dir+"-older")
	rev = save(t, s, "run", rev, firing.Remind(nil, "2"))
	last := firing.Remind(nil, "3")
	rev = save(t, s, "run", rev, last)
	holds := func(s *Store, want state.Revision, wantSnap *state.Snapshot) {
		t.Helper()
		got, now, err := s.Load(t.Context(), "run")
		if err != nil || now != want || string(got.Encode()) != string(wantSnap.Encode()) {
			t.Fatalf("Load = %v, %d, %v, want %d", got, now, err, want)
		}
	}
	holds(other, rev, last)
	for _, run := range []string{"run", "deleted"} { // they know both
		if _, _, err := other.Load(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(t.Context(), "deleted"); err != nil {
		t.Fatal(err)
	}
	if snap, _, err := other.Load(t.Context(), "deleted"); snap != nil || err != nil {
		t.Errorf("deleted by another process: %v, %v", snap, err)
	}

	if err := errors.Join(os.RemoveAll(dir), os.Rename(dir+"-older", dir)); err != nil {
		t.Fatal(err)
	}
	holds(s, rev, last)
	holds(other, rev, last)
	last = firing.Remind(nil, "4")
	if _, err := open(t, dir).Save(t.Context(), "run", rev, last); !errors.Is(err, state.ErrConflict) {
		t.Errorf("a process that does not know that revision: %v", err)
	}
	rev = save(t, s, "run", rev, last)
	holds(other, rev, last)
	holds(open(t, dir), rev, last)

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	holds(other, rev, last)
	last = firing.Remind(nil, "5")
	rev = save(t, other, "run", rev, last)
	holds(s, rev, last)
	holds(open(t, dir), rev, last)
	if _, err := s.Save(t.Context(), "run", rev-1, last); !errors.Is(err, state.ErrConflict) {
		t.Errorf("a revision before: %v", err)
	}
}

// TestUnchanged: a process that knows a run takes its snapshot for that of the file only as long as the file
// holds no other revision, whole or not.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(quickDir(t), "s")
	s, other := open(t, dir), open(t, dir)
	rev := save(t, s, "run", 0, firing.Remind(nil, "0"))
	for i, size := range []int{10, 20, 30, 9000, 40, 50} { // one save replaces the file
		next := ofSize(size)
		rev = save(t, other, "run", rev, next)
		got, now, err := s.Load(t.Context(), "run")
		if err != nil || now != rev || string(got.Encode()) != string(next.Encode()) {
			t.Fatalf("save %d of another process: Load = %d, %v, want %d", i, now, err, rev)
		}
		k, _ := s.known.Get(fileName("run"))
		f, err := os.OpenFile(s.path(fileName("run")+runExt), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		at, ok := k.unchanged(f)
		if !ok || at.rev != rev || at.spare != 0 && at.spare != int64(at.half) {
			t.Fatalf("unchanged = %+v, %v", at, ok)
		}
		if full, err := s.read(fileName("run"), "run"); err != nil || full.spare != at.spare ||
			full.half != at.half || full.mark != at.mark {
			t.Errorf("unchanged = %+v, and the whole file says %+v, %v", at, full, err)
		}
		torn := encode(content{"run", rev + 1, next.Encode()})
		if _, err := f.WriteAt(torn[:60], at.spare); err != nil {
			t.Fatal(err)
		}
		if _, ok := k.unchanged(f); ok {
			t.Error("a save has begun, and the file is taken as unchanged")
		}
		if _, now, err := s.Load(t.Context(), "run"); err != nil || now != rev {
			t.Errorf("a save that was cut short: Load = %d, %v", now, err)
		}
		f.Close()
	}
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("chmod", "-R", "go=", to).CombinedOutput(); err != nil {
		t.Skip(string(out))
	}
}

// TestSync: after Sync, all that was saved before is durable, each file synced once, and the directory if a
// file is new; what could not be synced is synced the next time.
func TestSync(t *testing.T) {
	t.Parallel()
	synced, dirs := map[string]int{}, 0
	var fail error
	d := quickDisk()
	d.syncData = func(f *os.File) error { synced[filepath.Base(f.Name())]++; return fail }
	d.syncDir = func(string) error { dirs++; return nil }
	d.sync = func(*os.File) error { t.Error("a save has waited for the disk"); return nil }
	s, err := Options{Durability: OnSync}.openOn(d, filepath.Join(quickDir(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(dir int, runs map[string]int) {
		t.Helper()
		clear(synced)
		dirs = 0
		if err := s.Sync(t.Context()); !errors.Is(err, fail) {
			t.Errorf("Sync: %v", err)
		}
		same := len(synced) == len(runs) && dirs == dir
		for run, n := range runs {
			same = same && synced[fileName(run)+runExt] == n
		}
		if !same {
			t.Errorf("synced %v, the directory %d times, want %v and %d", synced, dirs, runs, dir)
		}
	}
	above := len(strings.Split(s.dir, string(filepath.Separator)))
	check(above, nil) // the store is new
	check(0, nil)
	a := save(t, s, "a", 0, firing.Remind(nil, "x"))
	save(t, s, "b", 0, firing.Remind(nil, "x"))
	a = save(t, s, "a", a, firing.Remind(nil, "y"))
	check(1, map[string]int{"a": 1, "b": 1})
	check(0, nil)
	a = save(t, s, "a", a, firing.Remind(nil, "z"))
	fail = syscall.EIO
	check(0, map[string]int{"a": 1})
	fail = nil
	check(0, map[string]int{"a": 1})
	save(t, s, "a", a, firing.Remind(nil, "z"))
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	check(0, map[string]int{})
}

// TestMixedDurability: what a store that does not wait for the disk has saved, one that does makes durable
// before it acts on it.
func TestMixedDurability(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(quickDir(t), "s")
	hook, err := Options{Durability: Process}.openOn(quickDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	synced := 0
	d := quickDisk()
	d.syncData = func(*os.File) error { synced++; return nil }
	s, err := Options{}.openOn(d, dir)
	if err != nil {
		t.Fatal(err)
	}
	rev := save(t, hook, "run", 0, firing.Remind(nil, "a"))
	for want := 1; want < 4; want++ {
		for range 2 {
			if _, now, err := s.Load(t.Context(), "run"); now != rev || err != nil || synced != want {
				t.Errorf("Load = %d, %v, with %d syncs, want %d", now, err, synced, want)
			}
		}
		rev = save(t, hook, "run", rev, firing.Remind(nil, "a"))
	}
}
