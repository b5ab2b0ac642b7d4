//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// aliveProcess reports whether there is a process of that number; one that may not be asked is one.
func aliveProcess(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
