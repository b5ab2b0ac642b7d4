package ruletest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// runner runs the steps of one test, with a store of its own.
type runner struct {
	t   *testCase
	ev  *eval.Evaluator
	cov *Coverage // nil: not asked for

	checks []Check          // the expectations that do not hold
	fired  map[string][]int // for a series: by id, the turns on which the reminder fired
	past   []Turn           // the latest turns, at most before
	first  *Divergence      // nil: none so far
}

func newRunner(t *testCase, cov *Coverage) *runner {
	return &runner{
		t: t, cov: cov, fired: map[string][]int{},
		ev: eval.New(t.set, eval.Options{Order: t.order, Budget: t.budget, Holdout: t.held}),
	}
}

// run runs the steps, and sets checks and first.
func (p *runner) run(ctx context.Context) {
	p.cov.addSet(p.ev.Set())
	now := p.t.start
	for i := range p.t.steps {
		s := &p.t.steps[i]
		c := checker{step: i + 1, line: s.node.Line}
		if s.reload != nil {
			p.ev.Reload(s.reload)
			p.cov.addSet(s.reload)
			if err := p.ev.Adopt(ctx, runName); err != nil {
				c.differ("reload", "", err.Error())
			}
			p.add(c.out)
			p.remember(Turn{Step: c.step, Line: c.line, Note: "reload"})
			continue
		}
		if now = now.Add(s.at.add); !s.at.abs.IsZero() {
			now = s.at.abs
		}
		p.turn(ctx, s, now, c)
	}
	if p.t.firesAt != nil {
		p.add(p.t.compareSeries(p.fired))
	}
}

// runName is the name of each test's run.
const runName = "test"

func (p *runner) add(checks []Check) { p.checks = append(p.checks, checks...) }

// turn runs one turn at the time now.
func (p *runner) turn(ctx context.Context, s *step, now time.Time, c checker) {
	d, err := p.ev.Prepare(ctx, runName, eval.Turn{Key: s.key, At: now, Facts: s.facts, Remind: s.remind,
		More: s.more, Moment: s.moment, Call: s.call})
	if s.refused || err != nil {
		p.add(c.refused(s.refused, err))
		p.remember(Turn{Step: c.step, Line: c.line, Note: "refused"})
		return
	}
	row := Turn{Step: c.step, Line: c.line, Clock: now.Sub(p.t.start), Facts: d.Facts(), Note: s.note(),
		Actual: names(d.Fired)}
	if p.t.firesAt == nil {
		row.Expected, row.wantDue, row.due = s.fires, s.due, names(d.Due)
		c.decision(s, d, p.ev.Set())
	} else {
		row.Expected = p.t.expected(c.step)
		for _, id := range row.Actual {
			p.fired[id] = append(p.fired[id], c.step)
		}
	}
	p.compare(d, s.moment, row)
	if s.discard {
		d.Discard()
	} else if err := d.Commit(ctx); err != nil {
		c.out = c.refused(false, err)
	}
	p.add(c.out)
	p.remember(row)
}

// compareSeries compares the turns on which each reminder fired with those on which it must.
func (t *testCase) compareSeries(fired map[string][]int) []Check {
	var checks []Check
	for _, id := range t.set.IDs() {
		want, got := t.firesAt[id], fired[id]
		if !slices.Equal(want, got) {
			checks = append(checks, Check{Line: t.node.Line, What: "fires_at " + id, Expected: ints(want),
				Actual: ints(got)})
		}
	}
	return checks
}

func ints(l []int) []int { return append([]int{}, l...) }

// checker collects the expectations of one step that do not hold.
type checker struct {
	step, line int
	out        []Check
}

func (c *checker) differ(what string, expected, actual any, why ...string) {
	c.out = append(c.out, Check{Step: c.step, Line: c.line, What: what, Expected: expected,
		Actual: actual, Why: why})
}

// refused compares whether err says that the turn was refused, for its old key, with whether it must be. Any
// other err fails the step.
func (c checker) refused(want bool, err error) []Check {
	switch old := errors.Is(err, state.ErrOldKey); {
	case err != nil && !old:
		c.differ("error", "", err.Error())
	case want != old:
		c.differ("refused", want, old)
	}
	return c.out
}

// decision compares the firings, the reminders that are due, and the texts.
func (c *checker) decision(s *step, d *eval.Decision, set *compile.Set) {
	if fired := names(d.Fired); !slices.Equal(s.fires, fired) {
		var why []string
		xs, _ := d.Explain()
		for _, w := range reasonsOf("fires", difference(s.fires, fired), d, xs, set) {
			why = append(why, w.Text+w.needs)
		}
		c.differ("fires", s.fires, fired, why...)
	}
	if due := names(d.Due); s.due != nil && !slices.Equal(s.due, due) {
		c.differ("due", s.due, due)
	}
	if s.paused != nil && !slices.Equal(s.paused, d.Paused) {
		c.differ("paused", s.paused, slices.Concat([]string{}, d.Paused))
	}
	if ended := outcomes(d.Outcomes); s.outcomes != nil && !maps.Equal(s.outcomes, ended) {
		c.differ("outcomes", words(s.outcomes), words(ended))
	}
	for _, id := range slices.Sorted(maps.Keys(s.text)) {
		text, ok := textOf(id, d.Fired)
		if !ok {
			text, ok = textOf(id, d.Due)
		}
		switch {
		case !ok:
			c.differ("text "+id, s.text[id], nil)
		case text != s.text[id]:
			c.differ("text "+id, s.text[id], text)
		}
	}
}

// outcomes returns how the expectations of a turn ended, by id. Of one reminder several may end at once.
func outcomes(ended []reminder.Outcome) map[string]string {
	out := map[string]string{}
	for _, o := range ended {
		if was := out[o.ID]; was != "" && was != o.Outcome {
			out[o.ID] = was + ", " + o.Outcome
		} else {
			out[o.ID] = o.Outcome
		}
	}
	return out
}

// words returns outcomes as a list for people, by id.
func words(outcomes map[string]string) []string {
	out := []string{}
	for _, id := range slices.Sorted(maps.Keys(outcomes)) {
		out = append(out, id+": "+outcomes[id])
	}
	return out
}

func names(due []reminder.Due) []string {
	out := make([]string, len(due))
	for i := range due {
		out[i] = due[i].ID
	}
	return out
}

func textOf(id string, due []reminder.Due) (string, bool) {
	for i := range due {
		if due[i].ID == id {
			return due[i].Text, true
		}
	}
	return "", false
}
