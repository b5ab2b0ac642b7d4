package analysis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/analysis"
)

// host draws the turns of a run as a host tells them: what counts only rises, anything may be unknown.
type host struct {
	gen
	at     time.Time
	counts map[string]int64
	tells  map[string]bool // what a host counts itself it tells on every turn; else the machine counts
}

func newHost(g gen) *host {
	return &host{gen: g, at: time.Unix(1_000_000, 0), counts: map[string]int64{},
		tells: map[string]bool{"turn_count": g.chance(2), "user_turn_count": g.chance(2)}}
}

func (h *host) count(facts map[string]any, name string, most int) {
	if !h.chance(3) {
		h.counts[name] += int64(h.IntN(most + 1))
	}
	if tells, counted := h.tells[name]; tells || !counted && !h.chance(5) {
		facts[name] = h.counts[name]
	}
}

func (h *host) turn() eval.Turn {
	facts := map[string]any{}
	h.at = h.at.Add([]time.Duration{0, time.Second, time.Minute, 4 * time.Minute, -time.Minute}[h.IntN(5)])
	h.count(facts, "turn_count", 3)
	h.count(facts, "vars.seen", 3)
	h.count(facts, "user_turn_count", 2)
	for _, name := range []string{"vars.n", "message_count", "context_tokens", "context_window"} {
		if !h.chance(4) {
			facts[name] = []int64{0, 1, 2, 3, 4, 5, 10, 11, 12}[h.IntN(9)]
		}
	}
	if !h.chance(4) {
		facts["context_usage"] = []float64{0, 0.3, 0.5, 0.6, 0.75, 0.8, 1}[h.IntN(7)]
	}
	if !h.chance(4) {
		facts["user_message"] = h.chance(2)
	}
	if !h.chance(4) {
		facts["vars.flag"] = h.chance(2)
	}
	if !h.chance(4) {
		facts["last_response_tokens"] = int64(h.IntN(3))
	}
	facts["thread_type"] = h.one(threads...)
	facts["vars.wait"] = []time.Duration{0, 90 * time.Second, 2 * time.Minute, 5 * time.Minute}[h.IntN(4)]
	facts["vars.tags"] = h.set("x", "y", "z")
	if !h.chance(4) {
		used := h.set(allTools...)
		var failed []string
		for _, t := range used {
			if h.chance(3) {
				failed = append(failed, t)
			}
		}
		facts["tool_used"] = used
		if h.chance(2) {
			facts[fact.FailedTools] = append([]string{}, failed...)
		} else if !h.chance(3) {
			facts["last_tool_call_failed"] = len(failed) > 0
		}
	}
	return eval.Turn{At: h.at, Facts: facts}
}

// fires plays a run and returns on which turns each reminder fired.
func fires(t *testing.T, set *compile.Set, seed uint64, turns int) map[string][]int {
	t.Helper()
	ev := eval.New(set, eval.Options{})
	h := newHost(newGen(seed))
	out := map[string][]int{}
	for n := range turns {
		d, err := ev.Decide(context.Background(), "run", h.turn())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Fired {
			out[f.ID] = append(out[f.ID], n)
		}
	}
	return out
}

// TestRuns: what is said of how often and when a reminder fires holds in runs of the machine itself.
func TestRuns(t *testing.T) {
	t.Parallel()
	s := schema(t)
	said := map[string]int{}
	counters := []topic{topics[0], topics[3], topics[4], topics[15], topics[17],
		func(g gen) string { return "elapsed " + g.one(orders...) + " " + g.one("0s", "90s", "5m") }}
	for seed := range max(400, seeds()/2) { // R0909 comes late
		g := newGen(seed + 2_000_000)
		mine := []topic{counters[g.IntN(len(counters))], counters[g.IntN(len(counters))]}
		if g.chance(2) {
			mine[1] = topics[g.IntN(len(topics))]
		}
		r := reminder.Reminder{ID: "r", Trigger: g.join(mine, g.IntN(3)), Text: "x"}
		if g.chance(2) {
			r.Rearm = g.join(mine, g.IntN(2))
		}
		if g.chance(4) {
			r.Cooldown = reminder.Span{Turns: 2}
		}
		set, ds := compile.New([]reminder.Reminder{r}, compile.Options{Schema: s})
		if ds.HasErrors() {
			continue
		}
		var claims grammar.Diagnostics
		for _, d := range analysis.Check(set, nil) {
			switch d.Code {
			case "R0903", "R0912", "R0907", "R0908", "R0901", "R0909":
				claims = append(claims, d)
				said[string(d.Code)]++
			}
		}
		if len(claims) == 0 {
			continue
		}
		for k := range uint64(6) {
			got := fires(t, set, seed*100+k, 40)["r"]
			for _, d := range claims {
				wrong := ""
				switch d.Code {
				case "R0901":
					wrong = fmt.Sprint("fires on ", got)
					if len(got) == 0 {
						wrong = ""
					}
				case "R0903", "R0907", "R0912":
					if len(got) > 1 {
						wrong = fmt.Sprint("fires on ", got)
					}
				case "R0908", "R0909":
					other := r
					other.Rearm = ""
					if d.Code == "R0908" {
						if !strings.Contains(d.Message, "whenever") && !strings.Contains(d.Message, "always") {
							continue
						}
						other.Mode = reminder.While
					}
					same, _ := compile.New([]reminder.Reminder{other}, compile.Options{Schema: s})
					if want := fires(t, same, seed*100+k, 40)["r"]; fmt.Sprint(want) != fmt.Sprint(got) &&
						(d.Code == "R0909" || known(r.Rearm)) {
						wrong = fmt.Sprint("fires on ", got, ", without rearm on ", want)
					}
				}
				if wrong != "" {
					t.Errorf("%s rearm %q cooldown %v: %v, but it %s", r.Trigger, r.Rearm, r.Cooldown, d, wrong)
				}
			}
		}
	}
	t.Log(said)
	for _, code := range []string{"R0901", "R0903", "R0907", "R0908", "R0909", "R0912"} {
		if said[code] == 0 {
			t.Errorf("%s was never said", code)
		}
	}
}

// known reports whether a trigger asks only for what the machine counts itself, so that it is never unknown.
func known(src string) bool {
	for _, w := range strings.FieldsFunc(src,
		func(r rune) bool { return strings.ContainsRune(" ()<>=!0123456789", r) }) {
		switch w {
		case "turn_count", "elapsed", "and", "or", "not", "s", "m":
		default:
			return false
		}
	}
	return true
}

// TestRepeatsInRuns: reminders that are said to be duplicates fire on the same turns, and one that is said to
// add nothing fires only with the other.
func TestRepeatsInRuns(t *testing.T) {
	t.Parallel()
	s := schema(t)
	said := map[string]int{}
	for seed := range seeds() {
		g := newGen(seed + 3_000_000)
		mine := []topic{topics[g.IntN(len(topics))]}
		mode := reminder.Mode(g.IntN(2))
		var rs []reminder.Reminder
		for _, id := range []string{"a1", "b1"} {
			rs = append(rs, reminder.Reminder{ID: id, Mode: mode, Trigger: g.join(mine, g.IntN(2)),
				Text: g.one("x", "x", "text of "+id)})
		}
		set, ds := compile.New(rs, compile.Options{Schema: s})
		if ds.HasErrors() {
			continue
		}
		for _, d := range analysis.Check(set, nil) {
			if d.Code != "R0910" && d.Code != "R0911" {
				continue
			}
			said[string(d.Code)]++
			for k := range uint64(4) {
				got := fires(t, set, seed*100+k, 30)
				a, b := got["a1"], got["b1"]
				if d.Code == "R0911" {
					if strings.Contains(d.Message, `reminder "b1"`) {
						a, b = b, a
					}
					for _, n := range a {
						if !strings.Contains(fmt.Sprint(" ", b, " "), fmt.Sprint(n)) {
							t.Errorf("%s and %s: %v, but they fire on %v and %v", rs[0].Trigger, rs[1].Trigger, d, a, b)
							break
						}
					}
				} else if fmt.Sprint(a) != fmt.Sprint(b) {
					t.Errorf("%s and %s: %v, but they fire on %v and %v", rs[0].Trigger, rs[1].Trigger, d, a, b)
				}
			}
		}
	}
	t.Log(said)
	for _, code := range []string{"R0910", "R0911"} {
		if said[code] == 0 {
			t.Errorf("%s was never said", code)
		}
	}
}
