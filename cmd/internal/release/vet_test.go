package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

// TestVet: a mistake of types and one that vet finds are errors on the system that compiles their file, and
// on no other.
func TestVet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.com/m\n\ngo 1.26.0\n",
		"m.go":         "package m\n",
		"m_windows.go": "package m\n\nfunc f(x int) { x = x }\n",
		"m_darwin.go":  "package m\n\nvar x int = \"x\"\n",
		"m_test.go":    "package m\n\nvar big = 1 << 40\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range testkit.Few(map[string]string{"linux/amd64": "",
		"windows/amd64": "self-assignment",
		"darwin/arm64":  "cannot use", "linux/386": "overflows"}, 1) {
		err := vetFor(system, dir, []string{"GOWORK=off", "GOFLAGS="}, "./...")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", system, err)
		}
	}
}
