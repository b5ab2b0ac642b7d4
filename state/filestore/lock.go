package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aside-go/aside/state"
)

// operation is one call that may change a run. The caller can cancel it until it commits, that is, begins to
// change the stored run. Of cancel and commit only the first one succeeds.
type operation struct {
	phase  atomic.Int32
	create bool // create the directory again if it was removed
}

// The values of operation.phase; 0 is neither.
const (
	cancelled int32 = 1 + iota
	committing
)

func (o *operation) cancel() bool      { return o.phase.CompareAndSwap(0, cancelled) }
func (o *operation) commit() bool      { return o.phase.CompareAndSwap(0, committing) }
func (o *operation) isCancelled() bool { return o.phase.Load() == cancelled }

// errCancelled ends an operation that the caller has cancelled. No caller sees it.
var errCancelled = errors.New("the operation was cancelled")

// lockedRun is the lock of a run, held for an operation.
type lockedRun struct {
	lockFile
	*operation
}

type result[T any] struct {
	value    T
	err      error
	panicked any
}

// get returns the result to the caller. A panic goes on in the caller's goroutine, where a recover may stand.
func (r result[T]) get() (T, error) {
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.value, r.err
}

// maxWait is how long a call whose context has no deadline waits at most: for its lock, while another process
// holds that, and for the disk.
const maxWait = 5 * time.Second

// errWaited is the cause with which maxWait ends a call.
var errWaited = fmt.Errorf("given up after %v: %w", maxWait, context.DeadlineExceeded)

// withLock calls do with the lock of a run. When ctx ends, or after maxWait, withLock returns at once. It
// returns the error of ctx if nothing was changed and nothing will be; it adds ErrIndeterminate if do had
// begun to change the run, and do goes on.
func withLock[T any](
	ctx context.Context, s *Store, name string, op *operation, do func(l lockedRun) (T, error),
) (value T, err error) {
	if err := s.open(); err != nil {
		return value, err
	}
	ctx, cancel := s.disk.bounded(ctx)
	defer cancel()
	m := &s.mutexes[lockOf(name)]
	if !m.lock(ctx) {
		return value, s.gaveUp(ctx, name)
	}
	done := make(chan result[T], 1)
	go perform(func() (T, error) { return lockAndDo(s, name, op, do) }, func(r result[T]) {
		m.unlock()
		done <- r
	})
	select {
	case r := <-done:
		return r.get()
	case <-ctx.Done():
		if op.cancel() {
			return value, s.gaveUp(ctx, name)
		}
		select {
		case r := <-done: // both happened at the same moment
			return r.get()
		default:
			return value, errors.Join(state.ErrIndeterminate, context.Cause(ctx))
		}
	}
}

// bounded returns a context that ends soon where ctx has no deadline.
func (d *disk) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, d.wait, errWaited)
}

// perform calls do, and then end with the result. A panic in do goes on where the result is got.
func perform[T any](do func() (T, error), end func(result[T])) {
	r := result[T]{err: errEnded}
	defer func() {
		r.panicked = recover()
		end(r)
	}()
	r.value, r.err = do()
}

// readers has a place for each call that reads. Calls on a disk that hangs keep their places, so that they do
// not take one thread of the process after the other.
type readers chan struct{}

// maxReaders is how many calls read at the same time.
const maxReaders = 128

// read calls do at one of the places. When ctx ends read returns at once, and do goes on.
func read[T any](ctx context.Context, places readers, do func() (T, error)) (value T, err error) {
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
	done := make(chan result[T], 1)
	go perform(do, func(r result[T]) {
		<-places
		done <- r
	})
	select {
	case r := <-done:
		return r.get()
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
}

// errEnded is the error of a call whose goroutine ended in the middle, by runtime.Goexit.
var errEnded = fmt.Errorf("its goroutine ended: %w", state.ErrIndeterminate)

// gaveUp returns the error of a call that has changed nothing when ctx ended. It names who has the lock, if
// that is known.
func (s *Store) gaveUp(ctx context.Context, name string) error {
	if s.mutexes[lockOf(name)].held.Load() {
		return context.Cause(ctx) // this process does, and the disk is slow
	}
	path := s.lockPath(name)
	l, err := s.disk.lock(path, false)
	if err == nil {
		l.Close()
	}
	if !errors.Is(err, errHeld) {
		return context.Cause(ctx)
	}
	who := cmp.Or(holderOf(path), "another process")
	return fmt.Errorf("%s holds its lock %s: %w", who, path, context.Cause(ctx))
}

func lockAndDo[T any](
	s *Store, name string, op *operation, do func(l lockedRun) (T, error),
) (value T, err error) {
	l, err := s.lock(name, op)
	if err != nil {
		return value, err
	}
	held := &s.mutexes[lockOf(name)].held
	held.Store(true)
	defer func() {
		held.Store(false)
		l.Close()
	}()
	if op.isCancelled() {
		return value, errCancelled
	}
	return do(lockedRun{l, op})
}

// locks is the number of lock files. Runs share them, so two runs may wait for each other.
const locks = 256

// lockOf returns the number of the lock of a run.
func lockOf(name string) int { return int(sumOf([]byte(name)) % locks) }

// lockPath returns the file of the lock of a run, or of the file of keys.
func (s *Store) lockPath(name string) string {
	if name == keysFile {
		return s.path(filepath.Join(lockDir, keysFile))
	}
	return s.path(filepath.Join(lockDir, fmt.Sprintf("%02x", lockOf(name))))
}

// lock takes the lock of a run. The directory may have been removed while this process waited for the lock;
// then lock takes the file that has the name now. Without an operation lock does not wait, and returns
// errHeld if somebody else holds the lock.
func (s *Store) lock(name string, op *operation) (lockFile, error) {
	path := s.lockPath(name)
	for repairs := 0; ; {
		l, err := s.disk.lock(path, op != nil)
		if err != nil {
			if repairs < maxRepairs && op != nil && s.repairLock(path, op, err, repairs) == nil {
				repairs++
				continue
			}
			return nil, err
		}
		mine, err := l.Stat()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		there, err := os.Stat(path)
		if err == nil && os.SameFile(mine, there) {
			if perm := mine.Mode().Perm(); perm != 0o600 && runtime.GOOS != "windows" {
				_ = l.Chmod(0o600) // a umask allowed less, or somebody allowed others more; the file holds nothing
			}
			return l, nil
		}
		l.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// maxRepairs bounds how often a lock is opened anew: processes that create the store at the same time may be
// in each other's way more than once.
const maxRepairs = 50

// repairLock removes the reason for which a lock file could not be opened; before is how many repairs came
// before it. An error says that it cannot.
func (s *Store) repairLock(path string, op *operation, err error, before int) error {
	switch {
	case op.isCancelled():
		return errCancelled
	case errors.Is(err, fs.ErrNotExist) && op.create: // a directory was removed; its parents are not made again
		for _, dir := range []string{s.dir, s.path(lockDir)} {
			if err := s.disk.mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		return s.initDir()
	case errors.Is(err, fs.ErrPermission): // a process was killed before it could undo the effect of its umask
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrPermission) { // another process has just made the directory, under such a umask
			time.Sleep(time.Duration(before+1) * time.Millisecond) // it may have to wait for a processor
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode().Perm() == 0o600 { // another process was faster, or the file is another user's
			return nil
		}
		return os.Chmod(path, 0o600)
	default:
		return err
	}
}

// mutex lets one goroutine of the process at a time work with a lock. So a lock that another process holds
// for long costs this process one thread, however many callers come and cancel.
type mutex struct {
	once sync.Once
	free chan struct{} // holds one value while nobody has the mutex
	held atomic.Bool   // who has the mutex has the lock file, too
}

// lock waits until nobody else has the mutex, or until ctx ends, and reports whether it has it.
func (m *mutex) lock(ctx context.Context) bool {
	m.once.Do(func() {
		m.free = make(chan struct{}, 1)
		m.free <- struct{}{}
	})
	select {
	case <-m.free:
		return true
	case <-ctx.Done():
		return false
	}
}

func (m *mutex) unlock() { m.free <- struct{}{} }
