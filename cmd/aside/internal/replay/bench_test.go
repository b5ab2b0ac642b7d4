package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/replay"
	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/internal/shared"
)

// BenchmarkAimReplay replays a real session and, in the same process, lets encoding/json merely validate its lines. The aim
// (DESIGN.md §6) is a ratio of at most 1. The lower bound is reading the turns alone.
func BenchmarkAimReplay(b *testing.B) {
	src, err := os.ReadFile(shared.Path(b, "transcripts", "claude-code", "8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	files := fstest.MapFS{"s.jsonl": {Data: src}}
	set := rules(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	var valid, lower, whole time.Duration
	for b.Loop() {
		start := time.Now()
		for line := range bytes.Lines(src) {
			if !json.Valid(line) {
				b.Fatal("the file is not JSON")
			}
		}
		checked := time.Now()
		if turns, _ := drainTurns(bytes.NewReader(src)); turns != 143 {
			b.Fatal(turns)
		}
		read := time.Now()
		if err := replay.Run(context.Background(), replay.Options{Files: files, Paths: []string{"s.jsonl"}, Set: set}); err != nil {
			b.Fatal(err)
		}
		valid += checked.Sub(start)
		lower += read.Sub(checked)
		whole += time.Since(read)
	}
	b.ReportMetric(float64(whole)/float64(valid), "x/valid")
	b.ReportMetric(float64(lower)/float64(valid), "read-x/valid")
	b.ReportMetric(float64(len(src))*float64(b.N)/whole.Seconds()/1e6, "replay-MB/s")
}

func drainTurns(src *bytes.Reader) (int, error) {
	r := transcript.NewReader(src, filepath.Base("s.jsonl"), "")
	for n := 0; ; n++ {
		if _, err := r.Next(); err != nil {
			return n, err
		}
	}
}
