package filestore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

var _ readset.Finder = (*Store)(nil)

// The keys by which runs are found, see state.Store, are lines of JSON in one file beside the runs. A save
// adds a line where it changes the keys of its run. Who looks for a run reads what was added since it last
// looked. Once the file is large, a save replaces it by one with a line for each run. The first line of each
// such file is another one.
const keysFile = "keys"

// Store.keysFull at first, in bytes, and how many times as large the file becomes as it was when it was
// replaced.
const (
	keysFullAt = 1 << 20
	keysGrow   = 4
)

// longGone is for how many seconds a run has no file before its keys are forgotten. No first save takes as
// long.
const longGone = 3600

// keyChange is a line of the file of keys.
type keyChange struct {
	Run    string   `json:"run"`
	Anew   bool     `json:"anew,omitempty"`   // the run loses all keys that it had
	Lost   []uint64 `json:"lost,omitempty"`   // it loses these
	Keys   []uint64 `json:"keys,omitempty"`   // then it gets these
	Values []uint64 `json:"values,omitempty"` // of Keys
	// Since when, in seconds since 1970, the run has no file: it was deleted, or its first save is under way.
	Gone int64 `json:"gone,omitempty"`
}

// keyed is a run with its keys.
type keyed struct {
	run          string
	keys, values []uint64
	gone         int64 // as in its last line
}

// keyIndex is what was read of the file of keys.
type keyIndex struct {
	mu   sync.Mutex
	head string // the first line of the file that was read; "" for none
	read int64  // how many bytes of it
	runs map[string]*keyed
	by   map[uint64][]*keyed
}

// savedKeys are the keys with which this process has saved a run last.
type savedKeys struct {
	rev state.Revision
	keyed
}

// keysHead returns the first line of a file of keys.
func keysHead() string { return strconv.Quote(rand.Text()) + "\n" }

// apply applies a line.
func (x *keyIndex) apply(c keyChange) {
	r := x.runs[c.Run]
	if r == nil {
		r = &keyed{run: c.Run}
		x.runs[c.Run] = r
	}
	r.gone = c.Gone
	lost := c.Lost
	if c.Anew {
		lost = slices.Clone(r.keys)
	}
	for _, k := range lost {
		r.lose(k)
		x.by[k] = slices.DeleteFunc(x.by[k], func(o *keyed) bool { return o == r })
		if len(x.by[k]) == 0 {
			delete(x.by, k)
		}
	}
	for i, k := range c.Keys {
		if !slices.Contains(r.keys, k) {
			x.by[k] = append(x.by[k], r)
		}
		r.keys, r.values = append(r.keys, k), append(r.values, c.Values[i])
	}
	if len(r.keys) == 0 {
		delete(x.runs, c.Run)
	}
}

// lose removes a key.
func (r *keyed) lose(k uint64) {
	for i := len(r.keys) - 1; i >= 0; i-- {
		if r.keys[i] == k {
			r.keys, r.values = slices.Delete(r.keys, i, i+1), slices.Delete(r.values, i, i+1)
		}
	}
}

// of returns the values of a key.
func (r *keyed) of(k uint64) (values []uint64) {
	for i, o := range r.keys {
		if o == k {
			values = append(values, r.values[i])
		}
	}
	return values
}

// since returns the line by which a run that had the keys of was gets those of r, and whether there is a
// difference.
func (r *keyed) since(was keyed) (c keyChange, differs bool) {
	c = keyChange{Run: r.run}
	changed := func(k uint64) bool { return !slices.Equal(was.of(k), r.of(k)) }
	for _, k := range was.keys {
		if changed(k) && !slices.Contains(c.Lost, k) {
			c.Lost = append(c.Lost, k)
		}
	}
	for i, k := range r.keys {
		if changed(k) {
			c.Keys, c.Values = append(c.Keys, k), append(c.Values, r.values[i])
		}
	}
	return c, len(c.Lost)+len(c.Keys) > 0
}

// Find returns the runs that were saved with a key, as the comment of state.Store says.
func (s *Store) Find(ctx context.Context, key uint64, limit int) (map[string][]uint64, error) {
	found := map[string][]uint64{}
	err := errors.Join(ctx.Err(), s.open())
	if err != nil || limit == 0 {
		return found, err
	}
	ctx, cancel := s.disk.bounded(ctx)
	defer cancel()
	found, err = read(ctx, s.reads, func() (map[string][]uint64, error) {
		x := &s.keys
		x.mu.Lock()
		defer x.mu.Unlock()
		if err := s.readKeys(); err != nil {
			return nil, err
		}
		for _, r := range x.by[key] {
			if len(found) < limit && s.exists(r.run) {
				found[r.run] = r.of(key)
			}
		}
		return found, nil
	})
	if err != nil {
		return nil, fmt.Errorf("find runs: %w", err)
	}
	return found, nil
}

// readKeys reads what was added to the file of keys. The caller holds keyIndex.mu.
func (s *Store) readKeys() error {
	x := &s.keys
	f, err := s.disk.openRead(s.path(keysFile))
	if errors.Is(err, fs.ErrNotExist) {
		x.head, x.runs, x.by = "", nil, nil
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(keysHead()))
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if x.head != string(head[:n]) || n < len(head) {
		x.head, x.read, x.runs, x.by = string(head[:n]), 0, map[string]*keyed{}, map[uint64][]*keyed{}
	}
	b, err := io.ReadAll(io.NewSectionReader(f, x.read, math.MaxInt64-x.read))
	if err != nil {
		return err
	}
	for {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		if !whole { // somebody is writing it
			return nil
		}
		var c keyChange
		if json.Unmarshal(line, &c) == nil && len(c.Keys) == len(c.Values) { // else a loss of power has torn it
			x.apply(c)
		}
		b, x.read = rest, x.read+int64(len(line))+1
	}
}

// list has a run be found by the keys of a snapshot that is saved next, as revision rev. The caller holds the
// lock of the run, and calls listed after the save.
func (s *Store) list(run string, rev state.Revision, next *state.Snapshot) (listed func(), err error) {
	keys, values := readset.KeysOf(next)
	if keys == nil {
		return func() {}, nil
	}
	r := keyed{run: run, keys: keys, values: values}
	was, known := s.savedKeys.Get(run)
	s.savedKeys.Remove(run)
	known = known && was.rev == rev-1
	c, differs := r.since(was.keyed)
	if !known {
		c, differs = keyChange{Run: run, Anew: true, Keys: keys, Values: values}, true
	}
	if differs {
		if err := s.addKeys(c); err != nil {
			return nil, err
		}
	}
	return func() { s.savedKeys.Add(run, savedKeys{rev, r}) }, nil
}

// addKeys adds a line to the file of keys.
func (s *Store) addKeys(c keyChange) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	l, err := s.lock(keysFile, &operation{})
	if err != nil {
		return err
	}
	defer l.Close()
	f, err := os.OpenFile(s.path(keysFile), os.O_RDWR|os.O_APPEND|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := s.putKeys(line)
		return err
	}
	if err != nil {
		return err
	}
	size, err := s.appendLines(f, line)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	s.unsynced.add(noNames, keysFile)
	if size >= s.keysFull.Load() {
		return s.shrinkKeys(size)
	}
	return nil
}

// putKeys puts a file with these lines in the place of that of keys. done is whether it has, even if that is
// not durable. The caller holds the lock of the file.
func (s *Store) putKeys(lines []byte) (done bool, err error) {
	temp, err := s.writeTemp(keysFile, append([]byte(keysHead()), lines...))
	if err != nil {
		return false, err
	}
	if err := s.disk.rename(temp, s.path(keysFile)); err != nil {
		return false, errors.Join(err, s.disk.remove(temp))
	}
	s.unsynced.add(ownNames, keysFile)
	if s.durability == Power {
		err = s.disk.syncDir(s.dir)
	}
	return true, err
}

// exists reports whether a run has a file. One that was forgotten or deleted still has its lines.
func (s *Store) exists(run string) bool {
	_, err := os.Lstat(s.path(fileName(run) + runExt))
	return !errors.Is(err, fs.ErrNotExist)
}

// shrinkKeys has the file of keys, of so many bytes, hold a line for each run that there is. Where it cannot
// be replaced, it grows on. The caller holds the lock of the file.
func (s *Store) shrinkKeys(size int64) error {
	s.keysFull.Store(2 * size)
	x := &s.keys
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.readKeys() != nil {
		return nil
	}
	var lines []byte
	now := s.disk.now().Unix()
	for run, r := range x.runs {
		c := keyChange{Run: run, Keys: r.keys, Values: r.values}
		if !s.exists(run) {
			if c.Gone = cmp.Or(r.gone, now); now-c.Gone > longGone {
				continue
			}
		}
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	done, err := s.putKeys(lines)
	if !done {
		return nil
	}
	s.keysFull.Store(max(keysFullAt, keysGrow*int64(len(lines))))
	return err
}

// newSavedKeys returns the keys of as many runs as the store keeps snapshots of.
func newSavedKeys() *lru.Cache[string, savedKeys] {
	c, _ := lru.New[string, savedKeys](maxKnown) // fails for a size below 1 only
	return c
}
