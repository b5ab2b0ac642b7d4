//go:build unix

package testkit

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of the process so far.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
