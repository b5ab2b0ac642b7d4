package process

import (
	"os"
	"syscall"
)

// peak returns the most memory a process had, in bytes; 0 where it is not known. Linux counts that of the
// process it was forked from, which is this one.
func peak(st *os.ProcessState) int64 {
	var own syscall.Rusage
	most := st.SysUsage().(*syscall.Rusage).Maxrss
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil || most <= own.Maxrss {
		return 0
	}
	return int64(most) << 10
}
