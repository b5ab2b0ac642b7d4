package firing_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

func drawOrder(t *rapid.T) reminder.Order {
	return reminder.Order(rapid.IntRange(0, 1).Draw(t, "order"))
}

func decisionJSON(d *reminder.Decision) string {
	b, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestS1Edges holds the machine to the model through histories with everything in them: unknown truths,
// silent turns, fires by hand, missed texts, reloads, discarded turns, repeated and older keys, restarts.
func TestS1Edges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := newRun(drawRules(t), drawOrder(t), drawBudget(t))
		m := newModel(r.rules, r.order, r.budget)
		at := start
		var keys []string
		for n := range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 12).Draw(t, "what") {
			case 0: // a reload
				r.rules = drawRules(t)
				r.set = firing.NewRules(r.rules)
				m.rules = r.rules
			case 1:
				id := rapid.SampledFrom(pool).Draw(t, "queue")
				r.snap = firing.Remind(r.snap, id)
				m.queue[id] = true
			case 2: // never accepted
				var ids []string
				if d := r.snap.Decision(); d != nil {
					for _, due := range d.Due {
						ids = append(ids, due.ID)
					}
				}
				r.snap = firing.Missed(r.snap, ids...)
				m.miss(ids...)
			case 3: // another process
				s, err := state.Decode(r.snap.Encode())
				if err != nil {
					t.Fatal(err)
				}
				r.snap = s
			case 4: // discarded
				_, _, err := firing.Step(r.snap, r.set, drawTurn(t, 1000+n, at).input(r.rules, r.order, r.budget))
				if err != nil {
					t.Fatal(err)
				}
			default:
				tu := drawTurn(t, n, at)
				if len(keys) > 0 && seldom(t, 6, "again") {
					tu.key = rapid.SampledFrom(keys).Draw(t, "old key")
				}
				want, wantErr := m.step(tu)
				got, err := r.step(tu)
				if !errors.Is(err, wantErr) {
					t.Fatalf("turn %q: error %v, want %v", tu.key, err, wantErr)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("turn %d (-model +machine):\n%s", m.turns, diff)
				}
				at = tu.at
				if tu.key != "" {
					keys = append(keys, tu.key)
				}
			}
		}
		for _, rule := range r.rules {
			s := r.snap.Reminder(rule.ID)
			if s.Fires != m.fires[rule.ID] {
				t.Errorf("%s fired %d times, want %d", rule.ID, s.Fires, m.fires[rule.ID])
			}
		}
	})
}

// TestS2SameKey: a turn again is the stored decision to the byte, and the same snapshot; a turn that is over
// is refused.
func TestS2SameKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := newRun(drawRules(t), drawOrder(t), drawBudget(t))
		turns := history(t)
		last := ""
		for i, tu := range turns {
			d := r.must(t, tu)
			last = tu.key
			if last == "" {
				continue
			}
			again := drawTurn(t, 500+i, tu.at)
			again.key = last
			before := r.snap.Encode()
			restarted, err := state.Decode(before)
			if err != nil {
				t.Fatal(err)
			}
			for _, prev := range []*state.Snapshot{r.snap, restarted} {
				next, d2, err := firing.Step(prev, r.set, again.input(r.rules, r.order, r.budget))
				if err != nil || next != prev || !bytes.Equal(next.Encode(), before) {
					t.Fatalf("the same key changed the run: %v", err)
				}
				if a, b := decisionJSON(d), decisionJSON(d2); a != b {
					t.Fatalf("the same key decided\n%s\nthen\n%s", a, b)
				}
			}
		}
		for _, tu := range turns {
			if tu.key == "" || tu.key == last {
				continue
			}
			if _, err := r.step(tu); !errors.Is(err, state.ErrOldKey) {
				t.Fatalf("older key %q: %v", tu.key, err)
			}
		}
	})
}

// TestS3GoOn: stopped after any turn, encoded, decoded and gone on, a run is as if it had never stopped.
func TestS3GoOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules, order, budget := drawRules(t), drawOrder(t), drawBudget(t)
		on, stopped := newRun(rules, order, budget), newRun(rules, order, budget)
		for _, tu := range history(t) {
			if seldom(t, 2, "stop") {
				b := stopped.snap.Encode()
				s, err := state.Decode(b)
				if err != nil {
					t.Fatalf("%v: %s", err, b)
				}
				if !bytes.Equal(s.Encode(), b) {
					t.Fatalf("decoded and encoded:\n%s\nwant\n%s", s.Encode(), b)
				}
				stopped.snap, stopped.set = s, firing.NewRules(rules)
			}
			a, b := on.must(t, tu), stopped.must(t, tu)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Fatalf("(-on +stopped):\n%s", diff)
			}
			if !bytes.Equal(on.snap.Encode(), stopped.snap.Encode()) {
				t.Fatalf("after turn %d:\n%s\nand\n%s", on.snap.Turn(), on.snap.Encode(), stopped.snap.Encode())
			}
		}
	})
}

// TestS4Reload: a reload that changes no trigger changes no decision, whatever the order of the rules.
func TestS4Reload(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules, order, budget := drawRules(t), drawOrder(t), drawBudget(t)
		on, reloaded := newRun(rules, order, budget), newRun(rules, order, budget)
		for _, tu := range history(t) {
			if seldom(t, 2, "reload") {
				reloaded.rules = rapid.Permutation(rules).Draw(t, "rules")
				reloaded.set = firing.NewRules(reloaded.rules)
			}
			if diff := cmp.Diff(on.must(t, tu), reloaded.must(t, tu)); diff != "" {
				t.Fatalf("(-on +reloaded):\n%s", diff)
			}
		}
	})
}

// limits checks S5 and S8 on the decisions alone: it knows only when a rule fired by its trigger, and when
// its trigger was true or false.
type limits struct {
	rules         []reminder.Reminder
	fires         map[string][]moment
	before, after map[string]row // of the turn, which may come in parts
	turn          int
	at            time.Time
}

// row is a number of turns in a row on which a trigger was true.
type row struct {
	turns int
	since time.Time
}

func newLimits(rules []reminder.Reminder) *limits {
	return &limits{rules: rules, fires: map[string][]moment{}, before: map[string]row{}, after: map[string]row{}}
}

func (l *limits) see(t interface{ Fatalf(string, ...any) }, tu turn, d *reminder.Decision,
	s *state.Snapshot) {
	if d.Turn != l.turn {
		l.turn, l.at = d.Turn, tu.at.Truncate(time.Millisecond) // as a run counts
		l.before = maps.Clone(l.after)
	}
	now := moment{turn: d.Turn, userTurn: s.Run().Now().UserTurn, at: l.at}
	far := func(span reminder.Span, from moment) bool {
		return now.turn-from.turn >= span.Turns && (span.Time == 0 || now.at.Sub(from.at) >= span.Time) &&
			(!s.Run().Now().UserTurnOK || now.userTurn-from.userTurn >= span.UserTurns)
	}
	for _, r := range l.rules {
		held := l.before[r.ID]
		switch truth(tu.trigger, r.ID) {
		case fact.False:
			held = row{}
		case fact.True:
			if held.turns++; held.turns == 1 {
				held.since = l.at
			}
		}
		l.after[r.ID] = held
		fires := l.fires[r.ID]
		if slices.ContainsFunc(d.Fired, func(f reminder.Due) bool { return f.ID == r.ID && !f.Manual }) {
			if truth(tu.trigger, r.ID) != fact.True {
				t.Fatalf("%s fired by itself on a trigger that is %s", r.ID, truth(tu.trigger, r.ID))
			}
			if held.turns < r.For.Turns || r.For.Time > 0 && now.at.Sub(held.since) < r.For.Time {
				t.Fatalf("%s fired on %v, true for %v, for %v", r.ID, now, held, r.For)
			}
			if len(fires) > 0 && !far(r.Cooldown, fires[len(fires)-1]) {
				t.Fatalf("%s fired on %v after %v, cooldown %v", r.ID, now, fires[len(fires)-1], r.Cooldown)
			}
			if len(fires) > 0 && fires[len(fires)-1].turn == now.turn {
				t.Fatalf("%s fired twice on turn %d", r.ID, now.turn)
			}
			if r.MaxFires > 0 && r.Tier != reminder.Safety && len(fires) >= r.MaxFires {
				t.Fatalf("%s fired %d times, max_fires %d", r.ID, len(fires)+1, r.MaxFires)
			}
			fires = append(fires, now)
			l.fires[r.ID] = fires
		}
		if got := s.Reminder(r.ID).Fires; got != len(fires) {
			t.Fatalf("%s: %d fires are remembered, %d were seen", r.ID, got, len(fires))
		}
	}
}

// TestS5Limits: fires never fall, max_fires is never passed, gaps are at least the cooldown.
func TestS5Limits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := newRun(drawRules(t), drawOrder(t), drawBudget(t))
		l := newLimits(r.rules)
		for _, tu := range history(t) {
			l.see(t, tu, r.must(t, tu), r.snap)
		}
	})
}

// of returns the part of a decision that is about one rule.
func of(d *reminder.Decision, id string) reminder.Decision {
	out := reminder.Decision{Turn: d.Turn, Key: d.Key}
	for _, f := range d.Fired {
		if f.ID == id {
			out.Fired = append(out.Fired, f)
		}
	}
	for _, f := range d.Due {
		if f.ID == id {
			out.Due = append(out.Due, f)
		}
	}
	for _, h := range d.Held {
		if h.ID == id {
			out.Held = append(out.Held, h)
		}
	}
	for _, e := range d.Errors {
		if e.ID == id {
			out.Errors = append(out.Errors, e)
		}
	}
	for _, o := range d.Outcomes {
		if o.ID == id {
			out.Outcomes = append(out.Outcomes, o)
		}
	}
	if slices.Contains(d.Undelivered, id) {
		out.Undelivered = []string{id}
	}
	return out
}

// TestS6Independence: another rule, present from the beginning or for some turns, changes nothing about a
// rule. With a budget for each turn this holds for the rule of the higher tier.
func TestS6Independence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules, order := drawRules(t), drawOrder(t)
		budget := reminder.Budget{Turn: rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "turn budget")}
		other := rules[len(rules)-1]
		rules = rules[:len(rules)-1]
		without, with := newRun(rules, order, budget), newRun(rules, order, budget)
		for _, tu := range history(t) {
			if seldom(t, 3, "come or go") {
				with.rules = rules
				if rapid.Bool().Draw(t, "there") {
					i := rapid.IntRange(0, len(rules)).Draw(t, "place")
					with.rules = slices.Insert(slices.Clone(rules), i, other)
				}
				with.set = firing.NewRules(with.rules)
			}
			if budget.Turn > 0 { // a firing by hand spends the budget of all rules
				tu.remind = slices.DeleteFunc(slices.Clone(tu.remind), func(id string) bool { return id == other.ID })
			}
			a, b := without.must(t, tu), with.must(t, tu)
			for _, r := range rules {
				if budget.Turn > 0 && r.Tier != reminder.Safety && r.Tier <= other.Tier {
					continue
				}
				if diff := cmp.Diff(of(a, r.ID), of(b, r.ID)); diff != "" {
					t.Fatalf("%s (-without +with %s):\n%s", r.ID, other.ID, diff)
				}
			}
		}
	})
}

// TestS7Runs: runs that take turns through one store with the same rules never see each other.
func TestS7Runs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules := drawRules(t)
		set, store := firing.NewRules(rules), state.NewMemory()
		names := []string{"", "one", "two"}
		alone := map[string]*run{}
		for _, name := range names {
			alone[name] = newRun(rules, reminder.ByPriority, reminder.Budget{})
		}
		for _, tu := range history(t) {
			name := rapid.SampledFrom(names).Draw(t, "run")
			prev, rev, err := store.Load(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			next, d, err := firing.Step(prev, set, tu.input(rules, reminder.ByPriority, reminder.Budget{}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := store.Save(t.Context(), name, rev, next); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone[name].must(t, tu), d); diff != "" {
				t.Fatalf("run %q (-alone +among others):\n%s", name, diff)
			}
		}
	})
}

// TestS8Clock: a clock that stands, jumps or goes back, as far as a clock can, never fires early and never
// panics.
func TestS8Clock(t *testing.T) {
	t.Parallel()
	ends := []time.Time{
		{}, time.Unix(0, 0), start, start.Add(time.Nanosecond), time.Unix(1<<62, 0), time.Unix(-1<<62,
			0), time.Unix(math.MinInt64, 0), time.Unix(math.MaxInt64, 0),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(-400, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	rapid.Check(t, func(t *rapid.T) {
		r := newRun(drawRules(t), drawOrder(t), reminder.Budget{})
		l := newLimits(r.rules)
		elapsed := time.Duration(0)
		for _, tu := range history(t) {
			if rapid.Bool().Draw(t, "jump") {
				tu.at = rapid.SampledFrom(ends).Draw(t, "at")
			}
			in := tu.input(r.rules, r.order, r.budget)
			judge := in.Judge
			in.Judge = func(run *firing.Run) (trigger, rearm []fact.Truth) {
				if idle, ok := run.Idle(); idle < 0 || ok != (run.Now().Turn > 1) {
					t.Fatalf("idle is %v, %v", idle, ok)
				}
				if run.Elapsed() < elapsed {
					t.Fatalf("elapsed is %v after %v", run.Elapsed(), elapsed)
				}
				elapsed = run.Elapsed()
				return judge(run)
			}
			next, d, err := firing.Step(r.snap, r.set, in)
			if err != nil {
				t.Fatal(err)
			}
			l.see(t, tu, d, next)
			if r.snap, err = state.Decode(next.Encode()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
