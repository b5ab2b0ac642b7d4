package ruletest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// player runs the steps of one test in a memory of their own.
type player struct {
	t   *test
	ev  *eval.Evaluator
	cov *Coverage // nil: not asked for

	checks []Check
	fired  map[string][]int // of a series
	past   []Turn           // the turns before the one that is played
	first  *Divergence
}

func newPlayer(t *test, cov *Coverage) *player {
	return &player{
		t: t, cov: cov, fired: map[string][]int{},
		ev: eval.New(t.set, eval.Options{Order: t.order, Budget: t.budget}),
	}
}

// run runs the steps and keeps what does not hold.
func (p *player) run(ctx context.Context) {
	p.cov.meet(p.ev.Set())
	now := p.t.start
	for i := range p.t.steps {
		s := &p.t.steps[i]
		c := checker{step: i + 1, line: s.node.Line}
		if s.reload != nil {
			p.ev.Reload(s.reload)
			p.cov.meet(s.reload)
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

// runName is the run of a test. Each test has a memory of its own.
const runName = "test"

func (p *player) add(checks []Check) { p.checks = append(p.checks, checks...) }

// turn plays one turn.
func (p *player) turn(ctx context.Context, s *step, now time.Time, c checker) {
	d, err := p.ev.Prepare(ctx, runName, eval.Turn{Key: s.key, At: now, Facts: s.facts, Remind: s.remind})
	if s.refused || err != nil {
		p.add(c.refused(s.refused, err))
		p.remember(Turn{Step: c.step, Line: c.line, Note: "refused"})
		return
	}
	row := Turn{Step: c.step, Line: c.line, Clock: now.Sub(p.t.start), Facts: d.Facts(), Note: s.note(), Actual: names(d.Fired)}
	if p.t.firesAt == nil {
		row.Expected, row.wantDue, row.due = s.fires, s.due, names(d.Due)
		c.decision(s, d, p.ev.Set())
	} else {
		row.Expected = p.t.expected(c.step)
		for _, id := range row.Actual {
			p.fired[id] = append(p.fired[id], c.step)
		}
	}
	p.look(d, row)
	if s.discard {
		d.Discard()
	} else if err := d.Commit(ctx); err != nil {
		c.out = c.refused(false, err)
	}
	p.add(c.out)
	p.remember(row)
}

// compareSeries compares on which turns each reminder fired.
func (t *test) compareSeries(fired map[string][]int) []Check {
	var checks []Check
	for _, id := range t.set.IDs() {
		want, got := t.firesAt[id], fired[id]
		if !slices.Equal(want, got) {
			checks = append(checks, Check{Line: t.node.Line, What: "fires_at " + id, Expected: ints(want), Actual: ints(got)})
		}
	}
	return checks
}

func ints(l []int) []int { return append([]int{}, l...) }

// checker compares one step.
type checker struct {
	step, line int
	out        []Check
}

func (c *checker) differ(what string, expected, actual any, why ...string) {
	c.out = append(c.out, Check{Step: c.step, Line: c.line, What: what, Expected: expected, Actual: actual, Why: why})
}

// refused compares whether the turn was refused because its key is old; any other error holds for nothing.
func (c checker) refused(want bool, err error) []Check {
	switch old := errors.Is(err, state.ErrOldKey); {
	case err != nil && !old:
		c.differ("error", "", err.Error())
	case want != old:
		c.differ("refused", want, old)
	}
	return c.out
}

// decision compares what fired, what is due and what it says.
func (c *checker) decision(s *step, d *eval.Decision, set *compile.Set) {
	if fired := names(d.Fired); !slices.Equal(s.fires, fired) {
		c.differ("fires", s.fires, fired, whys(s.fires, d, set)...)
	}
	if due := names(d.Due); s.due != nil && !slices.Equal(s.due, due) {
		c.differ("due", s.due, due)
	}
	for _, id := range slices.Sorted(maps.Keys(s.text)) {
		text, ok := textOf(id, d.Fired)
		if !ok {
			text, ok = textOf(id, d.Due)
		}
		switch {
		case !ok:
			c.differ("text "+id, s.text[id], nil)
		case text != s.text[id] && trimmed(text) != trimmed(s.text[id]):
			c.differ("text "+id, s.text[id], text)
		}
	}
}

// trimmed is a text as a file's body or content is read: the end of the last line, which YAML's | leaves there, does not count.
func trimmed(text string) string { return strings.TrimRight(text, " \t\r\n") }

func names(due []terms.Due) []string {
	out := make([]string, len(due))
	for i := range due {
		out[i] = due[i].ID
	}
	return out
}

func textOf(id string, due []terms.Due) (string, bool) {
	for i := range due {
		if due[i].ID == id {
			return due[i].Text, true
		}
	}
	return "", false
}

// whys says of each reminder that fired unasked what made its trigger true, and of each that did not fire what it lacked.
func whys(want []string, d *eval.Decision, set *compile.Set) []string {
	var out []string
	fired := names(d.Fired)
	for _, id := range fired {
		if !slices.Contains(want, id) {
			out = append(out, fmt.Sprintf("%s fired: %s", id, d.Why(id)))
		}
	}
	for _, id := range want {
		if !slices.Contains(fired, id) {
			out = append(out, fmt.Sprintf("%s did not fire: %s", id, lacks(id, d, set)))
		}
	}
	return out
}

// lacks says why a reminder did not fire on the turn of d.
func lacks(id string, d *eval.Decision, set *compile.Set) string {
	for _, e := range d.Errors {
		if e.ID == id {
			return e.Error
		}
	}
	for _, h := range d.Held {
		if h.ID == id && !h.Left.IsZero() {
			return h.Why + ", " + h.Left.String() + " left"
		} else if h.ID == id {
			return h.Why
		}
	}
	i, ok := set.Index(id)
	if !ok {
		return "it is gone"
	}
	var read []string
	facts := d.Facts()
	for _, ft := range set.Trigger(i).Facts() {
		f := set.Schema().Fact(ft)
		v, known := facts[f.Name]
		if share, is := v.(float64); is && f.Type == fact.Ratio {
			v = fact.Percent(share)
		}
		if known {
			read = append(read, fmt.Sprintf("%s is %v", f.Name, v))
		} else {
			read = append(read, f.Name+" is unknown")
		}
	}
	if len(read) == 0 {
		return "its trigger is not true"
	}
	return "its trigger is not true: " + strings.Join(read, ", ")
}
