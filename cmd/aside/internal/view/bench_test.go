package view

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	tea "charm.land/bubbletea/v2"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// long returns a session file of about size bytes: a real one, again and again, with other ids each time.
func long(tb testing.TB, size int) []byte {
	tb.Helper()
	one, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "testdata", "transcripts", "claude-code",
		"8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	var all []byte
	for k := 0; len(all) < size; k++ {
		again := bytes.ReplaceAll(one, []byte(`"msg_`), fmt.Appendf(nil, `"msg_%d_`, k))
		again = bytes.ReplaceAll(again, []byte(`"toolu_`), fmt.Appendf(nil, `"toolu_%d_`, k))
		all = append(all, bytes.ReplaceAll(again, []byte(`uuid":"`), fmt.Appendf(nil, `uuid":"%d-`, k))...)
	}
	return all
}

// BenchmarkAimView opens a session of 50 MB with the starter rules and one more, up to the first screen,
// while encoding/json merely validates the same lines; then it presses keys, each with the screen that it
// leads to, and the same in a session of 500 KB. The aims (DESIGN.md §6) are ratios of at most 2 and 1.5.
func BenchmarkAimView(b *testing.B) {
	rs, _ := starter.Reminders()
	rs = append(rs, compile.Source{Reminder: reminder.Reminder{ID: "any", Trigger: "after_tool:Bash",
		Text: "Look at it."}})
	set, _ := compile.FromFiles(rs, compile.Options{})
	opened := func(src []byte) *model {
		s, err := lens.Open(context.Background(), replay.Options{Paths: []string{"s.jsonl"}, Set: set,
			Files: fstest.MapFS{"s.jsonl": {Data: src}}})
		if err != nil {
			b.Fatal(err)
		}
		m := newModel(context.Background(), &command.Env{Colour: true}, source{}, s)
		m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
		m.View()
		return m
	}
	src := long(b, 50<<20)
	m, small := opened(src), opened(long(b, 500<<10))
	if n := len(small.list.items); n < 50 || len(m.list.items) < 50*n || len(m.reminders) < 50 {
		b.Fatalf("%d and %d items, %d reminders", n, len(m.list.items), len(m.reminders))
	}
	b.Run("open", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			opened(src)
		}
		t := testkit.Least(1, func() { opened(src) }, func() {
			for line := range bytes.Lines(src) {
				if !json.Valid(line) {
					b.Fatal("the file is not JSON")
				}
			}
		})
		b.ReportMetric(t[0]/t[1], "x/valid")
		b.ReportMetric(t[0]/1e6, "ms")
	})
	for _, keys := range [][]string{{"down", "up"}, {"pgdown", "pgup"}, {"n", "p"}, {"end", "home"}} {
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			b.ReportAllocs()
			press := func(m *model) func() {
				return func() {
					for _, k := range keys {
						m.press(k)
						m.View()
					}
				}
			}
			for b.Loop() {
				press(m)()
			}
			t := testkit.Least(10, press(m), press(small))
			b.ReportMetric(t[0]/t[1], "x/short")
			b.ReportMetric(t[0]/1e3/float64(len(keys)), "µs/key")
		})
	}
}
