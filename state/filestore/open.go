package filestore

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Durability is what a saved run outlives.
type Durability uint8

const (
	// Power: a run that was saved outlives the loss of power. A save waits for the disk, twice.
	Power Durability = iota
	// Process: a run that was saved outlives the end of the process, however it ends. After a loss of power some runs may
	// be what they were half a minute before, and fire again; one may be corrupt.
	Process
)

// Options are how a store is opened. All processes that share a directory should open it alike.
type Options struct {
	Durability Durability
	// Keep is how long a run is remembered after it was last saved: 30 days for 0, for ever below 0. Runs that are
	// older are forgotten when a store is opened, at most once a day, and only while nobody has their lock.
	Keep time.Duration
}

// keepDefault is the Keep of zero Options.
const keepDefault = 30 * day

// Open opens the store in dir with zero Options.
func Open(dir string) (*Store, error) { return Options{}.Open(dir) }

// Open returns the store in dir, which is made if it is not there, and removes what killed processes left. It waits for no
// lock. A directory that can only be read is no error before something is to be saved.
//
// A directory that others may enter is made the user's own (0700) if there is nothing else in it, and refused otherwise.
func (o Options) Open(dir string) (*Store, error) { return o.open(dir, osDisk()) }

func (o Options) open(dir string, d disk) (*Store, error) {
	if dir == "" {
		return nil, errors.New("open store: no directory is named")
	}
	abs, err := filepath.Abs(dir) // so that it stays where it is when the process goes elsewhere
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	s := &Store{dir: abs, durability: o.Durability, keep: o.Keep, disk: d, recent: recent{seed: maphash.MakeSeed()}}
	if s.keep == 0 {
		s.keep = keepDefault
	}
	info, err := os.Stat(abs)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.mkdirAll(abs); err == nil {
			info, err = os.Stat(abs)
		}
	}
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: abs, Err: syscall.ENOTDIR}
	}
	if err == nil {
		err = s.narrow(info)
	}
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := s.establish(); err != nil {
		return s, nil // it may do for reading; Save tries again, and tells
	}
	s.sweep()
	s.expire()
	return s, nil
}

// DefaultDir returns where a user's runs are kept: $XDG_STATE_HOME/aside, else ~/.local/state/aside. A relative
// XDG_STATE_HOME does not count, as its specification says.
func DefaultDir() (string, error) {
	if x := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "aside"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for state: %w", err)
	}
	return filepath.Join(home, ".local", "state", "aside"), nil
}
