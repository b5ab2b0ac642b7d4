package ruletest

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/internal/reasons"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/excerpt"
)

// WriteText writes the report for a person. For each file there are the diagnostics, the tests that did not
// pass, with the first turn that differs, and a line that sums up the file; at the end come the parts of
// triggers that no test covers. Control characters are written as their pictures.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Files {
		for _, d := range f.Diagnostics {
			b.WriteString(strings.TrimRight(d.Render(f.sources[d.File]), "\n") + "\n")
		}
		passed, failed := 0, 0
		for _, t := range f.Tests {
			switch t.Status {
			case Passed:
				passed++
				continue
			case Failed:
				failed++
			}
			fmt.Fprintf(&b, "%s %s (%s:%d)\n", map[Status]string{Failed: "FAIL", Mistaken: "NOT RUN"}[t.Status],
				terminal.Shown(t.Name), terminal.Shown(f.Path), t.Line)
			t.write(&b)
		}
		skipped := ""
		if f.Skipped > 0 {
			skipped = fmt.Sprintf(", %d left out", f.Skipped)
		}
		switch mistakes := f.mistakes(); {
		case failed > 0 || mistakes > 0:
			fmt.Fprintf(&b, "FAIL %s: %d passed, %d failed, %s%s\n", terminal.Shown(f.Path), passed, failed,
				terminal.Count(mistakes, "mistake"), skipped)
		default:
			fmt.Fprintf(&b, "ok   %s: %s%s\n", terminal.Shown(f.Path), terminal.Count(passed, "test"), skipped)
		}
	}
	if r.Coverage != nil {
		r.Coverage.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxCell is how many characters a value in a column may have. Longer expected and actual values stand one
// above the other.
const maxCell = 40

// write writes the expectations that do not hold: the first turn that differs as a table of turns, all others
// as expected and actual.
func (t *Test) write(b *strings.Builder) {
	t.Divergence.write(b)
	var rows [][]string
	step, headed := -1, false
	for _, c := range t.Checks {
		if d := t.Divergence; d != nil && c.Step == d.Step && c.What == d.What {
			continue
		}
		if c.Step != step {
			if step, headed = c.Step, false; step > 0 {
				rows = append(rows, []string{fmt.Sprintf("  step %d (line %d)", step, c.Line)})
			}
		}
		switch want, got := show(c.Expected), show(c.Actual); {
		case utf8.RuneCountInString(want) > maxCell || utf8.RuneCountInString(got) > maxCell:
			rows = append(rows, []string{"    " + c.What}, []string{"      expected  " + want},
				[]string{"      actual    " + got})
		case !headed:
			headed = true
			rows = append(rows, []string{"    ", "expected", "actual"}, []string{"    " + c.What, want, got})
		default:
			rows = append(rows, []string{"    " + c.What, want, got})
		}
		for _, why := range c.Why {
			rows = append(rows, []string{"      " + terminal.Shown(why)})
		}
	}
	_ = terminal.Table(b, rows, 0)
}

// write writes the turns up to the first that differs, one a row, and the reasons of the reminders on that
// turn.
func (d *Divergence) write(b *strings.Builder) {
	if d == nil {
		return
	}
	fmt.Fprintf(b, "  %s %d (line %d) is the first that differs\n", d.word, d.Step, d.Line)
	clock := false
	for _, t := range d.Turns {
		clock = clock || t.Facts != nil && t.Clock != d.Turns[len(d.Turns)-1].Clock
	}
	head := []string{"    ", d.word}
	if clock {
		head = append(head, "clock")
	}
	head = append(head, d.Facts...)
	what := ""
	if d.What != "fires" {
		what = d.What + ", "
	}
	rows := [][]string{append(head, what+"expected", what+"actual")}
	for i, t := range d.Turns {
		r := []string{"    ", fmt.Sprintf("%*d", len(d.word), t.Step)}
		if i == len(d.Turns)-1 {
			r[0] += ">"
		}
		if t.Facts == nil { // a reload, or a refused turn
			rows = append(rows, append(append(r, make([]string, len(head)-len(r)+2)...), t.Note))
			continue
		}
		if clock {
			r = append(r, "+"+duration.Format(t.Clock))
		}
		for _, name := range d.Facts {
			r = append(r, cell(t.Facts, name))
		}
		want := ""
		if t.Expected != nil {
			want = show(t.Expected)
		}
		rows = append(rows, append(r, want, show(t.Actual), t.Note))
	}
	_ = terminal.Table(b, rows, 0)
	for _, w := range d.Why {
		text := terminal.Shown(w.Text)
		if w.Trigger != nil {
			text = terminal.Cut(text, reasons.Wide) // its parts show the rest
		}
		fmt.Fprintf(b, "    %s\n", text)
		lines := reasons.Printer{Out: b}
		if w.Trigger != nil {
			lines.Part("", *w.Trigger, 3)
		}
		if w.Rearm != nil {
			lines.Part("rearm ", *w.Rearm, 3)
		}
	}
}

// cell returns the value of a fact for a table, "?" where it is not known.
func cell(facts map[string]any, name string) string {
	v, ok := facts[name]
	if !ok {
		return "?"
	}
	return excerpt.Runes(show(v), maxCell)
}

// write writes the parts that are not covered, reminder by reminder.
func (c *Coverage) write(b *strings.Builder) {
	seen, all := c.Outcomes()
	fmt.Fprintf(b, "coverage: %s of triggers, %d of %d outcomes in %s\n", percent(c.Percent()), seen, all,
		terminal.Count(len(c.Reminders), "reminder"))
	for i := range c.Reminders {
		r := &c.Reminders[i]
		var rows [][]string
		for j := range r.Parts {
			if p := &r.Parts[j]; p.Missing() != "" {
				rows = append(rows, []string{fmt.Sprintf("    %s:%d:%d", terminal.Shown(r.File), p.Line, p.Column),
					p.Missing(), terminal.Shown(p.Text)})
			}
		}
		if len(rows) == 0 && r.Fires > 0 {
			continue
		}
		fires := "fired " + terminal.Count(r.Fires, "time")
		if r.Fires == 0 {
			fires = "never fired"
		}
		fmt.Fprintf(b, "  %s: %s on %s\n", r.ID, fires, terminal.Count(r.Turns, "turn"))
		_ = terminal.Table(b, rows, 0)
	}
}

// percent returns a percentage with one decimal, which is 100.0% only for 100.
func percent(p float64) string {
	if p < 100 {
		p = min(p, 99.9)
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + "%"
}

// callTexts returns calls as people write them: Bash(git push), Edit(a.go, b.go) failed.
func callTexts(calls []fact.Call) []string {
	out := make([]string, len(calls))
	for i := range calls {
		c := &calls[i]
		out[i] = c.Tool
		if subject := cmp.Or(c.Command, strings.Join(c.Paths, ", "), c.Subject); subject != "" {
			out[i] += "(" + subject + ")"
		}
		if c.Failed == fact.True {
			out[i] += " failed"
		}
	}
	return out
}

// show returns a value on one line.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "(not there)"
	case string:
		return strconv.Quote(v)
	case []string:
		return terminal.Shown("[" + strings.Join(v, ", ") + "]")
	case []int:
		return strings.ReplaceAll(fmt.Sprint(v), " ", ", ")
	case time.Duration:
		return duration.Format(v)
	case []fact.Call:
		return show(callTexts(v))
	default:
		return fmt.Sprint(v)
	}
}
