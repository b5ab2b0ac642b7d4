package install

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/internal/agent"
)

// TestMoved: a file that changes between planning and writing is not overwritten.
func TestMoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	p := &tomlHooks{hookFile: hookFile{path: path, agent: "kimi-code", wanted: true,
		hooks: []agent.Registration{{Event: "Stop"}}},
		command: func(string, []string) string { return "aside hook --agent kimi-code" }}
	for _, text := range []string{"a = 1\n", ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := plan(p, in)
		if err != nil || c.Did != Changed {
			t.Fatal(c.Did, err)
		}
		if err := os.WriteFile(path, []byte("b = 2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.write(in); !errors.Is(err, errMoved) {
			t.Errorf("got %v", err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "b = 2\n" {
			t.Errorf("%v: %q", err, b)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*aside*")); left != nil {
		t.Errorf("left: %q", left)
	}
}
