//go:build unix && !linux

package servertest

import (
	"syscall"
	"testing"
)

// Pause has the server stand still. Children go on here.
func (s *Server) Pause(testing.TB) { s.Signal(syscall.SIGSTOP) }

// Resume has it go on.
func (s *Server) Resume(testing.TB) { s.Signal(syscall.SIGCONT) }
