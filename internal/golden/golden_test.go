package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/internal/golden"
)

// told is a test that remembers that it failed.
type told struct {
	testing.TB
	failed bool
}

func (*told) Helper()                 {}
func (t *told) Errorf(string, ...any) { t.failed = true }

func TestCheck(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(path, []byte("as it was\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for got, fails := range map[string]bool{"as it was\n": false, "as it is\n": true, "": true} {
		x := told{TB: t}
		golden.Check(&x, path, got)
		if x.failed != fails {
			t.Errorf("%q: failed %t, want %t", got, x.failed, fails)
		}
	}
}
