package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// twenty are twenty rules as people have them: the starter rules, and those of rules.yaml.
func twenty(tb testing.TB) *compile.Set {
	tb.Helper()
	rs, diags := starter.Reminders()
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	all := reminders(tb)
	for i := range all {
		all[i].ID = "my-" + all[i].ID
	}
	for _, r := range rs {
		all = append(all, r.Reminder)
	}
	if len(all) < 20 {
		tb.Fatal(len(all))
	}
	return compiled(tb, all[:20]...)
}

// BenchmarkAimReplay replays a real session, in the words of each format, with twenty rules and a timeline,
// and, in the same process, lets encoding/json merely validate the same lines. The aim (DESIGN.md §6) is a
// ratio of at most 1. The lower bound is reading the turns alone.
func BenchmarkAimReplay(b *testing.B) {
	path := testkit.Beside(b, "transcripts", "claude-code", "8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl")
	src, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("claude-code", func(b *testing.B) { aim(b, src, 143) })
	turns := retell(b, path)
	for _, d := range dialects {
		n := len(turns)
		if strings.HasPrefix(d.name, "log-") { // each request holds all that was before
			n = 60
		}
		b.Run(d.name, func(b *testing.B) { aim(b, d.tell(turns[:n]), n) })
	}
}

// plainDiscard is a writer that is not io.Discard, for which no timeline would be made.
type plainDiscard struct{}

func (plainDiscard) Write(b []byte) (int, error) { return len(b), nil }

func aim(b *testing.B, src []byte, turns int) {
	files := fstest.MapFS{"s.jsonl": {Data: src}}
	set := twenty(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	play := func() {
		if err := replay.Run(context.Background(), replay.Options{Files: files, Paths: []string{"s.jsonl"},
			Set: set, Out: plainDiscard{}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		play()
	}
	t := testkit.Least(1, play, func() {
		for line := range bytes.Lines(src) {
			if !json.Valid(line) {
				b.Fatal("the file is not JSON")
			}
		}
	}, func() {
		if n, _ := drainTurns(bytes.NewReader(src)); n != turns {
			b.Fatal(n)
		}
	})
	b.ReportMetric(t[0]/t[1], "x/valid")
	b.ReportMetric(t[2]/t[1], "read-x/valid")
	b.ReportMetric(float64(len(src))*1e3/t[0], "replay-MB/s")
}

func drainTurns(src io.Reader) (int, error) {
	r := transcript.NewReader(src, filepath.Base("s.jsonl"), "")
	for n := 0; ; n++ {
		if _, err := r.Next(); err != nil {
			return n, err
		}
	}
}

// BenchmarkRules replays a real session with more and more rules.
func BenchmarkRules(b *testing.B) {
	src, err := os.ReadFile(testkit.Beside(b, "transcripts", "claude-code",
		"8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	files := fstest.MapFS{"s.jsonl": {Data: src}}
	for _, n := range []int{1, 10, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			set := many(b, n)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if err := replay.Run(context.Background(), replay.Options{Files: files, Paths: []string{"s.jsonl"},
					Set: set, Out: plainDiscard{}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// many are n rules of many kinds.
func many(tb testing.TB, n int) *compile.Set {
	tb.Helper()
	triggers := []string{"context_usage > %d%%", "turn_count >= %d", "turns_since_tool(\"Edit\") == %d",
		"failures_in_row >= 3 and turn_count > %d", "after_tool:Bash and turn_gt:%d",
		"output_tokens > %d", "user_turn_count > %d", "idle > %dm", "tool_calls > %d", "tool_count(\"Read\") > %d"}
	rs := make([]reminder.Reminder, n)
	for i := range rs {
		rs[i] = reminder.Reminder{ID: fmt.Sprintf("r%05d", i), Trigger: fmt.Sprintf(triggers[i%len(triggers)],
			i/len(triggers)%97+1), Text: "Think of it."}
	}
	return compiled(tb, rs...)
}
