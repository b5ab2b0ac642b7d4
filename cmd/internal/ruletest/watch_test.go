package ruletest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/ruletest"
)

// TestWatch holds that tests run again when a rule, a test or a file that was not there before changes.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "rules"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "rules/r.md", "---\nwhen: turn_count > 1\n---\nR\n")
	write(t, dir, "a_test.yaml", "reminders: [rules/*.md]\ntests:\n  - {name: n, steps: [{}, {fires: [r]}]}\n")
	type run struct{ passed, failed, mistakes int }
	runs := make(chan run)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- ruletest.Watch(ctx, func() ([]string, error) {
			return filepath.Glob(filepath.Join(dir, "*_test.yaml"))
		}, ruletest.Options{Named: []string{dir}}, func(rep *ruletest.Report, err error) {
			var r run
			if err == nil {
				r.passed, r.failed, r.mistakes = rep.Counts()
			}
			select {
			case runs <- r:
			case <-ctx.Done():
			}
		})
	}()
	// An editor's save may be told in two parts: what counts is what it comes to.
	expect := func(what string, want run) {
		t.Helper()
		limit := time.After(20 * time.Second)
		for got := (run{-1, -1, -1}); ; {
			select {
			case got = <-runs:
				if got == want {
					return
				}
			case <-limit:
				t.Fatalf("%s: %+v, want %+v", what, got, want)
			}
		}
	}
	expect("at first", run{1, 0, 0})
	write(t, dir, "rules/r.md", "---\nwhen: turn_count > 2\n---\nR\n")
	expect("another rule", run{0, 1, 0})
	write(t, dir, "a_test.yaml",
		"reminders: [rules/*.md]\ntests:\n  - {name: n, steps: [{}, {}, {fires: [r]}]}\n")
	expect("another test", run{1, 0, 0})
	write(t, dir, "b_test.yaml", "reminders: [rules/*.md]\ntests:\n  - {name: n, stepz: []}\n")
	expect("one more", run{1, 0, 1})
	write(t, dir, "ignored.txt", "x")
	if err := os.Rename(filepath.Join(dir, "b_test.yaml"), filepath.Join(dir, "b_test.txt")); err != nil {
		t.Fatal(err)
	}
	expect("one less", run{1, 0, 0})
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
