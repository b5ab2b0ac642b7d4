package filestore

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/storetest"
)

// each returns d with every step that changes something, or takes a lock, going through do.
func each(d disk, do func(step string, run func() error) error) disk {
	w := d
	w.mkdir = func(path string) error { return do("mkdir "+path, func() error { return d.mkdir(path) }) }
	w.lock = func(path string, wait bool) (l lockFile, err error) {
		taken := false
		defer func() { // also when the process ends here
			if !taken && l != nil {
				l.Close()
				l = nil
			}
		}()
		err = do("lock", func() error { l, err = d.lock(path, wait); return err })
		taken = err == nil
		return l, err
	}
	w.create = func(dir, pattern string) (f *os.File, err error) {
		err = do("create "+pattern, func() error { f, err = d.create(dir, pattern); return err })
		return f, err
	}
	w.write = func(f *os.File, b []byte) error {
		return do("write "+f.Name(), func() error { return d.write(f, b) })
	}
	w.sync = func(f *os.File) error { return do("sync "+f.Name(), func() error { return d.sync(f) }) }
	w.close = func(f *os.File) error { return do("close", func() error { return d.close(f) }) }
	w.mark = func(f *os.File, at int64, m mark) error {
		name := "mark"
		if m == durable {
			name = "unmark"
		}
		return do(name, func() error { return d.mark(f, at, m) })
	}
	w.open = func(path string) (f *os.File, err error) {
		err = do("open "+path, func() error { f, err = d.open(path); return err })
		return f, err
	}
	w.writeAt = func(f *os.File, b []byte, at int64) error {
		return do("writeAt "+f.Name(), func() error { return d.writeAt(f, b, at) })
	}
	w.syncData = func(f *os.File) error {
		return do("syncData "+f.Name(), func() error { return d.syncData(f) })
	}
	w.rename = func(from, to string) error {
		return do("rename "+from+" "+to, func() error { return d.rename(from, to) })
	}
	w.remove = func(path string) error { return do("remove "+path, func() error { return d.remove(path) }) }
	w.syncDir = func(dir string) error { return do("syncDir "+dir, func() error { return d.syncDir(dir) }) }
	return w
}

// moment is a save at a time that is dangerous in its own way.
type moment struct {
	name    string
	prepare func(t testing.TB, dir string) (*state.Snapshot, state.Revision) // the content before the save
	// the store is opened on the disk that fails, too
	reopens bool
	keys    storetest.Keyed // by which the run is found once it is saved
	full    bool            // the file of keys is full
}

// The moments at which a file is written over, and at which it is replaced.
const later, larger = 2, 3

var moments = []moment{
	{"first creation", func(testing.TB, string) (*state.Snapshot, state.Revision) {
		return nil, 0
	}, true, nil, false},
	{"first save", func(t testing.TB, dir string) (*state.Snapshot, state.Revision) {
		open(t,
			dir)
		return nil, 0
	}, false, nil, false},
	{"later save", func(t testing.TB, dir string) (*state.Snapshot, state.Revision) {
		old := firing.Remind(nil, "old")
		return old, save(t, open(t, dir), "run", 0, old)
	}, false, nil, false},
	{"larger save", func(t testing.TB, dir string) (*state.Snapshot, state.Revision) {
		old := ofSize(3000) // the next one does not fit into the same half
		return old, save(t, open(t, dir), "run", 0, old)
	}, false, nil, false},
	{"first keys", func(t testing.TB, dir string) (*state.Snapshot, state.Revision) {
		old := firing.Remind(nil, "old")
		return old, save(t, open(t, dir), "run", 0, old)
	}, false, storetest.Keyed{{2, 7}}, false},
	{"later keys", func(t testing.TB, dir string) (*state.Snapshot, state.Revision) {
		old := withKeys(firing.Remind(nil, "old"), storetest.Keyed{{1, 7}})
		return old, save(t, open(t, dir), "run", 0, old)
	}, false, storetest.Keyed{{2, 7}}, false},
	{"full keys", func(t testing.TB, dir string) (*state.Snapshot, state.Revision) {
		old := withKeys(firing.Remind(nil, "old"), storetest.Keyed{{1, 7}})
		return old, save(t, open(t, dir), "run", 0, old)
	}, false, storetest.Keyed{{2, 7}}, true},
}

// withKeys is a snapshot whose run is found by keys.
func withKeys(s *state.Snapshot, keys storetest.Keyed) *state.Snapshot {
	s, err := firing.Note(s, keys)
	if err != nil {
		panic(err) // they are JSON
	}
	return s
}

// ofSize is a snapshot of about that many bytes.
func ofSize(n int) *state.Snapshot {
	snap, err := firing.Note(nil, json.RawMessage(`"`+strings.Repeat("x", n)+`"`))
	if err != nil {
		panic(err) // it is JSON
	}
	return snap
}

// next is the snapshot that is saved at that moment.
func (m moment) next(old *state.Snapshot) *state.Snapshot {
	next := firing.Remind(old, strings.Repeat("n", 2000))
	if m.keys != nil {
		next = withKeys(next, m.keys)
	}
	return next
}

// commit is the save at that moment, on disk d.
func (m moment) commit(o Options, dir string, d disk, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	first := quickDisk()
	if m.reopens {
		first = d
	}
	s, err := o.openOn(first, dir)
	if err != nil {
		return 0, err
	}
	s.disk = d
	if m.full {
		s.keysFull.Store(0)
	}
	return s.Save(context.Background(), "run", prev, next)
}

// steps are those of a save that goes well.
func (m moment) steps(t testing.TB, o Options) []string {
	t.Helper()
	var steps []string
	dir := filepath.Join(quickDir(t), "state", "aside")
	old, rev := m.prepare(t, dir)
	d := each(quickDisk(), func(step string, run func() error) error {
		steps = append(steps,
			step)
		return run()
	})
	if _, err := m.commit(o, dir, d, rev, m.next(old)); err != nil {
		t.Fatal(err)
	}
	return steps
}

// quickDisk does not wait for the disk: most tests make no difference between written and durable.
func quickDisk() disk {
	d := osDisk()
	d.wait = time.Minute // the machine may be busy
	d.sync = func(*os.File) error { return nil }
	d.syncData = func(*os.File) error { return nil }
	d.syncDir = func(string) error { return nil }
	return d
}

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Options{}.openOn(quickDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func save(t testing.TB, s *Store, run string, prev state.Revision, next *state.Snapshot) state.Revision {
	t.Helper()
	rev, err := s.Save(t.Context(), run, prev, next)
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func temps(t testing.TB, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(dir, tmpDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
