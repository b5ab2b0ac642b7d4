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

// Durability says what a saved run survives.
type Durability uint8

const (
	// Power means that a saved run survives a loss of power. Each save waits for the disk twice.
	Power Durability = iota
	// Process means that a saved run survives the end of the process, however it ends. After a loss of power some runs may be
	// as they were about half a minute earlier, so that reminders fire again, and a run may be corrupt.
	Process
)

// Options say how a store works. All processes that share a directory should use the same.
type Options struct {
	Durability Durability
	// Keep is how long a run is remembered after it was last saved: 0 is 30 days, and a negative Keep is for ever. Runs that
	// are older are forgotten when a store is opened, but at most once a day, and only while nobody holds their lock.
	Keep time.Duration
}

// keepDefault is the Keep of zero Options.
const keepDefault = 30 * day

// Open opens the store in dir with zero Options.
func Open(dir string) (*Store, error) { return Options{}.Open(dir) }

// Open opens the store in dir, and creates the directory if it does not exist. It removes what killed processes have left. It
// waits for no lock. If the directory cannot be written to, only Save and Delete fail.
//
// If other users may enter the directory, Open sets its mode to 0700, provided that it holds nothing but a store. Otherwise it
// returns an error.
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
		return s, nil // it may still be possible to read; Save tries again and returns the error
	}
	s.sweep()
	s.expire()
	return s, nil
}

// DefaultDir returns the directory in which a user's runs are kept: $XDG_STATE_HOME/aside, or ~/.local/state/aside if that variable
// is not an absolute path, as the XDG Base Directory Specification demands. It is an error if there is no home directory either.
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
