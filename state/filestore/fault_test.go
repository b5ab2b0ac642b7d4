package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/storetest"
)

// fault is the failure of one step.
type fault struct {
	name string
	does func(run func() error) error
	only string // the steps it happens to
	dies bool   // the process ends there
}

var faults = []fault{
	{"error", func(func() error) error { return syscall.EIO }, "", false},
	{"no space", func(func() error) error { return &os.PathError{Op: "x", Path: "y", Err: syscall.ENOSPC} }, "",
		false},
	{"done, but told as an error", func(run func() error) error { return errors.Join(run(), syscall.EIO) }, "",
		false},
	// Goexit runs the deferred calls, which close the lock, and nothing else: the effect of a kill.
	{"death before", func(func() error) error { runtime.Goexit(); return nil }, "", true},
	{"death after", func(run func() error) error { _ = run(); runtime.Goexit(); return nil }, "", true},
}

// TestS9Faults lets each step of a save fail in each way, with the first save of a run and the first creation
// of the store as cases of their own. The run has its old value or its new one, whole; the error says which;
// no acknowledged save is lost; the next Open leaves no temporary file, and a step that failed leaves none
// even before; and the run can go on.
func TestS9Faults(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		for name, o := range map[string]Options{"power": {}, "process": {Durability: Process}} {
			steps := m.steps(t, o)
			t.Logf("%s, %s: %d steps", m.name, name, len(steps))
			for i, step := range steps {
				all := faults
				if strings.HasPrefix(step, "write") {
					all = append(all[:len(all):len(all)], fault{name: "short write"})
				}
				for _, f := range all {
					t.Run(fmt.Sprintf("%s/%s/%d %s/%s", m.name, name, i, strings.Fields(step)[0], f.name),
						func(t *testing.T) {
							t.Parallel()
							m.fault(t, o, i, f)
						})
				}
			}
		}
	}
}

func (m moment) fault(t *testing.T, o Options, at int, f fault) {
	dir := filepath.Join(quickDir(t), "state", "aside")
	old, rev := m.prepare(t, dir)
	next := m.next(old)
	n, failed := -1, ""
	d := each(quickDisk(), func(step string, run func() error) error {
		if n++; n == at && f.does != nil {
			failed = step
			return f.does(run)
		}
		return run()
	})
	if f.does == nil {
		d = shortWrite(d, &n, at)
	}
	var (
		got  state.Revision
		err  = errors.New("it died")
		done = make(chan struct{})
	)
	go func() {
		defer close(done)
		got, err = m.commit(o, dir, d, rev, next)
	}()
	<-done
	if err == nil && (got == 0 || got == rev) || err != nil && got != 0 || errors.Is(err, state.ErrConflict) {
		t.Fatalf("Save = %d, %v", got, err)
	}
	if left := temps(t, dir); len(left) > 0 && !f.dies && !strings.HasPrefix(failed, "create ") {
		t.Errorf("%q is left", left)
	}
	told := err
	if f.dies {
		told = state.ErrIndeterminate // to nobody
	}
	aftermath(t, dir, old, next, rev, told, m.keys)
}

// aftermath checks the store after a save that ended with the error told.
func aftermath(t *testing.T, dir string, old, next *state.Snapshot, rev state.Revision, told error,
	keys storetest.Keyed) {
	t.Helper()
	s := open(t, dir)
	if left := temps(t, dir); len(left) > 0 && !strings.HasPrefix(left[0], stampFile) {
		t.Errorf("%q is left after the next Open", left)
	}
	snap, now, loadErr := s.Load(t.Context(), "run")
	if loadErr != nil {
		t.Fatalf("Load after %v: %v", told, loadErr)
	}
	isOld := now == rev && (snap == nil) == (old == nil) &&
		(snap == nil || string(snap.Encode()) == string(old.Encode()))
	isNew := now != rev && now != 0 && snap != nil && string(snap.Encode()) == string(next.Encode())
	switch {
	case !isOld && !isNew:
		t.Errorf("neither the old value nor the new one, but %v at %d", snap, now)
	case told == nil && !isNew:
		t.Error("it was acknowledged, and is lost")
	case told != nil && !errors.Is(told, state.ErrIndeterminate) && !isOld:
		t.Errorf("%v, but it was written", told)
	}
	for _, pair := range keys {
		if found, err := s.Find(t.Context(), pair[0], 1); isNew && (len(found["run"]) == 0 || err != nil) {
			t.Errorf("it was written, and is not found: %v, %v", found, err)
		}
	}
	save(t, s, "run", now, firing.Remind(snap, "after"))
}

// shortWrite lets the write that is step at end in the middle.
func shortWrite(d disk, n *int, at int) disk {
	write := d.write
	d.write = func(f *os.File, b []byte) error {
		if *n+1 == at {
			return errors.Join(write(f, b[:len(b)/2]), syscall.ENOSPC)
		}
		return write(f, b)
	}
	writeAt := d.writeAt
	d.writeAt = func(f *os.File, b []byte, off int64) error {
		if *n+1 == at {
			return errors.Join(writeAt(f, b[:len(b)/2], off), syscall.ENOSPC)
		}
		return writeAt(f, b, off)
	}
	return d
}

// TestS9FaultsAreTold says which errors leave it open whether the run was saved: those of a sync, of a rename
// that may have happened, and of a write into the file that readers see.
func TestS9FaultsAreTold(t *testing.T) {
	t.Parallel()
	moments[later].faultsAreTold(t)
	moments[larger].faultsAreTold(t)
}

func (m moment) faultsAreTold(t *testing.T) {
	t.Helper()
	want := map[string]bool{"sync": true, "syncDir": true, "writeAt": true, "syncData": true}
	for i, step := range m.steps(t, Options{}) {
		step = strings.Fields(step)[0]
		if step == "rename" { // from then on the new file is in place
			want["open"] = true
		}
		dir := filepath.Join(quickDir(t), "aside")
		old, rev := m.prepare(t, dir)
		n := -1
		d := each(quickDisk(), func(_ string, run func() error) error {
			if n++; n == i {
				return syscall.EIO
			}
			return run()
		})
		_, err := m.commit(Options{}, dir, d, rev, m.next(old))
		if step == "unmark" {
			if err != nil {
				t.Errorf("unmark fails: %v", err)
			}
		} else if !errors.Is(err, syscall.EIO) || errors.Is(err, state.ErrIndeterminate) != want[step] {
			t.Errorf("%s fails: %v, indeterminate should be %v", step, err, want[step])
		}
	}
}

// TestS9PowerLoss follows the durable part of each save: a file is renamed only after its content is durable,
// and a save is acknowledged only after all names on the way to it are.
func TestS9PowerLoss(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(quickDir(t), "state", "aside")
			old, rev := m.prepare(t, dir)
			written, pending := map[string]bool{}, map[string]bool{} // content, and names, that may be lost
			d := each(quickDisk(), func(step string, run func() error) error {
				args := strings.Fields(step)
				switch args[0] {
				case "write":
					written[args[1]] = true
				case "sync":
					delete(written, args[1])
				case "writeAt":
					pending[args[1]] = true
				case "syncData":
					delete(pending, args[1])
				case "mkdir":
					pending[args[1]] = true
				case "rename":
					if written[args[1]] && strings.HasSuffix(args[2], runExt) {
						t.Errorf("%s is put in place before its content is durable", args[2])
					}
					pending[args[2]] = true
				case "syncDir":
					for name := range pending {
						if filepath.Dir(name) == args[1] {
							delete(pending, name)
						}
					}
				}
				return run()
			})
			if _, err := m.commit(Options{}, dir, d, rev, m.next(old)); err != nil {
				t.Fatal(err)
			}
			if len(pending) > 0 {
				t.Errorf("acknowledged, but %v may be lost", pending)
			}
		})
	}
}

// TestS1DirtyRead lets a save stop where it can be read and is not durable yet. A reader that acted on it
// would act on a decision that a loss of power undoes. So a reader waits, and if the process was killed,
// makes the save durable first.
func TestS1DirtyRead(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	m := moments[later]
	old, rev := m.prepare(t, dir)
	next := m.next(old)
	reader := open(t, dir)
	d := quickDisk()
	d.syncData = func(*os.File) error {
		ctx, cancel := context.WithCancelCause(t.Context())
		reader.disk.lock = func(path string, wait bool) (lockFile, error) {
			cancel(nil)
			return openLock(path, wait)
		}
		if snap, _, err := reader.Load(ctx, "run"); !errors.Is(err, context.Canceled) {
			t.Errorf("while it is not durable: Load = %v, %v, want to wait", snap, err)
		}
		runtime.Goexit()
		return nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := m.commit(Options{}, dir, d, rev, next); !errors.Is(err, errEnded) {
			t.Errorf("it went on: %v", err)
		}
	}()
	<-done
	reader.mutexes[lockOf(fileName("run"))].lock(t.Context()) // the cancelled operation of the reader has ended

	reader = open(t, dir)
	reader.disk.syncData = func(*os.File) error { return syscall.EIO }
	if snap, _, err := reader.Load(t.Context(), "run"); !errors.Is(err, syscall.EIO) {
		t.Errorf("it cannot be made durable: Load = %v, %v", snap, err)
	}
	// That sync failed, so another alone would show nothing: the file is written anew.
	written := 0
	reader.disk.sync = func(*os.File) error { written++; return nil }
	synced := 0
	reader.disk.syncDir = func(dir string) error { synced++; return nil }
	for range 2 {
		if snap, _, err := reader.Load(t.Context(), "run"); err != nil ||
			string(snap.Encode()) != string(next.Encode()) {
			t.Errorf("Load = %v, %v", snap, err)
		}
	}
	if synced != 1 || written != 1 {
		t.Errorf("the directory was synced %d times, the file %d times, want each once", synced, written)
	}
}

// TestS9TornWrite loses power while a save writes over the older half of a file: of each part of the disk
// that is written at once, the old content is there or the new one. The run has its old value or its new one,
// and goes on.
func TestS9TornWrite(t *testing.T) {
	t.Parallel()
	const sector = 512
	for _, o := range []Options{{}, {Durability: Process}} {
		dir := quickDir(t)
		_, rev := moments[later].prepare(t, dir)
		file := filepath.Join(dir, fileName("run")+runExt)
		letter := 'a'
		snapshot := func() *state.Snapshot {
			letter++ // no part of it is as it was before
			return firing.Remind(nil, strings.Repeat(string(letter), 2000))
		}
		for range testkit.Repeat(1, 3) { // so that the halves differ, and either is written
			old := snapshot()
			rev = save(t, open(t, dir), "run", rev, old)
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			next := snapshot()
			newRev := save(t, open(t, dir), "run", rev, next)
			after, err := os.ReadFile(file)
			if err != nil || len(after) != len(before) {
				t.Fatal(len(after), err)
			}
			var changed []int
			for i := 0; i < len(after); i += sector {
				if !bytes.Equal(after[i:i+sector], before[i:i+sector]) {
					changed = append(changed, i)
				}
			}
			if len(changed) < 4 {
				t.Fatalf("%d sectors changed: this shows little", len(changed))
			}
			for set := range 1 << len(changed) {
				torn := bytes.Clone(before)
				for k, i := range changed {
					if set>>k&1 == 1 {
						copy(torn[i:i+sector], after[i:])
					}
				}
				if err := os.WriteFile(file, torn, 0o600); err != nil {
					t.Fatal(err)
				}
				s, err := o.openOn(quickDisk(), dir)
				if err != nil {
					t.Fatal(err)
				}
				want, wantRev := old, rev
				if set == 1<<len(changed)-1 {
					want, wantRev = next, newRev
				}
				got, gotRev, err := s.Load(t.Context(), "run")
				if err != nil || gotRev != wantRev || string(got.Encode()) != string(want.Encode()) {
					t.Fatalf("sectors %b: revision %d, want %d, %v", set, gotRev, wantRev, err)
				}
				save(t, s, "run", gotRev, snapshot())
			}
			if err := os.WriteFile(file, after, 0o600); err != nil {
				t.Fatal(err)
			}
			rev = newRev
		}
	}
}

// TestS1StaleRead changes both halves while a reader is between them. What it has read of the first is older
// than a save that was over before it began, and the second is half written: it must not take the first.
func TestS1StaleRead(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Durability: Process}} {
		dir := quickDir(t)
		writer := open(t, dir)
		var files [][]byte
		var revs []state.Revision
		var rev state.Revision
		snap := firing.Remind(nil, "first")
		for range 6 {
			rev = save(t, writer, "run", rev, snap)
			b, err := os.ReadFile(writer.path(fileName("run") + runExt))
			if err != nil {
				t.Fatal(err)
			}
			files, revs = append(files, b), append(revs, rev)
		}
		reader, err := o.openOn(quickDisk(), dir)
		if err != nil {
			t.Fatal(err)
		}
		half, reads := len(files[0])/2, 0
		for first := range files {
			b := append(bytes.Clone(files[first][:half]), files[len(files)-1][half:]...)
			b[half+40]++ // half written
			reads = 0
			reader.known.Purge()
			reader.disk.read = func(path string) ([]byte, error) {
				if reads++; reads == 1 {
					return b, nil
				}
				return readFile(path)
			}
			if _, got, err := reader.Load(t.Context(), "run"); err != nil || got != rev {
				t.Errorf("first half of revision %d: Load = %d, %v, want %d", revs[first], got, err, rev)
			}
		}
	}
}
