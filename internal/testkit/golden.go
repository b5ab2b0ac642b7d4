package testkit

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the expected output again")

// Update reports whether the flag -update is given. The flags must have been parsed.
func Update() bool { return *update }

// Golden compares got with the file at path. With -update it writes the file first. A difference fails the test, which
// continues.
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
