package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

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

// withLock calls do with the lock of a run. When ctx ends, withLock returns at once. It returns the error of
// ctx if nothing was changed and nothing will be; it adds ErrIndeterminate if do had begun to change the run,
// and do goes on.
func withLock[T any](
	ctx context.Context, s *Store, name string, op *operation, do func(l lockedRun) (T, error),
) (value T, err error) {
	if err := s.mutexes.lock(ctx, name); err != nil {
		return value, err
	}
	if ctx.Done() == nil {
		defer s.mutexes.unlock(name)
		return lockAndDo(s, name, op, do)
	}
	done := make(chan result[T], 1)
	go func() {
		var r result[T]
		defer func() {
			r.panicked = recover()
			s.mutexes.unlock(name)
			done <- r
		}()
		r.value, r.err = lockAndDo(s, name, op, do)
	}()
	select {
	case r := <-done:
		return r.get()
	case <-ctx.Done():
		if op.cancel() {
			return value, ctx.Err()
		}
		if s.durability != Power {
			return (<-done).get() // after the commit nothing waits for the disk
		}
		select {
		case r := <-done: // both happened at the same moment
			return r.get()
		default:
			return value, errors.Join(state.ErrIndeterminate, ctx.Err())
		}
	}
}

func lockAndDo[T any](s *Store, name string, op *operation, do func(l lockedRun) (T,
	error)) (value T, err error) {
	l, err := s.lock(name, op)
	if err != nil {
		return value, err
	}
	defer l.Close()
	if op.isCancelled() {
		return value, errCancelled
	}
	return do(lockedRun{l, op})
}

// lock takes the lock of a run. Delete may have removed the lock file while this process waited for the lock;
// then lock takes the file that has the name now. Without an operation lock does not wait, and returns
// errHeld if another process holds the lock.
func (s *Store) lock(name string, op *operation) (lockFile, error) {
	path := s.path(name + lockExt)
	for repaired := false; ; {
		l, err := s.disk.lock(path, op != nil)
		if err != nil {
			if !repaired && op != nil && s.repairLock(path, op, err) == nil {
				repaired = true
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

// repairLock removes the reason for which a lock file could not be opened; an error says that it cannot.
func (s *Store) repairLock(path string, op *operation, err error) error {
	switch {
	case op.isCancelled():
		return errCancelled
	case errors.Is(err, fs.ErrNotExist) &&
		op.create: // the directory was removed; its parents are not created again
		if err := s.disk.mkdir(s.dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return s.initDir()
	case errors.Is(err, fs.ErrPermission): // a process was killed before it could undo the effect of its umask
		info, err := os.Stat(path)
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

// mutexes let one goroutine of the process at a time work on a run. So a lock that another process holds for
// long costs this process one thread, however many callers come and cancel.
type mutexes struct {
	mu   sync.Mutex
	runs map[string]*mutex // guarded by mu; only runs that somebody uses
}

type mutex struct {
	free  chan struct{} // holds one value while nobody has the mutex
	users int           // how many have it or wait for it; guarded by mutexes.mu
}

// lock waits until nobody else has the mutex of the run, or until ctx ends.
func (ms *mutexes) lock(ctx context.Context, name string) error {
	ms.mu.Lock()
	m := ms.runs[name]
	if m == nil {
		m = &mutex{free: make(chan struct{}, 1)}
		m.free <- struct{}{}
		if ms.runs == nil {
			ms.runs = map[string]*mutex{}
		}
		ms.runs[name] = m
	}
	m.users++
	ms.mu.Unlock()
	select {
	case <-m.free:
		return nil
	case <-ctx.Done():
		ms.release(name, m)
		return ctx.Err()
	}
}

func (ms *mutexes) unlock(name string) {
	ms.mu.Lock()
	m := ms.runs[name]
	ms.mu.Unlock()
	m.free <- struct{}{}
	ms.release(name, m)
}

func (ms *mutexes) release(name string, m *mutex) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if m.users--; m.users == 0 {
		delete(ms.runs, name)
	}
}
