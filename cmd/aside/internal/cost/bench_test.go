package cost_test

import (
	"fmt"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/cost"
	"github.com/aside-go/aside/internal/promptcache"
)

// BenchmarkPlay is a run of so many calls, every tenth with a reminder; it reports the time of a call.
func BenchmarkPlay(b *testing.B) {
	for _, model := range []string{"claude-opus-5", "gpt-5.6", "gpt-4o"} {
		for _, n := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", model, n), func(b *testing.B) {
				calls := make([]cost.Call, n)
				for i := range calls {
					c := cost.Call{Model: model, Blocks: 3}
					c.Recorded = cost.Recorded{Cached: true, Usage: promptcache.Usage{Prompt: 20_000 + 500*i, Read: 20_000 +
						500*(i-1), Write: 500}}
					if i == 0 {
						c.Recorded.Usage = promptcache.Usage{Prompt: 20_000, Write: 20_000}
					}
					if model == "gpt-4o" {
						c.Recorded.Read, c.Recorded.Write = c.Recorded.Read/128*128, 0
					}
					if i%10 == 0 {
						c.Fired = []cost.Text{{ID: "r", Tokens: 50}}
					}
					calls[i] = c
				}
				b.ReportAllocs()
				for b.Loop() {
					var a cost.Account
					a.Play(calls, cost.Prices{})
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/call")
			})
		}
	}
}
