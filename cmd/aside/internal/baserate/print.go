package baserate

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/effect/confidence"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/fact"
)

// Blocks returns the rates for people; none where there was no turn.
func (v *View) Blocks() (blocks []terminal.Block) {
	if v.report == nil || v.report.Turns == 0 {
		return nil
	}
	say := func(format string, args ...any) {
		blocks = append(blocks, terminal.Block{Text: fmt.Sprintf(format, args...)})
	}
	in := terminal.Many(v.report.Turns, "turn") + " of " + terminal.Many(v.report.Runs, "run")
	if weeks := v.Weeks(); weeks > 0 {
		in += ", " + terminal.Many(int(math.Round(weeks)), "week")
	}
	blocks = append(blocks, terminal.Block{Heading: "base rates: what followed without the reminders, in " + in})
	if len(v.rates) == 0 {
		say("no reminder has expect, so that there is nothing to count: aside help effect")
	}
	for i := range v.rates {
		r := &v.rates[i]
		blocks = append(blocks, terminal.Block{Heading: r.ID})
		if r.Fires == 0 {
			say("%s", v.Verdict(r))
			continue
		}
		often := ""
		if weeks := v.Weeks(); weeks > 0 {
			often = fmt.Sprintf(", %s a week", rounded(float64(r.Fires)/weeks))
		}
		say("would have fired %s in %s%s: %s heeded anyway, %s ignored, %s open",
			terminal.Times(r.Fires), terminal.Many(r.Runs, "run"), often,
			terminal.Thousands(r.Heeded), terminal.Thousands(r.Ignored), terminal.Thousands(r.Open))
		if n := len(r.After); n > 0 {
			say("base rate %s, half of these within %s, all within %s", percent(r.Share()),
				terminal.Many(r.After[(n-1)/2], "turn"), terminal.Many(r.After[n-1], "turn"))
		} else if r.Settled() > 0 {
			say("base rate %s", percent(r.Share()))
		}
		if v.atEnd(r) {
			say("it speaks before the agent ends, where a recording goes on with the person's next message: " +
				"what followed is what came of that")
		}
		say("%s", v.Verdict(r))
	}
	return blocks
}

// atEnd reports whether a reminder speaks before the agent ends.
func (v *View) atEnd(r *Rate) bool {
	i, ok := v.set.Index(r.ID)
	return ok && v.set.Trigger(i).Moment() == fact.Stopping
}

// Verdict says in words whether a reminder is worth a test, and how long that takes.
func (v *View) Verdict(r *Rate) string {
	switch r.Verdict() {
	case Never:
		return "would never have fired"
	case TooFew:
		return fmt.Sprintf("too few to say more: that takes %d that are heeded or ignored, in %d runs or more",
			Few, confidence.Enough)
	case Drowned:
		return "not worth a test: nearly everybody does it anyway"
	}
	n := r.Needed()
	return fmt.Sprintf("to find 10 points more, a test takes about %s%s, with %s of the runs held out",
		terminal.Many(n, "run"), v.long(n, r.Runs), percent(r.Holdout()))
}

// long says how long it takes until a reminder has fired in n runs, if it fires in as many as here.
func (v *View) long(n, runs int) string {
	switch weeks := float64(n) / float64(runs) * v.Weeks(); {
	case weeks == 0:
		return ""
	case weeks < 1:
		return ", less than a week"
	case weeks > 104:
		return fmt.Sprintf(", %s years", rounded(weeks/52))
	default:
		return ", " + terminal.Many(int(math.Ceil(weeks)), "week")
	}
}

// rounded returns a number that is not below 0, below 10 with one decimal.
func rounded(f float64) string {
	if f < 9.95 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
	}
	return terminal.Thousands(int(math.Round(f)))
}

func percent(f float64) string { return fmt.Sprintf("%.0f %%", 100*f) }

// JSON is a Rate as a member of the summary of a replay; CLI.md describes it.
type JSON struct {
	Heeded  int      `json:"heeded"`
	Ignored int      `json:"ignored"`
	Open    int      `json:"open"`
	Runs    int      `json:"runs"`
	Rate    *float64 `json:"rate"`   // null: nothing settled
	Median  *int     `json:"median"` // turns until heeded; null: none is
	Week    *float64 `json:"fires_a_week"`
	Verdict string   `json:"verdict"`
	Holdout float64  `json:"holdout"`
	Firings int      `json:"test_firings"` // 0: it is not worth a test
}

// Of returns a rate in JSON, given the weeks in which it was counted.
func (r *Rate) Of(weeks float64) JSON {
	j := JSON{Heeded: r.Heeded, Ignored: r.Ignored, Open: r.Open, Runs: r.Runs, Verdict: r.Verdict(),
		Holdout: r.Holdout(), Firings: r.Firings()}
	if r.Settled() > 0 {
		j.Rate = round(r.Share())
	}
	if n := len(r.After); n > 0 {
		j.Median = &r.After[(n-1)/2]
	}
	if weeks > 0 {
		j.Week = round(float64(r.Fires) / weeks)
	}
	return j
}

// round drops the digits that nobody needs.
func round(f float64) *float64 {
	f = math.Round(f*1e4) / 1e4
	return &f
}

// json adds the rates to the report.
func (v *View) json(report *replay.Report) {
	all := map[string]any{"from": nil, "to": nil, "weeks": math.Round(v.Weeks()*1e4) / 1e4}
	if !v.first.IsZero() {
		all["from"], all["to"] = v.first.UTC().Format(time.RFC3339), v.last.UTC().Format(time.RFC3339)
	}
	report.Extra = replay.With(report.Extra, "effect", all)
	for i := range report.Reminders {
		if at, ok := v.index[report.Reminders[i].ID]; ok {
			m := &report.Reminders[i]
			m.Extra = replay.With(m.Extra, "effect", v.rates[at].Of(v.Weeks()))
		}
	}
}
