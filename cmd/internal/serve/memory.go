package serve

import (
	"context"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/proxy"
)

// Limits of memory, in bytes, and of silence.
const (
	leastLimit = 256 << 20 // as long as little is in use
	// quiet is how much is allocated in a second at most where nobody asks for anything. After quietSeconds of
	// that, memory goes back to the system, quietTimes, a second apart: stacks get smaller by half each time,
	// and pools are empty after the second time.
	quiet        = 1 << 20
	quietSeconds = 3
	quietTimes   = 4
)

// keepMemory bounds the memory of the process until ctx ends, unless the environment does (GOGC, GOMEMLIMIT).
// The collector is lazy (proxy.GCPercent) up to a limit that follows what is in use, and never above what a
// container gives. In silence, free memory goes back to the system.
func keepMemory(ctx context.Context) {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(proxy.GCPercent))
	}
	follow := os.Getenv("GOMEMLIMIT") == ""
	if follow {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	}
	most := containerLimit("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
	read := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/gc/heap/allocs:bytes"}}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	allocated, silent := uint64(0), 0
	for {
		metrics.Read(read)
		if follow {
			debug.SetMemoryLimit(limitOf(read[0].Value.Uint64()+read[1].Value.Uint64(), most))
		}
		now := read[2].Value.Uint64()
		if silent++; now-allocated > quiet {
			silent = 0
		}
		if allocated = now; silent >= quietSeconds && silent < quietSeconds+quietTimes {
			debug.FreeOSMemory()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// limitOf returns the limit of memory while used bytes are in use: a third more, so that the collector does
// not run all the time.
func limitOf(used uint64, most int64) int64 { return min(max(leastLimit, int64(used/3*4)), most) }

// containerLimit returns nine tenths of the memory that the control group of the process may use, by the
// first of files that says it; no limit where none does.
func containerLimit(files ...string) int64 {
	for _, file := range files {
		b, err := os.ReadFile(file)
		if n, bad := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && bad == nil {
			return n / 10 * 9
		}
	}
	return math.MaxInt64
}
