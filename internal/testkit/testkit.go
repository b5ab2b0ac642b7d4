package testkit

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	update = flag.Bool("update", false, "write the expected output again")
	long   = flag.Bool("long", false, "run the slow tests at full length; some need -timeout 30m")
)

// Update reports whether the flag -update is given. The flags must have been parsed.
func Update() bool { return *update }

// Golden compares got with the file at path. With -update it writes the file first. A difference fails the
// test, which continues.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if Update() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-update writes it again; -want +got):\n%s", path, diff)
	}
}

// Long reports whether the flag -long is given. The flags must have been parsed.
func Long() bool { return *long }

// Thorough reports whether a test should take more time than a person wants to wait: with -long, or where the
// environment has CI=true, but never with -short.
func Thorough() bool {
	return !testing.Short() && (*long || os.Getenv("CI") == "true")
}

// Repeat says how many times a test repeats something: few, or many where Thorough holds.
func Repeat(few, many int) int {
	if Thorough() {
		return many
	}
	return few
}

// Least returns the nanoseconds of one call of fn: the least of five attempts of n calls each.
func Least(n int, fn func()) float64 {
	best := 0.0
	for range 5 {
		start := time.Now()
		for range n {
			fn()
		}
		if ns := float64(time.Since(start).Nanoseconds()) / float64(n); best == 0 || ns < best {
			best = ns
		}
	}
	return best
}
