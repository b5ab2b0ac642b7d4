package ruletest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/state"
)

// Options says how Run works. The zero Options is useful.
type Options struct {
	// Done, when it is not nil, is called after each file, for progress.
	Done func(File)
}

// Run runs the tests of the files. What is wrong in a file, and what does not hold, is in the Report; the error, with which the
// Report is complete but for those files, says which files could not be read. When ctx ends, Run returns its error.
func Run(ctx context.Context, files []string, opts Options) (*Report, error) {
	rep := &Report{Files: []File{}}
	var errs []error
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return rep, err
		}
		src, err := read(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		f := runFile(ctx, path, src)
		rep.Files = append(rep.Files, f)
		if opts.Done != nil {
			opts.Done(f)
		}
	}
	return rep, errors.Join(errs...)
}

func runFile(ctx context.Context, path string, src []byte) File {
	r := newReader(path, src)
	f := File{Path: path, Tests: []Test{}, sources: r.sources}
	for _, t := range r.tests() {
		out := Test{Name: t.name, Line: t.node.Line, Column: t.node.Column, Status: Passed}
		switch {
		case t.bad:
			out.Status = Mistaken
		case t.wrong != nil:
			out.Checks = r.refuses(t)
		default:
			out.Checks = t.run(ctx)
		}
		if len(out.Checks) > 0 {
			out.Status = Failed
		}
		f.Tests = append(f.Tests, out)
	}
	f.Diagnostics = once(r.diags)
	return f
}

// refuses runs a test of what must not load.
func (r *reader) refuses(t *test) []Check {
	var diags grammar.Diagnostics
	if t.trigger != nil {
		_, diags = compile.Compile(*t.trigger, t.schema)
	} else {
		diags = r.compile(t.reminders, t.schema).diags
	}
	said := []string{}
	for _, d := range diags {
		if d.Severity != grammar.Error {
			continue
		}
		s := fmt.Sprintf("%d:%d: %s", d.Range.Start.Line, d.Range.Start.Column, d.Message)
		if d.Hint != "" {
			s += " (" + d.Hint + ")"
		}
		if t.wrong.MatchString(s) {
			return nil
		}
		said = append(said, s)
	}
	return []Check{{Line: t.node.Line, What: "error", Expected: t.wrong.String(), Actual: said}}
}

// run runs the steps of t in a memory of their own and returns what does not hold.
func (t *test) run(ctx context.Context) []Check {
	const run = "test"
	ev := eval.New(t.set, eval.Options{Order: t.order, Budget: t.budget})
	var checks []Check
	fired := map[string][]int{}
	now := t.start
	for i := range t.steps {
		s := &t.steps[i]
		if s.reload != nil {
			ev.Reload(s.reload)
			if err := ev.Adopt(ctx, run); err != nil {
				c := checker{step: i + 1, line: s.node.Line}
				c.differ("reload", "", err.Error())
				checks = append(checks, c.out...)
			}
			continue
		}
		if now = now.Add(s.at.add); !s.at.abs.IsZero() {
			now = s.at.abs
		}
		d, err := ev.Prepare(ctx, run, eval.Turn{Key: s.key, At: now, Facts: s.facts, Remind: s.remind})
		c := checker{step: i + 1, line: s.node.Line}
		if s.refused || err != nil {
			checks = append(checks, c.refused(s.refused, err)...)
			continue
		}
		if s.discard {
			d.Discard()
		} else if err := d.Commit(ctx); err != nil {
			checks = append(checks, c.refused(false, err)...)
			continue
		}
		if t.firesAt != nil {
			for _, id := range names(d.Fired) {
				fired[id] = append(fired[id], i+1)
			}
			continue
		}
		checks = append(checks, c.decision(s, d, ev.Set())...)
	}
	if t.firesAt != nil {
		return t.compareSeries(fired)
	}
	return checks
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
func (c checker) decision(s *step, d *eval.Decision, set *compile.Set) []Check {
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
	return c.out
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
			out = append(out, fmt.Sprintf("%s fired: %s", id, d.Why[id]))
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
	for _, ft := range set.Trigger(i).Facts() {
		name := set.Schema().Fact(ft).Name
		if v, ok := d.Facts[name]; ok {
			read = append(read, fmt.Sprintf("%s is %v", name, v))
		} else {
			read = append(read, name+" is unknown")
		}
	}
	if len(read) == 0 {
		return "its trigger is not true"
	}
	return "its trigger is not true: " + strings.Join(read, ", ")
}

// read reads a test file. Of one that is too long only so much is read as shows that it is.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
