package filestore

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Broken is a store on a disk that fails: an operation is one of its steps, or the reading of a file. fail is
// called before each with its number, from 0, and its error is that of the operation.
type Broken struct {
	*Store
	Dir string

	mu   sync.Mutex
	n    int
	fail func(n int, step string) error
}

// OpenBroken opens a store as serve does.
func OpenBroken(dir string, fail func(n int, step string) error) (*Broken, error) {
	s, err := Options{Durability: OnSync}.openOn(quickDisk(), dir)
	if err != nil {
		return nil, err
	}
	b := &Broken{Store: s, Dir: dir, fail: fail}
	s.disk = each(quickDisk(), func(step string, run func() error) error {
		if err := b.step(step); err != nil {
			return err
		}
		return run()
	})
	read := s.disk.read
	s.disk.read = func(path string) ([]byte, error) {
		if err := b.step("read"); err != nil {
			return nil, err
		}
		return read(path)
	}
	return b, nil
}

func (b *Broken) step(step string) error {
	b.mu.Lock()
	n := b.n
	b.n++
	b.mu.Unlock()
	if err := b.fail(n, step); err != nil {
		return &fs.PathError{Op: step, Path: b.Dir, Err: err}
	}
	return nil
}

// Steps returns how many operations there were.
func (b *Broken) Steps() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// Damage writes over all files of runs.
func (b *Broken) Damage() error {
	files, err := filepath.Glob(filepath.Join(b.Dir, "*"+runExt))
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("something else"), 0o600); err != nil {
			return err
		}
	}
	return nil
}
