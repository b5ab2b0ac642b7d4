package main

import (
	"os"
	"syscall"
)

// peak returns the most memory a process had, in bytes.
func peak(st *os.ProcessState) int64 { return int64(st.SysUsage().(*syscall.Rusage).Maxrss) << 10 }
