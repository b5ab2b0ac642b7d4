package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// stopped is a clock that stands.
func stopped() time.Time { return start }

func set(t testing.TB, rs ...reminder.Reminder) *compile.Set {
	t.Helper()
	vars := []fact.Fact{{Name: "vars.todos", Type: fact.Int}, {Name: "vars.mood", Type: fact.String}}
	schema, err := fact.NewSchema(vars...)
	if err != nil {
		t.Fatal(err)
	}
	s, diags := compile.New(rs, compile.Options{Schema: schema})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s
}

func when(id, trigger string) reminder.Reminder {
	return reminder.Reminder{ID: id, Trigger: trigger, Text: "text of " + id}
}

func while(id, trigger string) reminder.Reminder {
	return reminder.Reminder{ID: id, Mode: reminder.While, Trigger: trigger, Text: "text of " + id}
}

func evaluator(t testing.TB, rs ...reminder.Reminder) *eval.Evaluator {
	t.Helper()
	return eval.New(set(t, rs...), eval.Options{Clock: stopped})
}

type facts = map[string]any

func decide(t testing.TB, ev *eval.Evaluator, turn eval.Turn) *eval.Decision {
	t.Helper()
	d, err := ev.Decide(context.Background(), "run", turn)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ids(due []reminder.Due) string {
	out := make([]string, len(due))
	for i, d := range due {
		out[i] = d.ID
	}
	return strings.Join(out, " ")
}

func TestPrepareWritesNothing(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("r", "context_usage > 50%"))
	ctx := context.Background()
	turn := eval.Turn{Facts: facts{"context_usage": 0.6}}
	for range 3 {
		d, err := ev.Prepare(ctx, "run", turn)
		if err != nil || ids(d.Fired) != "r" || d.Turn != 1 {
			t.Fatalf("%v, %+v", err, d)
		}
		d.Discard()
		if err := d.Commit(ctx); !errors.Is(err, eval.ErrDiscarded) {
			t.Errorf("commit after discard: %v", err)
		}
		if err := d.Missed(ctx); !errors.Is(err, eval.ErrNotCommitted) {
			t.Errorf("missed after discard: %v", err)
		}
	}
	d := decide(t, ev, turn)
	if ids(d.Fired) != "r" {
		t.Errorf("fired %s", ids(d.Fired))
	}
	if err := d.Commit(ctx); err != nil {
		t.Errorf("second commit: %v", err)
	}
	d.Discard() // does nothing any more
	if d := decide(t, ev, turn); ids(d.Fired) != "" || d.Turn != 2 {
		t.Errorf("turn %d fired %s", d.Turn, ids(d.Fired))
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	on := facts{"context_usage": 0.6}
	t.Run("another turn was quicker", func(t *testing.T) {
		t.Parallel()
		ev := evaluator(t, when("r", "context_usage > 50%"))
		a, err := ev.Prepare(ctx, "run", eval.Turn{Facts: on})
		if err != nil {
			t.Fatal(err)
		}
		decide(t, ev, eval.Turn{Facts: on})
		if err := a.Commit(ctx); !errors.Is(err, state.ErrConflict) {
			t.Errorf("%v", err)
		}
		if err := a.Commit(ctx); !errors.Is(err, state.ErrConflict) {
			t.Errorf("again: %v", err)
		}
	})
	t.Run("another key was quicker", func(t *testing.T) {
		t.Parallel()
		ev := evaluator(t, when("r", "context_usage > 50%"))
		a, err := ev.Prepare(ctx, "run", eval.Turn{Key: "a", Facts: on})
		if err != nil {
			t.Fatal(err)
		}
		decide(t, ev, eval.Turn{Key: "b", Facts: on})
		if err := a.Commit(ctx); !errors.Is(err, state.ErrConflict) {
			t.Errorf("%v", err)
		}
	})
	t.Run("the same key was quicker", func(t *testing.T) {
		t.Parallel()
		ev := evaluator(t, when("r", "context_usage > 50%"))
		a, err := ev.Prepare(ctx, "run", eval.Turn{Key: "a", Facts: facts{"context_usage": 0.1}})
		if err != nil {
			t.Fatal(err)
		}
		b := decide(t, ev, eval.Turn{Key: "a", Facts: on})
		if err := a.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(b.Decision, a.Decision); d != "" || !a.Again || a.Why("r") != b.Why("r") {
			t.Errorf("%s %+v", d, a.Why("r"))
		}
	})
	t.Run("the same key with another body was quicker", func(t *testing.T) {
		t.Parallel()
		ev := evaluator(t, when("r", "context_usage > 50%"))
		a, err := ev.Prepare(ctx, "run", eval.Turn{Key: "a", Body: "1", Facts: on})
		if err != nil {
			t.Fatal(err)
		}
		decide(t, ev, eval.Turn{Key: "a", Body: "2", Facts: on})
		if err := a.Commit(ctx); !errors.Is(err, state.ErrOtherBody) {
			t.Errorf("%v", err)
		}
	})
	t.Run("the turn is over", func(t *testing.T) {
		t.Parallel()
		ev := evaluator(t, when("r", "context_usage > 50%"))
		a, err := ev.Prepare(ctx, "run", eval.Turn{Key: "a", Facts: on})
		if err != nil {
			t.Fatal(err)
		}
		decide(t, ev, eval.Turn{Key: "a", Facts: on})
		decide(t, ev, eval.Turn{Key: "b", Facts: on})
		if err := a.Commit(ctx); !errors.Is(err, state.ErrOldKey) {
			t.Errorf("%v", err)
		}
	})
}

// TestS2SameKey holds that the same key is the same decision, byte for byte, and an older one is refused.
func TestS2SameKey(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := evaluator(t, reminder.Reminder{ID: "r", Mode: reminder.While, Trigger: "user_message",
		Text: "{{.turn_count}} {{.prompt}}"})
	first := decide(t, ev, eval.Turn{Key: "a", Facts: facts{"user_message": true, "prompt": "hello"}})
	for _, f := range []facts{nil, {"user_message": false}, {"user_message": true, "prompt": "other"}} {
		again := decide(t, ev, eval.Turn{Key: "a", Facts: f, Remind: []string{"r"}})
		if d := cmp.Diff(first.Decision, again.Decision); d != "" || !again.Again {
			t.Error(d)
		}
		if again.Why("r") != "user_message" {
			t.Errorf("why %v", again.Why("r"))
		}
	}
	if got := first.Fired[0].Text; got != "1 hello" {
		t.Error(got)
	}
	decide(t, ev, eval.Turn{Key: "b"})
	if _, err := ev.Prepare(ctx, "run", eval.Turn{Key: "a"}); !errors.Is(err, state.ErrOldKey) {
		t.Error(err)
	}
}

// TestS4Reload holds that a reload that changes no trigger changes no decision.
func TestS4Reload(t *testing.T) {
	t.Parallel()
	rs := []reminder.Reminder{
		when("edge", "context_usage > 50%"), while("level", "every 3 turns"),
		{ID: "for", Trigger: "context_usage > 30%", For: reminder.Span{Turns: 2}, Text: "f"},
		{ID: "hyst", Trigger: "context_usage > 60%", Rearm: "context_usage < 20%",
			Cooldown: reminder.Span{Turns: 4}, Text: "h"},
	}
	plain, reloaded := evaluator(t, rs...), evaluator(t, rs...)
	for i := range 40 {
		turn := eval.Turn{Facts: facts{"context_usage": math.Abs(math.Sin(float64(i)))}}
		changed := append([]reminder.Reminder{}, rs...)
		for k := range changed {
			changed[k].Text += "!"
		}
		changed = append(changed, when(fmt.Sprintf("more-%d", i), "never"))
		if i%2 == 0 {
			changed[0].Trigger = "( context_usage>50% )"
		}
		reloaded.Reload(set(t, changed...))
		a, b := decide(t, plain, turn), decide(t, reloaded, turn)
		if ids(a.Fired) != ids(b.Fired) || ids(a.Due) != ids(b.Due) {
			t.Errorf("turn %d: fired %s, after a reload %s", a.Turn, ids(a.Fired), ids(b.Fired))
		}
	}
}

// TestS7Runs holds that runs never see each other.
func TestS7Runs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := evaluator(t, when("r", "context_usage > 50%"), while("t", "tool_calls > 2"))
	one := evaluator(t, when("r", "context_usage > 50%"), while("t", "tool_calls > 2"))
	for i := range 30 {
		turn := eval.Turn{Facts: facts{"context_usage": float64(i%3) / 2, "tool_used": []string{"Edit"}}}
		alone := decide(t, one, turn)
		for run := range 3 {
			d, err := ev.Decide(ctx, fmt.Sprint("run", run), turn)
			if err != nil || ids(d.Fired) != ids(alone.Fired) || d.Turn != alone.Turn {
				t.Fatalf("run %d: %v, fired %s, alone %s", run, err, ids(d.Fired), ids(alone.Fired))
			}
		}
	}
	if err := ev.Forget(ctx, "run1"); err != nil {
		t.Fatal(err)
	}
	for run, want := range []int{31, 1, 31} {
		if d, err := ev.Decide(ctx, fmt.Sprint("run", run), eval.Turn{}); err != nil || d.Turn != want {
			t.Errorf("run %d: turn %d, %v", run, d.Turn, err)
		}
	}
}

// TestFactErrors holds that a wrong fact is an error that names the nearest, that all are told, and that
// nothing changed.
func TestFactErrors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := evaluator(t, while("r", "turn_count == 1"))
	for _, c := range []struct {
		facts facts
		want  string
	}{
		{facts{"contxt_usage": 0.5}, `there is no fact "contxt_usage": did you mean context_usage`},
		{facts{"Turn_Count": 1}, `there is no fact "Turn_Count": did you mean turn_count`},
		{facts{"vars.todo": 1}, `there is no fact "vars.todo": did you mean vars.todos`},
		{facts{"zzzzzzzzzz": 1}, `there is no fact "zzzzzzzzzz"`},
		{facts{"context_usage": math.NaN()}, `fact "context_usage"`},
		{facts{"context_usage": math.Inf(1)}, `fact "context_usage"`},
		{facts{"turn_count": math.NaN()}, `fact "turn_count"`},
		{facts{"turn_count": 1.5}, `fact "turn_count"`},
		{facts{"turn_count": "3"}, `fact "turn_count" is an int`},
		{facts{"user_message": 1}, `fact "user_message" is a bool`},
		{facts{"tool_used": "Edit"}, `fact "tool_used" is a set`},
		{facts{"idle": "soon"}, `"soon" is not a duration`},
		{facts{"prompt": 1, "contxt_usage": 1}, "context_usage?\nfact \"prompt\""},
	} {
		_, err := ev.Prepare(ctx, "run", eval.Turn{Facts: c.facts})
		var fe *eval.FactError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.facts, err, c.want)
		}
	}
	_, err := ev.Prepare(ctx, "run", eval.Turn{Facts: facts{"prompt": 1}, Remind: []string{"x"}})
	var fe *eval.FactError
	var ue *eval.UnknownError
	if !errors.As(err, &fe) || !errors.As(err, &ue) {
		t.Errorf("both are told: %v", err)
	}
	if d := decide(t, ev, eval.Turn{}); d.Turn != 1 || ids(d.Fired) != "r" {
		t.Errorf("turn %d", d.Turn)
	}
}

func TestRemind(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ev := evaluator(t, when("run-tests", "manual"), when("warn", "context_usage > 50%"))
	var ue *eval.UnknownError
	if err := ev.Remind(ctx, "run", "run-test"); !errors.As(err, &ue) || cmp.Diff(ue.Suggestions,
		[]string{"run-tests"}) != "" {
		t.Fatalf("%v", err)
	}
	if err := ev.Remind(ctx, "", "warn"); !errors.Is(err, eval.ErrNoRun) {
		t.Errorf("%v", err)
	}
	for range 2 {
		if err := ev.Remind(eval.WithRun(ctx, "run"), "", "run-tests"); err != nil {
			t.Fatal(err)
		}
	}
	if d := decide(t, ev, eval.Turn{Silent: true}); ids(d.Due) != "" {
		t.Errorf("silent, due %s", ids(d.Due))
	}
	d := decide(t, ev, eval.Turn{})
	if ids(d.Fired) != "run-tests" || !d.Fired[0].Manual || d.Why("run-tests") != "manual" {
		t.Errorf("%+v", d.Fired)
	}
	if d := decide(t, ev, eval.Turn{}); ids(d.Fired) != "" {
		t.Errorf("again %s", ids(d.Fired))
	}
	if got := ev.Names(); cmp.Diff(got, []string{"run-tests", "warn"}) != "" {
		t.Error(got)
	}
}

// TestMissed holds that texts of a request that failed for good are due again with the same bytes, and are no
// new firing.
func TestMissed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := reminder.Reminder{ID: "r", Trigger: "user_message", Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1},
		MaxFires: 1, Text: "{{.turn_count}}"}
	ev := evaluator(t, r)
	d := decide(t, ev, eval.Turn{Facts: facts{"user_message": true}})
	if err := d.Missed(ctx); err != nil {
		t.Fatal(err)
	}
	for turn, want := range []string{"r", ""} {
		d := decide(t, ev, eval.Turn{Facts: facts{"user_message": false}})
		if ids(d.Due) != want || ids(d.Fired) != "" {
			t.Errorf("turn %d: due %q, fired %q", turn+2, ids(d.Due), ids(d.Fired))
		}
		if want != "" && (d.Due[0].Text != "1" || !d.Due[0].Late) {
			t.Errorf("%+v", d.Due[0])
		}
	}
}

// TestMissedLate holds the same for a text that had waited for a turn that could carry it.
func TestMissedLate(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, reminder.Reminder{ID: "r", Trigger: "user_message",
		Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1}, Text: "x"})
	decide(t, ev, eval.Turn{Silent: true, Facts: facts{"user_message": true}})
	d := decide(t, ev, eval.Turn{})
	if ids(d.Due) != "r" || ids(d.Fired) != "" {
		t.Fatalf("due %q, fired %q", ids(d.Due), ids(d.Fired))
	}
	if err := d.Missed(context.Background()); err != nil {
		t.Fatal(err)
	}
	if d := decide(t, ev, eval.Turn{}); ids(d.Due) != "r" {
		t.Errorf("due %q", ids(d.Due))
	}
	if d := decide(t, ev, eval.Turn{}); ids(d.Due) != "" {
		t.Errorf("due %q", ids(d.Due))
	}
}

func TestSilent(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("r", "user_message"))
	if d := decide(t, ev, eval.Turn{Silent: true, Facts: facts{"user_message": true}}); ids(d.Due) != "" {
		t.Errorf("due %s", ids(d.Due))
	}
	if d := decide(t, ev, eval.Turn{Facts: facts{"user_message": false}}); ids(d.Due) != "r" || !d.Due[0].Late {
		t.Errorf("%+v", d.Due)
	}
}

// TestFactsOfDecision holds the list of facts that a decision reports: those of the host, the counts of the
// run, and the computed ones.
func TestFactsOfDecision(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, while("r", "after_tool:Edit,Write and context_usage > 50%"))
	tools := []string{"Edit", "Bash"}
	d := decide(t, ev, eval.Turn{Facts: facts{"tool_used": tools, fact.FailedTools: []string{"Bash"},
		"user_message":   true,
		"context_tokens": 150, "context_window": 200, "last_response_tokens": 7,
		"prompt": "p", "vars.todos": 3, "model": nil}})
	tools[0] = "changed"
	want := facts{"context_tokens": int64(150), "context_window": int64(200), "context_usage": 0.75,
		"last_response_tokens": int64(7),
		"output_tokens":        int64(7), "turn_count": int64(1), "user_turn_count": int64(
			1), "user_message": true, "prompt": "p",
		"tool_used": []string{"Edit",
			"Bash"}, "tool_calls": int64(2), "last_tool_call_failed": true, "failures_in_row": int64(1),
		"elapsed": time.Duration(0), "vars.todos": int64(3), "started": true, "hour": int64(0),
		"weekday": "thu"}
	if diff := cmp.Diff(want, d.Facts()); diff != "" {
		t.Error(diff)
	}
	if got := d.Why("r"); got != "after_tool:Edit and context_usage > 50%" &&
		got != "after_tool:Edit and context_usage > 0.5" {
		t.Errorf("why %q", got)
	}
	want = facts{"turn_count": int64(40), "user_turn_count": int64(9), "output_tokens": int64(1),
		"tool_calls":      int64(2),
		"failures_in_row": int64(0), "elapsed": time.Hour, "idle": time.Second, "context_usage": 0.1,
		"context_tokens": int64(1), "context_window": int64(0), "started": true, "hour": int64(7),
		"weekday": "sun"}
	d = decide(t, ev, eval.Turn{Facts: want})
	if diff := cmp.Diff(want, d.Facts()); diff != "" {
		t.Errorf("what the host gives wins: %s", diff)
	}
	d = decide(t, ev, eval.Turn{Facts: facts{"context_tokens": 1, "context_window": 0}})
	if _, ok := d.Facts()["context_usage"]; ok {
		t.Error("a window of 0 has no usage")
	}
}

// TestWhy holds that the reason is the true part of the trigger before the firing, also for a cadence, and
// also when the turn is prepared again.
func TestWhy(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, while("r", "every 2 turns or user_message"))
	for turn, want := range []string{"", "every 2 turns and user_message", "", /* it fired one turn ago */
		"every 2 turns"} {
		for range 2 {
			d := decide(t, ev, eval.Turn{Key: fmt.Sprint(turn), Facts: facts{"user_message": turn == 1}})
			if d.Why("r") != want {
				t.Errorf("turn %d, again %t: why %q, want %q", d.Turn, d.Again, d.Why("r"), want)
			}
		}
	}
}

// TestCallback holds that a computed fact may call back into the evaluator that asks it.
func TestCallback(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var ev *eval.Evaluator
	inner := set(t, when("inner", "always"))
	var calls atomic.Int32
	compute := func(context.Context, string) (any, error) {
		if calls.Add(1) > 1 {
			return false, nil
		}
		d, err := ev.Decide(ctx, "other", eval.Turn{Facts: facts{"user_message": true}})
		if err != nil || d.Turn != 1 {
			t.Errorf("decide: %v", err)
		}
		if err := ev.Remind(ctx, "other", "r"); err != nil {
			t.Errorf("remind: %v", err)
		}
		if _, err := ev.Explain(ctx, "other"); err != nil {
			t.Errorf("explain: %v", err)
		}
		obs := ev.Observe("other")
		obs.UserMessage("x")
		if _, err := ev.Prepare(ctx, "other", obs.Turn()); err != nil {
			t.Errorf("prepare: %v", err)
		}
		ev.Reload(inner)
		return true, nil
	}
	schema := fact.Must(fact.NewSchema(fact.Fact{Name: "vars.mine", Type: fact.Bool, Compute: compute}))
	ev = eval.New(compile.Must(compile.New([]reminder.Reminder{when("r", "vars.mine")},
		compile.Options{Schema: schema})), eval.Options{Clock: stopped})
	done := make(chan string)
	go func() {
		d, err := ev.Prepare(ctx, "run", eval.Turn{Facts: facts{"user_message": true}})
		if err != nil {
			done <- err.Error()
			return
		}
		done <- ids(d.Fired)
	}()
	select {
	case got := <-done:
		if got != "r" {
			t.Errorf("fired %s", got)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("deadlock")
	}
}

// TestOneFire holds that of any number of goroutines that see one edge of one run, one fires.
func TestOneFire(t *testing.T) {
	t.Parallel()
	const writers, rounds = 64, 20
	for _, keyed := range []bool{false, true} {
		t.Run(fmt.Sprintf("keyed=%t", keyed), func(t *testing.T) {
			t.Parallel()
			ev := evaluator(t, when("r", "context_usage > 50%"))
			for round := range rounds {
				var fires, again atomic.Int32
				var wg sync.WaitGroup
				for range writers {
					wg.Go(func() {
						turn := eval.Turn{Facts: facts{"context_usage": 0.9}}
						if keyed {
							turn.Key = fmt.Sprint("round ", round)
						}
						d, err := ev.Decide(context.Background(), "run", turn)
						if err != nil {
							t.Error(err)
							return
						}
						if len(d.Fired) == 1 && !d.Again {
							fires.Add(1)
						}
						if len(d.Fired) == 1 && d.Again {
							again.Add(1)
						}
					})
				}
				wg.Wait()
				wantAgain := int32(0)
				if keyed {
					wantAgain = writers - 1
				}
				if fires.Load() != 1 || again.Load() != wantAgain {
					t.Fatalf("round %d: %d fires, %d told again", round, fires.Load(), again.Load())
				}
				decide(t, ev, eval.Turn{Facts: facts{"context_usage": 0.1}})
			}
		})
	}
}

func TestRunFrom(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	if eval.RunFrom(ctx) != "" || eval.RunFrom(eval.WithRun(ctx, "a")) != "a" {
		t.Error("the run is not carried")
	}
	ev := evaluator(t, when("r", "always"))
	if _, err := ev.Decide(ctx, "", eval.Turn{}); !errors.Is(err, eval.ErrNoRun) {
		t.Error(err)
	}
	if d, err := ev.Decide(eval.WithRun(ctx, "a"), "", eval.Turn{}); err != nil || d.Turn != 1 {
		t.Error(err)
	}
	if d, err := ev.Decide(eval.WithRun(ctx, "b"), "a", eval.Turn{}); err != nil || d.Turn != 2 {
		t.Errorf("what is said wins: %v", err)
	}
}
