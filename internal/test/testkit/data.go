package testkit

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Data returns a path below the folder testdata at the top of the repository. A path that does not exist
// fails the test.
func Data(t testing.TB, names ...string) string {
	t.Helper()
	p := filepath.Join(append([]string{root(t), "testdata"}, names...)...)
	if _, err := os.Stat(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// DataGlob returns the paths below testdata that match a pattern, whose last element may hold wildcards. No
// match fails the test.
func DataGlob(t testing.TB, names ...string) []string {
	t.Helper()
	dir, pattern := names[:len(names)-1], names[len(names)-1]
	paths, err := filepath.Glob(filepath.Join(Data(t, dir...), pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("testdata/%s matches nothing: %v", filepath.ToSlash(filepath.Join(names...)), err)
	}
	return paths
}

// Beside returns a path below the folder of test data that is too large for the repository: the folder that
// the environment variable ASIDE_TESTDATA names, or the folder "shared" beside the repository. Where the path
// does not exist, the test is skipped, also in CI.
func Beside(t testing.TB, names ...string) string {
	t.Helper()
	dir := os.Getenv("ASIDE_TESTDATA")
	if dir == "" {
		dir = filepath.Join(filepath.Dir(root(t)), "shared")
	}
	name := filepath.Join(names...)
	p := filepath.Join(dir, name)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("%s is not beside the repository, and ASIDE_TESTDATA names no folder that has it",
			filepath.ToSlash(name))
	}
	return p
}

// BesideGlob returns the paths below the folder of Beside that match a pattern, whose last element may hold
// wildcards. No match skips the test.
func BesideGlob(t testing.TB, names ...string) []string {
	t.Helper()
	dir, pattern := names[:len(names)-1], names[len(names)-1]
	paths, err := filepath.Glob(filepath.Join(Beside(t, dir...), pattern))
	if err != nil || len(paths) == 0 {
		t.Skipf("%s matches nothing beside the repository: %v", filepath.ToSlash(filepath.Join(names...)), err)
	}
	return paths
}

// Program returns the path of the first of the named programs that the machine has. Where it has none of
// them, Absent ends the test.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	Absent(t, "not installed: %q", names)
	return ""
}

// Absent skips a test because the machine lacks a program or a service that the test needs. With
// ASIDE_INTEGRATIONS=required, as .ci/run sets it, it fails the test instead.
func Absent(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("ASIDE_INTEGRATIONS") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// root returns the top folder of the repository.
func root(t testing.TB) string {
	t.Helper()
	dir, err := top()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// top is root for TestMain.
func top() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		// The tests of SDKs have a go.mod of their own; only the top folder has the grammar.
		if _, err := os.Stat(filepath.Join(dir, "grammar", "doc.go")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("the test does not run inside the repository")
		}
		dir = up
	}
}
