package testkit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

// recorder is a test that remembers how it ended.
type recorder struct {
	testing.TB
	failed, ended, skipped bool
}

func (*recorder) Helper()                 {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatal(...any)          { r.failed, r.ended = true, true; runtime.Goexit() }
func (r *recorder) Fatalf(string, ...any) { r.failed, r.ended = true, true; runtime.Goexit() }
func (r *recorder) Skipf(f string, a ...any) {
	r.skipped = fmt.Sprintf(f, a...) != ""
	runtime.Goexit()
}

// record runs f as a test of its own.
func record(t *testing.T, f func(testing.TB)) *recorder {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func TestGolden(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for got, fails := range map[string]bool{"before\n": false, "after\n": true, "": true} {
		r := record(t, func(t testing.TB) { testkit.Golden(t, path, got) })
		if r.failed != fails || r.ended {
			t.Errorf("%q: failed %t, want %t; ended %t", got, r.failed, fails, r.ended)
		}
	}
}

// TestData: a missing file of the tree is a failure, a missing file beside the tree is a skip, also in CI.
func TestData(t *testing.T) {
	t.Setenv("ASIDE_INTEGRATIONS", "")
	t.Setenv("CI", "true")
	t.Setenv("ASIDE_TESTDATA", t.TempDir())
	if err := os.WriteFile(filepath.Join(os.Getenv("ASIDE_TESTDATA"), "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		get             func(testing.TB)
		failed, skipped bool
	}{
		"there":          {func(t testing.TB) { testkit.Data(t, "conformance") }, false, false},
		"not there":      {func(t testing.TB) { testkit.Data(t, "nothing") }, true, false},
		"matches":        {func(t testing.TB) { testkit.DataGlob(t, "conformance", "*.yaml") }, false, false},
		"matches none":   {func(t testing.TB) { testkit.DataGlob(t, "*.none") }, true, false},
		"beside":         {func(t testing.TB) { testkit.Beside(t, "x") }, false, false},
		"not beside":     {func(t testing.TB) { testkit.Beside(t, "nothing") }, false, true},
		"no program":     {func(t testing.TB) { testkit.Program(t, "no-such-program") }, false, true},
		"second program": {func(t testing.TB) { testkit.Program(t, "no-such-program", "go") }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if r := record(t, c.get); r.failed != c.failed || r.skipped != c.skipped {
				t.Errorf("failed %t, skipped %t", r.failed, r.skipped)
			}
		})
	}
	t.Setenv("ASIDE_INTEGRATIONS", "required")
	if r := record(t, func(t testing.TB) { testkit.Program(t, "no-such-program") }); !r.failed {
		t.Error("a missing program passes where integrations are required")
	}
}

func TestRepeat(t *testing.T) {
	for ci, want := range map[string]int{"": 1, "true": 2} {
		t.Setenv("CI", ci)
		if testing.Short() || testkit.Long() {
			want = map[bool]int{true: 1, false: 2}[testing.Short()]
		}
		if n := testkit.Repeat(1, 2); n != want {
			t.Errorf("CI=%q: %d, want %d", ci, n, want)
		}
	}
}
