package lint_test

import (
	"fmt"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// BenchmarkRun looks at a set of rules that were read, of which some have findings: what "aside check" takes
// beyond reading and compiling, and what of it is not package analysis.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		files := map[string][]byte{}
		var rs []compile.Source
		for i := range n {
			name := fmt.Sprintf("r%d.md", i)
			src := page(fmt.Sprintf("when: %s\ncooldown: 5 turns", [...]string{
				"after_tool:Edit,Write and thread:root", fmt.Sprintf("turn_count > %d and context_usage > %d%%", i,
					i%100),
				`turns_since_tool("TodoWrite") > 10 or compacted`, `user_message and prompt matches "deploy|release"`,
			}[i%4]), fmt.Sprintf("The window is {{.context_usage | percent}} full, %d.", i))
			files[name] = []byte(src)
			r, _ := document.Read(name, files[name])
			rs = append(rs, r...)
		}
		set, _ := compile.FromFiles(rs, compile.Options{})
		b.Run(fmt.Sprintf("run/%d", n), func(b *testing.B) {
			for b.Loop() {
				lint.Run(set, nil, files, lint.Options{})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/rule")
		})
		b.Run(fmt.Sprintf("lint/%d", n), func(b *testing.B) {
			for b.Loop() {
				lint.Check(set, files, lint.Options{})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/rule")
		})
	}
}
