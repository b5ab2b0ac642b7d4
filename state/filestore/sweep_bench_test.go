package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
)

// BenchmarkAimSweep forgets old runs, while another process of the store takes turns of a run. pause-ms is
// the longest that one of its turns has taken, and p99-ms what 99 of 100 were below; alone-ms is the longest
// within a second without a sweep, and busy-ms and busy-p99-ms are those beside a goroutine that does nothing
// but system calls elsewhere, which is what the machine makes of any work. The files of the old runs are
// shorter than real ones, which would take 8 GB.
func BenchmarkAimSweep(b *testing.B) {
	sizes := []int{100_000}
	switch {
	case testing.Short():
		sizes[0] = 10_000
	case testkit.Long(): // minutes
		sizes = append(sizes, 1_000_000)
	}
	for _, runs := range sizes {
		b.Run(fmt.Sprint(runs, "/disk"), func(b *testing.B) { benchmarkSweep(b, runs, b.TempDir()) })
		b.Run(fmt.Sprint(runs, "/memory"), func(b *testing.B) { benchmarkSweep(b, runs, quickDir(b)) })
	}
}

func benchmarkSweep(b *testing.B, runs int, dir string) {
	o := Options{Durability: OnSync}
	s, err := Open(filepath.Join(dir, "s"), o)
	if err != nil {
		b.Fatal(err)
	}
	other, err := Open(s.dir, o)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		old := time.Now().Add(-31 * day)
		file := newFile(encode(content{"x", 1, firing.Remind(nil, "x").Encode()}), underWay)[:100]
		for i := range runs {
			path := s.path(fileName(fmt.Sprint("old-", i)) + runExt)
			if err := errors.Join(os.WriteFile(path, file, 0o600), os.Chtimes(path, old, old)); err != nil {
				b.Fatal(err)
			}
		}
		alone, _ := turnsBeside(b, other, func() { time.Sleep(time.Second) })
		busy, busy99 := turnsBeside(b, other, func() {
			for begun := time.Now(); time.Since(begun) < time.Second; {
				_, _ = os.Lstat("/nowhere")
			}
		})
		b.StartTimer()
		pause, p99 := turnsBeside(b, other, func() {
			n, err := s.Sweep(context.Background())
			if n < runs*99/100 || err != nil { // it leaves out some whose lock the turns hold
				b.Errorf("Sweep = %d, %v", n, err)
			}
		})
		b.StopTimer()
		for unit, ms := range map[string]float64{"alone-ms": alone, "busy-ms": busy, "busy-p99-ms": busy99,
			"pause-ms": pause, "p99-ms": p99} {
			b.ReportMetric(ms, unit)
		}
		b.StartTimer()
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/sweep")
	b.ReportMetric(0, "ns/op")
}

// turnsBeside takes turns of a run while work is under way, one a millisecond, and returns the longest that
// one took, and what 99 of 100 were below, in milliseconds.
func turnsBeside(b *testing.B, s *Store, work func()) (longest, p99 float64) {
	ended := make(chan struct{})
	go func() { defer close(ended); work() }()
	var took []time.Duration
	for {
		begun := time.Now()
		_, rev, err := s.Load(b.Context(), "in use")
		if err == nil {
			_, err = s.Save(b.Context(), "in use", rev, firing.Remind(nil, "x"))
		}
		took = append(took, time.Since(begun))
		if err != nil {
			b.Error(err)
		}
		select {
		case <-ended:
			slices.Sort(took)
			return took[len(took)-1].Seconds() * 1e3, took[len(took)*99/100].Seconds() * 1e3
		case <-time.After(time.Millisecond):
		}
	}
}
