//go:build !unix

package lsp

import (
	"os"
)

// aliveProcess reports whether there is a process pid that has not ended.
func aliveProcess(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
