package fuzz_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/test/reference"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// FuzzEval: on each turn, part and moment of a run, and across reloads, the Evaluator does what the naive
// machine says. The number chooses reminders and run.
func FuzzEval(f *testing.F) {
	s := drawnFacts(f)
	fuzzDraws(f, 32, 600, func(t *testing.T, d *reference.Draw) { play(t, d, s, 12) })
}

// TestMachine is FuzzEval on runs by chance.
func TestMachine(t *testing.T) {
	t.Parallel()
	s := drawnFacts(t)
	n, seen := draws(260, 3600, 20_000), map[string]int{}
	for seed := range uint64(n) {
		play(t, &reference.Draw{Bytes: choices(seed, 4000)}, s, 20).count(seen)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, what := range []string{"fires", "fires at stopping", "fires at before_tool", "due", "pauses",
		"undelivered", "heeded", "ignored", "open"} {
		if seen[what] < n/40 {
			t.Errorf("in %d runs, seen too seldom: %v", n, seen)
		}
	}
}

// fuzzDraws fuzzes what a reference.Draw chooses, size bytes that follow from a number. The bytes themselves
// would be made shorter for a minute whenever they reach new code, and nothing else would be tried meanwhile.
func fuzzDraws(f *testing.F, seeds uint64, size int, test func(*testing.T, *reference.Draw)) {
	for seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { test(t, &reference.Draw{Bytes: choices(seed, size)}) })
}

// draws says how many choices by chance a test tries: few, many where it is thorough, or with -long most.
func draws(few, many, most int) int {
	if testkit.Long() {
		return most
	}
	return testkit.Repeat(few, many)
}

// choices are bytes for a reference.Draw.
func choices(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.UintN(256))
	}
	return b
}

func drawnFacts(t testing.TB) *fact.Schema {
	s, err := fact.NewSchema(reference.Facts()...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// played are the results of a run, each of a moment.
type played []struct {
	reference.Result
	at fact.Moment
}

func (p played) count(seen map[string]int) {
	for _, r := range p {
		seen["fires"] += len(r.Fired)
		seen["fires at "+r.at.String()] += len(r.Fired)
		seen["due"] += len(r.Due)
		seen["pauses"] += len(r.Paused)
		seen["undelivered"] += len(r.Undelivered)
		for _, o := range r.Outcomes {
			seen[strings.Fields(o)[1]]++
		}
	}
}

// play plays a run through the Evaluator and the naive machine.
func play(t *testing.T, d *reference.Draw, s *fact.Schema, steps int) (all played) {
	t.Helper()
	options, rules := d.Options(), d.Rules()
	set, store := compiled(t, rules, s), state.Store(state.NewMemory())
	apart := len(d.Bytes)%2 == 0 // each step in a process of its own
	if apart {
		store = written{store, t}
	}
	evaluator := func() *eval.Evaluator {
		return eval.New(set, eval.Options{Budget: options.Budget, Order: options.Order, Store: store})
	}
	ev := evaluator()
	m, err := reference.NewMachine(rules, s, options)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 3, 21, 0, 0, 0, time.UTC)
	var log []string
	for range steps {
		step, moment := d.Step(at), fact.Turn
		at = step.At
		got := reference.Result{}
		if apart {
			ev = evaluator()
		}
		if step.Occasion == nil {
			if step.Rules != nil {
				set = compiled(t, step.Rules, s)
			}
			change(t, ev, options.Run, step, set)
			log = append(log, fmt.Sprintf("rules %+v add %+v remove %q missed %v", step.Rules, step.Add, step.Remove,
				step.Missed))
		} else {
			var held any
			moment = step.Moment
			got, held = decided(t, ev, options, step)
			log = append(log, fmt.Sprintf("%v more %v silent %v moment %v user %v compacted %v remind %v: %+v held %v",
				at.Format("15:04:05"), step.More, step.Silent, step.Moment, step.Facts["user_message"],
				step.Facts["compacted"], step.Remind, got, held))
		}
		before := m.String()
		want, err := m.Play(step)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%+v\n-the naive machine +the Evaluator\n%s\n%v\nbefore: %safter: %v",
				strings.Join(log, "\n"), options, diff, step.Occasion, before, m)
			return all
		}
		all = append(all, played{{got, moment}}...)
	}
	return all
}

func compiled(t *testing.T, rules []reminder.Reminder, s *fact.Schema) *compile.Set {
	t.Helper()
	set, ds := compile.New(rules, compile.Options{Schema: s})
	if ds.HasErrors() {
		t.Fatalf("%+v: %v", rules, ds)
	}
	return set
}

// written is a store that writes each run and reads it again, as separate processes do.
type written struct {
	state.Store
	t *testing.T
}

func (w written) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	s, err := state.Decode(next.Encode())
	if err != nil {
		w.t.Fatal(err)
	}
	return w.Store.Save(ctx, run, prev, s)
}

// change tells the Evaluator of a step between two turns.
func change(t *testing.T, ev *eval.Evaluator, run string, step reference.Step, set *compile.Set) {
	t.Helper()
	ctx := context.Background()
	var err error
	switch {
	case step.Missed != nil:
		err = ev.Missed(ctx, run, step.Missed...)
	case step.Add != nil:
		var ds grammar.Diagnostics
		if ds, err = ev.Add(ctx, run, *step.Add); ds.HasErrors() {
			t.Fatal(ds)
		}
	case step.Remove != "":
		err = ev.Remove(ctx, run, step.Remove)
	default:
		ev.Reload(set)
	}
	if err == nil && step.Missed == nil {
		err = ev.Adopt(ctx, run)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// decided returns what the Evaluator decides on a step. A turn that is discarded, one that is asked for again
// by its key, and one of a writer that was slower, change nothing.
func decided(t *testing.T, ev *eval.Evaluator, o reference.Options, s reference.Step) (r reference.Result,
	held any) {
	t.Helper()
	ctx := context.Background()
	turn := eval.Turn{Key: s.Key, At: s.At, More: s.More, Moment: s.Moment,
		Call: s.Before, Place: s.Place, Root: o.Root, Fill: s.Fill, Remind: s.Remind, Silent: s.Silent}
	if s.Forgets {
		turn.Facts = map[string]any{"prompt": nil}
	}
	var slower *eval.Decision
	if s.Discarded {
		other := turn
		other.At, other.Silent = s.At.Add(time.Hour), !s.Silent
		d, err := ev.Prepare(ctx, o.Run, other)
		if err != nil {
			t.Fatal(err)
		}
		if slower = d; s.At.Unix()%2 == 0 || s.Moment != fact.Turn { // where nothing is saved, nobody is slower
			slower = nil
			d.Discard()
		}
	}
	d, err := ev.Decide(ctx, o.Run, turn)
	if err != nil {
		t.Fatal(err)
	}
	if slower != nil {
		err := slower.Commit(ctx)
		is, _ := resultOf(slower)
		was, _ := resultOf(d)
		same := err == nil && slower.Again && cmp.Equal(is, was) // the key is that of the turn that was stored
		if !same && !errors.Is(err, state.ErrConflict) {
			t.Errorf("the writer that was slower: %v, %+v, after %+v", err, is, was)
		}
	}
	if s.Again {
		again, err := ev.Decide(ctx, o.Run, eval.Turn{Key: s.Key, At: s.At.Add(time.Hour), Root: o.Root})
		if err != nil {
			t.Fatal(err)
		}
		first, _ := resultOf(d)
		second, _ := resultOf(again)
		if diff := cmp.Diff(first, second); diff != "" || !again.Again {
			t.Errorf("the turn %s again: %s", s.Key, diff)
		}
	}
	if s.OldKey != "" {
		if _, err := ev.Prepare(ctx, o.Run, eval.Turn{Key: s.OldKey, At: s.At}); !errors.Is(err, state.ErrOldKey) {
			t.Errorf("the turn %s after %s: %v", s.OldKey, s.Key, err)
		}
	}
	return resultOf(d)
}

func resultOf(d *eval.Decision) (r reference.Result, held any) {
	for _, f := range d.Fired {
		r.Fired = append(r.Fired, f.ID)
	}
	for _, f := range d.Due {
		r.Due = append(r.Due, f.ID+": "+f.Text)
	}
	r.Paused, r.Undelivered = d.Paused, d.Undelivered
	for _, o := range d.Outcomes {
		r.Outcomes = append(r.Outcomes, fmt.Sprintf("%s %s after %d held out %v", o.ID, o.Outcome, o.After,
			o.HeldOut))
	}
	slices.Sort(r.Outcomes)
	return r, d.Held
}
