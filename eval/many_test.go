package eval_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// many makes n reminders that never fire and whose triggers all differ.
func many(n int) []reminder.Reminder {
	rs := make([]reminder.Reminder, n)
	for i := range rs {
		usage := fmt.Sprintf("0.%05d", (50000+i*7919)%100000)
		rs[i] = when(fmt.Sprintf("r%05d", i), []string{
			"compacted and context_usage > " + usage,
			fmt.Sprintf("turn_count > %d and compacted and context_usage > %s", i+1, usage),
			fmt.Sprintf("compacted and (context_tokens >= %d or tool_calls > %d)", 1000+i*17, i+5),
			fmt.Sprintf("compacted and turn_count == %d", i+3),
			fmt.Sprintf("compacted and not user_message and failures_in_row >= %d", i%50+1),
		}[i%5])
	}
	return rs
}

// BenchmarkAimMany: one turn of many reminders in which little changed, decided by the Evaluator. The budget
// for 10,000 is at most 0.05 times a loop over one closure for each reminder.
func BenchmarkAimMany(b *testing.B) {
	const turns = 200
	for _, n := range []int{20, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := set(b, many(n)...)
			ev := eval.New(s, eval.Options{})
			fill := func(f *fact.Frame, i int) {
				f.SetInt(fact.TurnCount, int64(i))
				f.SetInt(fact.ContextTokens, int64(1000+i*700))
				f.SetRatio(fact.ContextUsage, float64(1000+i*700)/200_000)
				f.SetInt(fact.ToolCalls, int64(i*2))
				f.SetInt(fact.FailuresInRow, int64(i%7/5))
				f.SetBool(fact.UserMessage, i%5 == 0)
				f.SetBool(fact.Compacted, false)
			}
			ctx, i := b.Context(), 0
			decide := func() {
				i++
				d, err := ev.Decide(ctx, "run", eval.Turn{Fill: func(f *fact.Frame) { fill(f, i%turns) }})
				if err != nil || len(d.Fired) > 0 {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				decide()
			}
			b.StopTimer()
			ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)

			frames := make([]*fact.Frame, turns)
			for i := range frames {
				frames[i] = s.Schema().NewFrame()
				fill(frames[i], i)
			}
			closures, out := make([]func(*fact.Frame) fact.Truth, s.Len()), make([]fact.Truth, s.Len())
			for i := range closures {
				closures[i] = s.Trigger(i).Eval
			}
			start, k := time.Now(), 0
			for ; k < 100 || time.Since(start) < 50*time.Millisecond; k++ {
				for i, c := range closures {
					out[i] = c(frames[k%turns])
				}
			}
			loop := float64(time.Since(start).Nanoseconds()) / float64(k)
			b.ReportMetric(ours/loop, "x/loop")
		})
	}
}
