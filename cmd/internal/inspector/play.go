package inspector

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/aside-go/aside/cmd/internal/playground"
	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/eval"
)

// played is what a rule that somebody types would have done in a run.
type played struct {
	Findings []playground.Finding `json:"findings"`
	Rules    []typedRule          `json:"rules"`
	Turns    int                  `json:"turns"` // of the run, as far as they are kept
	Tools    []string             `json:"tools"` // that the run has called
}

// typedRule is a reminder of the rule.
type typedRule struct {
	ID    string   `json:"id"`
	Fires []firing `json:"fires"`
	Never string   `json:"never,omitempty"` // why it would not have fired
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
	tools := at.tools()
	set, findings := playground.Check(rule, at.set.Schema(), tools)
	out := &played{Findings: findings, Rules: []typedRule{}, Turns: len(at.turns), Tools: tools}
	for i := range set.Len() {
		typed := typedRule{ID: set.Reminder(i).ID, Fires: []firing{}}
		if m := set.Trigger(i).Moment(); m != fact.Turn {
			typed.Moment = m.String()
		}
		out.Rules = append(out.Rules, typed)
	}
	if set.Len() == 0 {
		return out, true, nil
	}
	s := newSurvey(set, at.edition)
	for i := range at.turns {
		if err := ctx.Err(); err != nil {
			return nil, true, err
		}
		d, err := s.play(ctx, &at.turns[i])
		if err != nil {
			return nil, true, err
		}
		for _, f := range d.Fired {
			if k, ok := set.Index(f.ID); ok && len(out.Rules[k].Fires) < mostFires {
				out.Rules[k].Fires = append(out.Rules[k].Fires, firing{i, f.Tokens, shown(f.Text, mostText),
					report.Visible(d.Why(f.ID))})
			}
		}
	}
	for i := range out.Rules {
		out.Rules[i].Never = report.Visible(s.of[i].String())
	}
	return out, true, nil
}

// survey plays turns of a run, and says why reminders do not fire on them. That of the run's own rules plays
// the turns that are kept, those that have come since when somebody asks.
type survey struct {
	edition uint64 // of the run
	mu      sync.Mutex
	ev      *eval.Evaluator
	turns   int // that are played
	of      []*trigger.Survey
}

func newSurvey(set *compile.Set, edition uint64) *survey {
	unknown := func() time.Time { return time.Time{} } // the turns are of the past
	s := &survey{edition: edition, ev: eval.New(set, eval.Options{Clock: unknown})}
	for i := range set.Len() {
		s.of = append(s.of, set.Trigger(i).Survey())
	}
	return s
}

// play decides the next turn, and adds it to the surveys.
func (s *survey) play(ctx context.Context, t *turn) (*eval.Decision, error) {
	d, err := s.ev.Decide(ctx, "played", eval.Turn{At: t.at, Fill: t.fill})
	if err == nil {
		d.Read(func(f *fact.Frame) {
			for _, one := range s.of {
				one.Add(f)
			}
		})
		s.turns++
	}
	return d, err
}

// never returns why reminders have not fired in a run, by their ids. What a reminder that is read at another
// moment waits for comes between turns.
func (r *record) never(ctx context.Context, name string) map[string]string {
	r.mu.Lock()
	at, known := r.runs.Peek(name)
	if !known {
		r.mu.Unlock()
		return nil
	}
	if at.survey == nil || at.survey.edition != at.edition {
		at.survey = newSurvey(at.set, at.edition)
	}
	s := at.survey
	r.mu.Unlock()
	s.mu.Lock() // one page waits for another here, and no request does
	defer s.mu.Unlock()
	run, known := r.copied(name, s.turns)
	if !known || run.edition != s.edition {
		return nil // the page gets the new edition, and asks again
	}
	for i := range run.turns {
		if _, err := s.play(ctx, &run.turns[i]); err != nil {
			return nil
		}
	}
	out := map[string]string{}
	for i, one := range s.of {
		if why := one.String(); why != "" && run.set.Trigger(i).Moment() == fact.Turn {
			out[run.set.Reminder(i).ID] = report.Visible(why)
		}
	}
	return out
}

// tools returns the names of the tools that a run has called, as far as it is kept.
func (at *run) tools() []string {
	names, f := []string{}, at.set.Schema().NewFrame()
	for i := range at.turns {
		f.Reset()
		at.turns[i].fill(f)
		calls, _ := f.Batch()
		for _, c := range calls {
			names = append(names, report.Visible(c.Tool))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
