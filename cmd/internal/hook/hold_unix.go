//go:build unix && !solaris && !aix

package hook

import (
	"os"
	"syscall"
)

// lock takes the lock on a record. Another hook that looks at the record may hold it for a moment.
func lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// hold takes the lock on a record, and reports false where another process, which is alive, has it.
func hold(f *os.File) (free bool, err error) {
	if err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB); err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

func flock(f *os.File, how int) (err error) {
	for {
		if err = syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}

// serves reports whether the process that has written f is alive, and so has its lock.
func serves(f *os.File, _ int) bool {
	free, err := hold(f)
	return err == nil && !free
}
