//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// aliveProcess reports whether there is a process pid, be it another user's.
func aliveProcess(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
