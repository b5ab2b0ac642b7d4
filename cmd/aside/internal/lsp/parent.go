package lsp

import (
	"context"
	"time"
)

// patience is how often the server looks whether the editor's process is alive. Mostly stdin ends when that process does, but another
// process that the editor has started may hold the pipe open.
const patience = 10 * time.Second

// watchParent ends the session when the process pid ends.
func (s *Server) watchParent(ctx context.Context, pid int) {
	if pid <= 0 {
		return
	}
	s.calls.start(func() {
		for {
			if !s.opts.Alive(pid) {
				s.log.Printf("the editor, process %d, is gone", pid)
				s.over()
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-s.opts.After(patience):
			}
		}
	})
}
