package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// BenchmarkPrepare prepares and commits turns on which nothing fires, in a store in memory.
func BenchmarkPrepare(b *testing.B) {
	for _, n := range []int{1, 20, 1000, 10_000} {
		rs := make([]reminder.Reminder, n)
		for i := range rs {
			rs[i] = when(fmt.Sprintf("r%05d", i), fmt.Sprintf("context_usage > %d%% and after_tool:Edit", 50+i%50))
		}
		ev := evaluator(b, rs...)
		turn := eval.Turn{Facts: facts{
			"context_tokens": 40_000, "context_window": 200_000, "tool_used": []string{"Edit",
				"Bash"}, "last_tool_call_failed": false,
			"user_message": false, "thread_type": "root", "model": "m", "provider": "p",
			"last_response_tokens": 300, "prompt": "hello",
		}}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d, err := ev.Prepare(context.Background(), "run", turn)
				if err != nil || len(d.Fired) > 0 {
					b.Fatal(err)
				}
				if err := d.Commit(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// keptNotes are the notes of a host in BenchmarkTurn: about 600 bytes of JSON.
type keptNotes struct {
	Entries []keptEntry `json:"entries"`
	Turn    int         `json:"turn"`
	Usage   int64       `json:"usage,omitempty"`
}

type keptEntry struct {
	Anchor string   `json:"anchor"`
	Texts  []string `json:"texts"`
	IDs    []string `json:"ids"`
}

// MarshalJSON implements json.Marshaler. A store in memory never calls it.
func (n *keptNotes) MarshalJSON() ([]byte, error) {
	type plain keptNotes
	return json.Marshal((*plain)(n))
}

// BenchmarkTurn is the work of an Evaluator for one request of a proxy: read the notes of the run, prepare
// and commit a turn with new notes, and write the notes once more when the answer has come. The store is in
// memory, there are 20 rules.
func BenchmarkTurn(b *testing.B) {
	for name, trigger := range map[string]string{"quiet": "context_usage > %d%% and after_tool:Edit",
		"fires": "after_tool:T%d"} {
		rs := make([]reminder.Reminder, 20)
		for i := range rs {
			rs[i] = when(fmt.Sprintf("r%05d", i), fmt.Sprintf(trigger, i))
			if name == "quiet" {
				rs[i].Trigger = fmt.Sprintf(trigger, 50+i)
			}
		}
		b.Run(name, func(b *testing.B) {
			ctx, ev := b.Context(), eval.New(set(b, rs...), eval.Options{})
			var kept keptNotes
			for i := range 3 {
				kept.Entries = append(kept.Entries, keptEntry{fmt.Sprintf("%032d", i),
					[]string{strings.Repeat("Run the tests. ", 8)}, []string{"r00001"}})
			}
			tools := make([]string, 20)
			for i := range tools {
				tools[i] = fmt.Sprintf("T%d", i)
			}
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				n++
				if _, _, err := ev.Notes(ctx, "run"); err != nil {
					b.Fatal(err)
				}
				turn := eval.Turn{Key: strconv.Itoa(n), Mark: "mark", Fill: func(f *fact.Frame) {
					f.SetText(fact.Model, "claude-sonnet-4-5")
					f.SetText(fact.Provider, "anthropic")
					f.SetText(fact.Prompt, "do it")
					f.SetText(fact.Response, "on it")
					f.SetText(fact.ThreadType, "root")
					f.SetInt(fact.MessageCount, int64(2*n))
					f.SetBool(fact.UserMessage, false)
					f.SetSet(fact.ToolUsed, tools[n%20:n%20+1])
					f.SetFailed(nil)
					f.SetBool(fact.Compacted, false)
					f.SetInt(fact.ContextTokens, 40_000)
					f.SetInt(fact.LastResponseTokens, 300)
					f.SetInt(fact.ContextWindow, 200_000)
				}}
				d, err := ev.Prepare(ctx, "run", turn)
				if err != nil || len(d.Fired) > 1 {
					b.Fatal(err)
				}
				next := kept
				next.Turn = d.Turn
				if err := errors.Join(d.Carry(&next), d.Commit(ctx)); err != nil {
					b.Fatal(err)
				}
				if err := ev.Note(ctx, "run", func(was json.Marshaler) (json.Marshaler, error) {
					next := *was.(*keptNotes)
					next.Usage = int64(n)
					return &next, nil
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
