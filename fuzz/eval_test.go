package fuzz_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/reference"
)

// FuzzEval: the Evaluator fires the reminders that the naive machine says, on each turn, part and moment of a
// run. The bytes choose reminders and run.
func FuzzEval(f *testing.F) {
	for i := range 32 {
		b := make([]byte, 300)
		for k := range b {
			b[k] = byte(i*37 + k*k*11 + k*i*5)
		}
		f.Add(b)
	}
	s, err := fact.NewSchema(reference.Facts()...)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d := &reference.Draw{Bytes: b}
		rules := d.Rules()
		set, ds := compile.New(rules, compile.Options{Schema: s})
		if ds.HasErrors() {
			t.Fatalf("%+v: %v", rules, ds)
		}
		m, err := reference.NewMachine(rules, s)
		if err != nil {
			t.Fatal(err)
		}
		ev := eval.New(set, eval.Options{})
		at := time.Date(2026, 1, 3, 21, 0, 0, 0, time.UTC)
		for range 8 {
			var o *reference.Occasion
			var more bool
			o, at, more = d.Step(at)
			dec, err := ev.Decide(context.Background(), "run", eval.Turn{At: at, More: more, Moment: o.Moment,
				Call: o.Before, Place: o.Place, Fill: o.Fill})
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, fired := range dec.Fired {
				got = append(got, fired.ID)
			}
			before := m.String()
			if want := m.Play(o, at, more); !slices.Equal(got, want) {
				t.Fatalf("fires %v, the naive machine says %v\nmore %v at %v\n%v\nbefore: %s", got, want, more,
					at, o, before)
			}
		}
	})
}
