package fuzz_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// tape reads choices from bytes; past the end everything is 0.
type tape struct{ b []byte }

func (p *tape) next() int {
	if len(p.b) == 0 {
		return 0
	}
	c := p.b[0]
	p.b = p.b[1:]
	return int(c)
}

func (p *tape) below(n int) int { return p.next() % n }

func (p *tape) once(in int) bool { return p.below(in) == in-1 }

func (p *tape) truth() fact.Truth { return fact.Truth(p.below(3)) }

func (p *tape) span() reminder.Span {
	switch p.below(5) {
	case 1:
		return reminder.Span{Turns: p.below(6)}
	case 2:
		return reminder.Span{Time: time.Duration(p.next()-20) * time.Second}
	case 3:
		return reminder.Span{UserTurns: p.below(4) - 1}
	default:
		return reminder.Span{}
	}
}

func (p *tape) rules() []reminder.Reminder {
	rules := make([]reminder.Reminder, 1+p.below(5))
	for i := range rules {
		bits := p.next()
		rules[i] = reminder.Reminder{
			ID: string(rune('e' - i)), Mode: reminder.Mode(bits & 1), Rearm: []string{"",
				"condition"}[bits>>1&1], Trigger: fmt.Sprint(bits & 4),
			For: p.span(), Cooldown: p.span(),
			Keep:     reminder.Keep{Unit: reminder.KeepUnit(p.below(5)), N: p.below(5)},
			MaxFires: p.below(4) - 1, Priority: p.below(3) - 1, Tier: reminder.Tier(p.below(4)),
			Attach: reminder.Attach(p.below(4)), Expect: []string{"", "", "expected"}[p.below(3)],
			Within: p.below(4) - 1, MaxIgnored: p.below(4) - 1, Holdout: float64(p.below(4)) / 3,
			Pause: p.once(4),
		}
	}
	return rules
}

// clock returns a moment a step from the last one, or at one of the ends of time.
func (p *tape) clock(last time.Time) time.Time {
	switch c := p.next(); {
	case c < 230:
		return last.Add(time.Duration(c-30) * time.Second)
	case c == 230:
		return time.Time{}
	case c == 231:
		return time.Unix(math.MaxInt64, 0)
	case c == 232:
		return time.Unix(math.MinInt64, 0)
	default:
		return last.AddDate(c-240, 0, 0)
	}
}

// input returns one turn for rules. Its functions return the same at each call.
func (p *tape) input(n int, rules []reminder.Reminder, last time.Time) firing.Input {
	in := firing.Input{
		Run: "run", More: p.once(4),
		At: p.clock(last), Order: reminder.Order(
			p.below(2)), UserMessage: p.truth(), Compacted: fact.False, Failed: p.truth(),
		Silent: p.once(5), ResponseKnown: p.once(2), ResponseTokens: int64(p.next()) - 5, ToolsKnown: p.once(2),
	}
	if p.once(3) {
		in.Key = fmt.Sprint("key ", n)
	}
	if p.once(8) {
		in.Compacted = fact.True
	}
	if p.once(4) {
		in.Budget = reminder.Budget{Turn: p.below(8), Run: p.next()}
	}
	for range p.below(4) {
		in.Calls = append(in.Calls, fact.Call{Tool: string([]byte{byte(p.next())})})
	}
	if p.once(6) {
		in.Remind = []string{string(rune('a' + p.below(6)))}
	}
	trigger, rearm := make([]fact.Truth, len(rules)), make([]fact.Truth, len(rules))
	texts := make([]string, len(rules))
	for i := range rules {
		trigger[i], rearm[i] = p.truth(), p.truth()
		long := p.below(20)
		texts[i] = string(p.b[:min(len(p.b), long)])
	}
	if p.once(6) {
		in.Moment = fact.Moment(1 + p.below(2))
		in.Call = &fact.Call{Tool: "T", Subject: fmt.Sprint(p.below(3)), Told: p.once(2)}
		in.Key = ""
	}
	between, expect := fact.Gaps(p.below(16)), p.truth()
	in.Texts, in.Spoken = fact.Texts(p.below(4)), p.truth()
	in.Between = func(int) fact.Gaps { return between }
	in.Expect = func(int) fact.Truth { return expect }
	in.Judge = func(*firing.Run) ([]fact.Truth, []fact.Truth) { return trigger, rearm }
	in.Render = func(i int) (string, error) {
		if len(texts[i]) == 19 {
			return "", errors.New(texts[i])
		}
		return texts[i], nil
	}
	return in
}

func asJSON(t *testing.T, d *reminder.Decision) string {
	t.Helper()
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// FuzzS3History takes bytes for a history of turns, fires by hand, missed texts and reloads, and asserts S2,
// S3, S5 and S8 of RELIABILITY.md on it: the same key is the same decision; a run that is encoded and decoded
// after every turn is one that never is; fires never fall, max_fires is never passed and gaps are at least
// the cooldown; no clock lets anything fire early, and nothing panics.
func FuzzS3History(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a quiet run of a single rule"))
	f.Add(bytes.Repeat([]byte{2}, 200))
	f.Add(bytes.Repeat([]byte{4, 3, 2, 1, 0, 255, 231}, 60))
	seq := make([]byte, 512)
	for i := range seq {
		seq[i] = byte(i * i / 3)
	}
	f.Add(seq)
	f.Fuzz(func(t *testing.T, b []byte) {
		p := &tape{b: b}
		rules := p.rules()
		set := firing.NewRules(rules)
		var on, stopped *state.Snapshot
		last := time.Unix(0, 0).UTC()
		lim := newBounds()
		for n := 0; n < 60 && len(p.b) > 0; n++ {
			switch p.below(12) {
			case 9:
				id := string(rune('a' + p.below(6)))
				on, stopped = firing.Remind(on, id), firing.Remind(stopped, id)
				continue
			case 10:
				id := string(rune('a' + p.below(6)))
				on, stopped = firing.Missed(on, id), firing.Missed(stopped, id)
				continue
			case 11:
				rules = p.rules()
				set = firing.NewRules(rules)
				continue
			}
			in := p.input(n, rules, last)
			fires := map[string]int{}
			for i := range rules {
				fires[rules[i].ID] = on.Reminder(rules[i].ID).Fires
			}
			next, d, err := firing.Step(on, set, in)
			if err != nil {
				t.Fatal(err)
			}
			enc := next.Encode()
			again, err := state.Decode(enc)
			if err != nil {
				t.Fatalf("S3: %v: %s", err, enc)
			}
			other, d2, err := firing.Step(stopped, firing.NewRules(rules), in)
			if err != nil || asJSON(t, d) != asJSON(t, d2) || !bytes.Equal(enc, other.Encode()) ||
				!bytes.Equal(enc, again.Encode()) {
				t.Fatalf("S3: %v\n%s\n%s\n%s", err, enc, other.Encode(), again.Encode())
			}
			if in.Key != "" {
				same, d3, err := firing.Step(again, set, in)
				if err != nil || same != again || asJSON(t, d3) != asJSON(t, d) {
					t.Fatalf("S2: %v: %s, then %s", err, asJSON(t, d), asJSON(t, d3))
				}
			}
			lim.check(t, set, in, d, next, fires)
			on, stopped, last = next, again, in.At.UTC()
			if last.Year() < 1 || last.Year() > 9999 {
				last = time.Unix(0, 0).UTC()
			}
		}
	})
}

type instant struct {
	turn, userTurn int
	at             time.Time
}

// row is a number of turns in a row on which a trigger was true.
type row struct {
	turns int
	since time.Time
}

// bounds knows how long each trigger has been true, before and after the last turn, and when each rule last
// fired by itself.
type bounds struct {
	before, after map[string]row
	fired         map[string]instant
	version       map[string]string // of the rules so far
	turn          int
	at            time.Time // of the turn
}

func newBounds() *bounds {
	return &bounds{before: map[string]row{}, after: map[string]row{}, fired: map[string]instant{},
		version: map[string]string{}}
}

// condition names everything that a reload compares.
func condition(r *reminder.Reminder) string {
	return fmt.Sprint(r.Mode, r.Trigger, r.Pause, r.Expect, r.Within, r.Holdout, r.MaxIgnored)
}

// reload forgets how long another trigger was true.
func (l *bounds) reload(set *firing.Rules) {
	for i := range set.Len() {
		r := set.Reminder(i)
		if v, ok := l.version[r.ID]; ok && v != condition(r) {
			delete(l.before, r.ID)
			delete(l.after, r.ID)
		}
		l.version[r.ID] = condition(r)
	}
}

// check is S5 and S8 on one turn, or one moment; fires are the counts before it.
func (l *bounds) check(t *testing.T, set *firing.Rules, in firing.Input, d *reminder.Decision,
	s *state.Snapshot, fires map[string]int) {
	t.Helper()
	l.reload(set)
	trigger, _ := in.Judge(nil)
	if in.Moment == fact.Turn && d.Turn != l.turn {
		l.turn, l.at, l.before = d.Turn, in.At, maps.Clone(l.after)
	}
	users := s.Run().Now()
	now := instant{d.Turn, users.UserTurn, l.at}
	if in.Moment != fact.Turn {
		now.at = in.At
	}
	for i := range set.Len() {
		r := set.Reminder(i)
		held := l.before[r.ID]
		switch {
		case in.Moment != fact.Turn:
			held = row{1 << 30, time.Time{}}
		case trigger[i] == fact.False:
			held = row{}
		case trigger[i] == fact.True:
			if held.turns++; held.turns == 1 {
				held.since = l.at
			}
		}
		if in.Moment == fact.Turn {
			l.after[r.ID] = held
		}
		fired := 0
		for _, due := range d.Fired {
			if due.ID == r.ID && !due.Manual {
				fired = 1
			}
		}
		if got := s.Reminder(r.ID).Fires; got != fires[r.ID]+fired {
			t.Fatalf("S5: %s: %d fires, then %d, then %d", r.ID, fires[r.ID], fired, got)
		}
		if fired == 0 {
			continue
		}
		if r.MaxFires > 0 && fires[r.ID] >= r.MaxFires {
			t.Fatalf("S5: %s: fired again after %d, max_fires %d", r.ID, fires[r.ID], r.MaxFires)
		}
		if trigger[i] != fact.True {
			t.Fatalf("S5: %s: fired while its trigger is %v", r.ID, trigger[i])
		}
		if last, ok := l.fired[r.ID]; ok && (now.turn-last.turn < r.Cooldown.Turns ||
			r.Cooldown.Time > 0 && now.at.Sub(last.at) < r.Cooldown.Time ||
			users.UserTurnOK && now.userTurn-last.userTurn < r.Cooldown.UserTurns) {
			t.Fatalf("S5: %s: fired on %v after %v, cooldown %v", r.ID, now, last, r.Cooldown)
		}
		if in.Moment == fact.Turn && (held.turns < r.For.Turns || r.For.Time > 0 &&
			now.at.Sub(held.since) < r.For.Time) {
			t.Fatalf("S8: %s: fired on %v, true for %v, for %v", r.ID, now, held, r.For)
		}
		l.fired[r.ID] = now
	}
}
