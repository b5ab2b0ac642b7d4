package manual_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/manual"
)

// Measured, with ten rules and runs of 40 to 47 turns: TestCost -long and BenchmarkAim… of state/pgstore and
// state/redisstore; of runs without a name BenchmarkAimSave of cmd/asided. Reads and saves of a model call
// are those of a run with a name, as TestTrips of inject/transport counts them.
const (
	readsOfCall, savesOfCall = 1, 2
	serveCPU                 = 1000 // µs a call with a request of 200 KB (DESIGN §6)
	runsOfAgent              = 20   // a day: an assumption
	daysKept                 = 30
)

// store is what a store's server needs. A turn there is a read and a save.
type store struct {
	name                 string
	cpu                  float64 // µs a turn
	network, log, perRun float64 // bytes: sent to it a turn; written to its log a turn; kept of a run
	unnamed              float64 // kept of a run without a name, and for finding it by its answers
}

var stores = []store{
	{"PostgreSQL", 435, 3307, 1293, 1680, 15837},
	{"Redis", 50, 3298, 3124, 3213, 18295},
}

// TestFleet: the table of the page is computed from these figures.
func TestFleet(t *testing.T) {
	t.Parallel()
	page, _ := manual.Page("fleet")
	row := func(name string, of func(callsASecond float64) string) {
		line := "| " + name
		for _, turnsAMinute := range []float64{10, 100} {
			line += " | " + of(10_000*turnsAMinute/60)
		}
		if line += " |\n"; !strings.Contains(page, line) {
			t.Errorf("no row %s", line)
		}
	}
	row("model calls", func(c float64) string { return fmt.Sprintf("%.0f/s", c) })
	row("reads, saves", func(c float64) string {
		return fmt.Sprintf("%.0f/s, %.0f/s", readsOfCall*c, savesOfCall*c)
	})
	row("`asided serve`, processors", func(c float64) string { return fmt.Sprintf("%.1f", c*serveCPU/1e6) })
	for _, s := range stores {
		row(s.name+", processors", func(c float64) string { return fmt.Sprintf("%.1f", savesOfCall*c*s.cpu/1e6) })
		row(s.name+", network to it", func(c float64) string {
			return fmt.Sprintf("%.0f MB/s", savesOfCall*c*s.network/1e6)
		})
		row(s.name+", log", func(c float64) string {
			return fmt.Sprintf("%.0f MB/s, %.1f TB a day", savesOfCall*c*s.log/1e6, savesOfCall*c*s.log*86400/1e12)
		})
		row(s.name+", runs kept", func(float64) string {
			return fmt.Sprintf("%.0f GB", 10_000*runsOfAgent*daysKept*s.perRun/1e9)
		})
		row(s.name+", runs kept, without names", func(float64) string {
			return fmt.Sprintf("%.0f GB", 10_000*runsOfAgent*daysKept*s.unnamed/1e9)
		})
		limit := fmt.Sprintf("%s: %.0f model calls a second a processor", s.name, 1e6/(savesOfCall*s.cpu))
		if !strings.Contains(page, limit) {
			t.Errorf("the page does not say %q", limit)
		}
	}
}
