package inspector

import (
	"context"
	"slices"
	"time"

	"github.com/aside-go/aside/cmd/internal/playground"
	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
)

// played is what a rule that somebody types would have done in a run.
type played struct {
	Findings []playground.Finding `json:"findings"`
	Rules    []typedRule          `json:"rules"`
	Unread   []string             `json:"unread"` // facts that it reads and that are words, which are not kept
	Turns    int                  `json:"turns"`  // of the run, as far as they are kept
}

// typedRule is a reminder of the rule.
type typedRule struct {
	ID    string   `json:"id"`
	Fires []firing `json:"fires"`
	// its trigger is read at another moment than a turn, of which no facts are kept
	Moment string `json:"moment,omitempty"`
}

// firing is a firing that would have been.
type firing struct {
	Turn   int    `json:"turn"` // as in the page's data, from 0
	Tokens int    `json:"tokens"`
	Text   string `json:"text"`
	Why    string `json:"why"`
}

// most characters of a text that would have been, and most firings that are told.
const (
	mostText  = 2_000
	mostFires = 2_000
)

// play checks a rule and plays it over the turns of a run.
func (r *record) play(ctx context.Context, name, rule string) (*played, bool, error) {
	at, known := r.copied(name, 0)
	if !known {
		return nil, false, nil
	}
	set, findings := playground.Check(rule, at.set.Schema())
	out := &played{Findings: findings, Rules: []typedRule{}, Unread: []string{}, Turns: len(at.turns)}
	for i := range set.Len() {
		typed := typedRule{ID: set.Reminder(i).ID, Fires: []firing{}}
		if m := set.Trigger(i).Moment(); m != fact.Turn {
			typed.Moment = m.String()
		}
		out.Rules = append(out.Rules, typed)
		if r.keep == 0 {
			out.reads(set, i)
		}
	}
	slices.Sort(out.Unread)
	out.Unread = slices.Compact(out.Unread)
	if set.Len() == 0 {
		return out, true, nil
	}
	ev := eval.New(set, eval.Options{Clock: func() time.Time { return time.Time{} }})
	for i := range at.turns {
		if err := ctx.Err(); err != nil {
			return nil, true, err
		}
		t := &at.turns[i]
		d, err := ev.Decide(ctx, "typed", eval.Turn{At: t.at, Fill: t.fill})
		if err != nil {
			return nil, true, err
		}
		for _, f := range d.Fired {
			if k, ok := set.Index(f.ID); ok && len(out.Rules[k].Fires) < mostFires {
				out.Rules[k].Fires = append(out.Rules[k].Fires, firing{i, f.Tokens,
					report.Visible(report.Cut(f.Text, mostText)), report.Visible(d.Why(f.ID))})
			}
		}
	}
	return out, true, nil
}

// reads adds to Unread the facts that a reminder reads and that are not kept.
func (p *played) reads(set *compile.Set, i int) {
	for _, id := range set.Trigger(i).Facts() {
		if id.Private() {
			p.Unread = append(p.Unread, set.Schema().Fact(id).Name)
		}
	}
}
