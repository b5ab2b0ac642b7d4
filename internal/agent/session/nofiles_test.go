//go:build unix

package session_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/aside-go/aside/internal/agent/session"
)

// TestNoFiles: what is not a regular file is not opened, and tells nothing.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo.jsonl")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.jsonl")
	if err := os.Symlink(fifo, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, link, dir, "/dev/zero", "/dev/tty", filepath.Join(dir, "none"),
		filepath.Join(fifo, "x"), "", "relative.jsonl"} {
		for _, agent := range []string{"claude-code", "codex", "gemini", "nobody"} {
			if p, _ := session.Read(t.Context(), session.File{Agent: agent, Path: path,
				First: true}); p.ContextTokens != nil || p.UserTurns != nil || p.Model != "" {
				t.Errorf("%s %q: %+v", agent, path, p)
			}
		}
	}
}
