package eval_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
)

// BenchmarkPrepare prepares and commits turns on which nothing fires, in a store in memory.
func BenchmarkPrepare(b *testing.B) {
	for _, n := range []int{1, 20, 1000, 10_000} {
		rs := make([]compile.Reminder, n)
		for i := range rs {
			rs[i] = when(fmt.Sprintf("r%05d", i), fmt.Sprintf("context_usage > %d%% and after_tool:Edit", 50+i%50))
		}
		ev := evaluator(b, rs...)
		turn := eval.Turn{Facts: facts{
			"context_tokens": 40_000, "context_window": 200_000, "tool_used": []string{"Edit", "Bash"}, "last_tool_call_failed": false,
			"user_message": false, "thread_type": "root", "model": "m", "provider": "p", "last_response_tokens": 300, "prompt": "hello",
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
