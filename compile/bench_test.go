package compile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/cases"
	"github.com/aside-go/aside/internal/test/testkit"
)

// handFrame is what somebody would write who knows the two facts: unknown is NaN there, too.
type handFrame struct{ num []float64 }

//go:noinline
func byHand(f *handFrame) fact.Truth {
	usage, turns := f.num[fact.ContextUsage], f.num[fact.TurnCount]
	if usage > 0.75 && turns > 20 {
		return fact.True
	}
	if usage <= 0.75 || turns <= 20 {
		return fact.False
	}
	return fact.Unknown
}

type exprEnv struct {
	ContextUsage float64 `expr:"context_usage"`
	TurnCount    int     `expr:"turn_count"`
}

var sink fact.Truth

// BenchmarkAimTrigger: one native trigger, at most 1.3 times the same by hand, at least 8 times as fast as
// expr-lang's VM, without allocations. The facts change from run to run.
func BenchmarkAimTrigger(b *testing.B) {
	p := newSet(b, compile.Options{}, reminder.Reminder{ID: "r", Text: "x",
		Trigger: "context_usage > 75% and turn_count > 20"}).Trigger(0)
	var frames [4]*fact.Frame
	var hands [4]*handFrame
	for i := range frames {
		frames[i] = fact.Builtin().NewFrame()
		hands[i] = &handFrame{num: make([]float64, fact.Builtin().Len())}
		usage, turns := 0.7+0.1*float64(i%2), int64(15+10*(i/2))
		frames[i].SetRatio(fact.ContextUsage, usage)
		frames[i].SetInt(fact.TurnCount, turns)
		hands[i].num[fact.ContextUsage], hands[i].num[fact.TurnCount] = usage, float64(turns)
	}
	const text = "context_usage > 0.75 and turn_count > 20"
	withMap, err := expr.Compile(text, expr.Env(map[string]any{"context_usage": 0.0, "turn_count": 0}),
		expr.AsBool())
	if err != nil {
		b.Fatal(err)
	}
	withStruct, err := expr.Compile(text, expr.Env(exprEnv{}), expr.AsBool())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		sink = p.Eval(frames[i&3])
		i++
	}
	b.StopTimer()

	hand := byHand
	i = 0
	env, machine := map[string]any{}, vm.VM{}
	run := func(program *vm.Program, env any) {
		out, err := machine.Run(program, env)
		sink = fact.Of(err == nil && out == true)
	}
	t := testkit.Least(50_000, func() { sink = p.Eval(frames[i&3]); i++ },
		func() { sink = hand(hands[i&3]); i++ },
		func() {
			f := hands[i&3]
			env["context_usage"], env["turn_count"] = f.num[fact.ContextUsage], int(f.num[fact.TurnCount])
			run(withMap, env)
			i++
		},
		func() {
			f := hands[i&3]
			run(withStruct, exprEnv{f.num[fact.ContextUsage], int(f.num[fact.TurnCount])})
			i++
		})
	b.ReportMetric(t[0]/t[1], "x/hand")
	b.ReportMetric(t[2]/t[0], "x/expr-map")
	b.ReportMetric(t[3]/t[0], "x/expr-struct")
}

// setOf makes n reminders with few constants, so that triggers repeat, or many, so that none does.
func setOf(b *testing.B, n int, many bool) *compile.Set {
	rs := make([]reminder.Reminder, n)
	for i := range rs {
		k := i % 10
		if many {
			k = i
		}
		usage := fmt.Sprintf("0.%05d", (50000+k*7919)%100000)
		src := []string{
			"context_usage > " + usage,
			fmt.Sprintf("turn_count > %d and context_usage > %s", k+1, usage),
			fmt.Sprintf("context_tokens >= %d or tool_calls > %d", 1000+k*17, k+5),
			fmt.Sprintf("turn_count == %d", k+3),
			fmt.Sprintf("not user_message and failures_in_row >= %d", k%50+1),
		}[i%5]
		rs[i] = reminder.Reminder{ID: fmt.Sprintf("r%05d", i), Text: "x", Trigger: src}
	}
	return newSet(b, compile.Options{}, rs...)
}

const turns = 200

// walk sets the facts of the i-th turn of a run, as they move in a real one: most by a little.
func walk(f *fact.Frame, i int) {
	f.SetInt(fact.TurnCount, int64(i))
	f.SetInt(fact.ContextTokens, int64(1000+i*700))
	f.SetRatio(fact.ContextUsage, float64(1000+i*700)/200_000)
	f.SetInt(fact.ToolCalls, int64(i*2))
	f.SetInt(fact.FailuresInRow, int64(i%7/5))
	f.SetBool(fact.UserMessage, i%5 == 0)
}

// BenchmarkAimSet: one turn of a set. 10,000 reminders of which little changed take at most 0.05 times a
// loop over one closure for each reminder; no allocations.
func BenchmarkAimSet(b *testing.B) {
	for _, n := range []int{1, 20, 1000, 10_000} {
		for _, many := range []bool{false, true} {
			name := fmt.Sprintf("n=%d/few", n)
			if many {
				name = fmt.Sprintf("n=%d/many", n)
			}
			b.Run(name, func(b *testing.B) {
				s := setOf(b, n, many)
				truths := new(compile.Truths)
				var frames [turns]*fact.Frame // made before, since filling one is not what is measured
				for i := range frames {
					frames[i] = s.Schema().NewFrame()
					walk(frames[i], i)
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					s.Eval(frames[i%turns], truths)
					i++
				}
				b.StopTimer()
				ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)

				closures := make([]func(*fact.Frame) fact.Truth, s.Len())
				for i := range closures {
					closures[i] = s.Trigger(i).Eval
				}
				out := make([]fact.Truth, s.Len())
				start, n := time.Now(), 0
				for ; n < 100 || time.Since(start) < 50*time.Millisecond; n++ {
					f := frames[n%turns]
					for i, c := range closures {
						out[i] = c(f)
					}
				}
				loop := float64(time.Since(start).Nanoseconds()) / float64(n)
				b.ReportMetric(ours, "ns/turn")
				b.ReportMetric(loop/ours, "x/loop")
			})
		}
	}
}

// BenchmarkSetJumps is the worst turn for a set that follows what changes: each time another run's, whose
// facts are all elsewhere.
func BenchmarkSetJumps(b *testing.B) {
	for _, n := range []int{20, 10_000} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			s := setOf(b, n, true)
			truths := new(compile.Truths)
			frames := [2]*fact.Frame{s.Schema().NewFrame(), s.Schema().NewFrame()}
			walk(frames[0], 0)
			walk(frames[1], 150_000)
			i := 0
			for b.Loop() {
				s.Eval(frames[i%2], truths)
				i++
			}
		})
	}
}

// BenchmarkNew: 1,000 reminders from source to set.
func BenchmarkNew(b *testing.B) {
	rs := make([]reminder.Reminder, 1000)
	for i := range rs {
		rs[i] = reminder.Reminder{ID: fmt.Sprintf("r%05d", i), Text: "{{.turn_count}} turns",
			Trigger: fmt.Sprintf("turn_count > %d and (context_usage > 75%% or after_tool:Edit,Write)", i)}
	}
	b.ReportAllocs()
	for b.Loop() {
		if s, diags := compile.New(rs, compile.Options{}); s.Len() != len(rs) {
			b.Fatal(diags)
		}
	}
}

// BenchmarkGeneral: an operand that only expr-lang can read.
func BenchmarkGeneral(b *testing.B) {
	p := newSet(b, compile.Options{}, reminder.Reminder{ID: "r", Text: "x",
		Trigger: `len(tool_used) + 1 > turn_count and any(tool_used, # startsWith "mcp__")`}).Trigger(0)
	f := cases.Known(fact.Builtin())
	b.ReportAllocs()
	for b.Loop() {
		sink = p.Eval(f)
	}
}
