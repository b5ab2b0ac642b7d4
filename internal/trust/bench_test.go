package trust_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/load"
)

// BenchmarkLoad reads the rules of a project of n files, as each hook does. Lower bound in the same run: the
// same files as the user's own, which take no trust.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{2, 20, 200} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			w := newWorld(b)
			for i := range n - 2 {
				w.put(fmt.Sprintf("work/%s/r%03d.md", dir, i),
					fmt.Sprintf("---\nwhen: turn_count > %d\n---\nThe tests were not run since the last edit.\n", i))
			}
			w.trust(w.project)
			own, theirs := load.Standard(w.project, ""), load.Standard("", w.project)
			b.ReportAllocs()
			var trusted, free time.Duration
			for b.Loop() {
				start := time.Now()
				r := load.Load(theirs, load.Options{Trusted: w.store})
				trusted += time.Since(start)
				b.StopTimer()
				start = time.Now()
				if load.Load(own, load.Options{}).Set.Len() != r.Set.Len() || len(r.Untrusted) > 0 {
					b.Fatal(r.Untrusted)
				}
				free += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(trusted.Seconds()/free.Seconds(), "x/own")
		})
	}
}
