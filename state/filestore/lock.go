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

// pact settles which comes first: that the caller gives up, or that the commit under way begins to change what is stored.
type pact struct {
	settled atomic.Int32
	makes   bool // a directory that went is made anew
}

const (
	gaveUp int32 = 1 + iota
	committing
)

func (p *pact) giveUp() bool { return p.settled.CompareAndSwap(0, gaveUp) }
func (p *pact) commit() bool { return p.settled.CompareAndSwap(0, committing) }
func (p *pact) over() bool   { return p.settled.Load() == gaveUp }

// errGaveUp ends what nobody waits for any more.
var errGaveUp = errors.New("the caller gave up")

// holder is what has the lock of a run.
type holder struct {
	lockFile
	*pact
}

type outcome[T any] struct {
	value    T
	err      error
	panicked any
}

// end is the outcome for the caller; a panic goes on in it, who may know what to do about that.
func (o outcome[T]) end() (T, error) {
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.value, o.err
}

// underLock calls do with the lock of a run. When ctx ends, it returns at once: with the error of ctx if nothing was
// or will be changed, and with ErrIndeterminate as well if do had begun to change something and goes on.
func underLock[T any](ctx context.Context, s *Store, name string, p *pact, do func(h holder) (T, error)) (value T, err error) {
	if err := s.queue.take(ctx, name); err != nil {
		return value, err
	}
	if ctx.Done() == nil {
		defer s.queue.leave(name)
		return locking(s, name, p, do)
	}
	done := make(chan outcome[T], 1)
	go func() {
		var out outcome[T]
		defer func() {
			out.panicked = recover()
			s.queue.leave(name)
			done <- out
		}()
		out.value, out.err = locking(s, name, p, do)
	}()
	select {
	case out := <-done:
		return out.end()
	case <-ctx.Done():
		if p.giveUp() {
			return value, ctx.Err()
		}
		if s.durability != Power {
			return (<-done).end() // nothing is waited for after the commit
		}
		select {
		case out := <-done: // it ended in the same moment
			return out.end()
		default:
			return value, errors.Join(state.ErrIndeterminate, ctx.Err())
		}
	}
}

func locking[T any](s *Store, name string, p *pact, do func(h holder) (T, error)) (value T, err error) {
	l, err := s.lock(name, p)
	if err != nil {
		return value, err
	}
	defer l.Close()
	if p.over() {
		return value, errGaveUp
	}
	return do(holder{l, p})
}

// lock takes the lock of a run. The file may have been removed by Delete while this process waited for it: then the lock
// is on nothing, and the file that now has the name is taken. Without a pact nothing is waited for, and it is errHeld if
// another has it.
func (s *Store) lock(name string, p *pact) (lockFile, error) {
	path := s.path(name + lockExt)
	for mended := false; ; {
		l, err := s.disk.lock(path, p != nil)
		if err != nil {
			if !mended && p != nil && s.mend(path, p, err) == nil {
				mended = true
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
				_ = l.Chmod(0o600) // a umask that leaves less, or somebody who opened it to others; it holds nothing
			}
			return l, nil
		}
		l.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// mend does what can be done about a lock file that could not be opened; an error if that is nothing.
func (s *Store) mend(path string, p *pact, err error) error {
	switch {
	case p.over():
		return errGaveUp
	case errors.Is(err, fs.ErrNotExist) && p.makes: // the directory went; where it was, it may be made anew, but not what it was in
		if err := s.disk.mkdir(s.dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return s.establish()
	case errors.Is(err, fs.ErrPermission): // a process died before it could take back what its umask did
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if info.Mode().Perm() == 0o600 { // another was faster, or it is not this user's
			return nil
		}
		return os.Chmod(path, 0o600)
	default:
		return err
	}
}

// queue lets one goroutine of the process at a time be at a run, so that a lock that another process holds for long costs
// this one a single thread, however many callers come and give up.
type queue struct {
	mu   sync.Mutex
	runs map[string]*place // guarded by mu; only those that somebody is at
}

type place struct {
	free chan struct{} // holds one value while nobody is at the run
	here int           // how many are at it or wait; guarded by queue.mu
}

// take waits until nobody else is at the run, or until ctx ends.
func (q *queue) take(ctx context.Context, name string) error {
	q.mu.Lock()
	p := q.runs[name]
	if p == nil {
		p = &place{free: make(chan struct{}, 1)}
		p.free <- struct{}{}
		if q.runs == nil {
			q.runs = map[string]*place{}
		}
		q.runs[name] = p
	}
	p.here++
	q.mu.Unlock()
	select {
	case <-p.free:
		return nil
	case <-ctx.Done():
		q.part(name, p)
		return ctx.Err()
	}
}

func (q *queue) leave(name string) {
	q.mu.Lock()
	p := q.runs[name]
	q.mu.Unlock()
	p.free <- struct{}{}
	q.part(name, p)
}

func (q *queue) part(name string, p *place) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p.here--; p.here == 0 {
		delete(q.runs, name)
	}
}
