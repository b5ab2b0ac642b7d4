package filestore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/state"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func save(t *testing.T, s *Store, run string, prev state.Revision, next *state.Snapshot) state.Revision {
	t.Helper()
	rev, err := s.Save(t.Context(), run, prev, next)
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func queued(prev *state.Snapshot, id string) *state.Snapshot { return state.Remind(prev, id) }

func temps(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(dir, tmpDir))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestS9Faults lets each step of a save fail, of the first save of a run apart: the run has its old value or its new one,
// no temporary file is left, and the error says whether the new one may be there.
func TestS9Faults(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	tests := []struct {
		name          string
		fail          func(d *disk)
		indeterminate bool
		written       bool
	}{
		{"create", func(d *disk) { d.create = func(string, string) (*os.File, error) { return nil, full } }, false, false},
		{"write", func(d *disk) { d.write = func(*os.File, []byte) error { return full } }, false, false},
		{"short write", func(d *disk) {
			d.write = func(f *os.File, b []byte) error {
				_, err := f.Write(b[:len(b)/2])
				return errors.Join(err, full)
			}
		}, false, false},
		{"sync", func(d *disk) { d.sync = func(*os.File) error { return full } }, true, false},
		{"close", func(d *disk) { d.sync = func(f *os.File) error { return f.Close() } }, true, false},
		{"rename", func(d *disk) { d.rename = func(string, string) error { return full } }, true, false},
		{"sync of the directory", func(d *disk) { d.syncDir = func(string) error { return full } }, true, true},
	}
	for _, tt := range tests {
		for _, first := range []bool{true, false} {
			name := tt.name + ", later save"
			if first {
				name = tt.name + ", first save"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				s := open(t, dir)
				var old *state.Snapshot
				var rev state.Revision
				if !first {
					old = queued(nil, "old")
					rev = save(t, s, "run", 0, old)
				}
				next := queued(old, "new")
				tt.fail(&s.disk)
				got, err := s.Save(t.Context(), "run", rev, next)
				if err == nil || got != 0 {
					t.Fatalf("Save = %d, %v, want an error", got, err)
				}
				if errors.Is(err, state.ErrConflict) || errors.Is(err, state.ErrIndeterminate) != tt.indeterminate {
					t.Errorf("Save: %v, indeterminate should be %v", err, tt.indeterminate)
				}
				if left := temps(t, dir); len(left) > 0 {
					t.Errorf("%v is left", left)
				}
				want, whose := old, "old"
				if tt.written {
					want, whose = next, "new"
				}
				snap, nowRev, err := open(t, dir).Load(t.Context(), "run")
				if err != nil || (snap == nil) != (want == nil) || snap != nil && string(snap.Encode()) != string(want.Encode()) {
					t.Fatalf("Load = %v, %v, want the %s value", snap, err, whose)
				}
				save(t, open(t, dir), "run", nowRev, queued(snap, "after"))
			})
		}
	}
}

// TestS9Corrupt damages the file of a run in each way: it is an error, it is kept aside, and it is an error ever after,
// for loading and for saving, until the run is deleted.
func TestS9Corrupt(t *testing.T) {
	t.Parallel()
	snap := queued(queued(nil, "b"), "a")
	whole := encode(content{run: "run", rev: 5, snapshot: snap.Encode()})
	damaged := map[string][]byte{
		"empty":              {},
		"of zeros":           make([]byte, len(whole)),
		"cut in the middle":  whole[:len(whole)/2],
		"cut by one byte":    whole[:len(whole)-1],
		"something behind":   append(append([]byte{}, whole...), '\n'),
		"twice":              append(append([]byte{}, whole...), whole...),
		"of another run":     encode(content{run: "other", rev: 5, snapshot: snap.Encode()}),
		"no snapshot":        encode(content{run: "run", rev: 5}),
		"no revision":        encode(content{run: "run", snapshot: snap.Encode()}),
		"a snapshot of null": encode(content{run: "run", rev: 5, snapshot: []byte("null")}),
	}
	for i := range whole {
		b := append([]byte{}, whole...)
		b[i] ^= 0x04
		if _, err := decode(b); err == nil {
			t.Errorf("bit 2 of byte %d (%q) turned round: no error", i, whole[i])
		}
	}
	for name, b := range damaged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, dir)
			rev := save(t, s, "run", 0, snap)
			file := s.path(fileName("run") + runExt)
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.Load(t.Context(), "run"); !errors.Is(err, state.ErrCorrupt) {
				t.Fatalf("Load: %v", err)
			}
			aside, err := os.ReadFile(s.path(fileName("run") + corruptExt))
			if err != nil || string(aside) != string(b) {
				t.Fatalf("set aside: %q, %v, want %q", aside, err, b)
			}
			for range 2 {
				if _, _, err := open(t, dir).Load(t.Context(), "run"); !errors.Is(err, state.ErrCorrupt) {
					t.Errorf("Load after it was set aside: %v", err)
				}
				for _, prev := range []state.Revision{0, rev} {
					if _, err := s.Save(t.Context(), "run", prev, snap); !errors.Is(err, state.ErrCorrupt) {
						t.Errorf("Save on %d after it was set aside: %v", prev, err)
					}
				}
			}
			if err := s.Delete(t.Context(), "run"); err != nil {
				t.Fatal(err)
			}
			save(t, s, "run", 0, snap)
		})
	}
	t.Run("found by a save", func(t *testing.T) {
		t.Parallel()
		s := open(t, t.TempDir())
		rev := save(t, s, "run", 0, snap)
		if err := os.Truncate(s.path(fileName("run")+runExt), 40); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Save(t.Context(), "run", rev, snap); !errors.Is(err, state.ErrCorrupt) {
			t.Fatalf("Save: %v", err)
		}
		if _, err := os.Stat(s.path(fileName("run") + corruptExt)); err != nil {
			t.Error(err)
		}
	})
}

// TestS10Newer leaves files of a later version as they are.
func TestS10Newer(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"file":     []byte("aside-run 2 whatever may come\nthen"),
		"snapshot": encode(content{run: "run", rev: 5, snapshot: []byte(`{"v":2}`)}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			file := s.path(fileName("run") + runExt)
			if name == "file" {
				b = []byte("aside-run 2 7 \"run\"\n")
			}
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.Load(t.Context(), "run"); !errors.Is(err, state.ErrNewer) {
				t.Errorf("Load: %v", err)
			}
			if _, err := s.Save(t.Context(), "run", 5, queued(nil, "x")); !errors.Is(err, state.ErrNewer) {
				t.Errorf("Save: %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != string(b) {
				t.Errorf("the file is now %q, %v", after, err)
			}
		})
	}
}

func TestOpenSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	rev := save(t, s, "run", 0, queued(nil, "x"))
	long := time.Now().Add(-2 * orphanAge)
	for name, old := range map[string]bool{"1": true, "2": true, "3": false} {
		path := filepath.Join(dir, tmpDir, fileName("run")+"."+name)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if old {
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	s = open(t, dir)
	if left := temps(t, dir); len(left) != 1 || left[0].Name() != fileName("run")+".3" {
		t.Errorf("after Open: %v, want what another may be writing", left)
	}
	if _, got, err := s.Load(t.Context(), "run"); err != nil || got != rev {
		t.Errorf("Load = %d, %v", got, err)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir)
	save(t, s, "run", 0, queued(nil, "x"))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s is %v, want %v", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for run, want := range map[string]string{
		"":                       "run-",
		"3f2a-b_1":               "run-3f2a-b_1",
		"A/..":                   "run-%41%2f%2e%2e",
		strings.Repeat("a", 125): "run-" + strings.Repeat("a", 124),
		strings.Repeat("a", 124): "run-" + strings.Repeat("a", 124),
		strings.Repeat(".", 42):  "",
	} {
		got := fileName(run)
		if len(got) > maxPlain {
			t.Errorf("fileName(%q) has %d bytes", run, len(got))
		}
		if plain, ok := strings.CutPrefix(got, plainPrefix); !ok {
			if len(run) < 42 || len(got) != len(hashedPrefix)+64 {
				t.Errorf("fileName(%q) = %q", run, got)
			}
		} else if back, err := unescape(plain); got != want || err != nil || back != run {
			t.Errorf("fileName(%q) = %q, which is %q, %v; want %q", run, got, back, err, want)
		}
	}
}
