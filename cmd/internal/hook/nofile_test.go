//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestGooseFileThatIsNone: a file that cannot be written is for the log.
func TestGooseFileThatIsNone(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"nowhere": func(string) error {
			return nil
		},
	} {
		m := newMachine(t)
		path := m.path("moim.txt")
		if name == "nowhere" {
			path = filepath.Join(path, "moim.txt")
		}
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		m.env = append(m.env, "GOOSE_MOIM_MESSAGE_FILE="+path)
		m.rule("run-tests", "while: always", "It is so.")
		m.run(goose("PostToolUse", "tool_name", "edit", "tool_call_id", "c1"), "--agent", "goose").quiet(t)
		if log := m.log(); len(log) != 1 || strings.Contains(log[0], "It is so.") {
			t.Errorf("%s: %q", name, log)
		}
	}
}
