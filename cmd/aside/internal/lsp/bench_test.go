package lsp_test

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkAimDiagnostics is the time from a change of one file until the editor has the diagnostics
// of it, in a directory of n files with distinct triggers. The aim is 50 ms of 1,000.
func BenchmarkAimDiagnostics(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := open(b)
			for i := range n - 1 {
				e.write(fmt.Sprintf(".aside/reminders/r%05d.md", i), rule(i, ""))
			}
			u := e.show(".aside/reminders/typed.md", rule(n, ""))
			e.wrong(u, 1)
			var longest time.Duration
			version := 1
			for b.Loop() {
				version++
				start := time.Now()
				// by turns right and wrong
				more := [...]string{" and message_count > 3", " and turn_cuont > 3"}[version%2]
				e.retype(u, version, rule(version/2, more))
				if ws := e.wrong(u, version); (len(ws) > 0 && ws[0].Code == "R0201") != (version%2 == 1) {
					b.Fatalf("got %v", ws)
				}
				longest = max(longest, time.Since(start))
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/change")
			b.ReportMetric(longest.Seconds()*1e3, "ms/longest")
		})
	}
}

// rule is a reminder file as people write them.
func rule(i int, more string) string {
	when := [...]string{"context_usage > 0.%02d", "turn_count >= %d and not compacted", "after_tool:Edit,Tool%d",
		"tool_used == tool%d or failures_in_row > 2", "every %d turns"}[i%5]
	return fmt.Sprintf("---\ndescription: rule number %d\nwhen: "+when+"%s\ncooldown: 5 turns\npriority: "+
		"%d\n---\n\nThe tests of this package were not run since the last edit.\nRun them before you go "+
		"on.\n", i, 1+i%97, more, i%10)
}
