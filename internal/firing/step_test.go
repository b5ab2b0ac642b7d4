package firing_test

// This file is long because each test of a turn reads beside the others: they share one way to take turns.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// script is a story of one run in short form: a line a turn, "WHAT HAPPENS -> WHAT COMES OUT". On the left
// stand words: t, f or u for the trigger of rule a (b:t for another), between:TEXTS, where it is false
// (in 0, all, p, r or pr), tells:TEXTS, spoken:T, more, rearm, user,
// compacted, silent, hand:ID, fails, blank, +D for the clock; "missed:ID", "reload" and "stop" (encode and
// decode) are lines by themselves. On the right: fired:IDS due:IDS (a * for late, a ! for by hand),
// held:ID=WHY, undelivered:IDS, error:IDS; due is left out where it is what fired.
func script(t *testing.T, rules []reminder.Reminder, order reminder.Order, budget reminder.Budget,
	lines string) {
	t.Helper()
	r := newRun(rules, order, budget)
	at := start
	n := 0
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		left, want, _ := strings.Cut(strings.TrimSpace(line), "->")
		words := strings.Fields(left)
		switch what, arg, _ := strings.Cut(words[0], ":"); what {
		case "missed":
			r.snap = firing.Missed(r.snap, arg)
			continue
		case "queue":
			r.snap = firing.Remind(r.snap, arg)
			continue
		case "version": // a reload with another trigger
			r.rules = slices.Clone(r.rules)
			r.rules[0].Trigger = arg
			r.set = firing.NewRules(r.rules)
			continue
		case "gone":
			r.set, r.rules = firing.NewRules(nil), nil
			continue
		case "back":
			r.set, r.rules = firing.NewRules(rules), rules
			continue
		case "stop":
			s, err := state.Decode(r.snap.Encode())
			if err != nil {
				t.Fatal(err)
			}
			r.snap = s
			continue
		}
		n++
		tu := turn{user: fact.False, compacted: fact.False, trigger: map[string]fact.Truth{},
			rearm:   map[string]fact.Truth{"a": fact.False},
			between: map[string]fact.Gaps{}, spoken: fact.False, text: map[string]string{}, fails: map[string]bool{}}
		for _, rule := range rules {
			tu.trigger[rule.ID] = fact.False
			tu.text[rule.ID] = fmt.Sprintf("%s%07d", rule.ID, n) // two tokens
		}
		for _, w := range words {
			what, arg, _ := strings.Cut(w, ":")
			texts := map[string]fact.Texts{"p": fact.PromptText, "r": fact.ResponseText, "pr": fact.AllTexts}
			truths := map[string]fact.Truth{"t": fact.True, "f": fact.False, "u": fact.Unknown}
			switch v, ok := truths[what]; {
			case ok:
				tu.trigger["a"] = v
			case len(what) == 1:
				tu.trigger[what] = truths[arg]
			case what == "between":
				for _, where := range strings.Split(arg, ",") {
					tu.between["a"] |= 1 << texts[where]
				}
			case what == "tells":
				tu.texts = texts[arg]
			case what == "spoken":
				tu.spoken = truths[arg]
			case what == "more":
				tu.more = true
			case what == "blank":
				tu.text["a"] = " \n"
			case what == "rearm":
				tu.rearm["a"] = fact.True
				if arg != "" {
					tu.rearm["a"] = truths[arg]
				}
			case what == "user":
				tu.user, tu.spoken = fact.True, fact.True
			case what == "compacted":
				tu.compacted = fact.True
			case what == "silent":
				tu.silent = true
			case what == "hand":
				tu.remind = append(tu.remind, arg)
			case what == "fails":
				tu.fails["a"] = true
			default:
				d, err := time.ParseDuration(what)
				if err != nil {
					t.Fatalf("%q: %v", w, err)
				}
				at = at.Add(d)
			}
		}
		tu.at = at
		d, err := r.step(tu)
		if err != nil {
			t.Fatal(err)
		}
		if got := short(d); got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("turn %d, %s: got %q, want %q", n, strings.TrimSpace(left), got, strings.TrimSpace(want))
		}
	}
}

func short(d *reminder.Decision) string {
	var out []string
	add := func(what string, n int, each func(i int) string) {
		if n == 0 {
			return
		}
		var words []string
		for i := range n {
			words = append(words, each(i))
		}
		out = append(out, what+":"+strings.Join(words, ","))
	}
	due := func(list []reminder.Due) func(i int) string {
		return func(i int) string {
			s := list[i].ID
			if list[i].Late {
				s += "*"
			}
			if list[i].Manual {
				s += "!"
			}
			return s
		}
	}
	add("fired", len(d.Fired), due(d.Fired))
	if decisionJSON(&reminder.Decision{Fired: d.Fired}) != decisionJSON(&reminder.Decision{Fired: d.Due}) {
		add("due", len(d.Due), due(d.Due))
		if len(d.Due) == 0 {
			out = append(out, "due:")
		}
	}
	add("held", len(d.Held), func(i int) string {
		s := d.Held[i].ID + "=" + strings.ReplaceAll(d.Held[i].Why, " ", "_")
		if !d.Held[i].Left.IsZero() {
			s += "/" + strings.ReplaceAll(d.Held[i].Left.String(), " ", "_")
		}
		return s
	})
	add("error", len(d.Errors), func(i int) string { return d.Errors[i].ID })
	add("undelivered", len(d.Undelivered), func(i int) string { return d.Undelivered[i] })
	return strings.Join(out, " ")
}

func TestStep(t *testing.T) {
	t.Parallel()
	call := reminder.Keep{Unit: reminder.KeepTurns, N: 1}
	turns := func(n int) reminder.Span { return reminder.Span{Turns: n} }
	a := func(change func(r *reminder.Reminder)) []reminder.Reminder {
		r := reminder.Reminder{ID: "a", Trigger: "v", Keep: call}
		change(&r)
		return []reminder.Reminder{r}
	}
	tests := []struct {
		name  string
		rules []reminder.Reminder
		lines string
	}{
		{"once an edge, the first turn is one", a(func(*reminder.Reminder) {}), `
			t -> fired:a
			t -> held:a=not_armed
			u ->
			t -> held:a=not_armed
			f ->
			t -> fired:a`},
		{"while fires on every true turn", a(func(r *reminder.Reminder) { r.Mode = reminder.While }), `
			t -> fired:a
			u ->
			t -> fired:a
			f ->
			t -> fired:a`},
		{"rearm alone arms, read before the trigger", a(func(r *reminder.Reminder) { r.Rearm = "condition" }), `
			t -> fired:a
			f ->
			t -> held:a=not_armed
			u rearm ->
			t -> fired:a
			t rearm:u -> held:a=not_armed
			t rearm -> fired:a`},
		{"for turns, unknown ones do not break it", a(func(r *reminder.Reminder) { r.For = turns(3) }), `
			t -> held:a=for/2_turns
			t -> held:a=for/1_turn
			f ->
			t -> held:a=for/2_turns
			u ->
			u ->
			t -> held:a=for/1_turn
			t -> fired:a
			t -> held:a=not_armed`},
		{"for one turn is for none", a(func(r *reminder.Reminder) { r.For = turns(1) }), `
			t -> fired:a
			f ->
			t -> fired:a`},
		{"for time", a(func(r *reminder.Reminder) { r.For = reminder.Span{Time: time.Minute} }), `
			t -> held:a=for/1m0s
			t 59s -> held:a=for/1s
			t -2h -> held:a=for/1m0s
			t 2h -> held:a=for/1s
			t 1s -> fired:a`},
		{"cooldown defers", a(func(r *reminder.Reminder) { r.Cooldown = turns(4) }), `
			t -> fired:a
			f ->
			t -> held:a=cooldown/2_turns
			t -> held:a=cooldown/1_turn
			t -> fired:a
			f ->
			t -> held:a=cooldown/2_turns
			f ->
			t -> fired:a`},
		{"cooldown by time", a(func(r *reminder.Reminder) {
			r.Mode, r.Cooldown = reminder.While,
				reminder.Span{Time: time.Minute}
		}), `
			t -> fired:a
			t 30s -> held:a=cooldown/30s
			t -1h -> held:a=cooldown/1m0s
			t 1h30s -> fired:a`},
		{"max_fires holds an edge, a higher limit lets it go", a(func(r *reminder.Reminder) { r.MaxFires = 1 }), `
			t -> fired:a
			f ->
			t -> held:a=max_fires
			t -> held:a=max_fires`},
		{"safety has no max_fires, but a cooldown", a(func(r *reminder.Reminder) {
			r.MaxFires, r.Tier, r.Mode, r.Cooldown = 1, reminder.Safety, reminder.While, turns(2)
		}), `
			t -> fired:a
			t -> held:a=cooldown/1_turn
			t -> fired:a`},
		{"by hand: no trigger, no limit, no count", a(func(r *reminder.Reminder) {
			r.MaxFires, r.Cooldown = 1,
				turns(3)
		}), `
			f hand:a -> fired:a!
			f hand:a hand:a -> fired:a!
			t hand:a -> fired:a
			f ->
			t -> held:a=cooldown/1_turn
			t hand:a -> fired:a!
			t -> held:a=max_fires`},
		{"by hand waits for a turn that can carry it", a(func(*reminder.Reminder) {}), `
			queue:a
			queue:a
			f silent hand:a ->
			stop
			f silent ->
			f -> fired:a!
			f ->`},
		{"by hand, of a rule that is not there", a(func(*reminder.Reminder) {}), `
			queue:x
			f silent ->
			f hand:y -> undelivered:x,y
			f ->`},
		{"a text that fails", a(func(*reminder.Reminder) {}), `
			t fails -> held:a=text error:a
			t -> fired:a
			f hand:a fails -> held:a=text error:a
			f ->`},
		{"keep turn", a(func(r *reminder.Reminder) { r.Keep = reminder.Keep{} }), `
			t -> fired:a
			f -> due:a
			u -> due:a
			f user ->
			t -> fired:a
			f compacted ->`},
		{"keep turns", a(func(r *reminder.Reminder) { r.Keep = reminder.Keep{Unit: reminder.KeepTurns, N: 3} }),
			`
			t user -> fired:a
			f user -> due:a
			f user -> due:a
			f user ->`},
		{"keep conversation", a(func(r *reminder.Reminder) {
			r.Keep = reminder.Keep{
				Unit: reminder.KeepConversation}
		}), `
			t -> fired:a
			f user -> due:a
			stop
			f user -> due:a
			t -> fired:a
			f compacted ->`},
		{"what fires after a compaction stays", a(func(r *reminder.Reminder) {
			r.Keep = reminder.Keep{
				Unit: reminder.KeepConversation}
		}), `
			t compacted -> fired:a
			f -> due:a`},
		{"waits through silence, though false by then", a(func(*reminder.Reminder) {}), `
			t silent -> fired:a due:
			f silent ->
			stop
			f -> due:a*
			f ->`},
		{"keep runs out in silence",
			a(func(r *reminder.Reminder) { r.Keep = reminder.Keep{}; r.Rearm = "condition" }), `
			t silent -> fired:a due:
			f user -> undelivered:a
			t -> fired:a`},
		{"keep runs out and it fires at once", a(func(r *reminder.Reminder) { r.Keep = reminder.Keep{} }), `
			t silent -> fired:a due:
			t user -> fired:a undelivered:a`},
		{"compaction ends what waits", a(func(*reminder.Reminder) {}), `
			t silent -> fired:a due:
			t silent compacted -> fired:a due: undelivered:a
			t -> due:a* held:a=not_armed`},
		{"missed is due again", a(func(*reminder.Reminder) {}), `
			t -> fired:a
			missed:a
			stop
			t -> due:a* held:a=not_armed
			t -> held:a=not_armed`},
		{"missed is due again whatever keep says", a(func(r *reminder.Reminder) { r.Keep = reminder.Keep{} }), `
			t -> fired:a
			missed:a
			f user -> due:a*
			f -> due:a
			f user ->`},
		{"missed, then silence, then keep runs out", a(func(r *reminder.Reminder) { r.Keep = reminder.Keep{} }), `
			t -> fired:a
			missed:a
			f user silent ->
			f user -> undelivered:a`},
		{"missed by hand is not armed again", a(func(r *reminder.Reminder) {
			r.Keep, r.Rearm = reminder.Keep{},
				"condition"
		}), `
			t -> fired:a
			f hand:a -> fired:a!
			missed:a
			f silent ->
			f user -> undelivered:a
			t -> held:a=not_armed`},
		{"missed of what nobody knows", a(func(*reminder.Reminder) {}), `
			missed:a
			f ->
			missed:x
			f ->`},
		{"another trigger: armed, counters kept", a(func(r *reminder.Reminder) { r.MaxFires = 2 }), `
			t -> fired:a
			version:w
			t -> fired:a
			version:v
			t -> held:a=max_fires`},
		{"another trigger: true since then", a(func(r *reminder.Reminder) { r.For = turns(3) }), `
			t -> held:a=for/2_turns
			t -> held:a=for/1_turn
			version:w
			t -> held:a=for/2_turns`},
		{"gone and back: it goes on", a(func(r *reminder.Reminder) { r.Keep, r.MaxFires = reminder.Keep{}, 1 }), `
			t -> fired:a
			gone
			t ->
			stop
			t ->
			back
			t -> due:a held:a=not_armed
			f -> due:a
			t -> due:a held:a=max_fires`},
		{"gone while it waits", a(func(*reminder.Reminder) {}), `
			t silent -> fired:a due:
			gone
			f ->
			back
			f -> due:a*
			f ->`},
		{"an event is over between the turns", a(func(*reminder.Reminder) {}), `
			t between:0 -> fired:a
			t between:0 -> fired:a
			t -> fired:a
			t between:0 -> held:a=not_armed
			u between:0 ->
			t -> fired:a`},
		{"a new prompt, and no other text, ends the one before", a(func(*reminder.Reminder) {}), `
			t between:p,pr -> fired:a
			t between:p,pr -> held:a=not_armed
			t between:p,pr tells:r -> held:a=not_armed
			t between:p,pr user -> fired:a
			t tells:pr user -> fired:a
			t user -> held:a=not_armed`},
		{"two new texts end two", a(func(*reminder.Reminder) {}), `
			t between:pr -> fired:a
			t between:pr user -> held:a=not_armed
			stop
			t between:pr tells:r -> held:a=not_armed
			t between:p tells:r user -> fired:a
			t tells:r user -> held:a=not_armed`},
		{"in parts, a text that an earlier one told has ended the one before", a(func(*reminder.Reminder) {}), `
			t between:pr -> fired:a
			t tells:r -> held:a=not_armed
			stop
			t user more -> fired:a`},
		{"where nobody tells of messages, a prompt is new after a turn that told none",
			a(func(*reminder.Reminder) {}), `
			t spoken:u tells:p between:p -> fired:a
			t spoken:u tells:p between:p -> held:a=not_armed
			stop
			t spoken:u between:p -> held:a=not_armed
			u spoken:u more between:p ->
			t spoken:u tells:p more -> held:a=not_armed
			t spoken:u between:p -> held:a=not_armed
			stop
			t spoken:u tells:p -> fired:a`},
		{"rearm alone arms, for waits for a false turn", a(func(r *reminder.Reminder) { r.Rearm = "condition" }), `
			t between:0 -> fired:a
			t between:0 -> held:a=not_armed
			t compacted -> fired:a`},
		{"for waits for a false turn", a(func(r *reminder.Reminder) { r.For = turns(2) }), `
			t between:0 -> held:a=for/1_turn
			t between:0 -> fired:a
			t between:0 -> held:a=not_armed`},
		{"a blank text costs nothing", a(func(r *reminder.Reminder) { r.MaxFires = 1 }), `
			t blank -> held:a=text error:a
			t -> fired:a
			f hand:a blank -> held:a=text error:a`},
		{"parts: what fired does not fire again, and nothing is armed between them",
			a(func(r *reminder.Reminder) { r.Keep = reminder.Keep{} }), `
			f ->
			t more -> fired:a
			t more -> due:a held:a=not_armed
			f more -> due:a
			stop
			t more -> due:a held:a=not_armed
			t -> due:a held:a=not_armed
			f -> due:a
			t more -> due:a held:a=not_armed
			f -> due:a
			t -> fired:a`},
		{"parts: the last one arms", a(func(*reminder.Reminder) {}), `
			t -> fired:a
			f more -> due:a
			t -> fired:a`},
		{"parts do not move for and cooldown", a(func(r *reminder.Reminder) {
			r.Mode, r.For, r.Cooldown = reminder.While, turns(2), turns(2)
		}), `
			t -> held:a=for/1_turn
			t more -> held:a=for/1_turn
			stop
			t more -> held:a=for/1_turn
			t -> fired:a
			t more -> due:a held:a=not_armed
			t -> held:a=cooldown/1_turn`},
		{"a user turn in a part", a(func(r *reminder.Reminder) { r.Keep = reminder.Keep{} }), `
			t -> fired:a
			f user more -> due:a
			f user more -> due:a
			f user ->`},
		{"cooldown by user turns", a(func(r *reminder.Reminder) {
			r.Mode, r.Cooldown = reminder.While, reminder.Span{UserTurns: 2}
		}), `
			t user -> fired:a
			t -> held:a=cooldown/2_user_turns
			t user -> held:a=cooldown/1_user_turn
			t user -> fired:a`},
		{"keep user turns", a(func(r *reminder.Reminder) {
			r.Keep = reminder.Keep{Unit: reminder.KeepUserTurns, N: 2}
		}), `
			t user -> fired:a
			f -> due:a
			f user -> due:a
			f -> due:a
			f user ->`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script(t, tt.rules, reminder.ByPriority, reminder.Budget{}, tt.lines)
		})
	}
}

// TestStepMany is about rules beside each other: order and budget. Each text costs two tokens.
func TestStepMany(t *testing.T) {
	t.Parallel()
	rules := []reminder.Reminder{
		{ID: "a", Trigger: "v", Priority: 5},
		{ID: "b", Trigger: "v", Tier: reminder.Correctness},
		{ID: "c", Trigger: "v", Priority: -1},
		{ID: "d", Trigger: "v"},
		{ID: "s", Trigger: "v", Tier: reminder.Safety, Priority: 2},
	}
	const all = "t b:t c:t d:t s:t"
	tests := []struct {
		name   string
		order  reminder.Order
		budget reminder.Budget
		lines  string
	}{
		{"by priority, then id", reminder.ByPriority, reminder.Budget{}, all + " -> fired:c,b,d,s,a"},
		{"by tier, then id", reminder.ByTier, reminder.Budget{}, all + " -> fired:s,b,a,c,d"},
		{"kept among fired", reminder.ByPriority, reminder.Budget{},
			"t c:t -> fired:c,a\nd:t -> fired:d due:c,d,a"},
		{"exactly fits", reminder.ByPriority, reminder.Budget{Turn: 10}, all + " -> fired:c,b,d,s,a"},
		{"lowest tier, then priority, then last id", reminder.ByPriority, reminder.Budget{Turn: 6},
			all + " -> fired:b,s,a held:c=budget,d=budget"},
		{"tier before priority", reminder.ByPriority, reminder.Budget{Turn: 4},
			all + " -> fired:b,s held:a=budget,c=budget,d=budget"},
		{"safety stays", reminder.ByPriority, reminder.Budget{Turn: 1},
			all + " -> fired:s held:a=budget,b=budget,c=budget,d=budget"},
		{"dropped stays armed", reminder.ByPriority, reminder.Budget{Turn: 2},
			"t d:t -> fired:a held:d=budget\nd:t -> fired:d due:d,a\nd:t -> due:d,a held:d=not_armed"},
		{"by hand stays and counts", reminder.ByPriority, reminder.Budget{Turn: 2},
			"hand:c t -> fired:c! held:a=budget"},
		{"by hand and by itself stays", reminder.ByPriority, reminder.Budget{Turn: 2},
			"hand:c c:t t -> fired:c held:a=budget"},
		{"of a run", reminder.ByPriority, reminder.Budget{Run: 3},
			"t -> fired:a\nd:t -> due:a held:d=budget\nd:t hand:b -> fired:b! due:b!,a held:d=budget"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script(t, rules, tt.order, tt.budget, tt.lines)
		})
	}
	t.Run("equal ones, last id first", func(t *testing.T) {
		t.Parallel()
		script(t, []reminder.Reminder{{ID: "b"}, {ID: "a"}, {ID: "c"}}, reminder.ByPriority,
			reminder.Budget{Turn: 4}, "t b:t c:t -> fired:a,b held:c=budget")
	})
}

// TestBudgetNothingComesBack: a dropped reminder stays dropped, even if it would fit after a greater one was
// dropped too.
func TestBudgetNothingComesBack(t *testing.T) {
	t.Parallel()
	rules := []reminder.Reminder{{ID: "small", Trigger: "v"}, {ID: "great", Trigger: "v", Priority: 1},
		{ID: "best", Trigger: "v", Priority: 2}}
	r := newRun(rules, reminder.ByPriority, reminder.Budget{Turn: 10})
	d, err := r.step(turn{at: start, trigger: map[string]fact.Truth{"small": fact.True, "great": fact.True,
		"best": fact.True}, text: map[string]string{
		"small": "x", "great": strings.Repeat("x", 40), "best": strings.Repeat("x", 12),
	}})
	if err != nil || short(d) != "fired:best held:great=budget,small=budget" {
		t.Errorf("%s, %v", short(d), err)
	}
	if r.snap.Spent() != 3 {
		t.Errorf("%d tokens are spent, want 3", r.snap.Spent())
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	rules := []reminder.Reminder{{ID: "a", Trigger: "v"}}
	for _, tt := range []struct {
		text  string
		count func(string) int
		want  int
	}{
		{"x", nil, 1}, {"xxxx", nil, 1}, {"xxxxx", nil, 2}, {"üü", nil, 1}, {"üüü", nil, 2},
		{"x", func(string) int { return 9 }, 9}, {"x", func(string) int { return -9 }, 0},
	} {
		in := turn{at: start, trigger: map[string]fact.Truth{"a": fact.True},
			text: map[string]string{"a": tt.text}}.input(rules, 0, reminder.Budget{})
		in.Tokens = tt.count
		_, d, err := firing.Step(nil, firing.NewRules(rules), in)
		if err != nil || d.Fired[0].Tokens != tt.want {
			t.Errorf("%q: %+v, %v, want %d tokens", tt.text, d, err, tt.want)
		}
	}
}

// TestMaxFiresRaised: a reload that raises the limit lets the edge fire that stood before it.
func TestMaxFiresRaised(t *testing.T) {
	t.Parallel()
	r := newRun([]reminder.Reminder{{ID: "a", Trigger: "v", MaxFires: 1}}, 0, reminder.Budget{})
	for i, want := range []string{"fired:a", "due:a", "due:a held:a=max_fires", "fired:a"} {
		if i == 3 {
			r.rules = []reminder.Reminder{{ID: "a", Trigger: "v", MaxFires: 2}}
			r.set = firing.NewRules(r.rules)
		}
		d, err := r.step(turn{at: start, user: fact.False, trigger: map[string]fact.Truth{"a": fact.Of(i != 1)},
			text: map[string]string{"a": "x"}})
		if err != nil || short(d) != want {
			t.Errorf("turn %d: %s, %v, want %s", i+1, short(d), err, want)
		}
	}
}

// keyMemory is the number of turn keys that a run remembers.
const keyMemory = 64

// TestKeys: keys are remembered for 64 keyed turns; turns without a key neither repeat nor push one
// out.
func TestKeys(t *testing.T) {
	t.Parallel()
	r := newRun(nil, 0, reminder.Budget{})
	step := func(key string) error {
		_, err := r.step(turn{key: key, at: start})
		return err
	}
	for i := range keyMemory + 1 {
		if err := errors.Join(step(fmt.Sprint(i)), step("")); err != nil {
			t.Fatal(err)
		}
	}
	turns := r.snap.Turn()
	for i := 1; i <= keyMemory; i++ {
		if err := step(fmt.Sprint(i)); !errors.Is(err, state.ErrOldKey) {
			t.Errorf("key %d: %v, want ErrOldKey", i, err)
		}
	}
	if r.snap.Turn() != turns {
		t.Error("a refused turn counts")
	}
	if err := step("0"); err != nil {
		t.Errorf("key 0, which is forgotten: %v", err)
	}
	for _, key := range []string{"\xff", "\xfe", "\ufffd"} { // apart, though the same in a decision
		if err := step(key); err != nil || r.snap.Decision().Key != "\ufffd" {
			t.Errorf("key %q: %v, %q", key, err, r.snap.Decision().Key)
		}
	}
}

// TestKeysNumbered: where keys number the turns, a lower number is an older turn, whether or not the run has
// met it.
func TestKeysNumbered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, last, key string
		old             bool
	}{
		{"lower", "k7", "k1", true},
		{"lower by value", "turn 10", "turn 9", true},
		{"a number alone", "10", "9", true},
		{"zeros before it", "k010", "k9", true},
		{"higher", "k9", "k10", false},
		{"the same number", "k7", "k07", false},
		{"another name", "k7", "j1", false},
		{"no number", "k7", "k", false},
		{"no number before", "k", "k1", false},
		{"a number amid", "7 k", "1 k", false},
		{"as long as numbers of turns go", "k999999", "k999998", true},
		{"too long for turns", "k1000000", "k1", false},
		{"long by its zeros", "k0000000007", "k1", true},
		{"nought", "k1", "k0", true},
		{"random", "83920174650382", "12938475610293", false},
		{"no key", "k7", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(nil, 0, reminder.Budget{})
			if _, err := r.step(turn{key: tt.last, at: start}); err != nil {
				t.Fatal(err)
			}
			before := r.snap.Encode()
			_, err := r.step(turn{key: tt.key, at: start})
			if old := errors.Is(err, state.ErrOldKey); old != tt.old || !old && err != nil {
				t.Errorf("%q after %q: %v, want refused %t", tt.key, tt.last, err, tt.old)
			}
			if tt.old && !bytes.Equal(r.snap.Encode(), before) {
				t.Error("a refused turn changes the run")
			}
			if _, err := r.snap.Taken(tt.last, ""); err != nil && tt.old {
				t.Errorf("the last turn once more: %v", err)
			}
		})
	}
}

// TestBody: the key of the last turn stands for one body, where both are known, also from a store; and a
// program that knows of no bodies finds the keys where they were.
func TestBody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, first, again string
		refused            bool
	}{
		{"the same", "a", "a", false},
		{"another", "a", "b", true},
		{"of which nothing was kept", "", "b", false},
		{"of which nothing is known", "a", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(nil, 0, reminder.Budget{})
			for i := range 2 * keyMemory { // so that no more keys fit
				if _, err := r.step(turn{key: fmt.Sprint("x", i), body: tt.first, at: start}); err != nil {
					t.Fatal(err)
				}
			}
			bare := newRun(nil, 0, reminder.Budget{})
			if _, err := bare.step(turn{key: fmt.Sprint("x", 2*keyMemory-1), at: start}); err != nil {
				t.Fatal(err)
			}
			written, last := keysOf(t, r.snap), keysOf(t, bare.snap)
			if !strings.HasSuffix(written, last) || len(written) > keyMemory*len(last) ||
				len(written) < (keyMemory-2)*len(last) {
				t.Errorf("%d bytes of keys, which end in %s, not %s", len(written), written[len(written)-8:], last)
			}
			stored, err := state.Decode(r.snap.Encode())
			if err != nil || !bytes.Equal(stored.Encode(), r.snap.Encode()) {
				t.Fatal(err)
			}
			for _, r.snap = range []*state.Snapshot{r.snap, stored} {
				turns := r.snap.Turn()
				_, err = r.step(turn{key: fmt.Sprint("x", turns-1), body: tt.again, at: start})
				if errors.Is(err, state.ErrOtherBody) != tt.refused || !tt.refused && err != nil ||
					r.snap.Turn() != turns {
					t.Errorf("%v, turn %d after %d", err, r.snap.Turn(), turns)
				}
				if _, err := r.step(turn{key: "x0", body: tt.again, at: start}); !errors.Is(err, state.ErrOldKey) {
					t.Errorf("an older turn: %v", err)
				}
			}
		})
	}
}

// keysOf returns the turn keys of a run as they are written.
func keysOf(t *testing.T, s *state.Snapshot) string {
	t.Helper()
	var w struct{ Run struct{ Keys string } }
	if err := json.Unmarshal(s.Encode(), &w); err != nil {
		t.Fatal(err)
	}
	return w.Run.Keys
}

// TestStepFacts: the facts of a turn are stored as they were given, without blanks.
func TestStepFacts(t *testing.T) {
	t.Parallel()
	next, _, err := firing.Step(nil, firing.NewRules(nil), firing.Input{At: start,
		Facts: factsOf(t, ` {"b": 1, "a": "<"} `)})
	if err != nil {
		t.Fatal(err)
	}
	if next, err = state.Decode(next.Encode()); err != nil {
		t.Fatal(err)
	}
	if got, err := next.Facts().MarshalJSON(); err != nil || string(got) != `{"b":1,"a":"<"}` {
		t.Errorf("facts that were stored: %s, %v", got, err)
	}
}

// factsOf returns facts as a store gives them back.
func factsOf(t testing.TB, raw string) (v fact.Values) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestNoJudgeNoRender: an input without its optional functions is a turn.
func TestNoJudgeNoRender(t *testing.T) {
	t.Parallel()
	rules := firing.NewRules([]reminder.Reminder{{ID: "a"}, {ID: "b"}})
	snap, d, err := firing.Step(nil, rules, firing.Input{})
	if err != nil || snap.Turn() != 1 || short(d) != "" {
		t.Errorf("%s, %v", short(d), err)
	}
	in := firing.Input{Judge: func(*firing.Run) (trigger, rearm []fact.Truth) {
		return []fact.Truth{fact.True},
			nil
	}}
	if _, d, err = firing.Step(snap, rules, in); err != nil || short(d) != "held:a=text error:a" {
		t.Errorf("%s, %v", short(d), err)
	}
}

// TestSameIDTwice: of rules that share an id only the first can fire, and the run stays readable.
func TestSameIDTwice(t *testing.T) {
	t.Parallel()
	rules := firing.NewRules([]reminder.Reminder{{ID: "b"}, {ID: "a", Priority: 1}, {ID: "a", Priority: 2}})
	snap, d, err := firing.Step(nil, rules, firing.Input{
		Judge: func(*firing.Run) (trigger, rearm []fact.Truth) {
			return []fact.Truth{fact.True, fact.True, fact.True}, nil
		},
		Render: func(i int) (string, error) { return "x", nil },
	})
	if err != nil || short(d) != "fired:b,a" || d.Fired[1].Priority != 1 {
		t.Errorf("%s, %v", short(d), err)
	}
	if _, err := state.Decode(snap.Encode()); err != nil {
		t.Error(err)
	}
}

func TestTag(t *testing.T) {
	t.Parallel()
	var snap *state.Snapshot
	for i, tag := range []string{"", "one", "two", ""} {
		in := unknown(start)
		in.Tag = tag
		snap, _ = seen(t, snap, in)
		if want := []string{"", "one", "one", "one"}[i]; snap.Tag() != want {
			t.Errorf("turn %d: tag %q, want %q", i+1, snap.Tag(), want)
		}
	}
	if again, err := state.Decode(snap.Encode()); err != nil || again.Tag() != "one" {
		t.Errorf("decoded: %q, %v", again.Tag(), err)
	}
}

// TestRowUnjudged: a turn without a Judge leaves the rows as they are, also one that comes in parts.
func TestRowUnjudged(t *testing.T) {
	t.Parallel()
	rules := firing.NewRules([]reminder.Reminder{{ID: "a", For: reminder.Span{Turns: 9}}})
	yes := func(*firing.Run) (trigger, rearm []fact.Truth) { return []fact.Truth{fact.True}, nil }
	var snap *state.Snapshot
	for i, in := range []struct {
		judge func(*firing.Run) (trigger, rearm []fact.Truth)
		more  bool
		row   int
	}{{yes, false, 1}, {nil, false, 1}, {nil, true, 1}, {yes, false, 2}, {nil, true, 2}, {nil, false, 2},
		{yes, true, 3}} {
		var err error
		if snap, _, err = firing.Step(snap, rules, firing.Input{At: start, Judge: in.judge,
			More: in.more}); err != nil {
			t.Fatal(err)
		}
		if got := snap.Reminder("a").Row; got != in.row {
			t.Errorf("step %d: row %d, want %d", i, got, in.row)
		}
	}
}
