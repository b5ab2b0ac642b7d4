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

	"github.com/aside-go/aside/state"
)

// BenchmarkAimSweep forgets old runs, while another process of the store takes turns of a run. pause-ms is
// the longest that one of its turns has taken, and p99-ms what 99 of 100 were below; alone-ms is the longest
// within a second without a sweep. The files of the old runs are shorter than real ones, which would take 8
// GB.
func BenchmarkAimSweep(b *testing.B) {
	for _, runs := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(runs, "/disk"), func(b *testing.B) { benchmarkSweep(b, runs, b.TempDir()) })
		b.Run(fmt.Sprint(runs, "/memory"), func(b *testing.B) { benchmarkSweep(b, runs, quickDir(b)) })
	}
}

func benchmarkSweep(b *testing.B, runs int, dir string) {
	o := Options{Durability: OnSync}
	s, err := o.Open(filepath.Join(dir, "s"))
	if err != nil {
		b.Fatal(err)
	}
	other, err := o.Open(s.dir)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		old := time.Now().Add(-31 * day)
		file := newFile(encode(content{"x", 1, state.Remind(nil, "x").Encode()}), underWay)[:100]
		for i := range runs {
			path := s.path(fileName(fmt.Sprint("old-", i)) + runExt)
			if err := errors.Join(os.WriteFile(path, file, 0o600), os.Chtimes(path, old, old)); err != nil {
				b.Fatal(err)
			}
		}
		quiet := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(quiet) })
		alone := turns(b, other, quiet)
		b.StartTimer()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if n, err := s.Sweep(context.Background()); n != runs || err != nil {
				b.Errorf("Sweep = %d, %v", n, err)
			}
		}()
		beside := turns(b, other, ended)
		<-ended
		b.ReportMetric(beside[len(beside)-1].Seconds()*1e3, "pause-ms")
		b.ReportMetric(beside[len(beside)*99/100].Seconds()*1e3, "p99-ms")
		b.ReportMetric(alone[len(alone)-1].Seconds()*1e3, "alone-ms")
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/sweep")
	b.ReportMetric(0, "ns/op")
}

// turns takes turns of a run until a channel is closed, one a millisecond, and returns how long each took, in
// order of length.
func turns(b *testing.B, s *Store, until <-chan struct{}) (took []time.Duration) {
	for {
		begun := time.Now()
		_, rev, err := s.Load(b.Context(), "in use")
		if err == nil {
			_, err = s.Save(b.Context(), "in use", rev, state.Remind(nil, "x"))
		}
		took = append(took, time.Since(begun))
		if err != nil {
			b.Error(err)
		}
		select {
		case <-until:
			slices.Sort(took)
			return took
		case <-time.After(time.Millisecond):
		}
	}
}
