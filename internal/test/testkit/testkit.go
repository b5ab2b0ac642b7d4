package testkit

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "pgregory.net/rapid" // whose flags are there before one is set
)

var (
	update = flag.Bool("update", false, "write the expected output again")
	long   = flag.Bool("long", false, "run the slow tests at full length; some need -timeout 30m")
)

// The laws draw other cases each time, so that they find what nobody thought of, and few, so that nobody
// waits. Under CI=true they draw the same ones each time: a change is refused for what it did itself. There
// and with -long they draw as many as package rapid does by itself. The flags -rapid.seed and -rapid.checks
// still decide. Where a person waits, memory is collected seldom too: that saves a fifth of the time of all
// tests. Benchmarks measure the collector as it is.
func init() {
	name, value := "rapid.checks", "10"
	switch {
	case os.Getenv("CI") == "true":
		name, value = "rapid.seed", "1"
	case slices.Contains(os.Args, "-long"):
		return
	case !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") }):
		debug.SetGCPercent(400)
	}
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}

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

// Difference shows where two texts part.
func Difference[T ~string | ~[]byte](want, got T) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	cut := func(s T) T { return s[max(0, min(i-200, len(s))):min(i+300, len(s))] }
	return fmt.Sprintf("at byte %d\nwant %s\ngot  %s", i, cut(want), cut(got))
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

// Few returns n cases of a table, evenly by their names, or all of them where Thorough holds.
func Few[V any](cases map[string]V, n int) map[string]V {
	if Thorough() || n >= len(cases) {
		return cases
	}
	names, few := slices.Sorted(maps.Keys(cases)), map[string]V{}
	for i := range n {
		name := names[i*len(names)/n]
		few[name] = cases[name]
	}
	return few
}

// Least returns the nanoseconds of one call of each fn: the least of 25 rounds of n calls, of one round with
// -short, where nobody reads the figures. The functions take turns, and processor time counts where the
// system tells it, that of the garbage collector included: so the ratios hold on a machine that others use,
// too.
func Least(n int, fns ...func()) []float64 {
	best, rounds := make([]float64, len(fns)), 25
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		for i, fn := range fns {
			start := processorTime()
			for range n {
				fn()
			}
			if t := float64(processorTime()-start) / float64(n); round == 0 || t < best[i] {
				best[i] = t
			}
		}
	}
	return best
}
