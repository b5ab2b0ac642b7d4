package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// holdLock holds the lock of a run until its input ends.
func holdLock(args []string, in io.Reader, out io.Writer) error {
	s, err := Open(args[0], Options{})
	if err != nil {
		return err
	}
	l, err := s.lock(fileName("run"), &operation{})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "held")
	_, _ = io.Copy(io.Discard, in)
	return l.Close()
}

// TestLoadHangs: a Load from a disk that hangs ends with its context, and however many calls give up, few of
// them keep a thread.
func TestLoadHangs(t *testing.T) {
	t.Parallel()
	s := open(t, quickDir(t))
	save(t, s, "run", 0, firing.Remind(nil, "old"))
	back, hangs, openRead := make(chan struct{}), make(chan struct{}), s.disk.openRead
	var threads atomic.Int64
	s.disk.openRead = func(path string) (*os.File, error) {
		if threads.Add(1) <= maxReaders {
			hangs <- struct{}{}
		}
		<-back
		return openRead(path)
	}
	for n := range 2 * maxReaders {
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error)
		go func() {
			_, _, err := s.Load(ctx, "run")
			ended <- err
		}()
		if n < maxReaders {
			<-hangs
		}
		cancel(errWaited)
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if n := threads.Load(); n > maxReaders {
		t.Errorf("%d calls hang", n)
	}
	close(back)
	if _, _, err := s.Load(t.Context(), "run"); err != nil {
		t.Error(err)
	}
}

// TestHeldLock has another process hold the lock of a run. Saving and deleting end with their context, and
// have done nothing; loading, opening, and other runs are not in the way of it; and however many callers give
// up, one thread waits.
func TestHeldLock(t *testing.T) { // not parallel: it counts all goroutines
	dir := quickDir(t)
	s := open(t, dir)
	old := firing.Remind(nil, "old")
	rev := save(t, s, "run", 0, old)
	other := start(t, "hold", dir)
	if _, err := other.Line(); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for range 50 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, err := s.Save(ctx, "run", rev, firing.Remind(old, "new"))
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, state.ErrIndeterminate) {
			t.Errorf("Save: %v", err)
		}
		if err := s.Delete(ctx, "run"); !errors.Is(err, context.DeadlineExceeded) ||
			errors.Is(err, state.ErrIndeterminate) {
			t.Errorf("Delete: %v", err)
		}
		cancel()
	}
	if more := runtime.NumGoroutine() - before; more > 20 {
		t.Errorf("%d goroutines more", more)
	}
	if _, got, err := s.Load(t.Context(), "run"); got != rev || err != nil {
		t.Errorf("Load = %d, %v", got, err)
	}
	save(t, open(t, dir), "other", 0, old)

	file := s.path(fileName("run") + runExt)
	whole, err := os.ReadFile(file)
	if err = errors.Join(err, os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // the file is read by then
	defer cancel()
	if _, _, err := s.Load(ctx, "run"); !errors.Is(err, state.ErrCorrupt) ||
		!errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Load of a corrupt file: %v", err)
	}
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}

	other.In.Close()
	save(t, s, "run", rev, firing.Remind(old, "later"))
}

// TestHeldTooLong: a call without a deadline gives up on a lock that another process holds, and names it.
func TestHeldTooLong(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	s := open(t, dir)
	s.disk.wait = 100 * time.Millisecond
	other := start(t, "hold", dir)
	if _, err := other.Line(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	_, err := s.Save(context.Background(), "run", 0, firing.Remind(nil, "x"))
	if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took < s.disk.wait {
		t.Errorf("Save: %v after %v", err, took)
	}
	who := "another process"
	if runtime.GOOS == "linux" {
		who = fmt.Sprint("process ", other.Process.Pid)
	}
	if said := fmt.Sprint(err); !strings.Contains(said, who) || !strings.Contains(said, `"run"`) {
		t.Errorf("%s: want %s named", said, who)
	}
}

// TestSlowDisk: a call that gives up on a disk that hangs blames no other process, nor does one behind it.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	s := open(t, quickDir(t))
	back, syncDir := make(chan struct{}), s.disk.syncDir
	s.disk.syncDir = func(dir string) error {
		<-back
		return syncDir(dir)
	}
	s.disk.wait = 100 * time.Millisecond
	for _, call := range []string{"a save", "a save behind it"} {
		_, err := s.Save(t.Context(), "run", 0, firing.Remind(nil, "x"))
		if !errors.Is(err, errWaited) || strings.Contains(err.Error(), "holds its lock") {
			t.Errorf("%s: %v", call, err)
		}
	}
	close(back)
	s.mutexes[lockOf(fileName("run"))].lock(t.Context()) // the first has ended
}

// TestDeadHolder kills the process that has the lock: it goes with it.
func TestDeadHolder(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	other := start(t, "hold", dir)
	if _, err := other.Line(); err != nil {
		t.Fatal(err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	save(t, open(t, dir), "run", 0, firing.Remind(nil, "x"))
}

// TestGivingUp ends the context of a save at each of its steps. It returns then, whatever the disk does;
// before the file is put in place nothing will be written, afterwards it may be, and the error says so.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	m := moments[2]
	for i, step := range m.steps(t, Options{}) {
		t.Run(step[:4], func(t *testing.T) {
			t.Parallel()
			dir := quickDir(t)
			old, rev := m.prepare(t, dir)
			s := open(t, dir)
			ctx, cancel := context.WithCancel(t.Context())
			goOn := make(chan struct{})
			n := -1
			s.disk = each(quickDisk(), func(_ string, run func() error) error {
				if n++; n == i {
					cancel()
					<-goOn
				}
				return run()
			})
			_, err := s.Save(ctx, "run", rev, firing.Remind(old, "new"))
			gaveUp := []*Store{s}
			if errors.Is(err, state.ErrIndeterminate) {
				// A load tells: it waits for the save that is under way, in other processes too.
				reader := open(t, dir)
				gaveUp = append(gaveUp, reader)
				ctx, cancel := context.WithCancel(t.Context())
				reader.disk.lock = func(path string, wait bool) (lockFile, error) {
					cancel()
					return openLock(path, wait)
				}
				if snap, _, err := reader.Load(ctx, "run"); !errors.Is(err, context.Canceled) {
					t.Errorf("Load = %v, %v, want to wait", snap, err)
				}
				cancel()
			}
			close(goOn)
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("Save: %v", err)
			}
			for _, s := range gaveUp { // until the cancelled operation has ended
				m := &s.mutexes[lockOf(fileName("run"))]
				m.lock(t.Context())
				m.unlock()
			}
			_, now, loadErr := s.Load(t.Context(), "run")
			if loadErr != nil || (now == rev) == errors.Is(err, state.ErrIndeterminate) {
				t.Errorf("Save: %v; then revision %d, which was %d, %v", err, now, rev, loadErr)
			}
			if left := temps(t, dir); len(left) > 0 {
				t.Errorf("%q is left", left)
			}
		})
	}
}

// TestPanic brings a panic under the lock to the caller, and lets the lock go.
func TestPanic(t *testing.T) {
	t.Parallel()
	s := open(t, quickDir(t))
	s.disk.write = func(*os.File, []byte) error { panic("at the disk") }
	func() {
		defer func() {
			if got := recover(); got != "at the disk" {
				t.Errorf("recovered %v", got)
			}
		}()
		_, err := s.Save(t.Context(), "run", 0, firing.Remind(nil, "x"))
		t.Errorf("Save: %v", err)
	}()
	s.disk = quickDisk()
	save(t, s, "run", 0, firing.Remind(nil, "x"))
}

// TestRemovedLock removes the lock file between the moment it is opened and the moment its lock is had, as
// Delete does: the lock is on nothing, and the file that another made since is taken.
func TestRemovedLock(t *testing.T) {
	t.Parallel()
	s := open(t, quickDir(t))
	taken := 0
	s.disk.lock = func(path string, wait bool) (lockFile, error) {
		l, err := openLock(path, wait)
		if taken++; taken == 1 {
			if err := errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Error(err)
			}
		}
		return l, err
	}
	l, err := s.lock(fileName("run"), &operation{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := open(t, s.dir).lock(fileName("run"), nil); taken != 2 || !errors.Is(err, errHeld) {
		t.Errorf("taken %d times; another: %v", taken, err)
	}
}
