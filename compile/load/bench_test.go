package load_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

// BenchmarkAimLoad reads, parses and compiles a directory of n reminder files with distinct triggers. The aim
// is 60 ms per 1,000. Lower bounds in the same run: reading the files alone, reading and decoding their front
// matter alone, and that with each trigger parsed.
func BenchmarkAimLoad(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			for i := range n {
				write(b, filepath.Join(dir, fmt.Sprintf("r%05d.md", i)), rule(i))
			}
			b.ReportAllocs()
			var all, reading, decoding, parsing time.Duration
			runs := 0
			for b.Loop() {
				start := time.Now()
				r := load.Load([]load.Source{{Path: dir}}, load.Options{})
				all += time.Since(start)
				if r.Set.Len() != n || len(r.Diagnostics) > 0 {
					b.Fatalf("%d of %d, %v", r.Set.Len(), n, r.Diagnostics)
				}
				b.StopTimer()
				reading += clocked(func() { readAll(b, dir) })
				decoding += clocked(func() { decodeAll(b, readAll(b, dir), false) })
				parsing += clocked(func() { decodeAll(b, readAll(b, dir), true) })
				runs++
				b.StartTimer()
			}
			b.ReportMetric(all.Seconds()*1e3*1000/float64(n)/float64(runs), "ms/1000")
			b.ReportMetric(all.Seconds()/reading.Seconds(), "x/read")
			b.ReportMetric(all.Seconds()/decoding.Seconds(), "x/read+yaml")
			b.ReportMetric(all.Seconds()/parsing.Seconds(), "x/read+yaml+grammar")
		})
	}
}

// rule is a reminder file as people write them.
func rule(i int) string {
	when := [...]string{"context_usage > 0.%02d", "turn_count >= %d and not compacted", "after_tool:Edit,Tool%d",
		"tool_used == tool%d or failures_in_row > 2", "every %d turns"}[i%5]
	return fmt.Sprintf("---\ndescription: rule number %d\nwhen: "+when+"\ncooldown: 5 turns\npriority: "+
		"%d\n---\n\nThe tests of this package were not run since the last edit.\nRun them before you go "+
		"on.\n", i, 1+i%97, i%10)
}

func clocked(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func readAll(b *testing.B, dir string) [][]byte {
	entries, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	files := make([][]byte, 0, len(entries))
	for _, e := range entries {
		src, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, src)
	}
	return files
}

func decodeAll(b *testing.B, files [][]byte, parse bool) {
	for _, src := range files {
		_, front, _ := bytes.Cut(src, []byte("---\n"))
		front, _, _ = bytes.Cut(front, []byte("---\n"))
		var keys struct {
			When, Description, Cooldown string
			Priority                    int
		}
		if err := yaml.Unmarshal(front, &keys); err != nil {
			b.Fatal(err)
		}
		if !parse {
			continue
		}
		if _, ds := grammar.Parse(keys.When); len(ds) > 0 {
			b.Fatal(ds)
		}
	}
}

// BenchmarkDocument is one rule file without the machine's files.
func BenchmarkDocument(b *testing.B) {
	src := []byte(rule(1))
	b.ReportAllocs()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if rs, _ := document.Read("a.md", src); len(rs) != 1 {
			b.Fatal("not read")
		}
	}
}
