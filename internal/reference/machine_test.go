package reference_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/reference"
	"github.com/aside-go/aside/internal/testkit"
)

// TestMachine: random sets of reminders fire on the turns, parts and moments of random runs on which the
// naive machine says that they fire.
func TestMachine(t *testing.T) {
	t.Parallel()
	s := schema(t)
	n := testkit.Repeat(200, 1000)
	if testkit.Long() {
		n = 20_000
	}
	fired := 0
	for seed := range uint64(n) {
		fired += play(t, drawer(seed), s)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if fired < n {
		t.Errorf("only %d firings in %d runs", fired, n)
	}
}

// play plays a run through both and returns the number of firings.
func play(t *testing.T, d *reference.Draw, s *fact.Schema) (fired int) {
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
	var log []string
	for range 12 {
		var o *reference.Occasion
		var more bool
		o, at, more = d.Step(at)
		dec, err := ev.Decide(context.Background(), "run", eval.Turn{At: at, More: more, Moment: o.Moment,
			Call: o.Before, Place: o.Place, Fill: o.Fill})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, f := range dec.Fired {
			got = append(got, f.ID)
		}
		before := m.String()
		log = append(log, fmt.Sprintf("%v more %v moment %v user %v compacted %v fires %v held %v",
			at.Format("15:04:05"), more,
			o.Moment, o.Facts["user_message"], o.Facts["compacted"], got, dec.Held))
		want := m.Play(o, at, more)
		if !slices.Equal(got, want) {
			t.Errorf("%s\nfires %v, the naive machine says %v\nmore %v at %v\n%v\nbefore: %safter: %v",
				strings.Join(log, "\n"), got, want, more, at, o,
				before, m)
			return fired
		}
		fired += len(got)
	}
	return fired
}
