package filestore

import (
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

func TestFileName(t *testing.T) {
	t.Parallel()
	for run, want := range map[string]string{
		"":                       "run-",
		"3f2a-b_1":               "run-3f2a-b_1",
		"A/..":                   "run-%41%2f%2e%2e",
		strings.Repeat("a", 125): "run-" + strings.Repeat("a", 124),
		strings.Repeat("a", 124): "run-" + strings.Repeat("a", 124),
		strings.Repeat(".", 42):  "",
	} {
		got := fileName(run)
		if len(got) > maxPlain {
			t.Errorf("fileName(%q) has %d bytes", run, len(got))
		}
		if plain, ok := strings.CutPrefix(got, plainPrefix); !ok {
			if len(run) < 42 || len(got) != len(hashedPrefix)+64 {
				t.Errorf("fileName(%q) = %q", run, got)
			}
		} else if back, err := url.PathUnescape(plain); got != want || err != nil || back != run {
			t.Errorf("fileName(%q) = %q, which is %q, %v; want %q", run, got, back, err, want)
		}
	}
}

// TestRunsPages: pages are bounded, and go on after the last file of the page before, deleted or not.
func TestRunsPages(t *testing.T) {
	t.Parallel()
	s := open(t, quickDir(t))
	save(t, s, "0", 0, firing.Remind(nil, "x"))
	whole, err := os.ReadFile(s.path(fileName("0") + runExt))
	if err != nil {
		t.Fatal(err)
	}
	const n = pageSize + pageSize/2
	want := []string{"0"}
	for i := 1; i < n; i++ { // no name is longer than those of which the file tells the run
		run := strconv.Itoa(i)
		want = append(want, run)
		if err := os.WriteFile(s.path(fileName(run)+runExt), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	one, cursor, err := s.Runs(t.Context(), "")
	if err != nil || len(one) != pageSize || cursor == "" {
		t.Fatalf("%d runs, %q, %v", len(one), cursor, err)
	}
	if err := os.Remove(s.path(cursor)); err != nil {
		t.Fatal(err)
	}
	two, cursor, err := s.Runs(t.Context(), cursor)
	if got := append(one, two...); err != nil || cursor != "" || !slices.Equal(got, want) {
		t.Errorf("%d runs, %q, %v", len(got), cursor, err)
	}
}

// TestRunsForeign lists runs beside files that belong to no run, or to a run whose name is unknown.
func TestRunsForeign(t *testing.T) {
	t.Parallel()
	s := open(t, quickDir(t))
	long := strings.Repeat("é", 200)
	for _, run := range []string{"a", "B", long} {
		save(t, s, run, 0, firing.Remind(nil, "x"))
	}
	for _, name := range []string{"notes.txt", "run-%zz.run", "run-%4.run", "run-B.run", "run-%61.run",
		hashedPrefix + "00.run", "x.run", "a.run.bak"} {
		if err := os.WriteFile(s.path(name), []byte("aside-run 1 7 \"b\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := state.AllRuns(t.Context(), s)
	if want := []string{"B", "a", long}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Runs() = %q, %v, want %q", got, err, want)
	}
}
