package callpattern_test

import (
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

// line is a command line of 200 characters, as agents write them.
const line = "cd /srv/app/backend && go build ./... && go test -race -run 'TestServer|TestClient' " +
	"./internal/... 2>&1 | tail -n 50 && git add -A && " +
	`git commit -m "server: it answers twice as fast" && git push`

// BenchmarkAimCall holds a pattern with a subject against a command line of 200 characters. The budget is 20
// times a pattern that is a plain name. The line is parsed once a turn, however many patterns there are: what
// that costs is the metric ns/parse, beside a turn of some 10,000 ns.
func BenchmarkAimCall(b *testing.B) {
	call := fact.Call{Tool: "Bash", Class: fact.Shell, Command: line, Told: true}
	f := fact.Builtin().NewFrame()
	f.SetCalls([]fact.Call{call})
	const patterns = 100
	turn := func(p fact.Pattern, n int) time.Duration {
		start := time.Now()
		for range n {
			calls, _ := f.Batch()
			for i := range calls {
				for range patterns {
					p.Match(&calls[i], f.Place())
				}
			}
		}
		return time.Since(start)
	}
	name, bound := parse(b, "Bash"), parse(b, "Bash(git push*)")
	var names, subjects, parses time.Duration
	b.ReportAllocs()
	for b.Loop() {
		names += turn(name, 1)
		subjects += turn(bound, 1)
		start := time.Now()
		callpattern.Commands(line)
		parses += time.Since(start)
	}
	b.ReportMetric(float64(subjects)/float64(names), "x/name")
	b.ReportMetric(float64(subjects)/float64(b.N*patterns), "ns/match")
	b.ReportMetric(float64(parses)/float64(b.N), "ns/parse")
}
