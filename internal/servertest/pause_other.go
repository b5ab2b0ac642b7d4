//go:build unix && !linux

package servertest

import (
	"syscall"
	"testing"
	"time"
)

// Pause has the server stand still. Children go on here.
func (s *Server) Pause(testing.TB) { s.Signal(syscall.SIGSTOP) }

// Resume has it go on.
func (s *Server) Resume(testing.TB) { s.Signal(syscall.SIGCONT) }

// CPU is not known here.
func (s *Server) CPU(testing.TB) time.Duration { return 0 }
