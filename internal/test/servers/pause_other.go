//go:build unix && !linux

package servers

import (
	"syscall"
	"testing"
	"time"
)

// Pause has the server stand still. Children go on here.
func (s *Server) Pause(testing.TB) { s.signal(syscall.SIGSTOP) }

// Resume has it go on.
func (s *Server) Resume(testing.TB) { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(sig)
	}
}

// CPU is not known here.
func (s *Server) CPU(testing.TB) time.Duration { return 0 }
