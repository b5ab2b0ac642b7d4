package lsp

import (
	"context"
	"time"
)

// patience is how often it is looked whether the editor's process is alive. Its end of the pipe closes with it, unless something that it
// started holds that open: this is for then.
const patience = 10 * time.Second

// watchParent ends the conversation when a process does.
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
