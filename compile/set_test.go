package compile_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/cases"
	"github.com/aside-go/aside/internal/test/reference"
)

// fataler is a test, or a draw of one.
type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func newSet(t fataler, opts compile.Options, rs ...reminder.Reminder) *compile.Set {
	t.Helper()
	s, diags := compile.New(rs, opts)
	if diags.HasErrors() {
		t.Fatalf("%v", diags)
	}
	return s
}

func TestSetOrder(t *testing.T) {
	t.Parallel()
	s := newSet(t, compile.Options{},
		reminder.Reminder{ID: "b", Text: "B"}, reminder.Reminder{ID: "a.b", Text: "AB", Trigger: "turn_count>3"},
		reminder.Reminder{ID: "gone", Text: "x", Disabled: true, Trigger: "no such"}, reminder.Reminder{ID: "B",
			Text: "b", Trigger: "(turn_count > 3)", Rearm: "turn_count<2"})
	if got, want := s.IDs(), []string{"B", "a.b", "b"}; !slices.Equal(got, want) {
		t.Fatalf("ids %v, want %v", got, want)
	}
	if i, ok := s.Index("a.b"); i != 1 || !ok {
		t.Errorf("a.b is at %d, %v", i, ok)
	}
	if _, ok := s.Index("gone"); ok {
		t.Error("a disabled reminder is in the set")
	}
	if at := s.Trigger(0).Root().Expr.Span().Start.Column; at != 2 {
		t.Errorf("a trigger in brackets begins in column %d", at)
	}
	if s.Trigger(2).String() != "always" || s.Rearm(2) != nil || s.Rearm(0).String() != "turn_count < 2" {
		t.Errorf("trigger %v, rearm %v, %v", s.Trigger(2), s.Rearm(2), s.Rearm(0))
	}
	f := s.Schema().NewFrame()
	f.SetInt(fact.TurnCount, 4)
	truths := new(compile.Truths)
	s.Eval(f, truths)
	want := &compile.Truths{Trigger: []fact.Truth{fact.True, fact.True, fact.True},
		Rearm: []fact.Truth{fact.False, fact.Unknown, fact.Unknown}}
	if !slices.Equal(truths.Trigger, want.Trigger) || !slices.Equal(truths.Rearm, want.Rearm) {
		t.Errorf("got %v, want %v", truths, want)
	}
}

func TestSetCadenceIsPerReminder(t *testing.T) {
	t.Parallel()
	s := newSet(t, compile.Options{}, reminder.Reminder{ID: "a", Text: "A", Trigger: "every 3 turns"},
		reminder.Reminder{ID: "b", Text: "B", Trigger: "every 3 turns"})
	f := s.Schema().NewFrame()
	f.SetHistory(&reference.Past{At: fact.Mark{Turn: 5}, Fires: map[string]fact.Mark{"a": {Turn: 4},
		"b": {Turn: 2}}})
	truths := new(compile.Truths)
	s.Eval(f, truths)
	if want := []fact.Truth{fact.False, fact.True}; !slices.Equal(truths.Trigger, want) {
		t.Errorf("got %v, want %v", truths.Trigger, want)
	}
}

// TestSetIsItsTriggers holds a set, whatever way it evaluates, against its predicates one by one, turn after
// turn.
func TestSetIsItsTriggers(t *testing.T) {
	t.Parallel()
	schema := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		var rs []reminder.Reminder
		for i := range rapid.IntRange(1, 40).Draw(t, "n") {
			r := reminder.Reminder{ID: fmt.Sprintf("r%d", i), Text: "x", Trigger: cases.Trigger(t,
				rapid.IntRange(0, 2).Draw(t, "depth"))}
			if rapid.Bool().Draw(t, "rearm") {
				r.Rearm = cases.Trigger(t, 0)
			}
			rs = append(rs, r)
		}
		s := newSet(t, compile.Options{Schema: schema}, rs...)
		truths := new(compile.Truths)
		for range 12 {
			f := cases.Frame(t, schema)
			s.Eval(f, truths)
			for i := range s.Len() {
				f.SetSelf(s.Reminder(i).ID)
				if want := s.Trigger(i).Eval(f); truths.Trigger[i] != want {
					t.Fatalf("%s is %v in the set, %v by itself", s.Trigger(i), truths.Trigger[i], want)
				}
				want := fact.Unknown
				if r := s.Rearm(i); r != nil {
					want = r.Eval(f)
				}
				if truths.Rearm[i] != want {
					t.Fatalf("rearm %s is %v in the set, %v by itself", s.Rearm(i), truths.Rearm[i], want)
				}
			}
		}
	})
}

func TestL5BadOneLeavesOthers(t *testing.T) {
	t.Parallel()
	schema := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		var good []reminder.Reminder
		for i := range rapid.IntRange(0, 6).Draw(t, "n") {
			good = append(good, reminder.Reminder{ID: fmt.Sprintf("g%d", i), Text: "x", Trigger: cases.Trigger(t, 1)})
		}
		at := rapid.IntRange(0, len(good)).Draw(t, "at")
		wrong := rapid.SampledFrom([]reminder.Reminder{
			{ID: "bad", Text: "x", Trigger: "turn_count"}, {ID: "", Text: "x"}, {ID: "bad", Text: " "}, {ID: "bad",
				Text: "{{.nope}}"},
			{ID: "bad", Text: "x", Rearm: "nope > 3"}, {ID: "bad", Text: "x", MaxFires: -1}, {ID: "bad", Text: "x",
				Disabled: true},
		}).Draw(t, "bad")
		with := slices.Insert(slices.Clone(good), at, wrong)
		a, b := newSet(t, compile.Options{Schema: schema}, good...), (*compile.Set)(nil)
		b, diags := compile.New(with, compile.Options{Schema: schema})
		if diags.HasErrors() == wrong.Disabled {
			t.Fatalf("diagnostics: %v", diags)
		}
		if !slices.Equal(a.IDs(), b.IDs()) {
			t.Fatalf("%v with a bad one, %v without", b.IDs(), a.IDs())
		}
		for i := range a.Len() {
			if a.Trigger(i).String() != b.Trigger(i).String() {
				t.Fatalf("%s is triggered by %s, by %s beside a bad one", a.IDs()[i], a.Trigger(i), b.Trigger(i))
			}
		}
	})
}

func TestL8SameSet(t *testing.T) {
	t.Parallel()
	rs := []reminder.Reminder{
		{ID: "b", Text: "x", Trigger: "contxt_usage > 3"}, {ID: "a", Text: "x",
			Trigger: `turns_since("c") > 3 and vars.x == 3`},
		{ID: "c", Text: "{{.promt}}"}, {ID: "d", Text: "x", Trigger: `turns_since("q") > 3`},
	}
	_, first := compile.New(rs, compile.Options{Tools: []string{"B", "A"}})
	for range 20 {
		_, again := compile.New(rs, compile.Options{Tools: []string{"B", "A"}})
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestBadReminders(t *testing.T) {
	t.Parallel()
	ok := func(f func(*reminder.Reminder)) []reminder.Reminder {
		r := reminder.Reminder{ID: "r", Text: "x"}
		f(&r)
		return []reminder.Reminder{r}
	}
	many := make([]reminder.Reminder, 10_000+1)
	for i := range many {
		many[i] = reminder.Reminder{ID: fmt.Sprintf("r%05d", i), Text: "x"}
	}
	for name, c := range map[string]struct {
		rs   []reminder.Reminder
		want []string
		left int
	}{
		"no id": {ok(func(r *reminder.Reminder) { r.ID = "" }),
			[]string{`error[R0601]: reminder "": "" cannot be an id (an id begins with a letter or digit and goes on with letters, digits, . _ and -)`}, 0},
		"id with a blank": {ok(func(r *reminder.Reminder) { r.ID = "a b" }),
			[]string{`error[R0601]: reminder "a b": "a b" cannot be an id (an id begins with a letter or digit and goes on with letters, digits, . _ and -)`}, 0},
		"id with a dot": {ok(func(r *reminder.Reminder) { r.ID = ".a" }),
			[]string{`error[R0601]: reminder ".a": ".a" cannot be an id (an id begins with a letter or digit and goes on with letters, digits, . _ and -)`}, 0},
		"no text": {ok(func(r *reminder.Reminder) { r.Text = " \n" }),
			[]string{`error[R0602]: reminder "r": the text is empty (write what the model is to be told)`}, 0},
		"not UTF-8": {ok(func(r *reminder.Reminder) { r.Text = "\xff" }),
			[]string{`error[R0602]: reminder "r": the text is not UTF-8 (save it as UTF-8)`}, 0},
		"twice": {[]reminder.Reminder{{ID: "r", Text: "x"}, {ID: "r", Text: "y"}},
			[]string{`error[R0603]: reminder "r": duplicate id, there is another reminder "r" (give it another id)`}, 1},
		"negative for": {ok(func(r *reminder.Reminder) { r.For.Turns = -1 }),
			[]string{`error[R0604]: reminder "r": for is negative (write 0 or more)`}, 0},
		"negative cooldown": {ok(func(r *reminder.Reminder) { r.Cooldown.Time = -1 }),
			[]string{`error[R0604]: reminder "r": cooldown is negative (write 0 or more)`}, 0},
		"negative fires": {ok(func(r *reminder.Reminder) { r.MaxFires = -2 }),
			[]string{`error[R0604]: reminder "r": max_fires is -2 (write 0 for no limit, or more)`}, 0},
		"turns and time": {ok(func(r *reminder.Reminder) { r.For = reminder.Span{Turns: 1, Time: time.Second} }),
			[]string{`error[R0605]: reminder "r": for has several units (set one of them)`}, 0},
		"keep no turns": {ok(func(r *reminder.Reminder) { r.Keep.Unit = reminder.KeepTurns }),
			[]string{`error[R0606]: reminder "r": a text cannot be kept for 0 turns (write 1 turn or more)`}, 0},
		"keep call turns": {ok(func(r *reminder.Reminder) {
			r.Keep = reminder.Keep{Unit: reminder.KeepConversation,
				N: 2}
		}), []string{`error[R0606]: reminder "r": 2 turns go with KeepTurns and KeepUserTurns alone (set Unit to one of them)`}, 0},
		"keep unknown": {ok(func(r *reminder.Reminder) { r.Keep.Unit = 9 }),
			[]string{`error[R0606]: reminder "r": there is no way 9 to keep a text (use KeepTurns, KeepUserTurns or KeepConversation)`}, 0},
		"mode unknown": {ok(func(r *reminder.Reminder) { r.Mode = 7 }),
			[]string{`error[R0607]: reminder "r": there is no mode 7 (use When or While)`}, 0},
		"tier unknown": {ok(func(r *reminder.Reminder) { r.Tier = 7 }),
			[]string{`error[R0607]: reminder "r": there is no tier 7 (use Guidance, Correctness or Safety)`}, 0},
		"attach unknown": {ok(func(r *reminder.Reminder) { r.Attach = 7 }),
			[]string{`error[R0607]: reminder "r": there is no place 7 to attach to (use Tail, UserTurn or RunStart)`}, 0},
		"while with rearm": {ok(func(r *reminder.Reminder) { r.Mode, r.Rearm = reminder.While, "turn_count > 3" }),
			[]string{`error[R0608]: reminder "r": rearm goes with when, not with while (a while reminder fires on every turn on which it is true; leave rearm out)`}, 0},
		"safety with max_fires": {ok(func(r *reminder.Reminder) { r.Tier, r.MaxFires = reminder.Safety, 3 }),
			[]string{`warning[R0609]: reminder "r": max_fires does not hold for the tier safety (leave max_fires out; a cooldown does hold)`}, 1},
		"for in user turns": {ok(func(r *reminder.Reminder) { r.For.UserTurns = 2 }),
			[]string{`error[R0605]: reminder "r": for counts turns or time, not user turns (set Turns or Time)`}, 0},
		"turns and user turns": {ok(func(r *reminder.Reminder) {
			r.Cooldown = reminder.Span{Turns: 1,
				UserTurns: 1}
		}),
			[]string{`error[R0605]: reminder "r": cooldown has several units (set one of them)`}, 0},
		"keep no user turns": {ok(func(r *reminder.Reminder) { r.Keep.Unit = reminder.KeepUserTurns }),
			[]string{`error[R0606]: reminder "r": a text cannot be kept for 0 turns (write 1 turn or more)`}, 0},
		"pause": {ok(func(r *reminder.Reminder) { r.Pause, r.Trigger = true, "before_tool:Bash and compacted" }),
			nil, 1},
		"pause on a turn": {ok(func(r *reminder.Reminder) { r.Pause, r.Trigger = true, "after_tool:Bash" }),
			[]string{`error[R0615]: reminder "r": pause holds a call back, and the trigger names none (write when: before_tool:NAME, or leave pause out)`}, 0},
		"pause at the end": {ok(func(r *reminder.Reminder) { r.Pause, r.Trigger = true, "stopping" }),
			[]string{`error[R0615]: reminder "r": pause holds a call back, and the trigger names none (write when: before_tool:NAME, or leave pause out)`}, 0},
		"expect a moment": {ok(func(r *reminder.Reminder) { r.Expect = "before_tool:Bash" }),
			[]string{`error[R0217]: reminder "r": expect is read on turns, where before_tool never holds (write what holds on a turn, as in after_tool:Bash)`}, 0},
		"rearm at a moment": {ok(func(r *reminder.Reminder) { r.Rearm = "stopping" }),
			[]string{`error[R0217]: reminder "r": rearm is read on turns, where stopping never holds (write what holds on a turn, as in after_tool:Bash)`}, 0},
		"expect wrong": {ok(func(r *reminder.Reminder) { r.Expect = " " }),
			[]string{`error[R0101]: reminder "r": the trigger is empty (write a condition, such as turn_count > 10, or always)`}, 0},
		"within without expect": {ok(func(r *reminder.Reminder) { r.Within = 2 }),
			[]string{`warning[R0616]: reminder "r": within says how long expect has, and there is no expect (write expect, or leave within out)`}, 1},
		"negative within": {ok(func(r *reminder.Reminder) { r.Expect, r.Within = "compacted", -2 }),
			[]string{`error[R0604]: reminder "r": within is -2 turns (write 1 turn or more)`}, 0},
		"max_ignored without expect": {ok(func(r *reminder.Reminder) { r.MaxIgnored = 2 }),
			[]string{`error[R0616]: reminder "r": max_ignored counts firings that were ignored, and there is no expect (write expect, or leave max_ignored out)`}, 0},
		"max_ignored of safety": {ok(func(r *reminder.Reminder) {
			r.Expect, r.MaxIgnored, r.Tier = "compacted", 2, reminder.Safety
		}), []string{`error[R0617]: reminder "r": max_ignored does not go with the tier safety (leave it out: safety is never silent)`}, 0},
		"negative max_ignored": {ok(func(r *reminder.Reminder) { r.MaxIgnored = -1 }),
			[]string{`error[R0604]: reminder "r": max_ignored is -1 (write 0 for no limit, or more)`}, 0},
		"half held out": {ok(func(r *reminder.Reminder) { r.Holdout = 0.5 }), nil, 1},
		"a trial":       {ok(func(r *reminder.Reminder) { r.Holdout = 1 }), nil, 1},
		"more held out": {ok(func(r *reminder.Reminder) { r.Holdout = 0.51 }),
			[]string{`error[R0618]: reminder "r": holdout cannot be 51% (write 0% to 50%, or 100% for a trial in which nothing is sent)`}, 0},
		"not a number held out": {ok(func(r *reminder.Reminder) { r.Holdout = math.NaN() }),
			[]string{`error[R0618]: reminder "r": holdout cannot be NaN% (write 0% to 50%, or 100% for a trial in which nothing is sent)`}, 0},
		"safety held out": {ok(func(r *reminder.Reminder) { r.Holdout, r.Tier = 0.1, reminder.Safety }),
			[]string{`error[R0617]: reminder "r": holdout does not go with the tier safety (leave it out: safety is always sent)`}, 0},
		"blank trigger": {ok(func(r *reminder.Reminder) { r.Trigger = " " }),
			[]string{`error[R0101]: reminder "r": the trigger is empty (write a condition, such as turn_count > 10, or always)`}, 0},
		"bad rearm": {ok(func(r *reminder.Reminder) { r.Rearm = "turn_count" }),
			[]string{`error[R0208]: reminder "r": turn_count is a whole number, not a condition (compare it, as in turn_count > 10)`}, 0},
		"unknown reminder": {ok(func(r *reminder.Reminder) { r.Trigger = `turns_since("R") > 3` }),
			[]string{`warning[R0614]: reminder "r": there is no reminder "R" (did you mean r?)`}, 1},
		"too many": {many,
			[]string{`error[R0610]: reminder "r10000": a set holds at most 10000 reminders, and there are 10001 (split them up, or delete some)`}, 10_000},
		"manual is fine": {ok(func(r *reminder.Reminder) { r.Trigger = "manual" }), nil, 1},
		"trigger is a var": {ok(func(r *reminder.Reminder) { r.Trigger = "vars.x > 3" }),
			[]string{`error[R0201]: reminder "r": the fact "vars.x" is not declared (declare it, or use a fact there is)`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, diags := compile.New(c.rs, compile.Options{})
			var got []string
			for _, d := range diags {
				d.Range.Start.Line, d.Range.Start.Column = 0, 0
				got = append(got, d.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if s.Len() != c.left {
				t.Errorf("%d reminders left, want %d", s.Len(), c.left)
			}
		})
	}
}

func TestKnownTools(t *testing.T) {
	t.Parallel()
	opts := compile.Options{Tools: []string{"Edit", "Bash", "mcp__a__b"}}
	for src, want := range map[string]string{
		"after_tool:Edti":             `there is no tool "Edti" (did you mean Edit?)`,
		"tool_used == bash":           `there is no tool "bash" (did you mean Bash?)`,
		`tool_count("Bahs") > 3`:      `there is no tool "Bahs" (did you mean Bash?)`,
		"after_tool:mcp__*":           "",
		"tool_used in [Edit, Bash]":   "",
		"after_tool:nothing_like_it*": `there is no tool "nothing_like_it*"`,
	} {
		s, diags := compile.New([]reminder.Reminder{{ID: "r", Text: "x", Trigger: src}}, opts)
		got := ""
		for _, d := range diags {
			got += d.Message
			if d.Hint != "" {
				got += " (" + d.Hint + ")"
			}
		}
		if want != "" {
			want = `reminder "r": ` + want
		}
		if got != want || s.Len() != 1 {
			t.Errorf("%s: %q, want %q; %d reminders", src, got, want, s.Len())
		}
	}
}

func TestL7SetAllocatesNothing(t *testing.T) {
	s := newSet(t, compile.Options{},
		reminder.Reminder{ID: "a", Text: "x", Trigger: "context_usage > 75% and turn_count > 20",
			Rearm: "context_usage < 60%"},
		reminder.Reminder{ID: "b", Text: "x", Trigger: "every 3 turns"}, reminder.Reminder{ID: "c", Text: "x",
			Trigger: "after_tool:Edit"},
		reminder.Reminder{ID: "d", Text: "x"})
	f, truths := cases.Known(s.Schema()), new(compile.Truths)
	if n := testing.AllocsPerRun(100, func() { s.Eval(f, truths) }); n != 0 {
		t.Errorf("allocates %v times", n)
	}
}

// TestMust: what stands in code and is wrong panics with its diagnostics, and a warning is not a mistake.
func TestMust(t *testing.T) {
	t.Parallel()
	caught := func(f func()) (why any) {
		defer func() { why = recover() }()
		f()
		return nil
	}
	rule := func(trigger string) func() {
		return func() {
			compile.Must(compile.New([]reminder.Reminder{{ID: "r", Trigger: trigger, Text: "x"}}, compile.Options{}))
		}
	}
	if why := caught(rule("turn_count")); why == nil || !strings.Contains(why.(string), "not a condition") {
		t.Error(why)
	}
	if why := caught(rule(`thread_type == "pl*"`)); why != nil { // a warning
		t.Error(why)
	}
	if why := caught(func() { fact.Must(fact.OwnSchema(fact.Fact{Name: "and"})) }); why == nil {
		t.Error("a schema that is wrong")
	}
}
