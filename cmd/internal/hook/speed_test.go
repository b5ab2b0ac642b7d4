package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/load"
)

// TestSlow: rules that leave a hook no time are named by what costs most, others are not. The times are those
// of a stopwatch of the test's own, which runs the work.
func TestSlow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range 20 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("r%d.md", n)),
			fmt.Appendf(nil, "---\nwhen: turn_count > %d\n---\nText.\n", n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slowest := filepath.Join(dir, "r7.md")
	for _, c := range []struct {
		all   []time.Duration // the last one counts for all further tries
		alone time.Duration   // of the slowest file; the others take 1 ms
		want  string
	}{
		{[]time.Duration{149 * time.Millisecond}, 148 * time.Millisecond, ""},
		{[]time.Duration{time.Second, time.Second, 10 * time.Millisecond}, time.Second, ""}, // the machine was busy
		{[]time.Duration{200 * time.Millisecond}, 90 * time.Millisecond,
			"hooks need 200ms for these rules, and mean to take 300ms in all: it is their number, 20 reminders " +
				"in 20 files"},
		{[]time.Duration{200 * time.Millisecond}, 180 * time.Millisecond,
			"hooks need 200ms for these rules, and mean to take 300ms in all: " + slowest + " alone takes 180ms"},
		{[]time.Duration{9 * time.Second}, 8 * time.Second,
			"hooks need 9s for these rules, and mean to take 300ms in all: " + slowest + " alone takes 8s"},
	} {
		tries := 0
		got := slow([]load.Source{{Path: dir}}, load.Options{}, func(path string, work func()) time.Duration {
			switch work(); path {
			case "":
				tries++
				return c.all[min(tries, len(c.all))-1]
			case slowest:
				return c.alone
			}
			return time.Millisecond
		})
		if got != c.want {
			t.Errorf("%v, %v: %q, want %q", c.all, c.alone, got, c.want)
		}
	}
}
