package firing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// rules returns n rules that fire on edges.
func nRules(n int) *firing.Rules {
	rules := make([]reminder.Reminder, n)
	for i := range rules {
		rules[i] = reminder.Reminder{ID: fmt.Sprintf("rule-%05d", i), Trigger: "context_usage > 75%"}
	}
	return firing.NewRules(rules)
}

// stepper steps again and again from the snapshot that warm leaves.
func stepper(b *testing.B, n int, first, then fact.Truth, key string) {
	b.Helper()
	set := nRules(n)
	trigger, rearm := make([]fact.Truth, n), make([]fact.Truth, n)
	for i := range trigger {
		trigger[i] = first
	}
	in := unknown(time.Unix(0, 0))
	in.UserMessage = fact.True
	in.Judge = func(*firing.Run) ([]fact.Truth, []fact.Truth) { return trigger, rearm }
	in.Render = func(int) (string, error) { return "Mind the context.", nil }
	snap, _, err := firing.Step(nil, set, in)
	for i := range trigger {
		trigger[i] = then
	}
	if err == nil {
		snap, _, err = firing.Step(snap, set, in) // the work of a first step is done here
	}
	if err != nil {
		b.Fatal(err)
	}
	in.Key = key
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := firing.Step(snap, set, in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/rule")
}

func BenchmarkStep(b *testing.B) {
	for _, n := range []int{1, 20, 10_000} {
		b.Run(fmt.Sprintf("quiet/n=%d", n), func(b *testing.B) { stepper(b, n, fact.False, fact.False, "") })
		b.Run(fmt.Sprintf("keyed/n=%d", n), func(b *testing.B) { stepper(b, n, fact.False, fact.False, "a turn") })
		b.Run(fmt.Sprintf("fired before/n=%d", n), func(b *testing.B) { stepper(b, n, fact.True, fact.False, "") })
		b.Run(fmt.Sprintf("fires/n=%d", n), func(b *testing.B) { stepper(b, n, fact.False, fact.True, "") })
	}
}

func BenchmarkEncode(b *testing.B) {
	snap := full(b)
	b.ReportAllocs()
	for b.Loop() {
		snap.Encode()
	}
}

func BenchmarkDecode(b *testing.B) {
	enc := full(b).Encode()
	b.ReportAllocs()
	b.SetBytes(int64(len(enc)))
	for b.Loop() {
		if _, err := state.Decode(enc); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory takes one of 100,000 runs over a turn.
func BenchmarkMemory(b *testing.B) {
	const runs = 100_000
	store, set := state.NewMemory(), nRules(20)
	names := make([]string, runs)
	in := unknown(time.Unix(0, 0))
	snap, _, err := firing.Step(nil, set, in)
	for i := range names {
		names[i] = fmt.Sprint("run ", i)
		if err == nil {
			_, err = store.Save(b.Context(), names[i], 0, snap)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		name := names[i*7919%runs]
		i++
		prev, rev, err := store.Load(b.Context(), name)
		if err != nil {
			b.Fatal(err)
		}
		next, _, err := firing.Step(prev, set, in)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := store.Save(b.Context(), name, rev, next); err != nil {
			b.Fatal(err)
		}
	}
}
