// Package shared finds, for tests, what lies beside the repository and not in it: the specification, cases that every
// implementation must pass, recordings of real sessions. A clone need not have it; whoever builds the project does.
package shared

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns a path below the shared folder. Without it the test is skipped, and says so; with CI=true it fails.
func Path(t testing.TB, names ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("the test does not run inside the repository")
		}
		dir = up
	}
	name := filepath.Join(names...)
	p := filepath.Join(filepath.Dir(dir), "shared", name)
	if _, err := os.Stat(p); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("shared/%s: not there", filepath.ToSlash(name))
	}
	return p
}

// Glob returns the paths below the shared folder that match a pattern; none at all is as a path that is not there.
func Glob(t testing.TB, names ...string) []string {
	t.Helper()
	dir, pattern := names[:len(names)-1], names[len(names)-1]
	paths, err := filepath.Glob(filepath.Join(Path(t, dir...), pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s matches nothing: %v", filepath.Join(names...), err)
	}
	return paths
}
