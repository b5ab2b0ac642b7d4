package replay

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/reminder"
)

// diffView is the View that shows to people what would change: a header for each run, a line for each difference, then a table.
type diffView struct {
	*differ
	t   *timeline
	run *transcript.Run
}

func newDiffView(w io.Writer, o Options) *diffView {
	return &diffView{differ: newDiffer(&o), t: newTimeline(w, o)}
}

// Turn implements View.
func (v *diffView) Turn(s *Step) {
	d := v.turn(s)
	if !d.any() {
		return
	}
	t := v.t
	if s.Run != v.run {
		if t.some {
			t.line()
		}
		v.run = s.Run
		t.line(text{plain, fmt.Sprintf("run %d  ", s.RunN)}, text{bold, clean(s.Run.ID)})
		t.line(text{dim, clean(s.Run.Source)})
	}
	turn := fmt.Sprintf("%4d  ", s.Decision.Turn)
	say := func(st style, sign string, f reminder.Due, rest string) {
		t.line(text{plain, turn}, text{st, sign + " "}, text{bold + st, f.ID}, text{plain, "  " + rest})
		turn = strings.Repeat(" ", margin)
	}
	for _, f := range d.lost {
		say(red, "-", f, plural(f.Tokens, "token")+", was because "+clean(s.Decision.Why(f.ID)))
	}
	for _, f := range d.gained {
		say(green, "+", f, plural(f.Tokens, "token")+", because "+clean(s.Against.Why(f.ID)))
	}
	for _, m := range d.moved {
		if m.to == s.Decision.Turn {
			say(cyan, "~", m.due, fmt.Sprintf("moved here from turn %d, because %s", m.from, clean(s.Against.Why(m.due.ID))))
		} else {
			say(cyan, "~", m.due, fmt.Sprintf("moved from here to turn %d", m.to))
		}
	}
	for _, r := range d.reworded {
		say(yellow, "=", r.after, fmt.Sprintf("another text, %s instead of %d", plural(r.after.Tokens, "token"), r.before.Tokens))
	}
}

// RunOver implements View.
func (v *diffView) RunOver(r *Rest) { delete(v.open, r.Run) }

// End implements View.
func (v *diffView) End(*Report) {
	t, d := v.t, &v.total
	if d.turns == 0 {
		return
	}
	if t.some {
		t.line()
	}
	if d.changed == 0 {
		t.line(text{bold, fmt.Sprintf("nothing would change on %s in %s", plural(d.turns, "turn"), plural(d.runs, "run"))},
			text{plain, fmt.Sprintf("; reminders fire %s, %s", plural(d.fires[0], "time"), plural(d.tokens[0], "token"))})
		v.onlyThere()
		return
	}
	t.line(text{bold, fmt.Sprintf("%d of %s in %s would change", d.changed, plural(d.turns, "turn"), plural(d.runs, "run"))})
	t.line(text{plain, fmt.Sprintf("%s instead of %d, %s instead of %s (%+d)", plural(d.fires[1], "firing"), d.fires[0],
		thousandsOf(d.tokens[1], "token"), thousands(int64(d.tokens[0])), d.tokens[1]-d.tokens[0])})
	named, same := len("reminder"), 0
	for _, r := range v.reminders() {
		if r.same() {
			same++
		} else {
			named = max(named, columns(r.id))
		}
	}
	heads := []string{"before", "after", "gained", "lost", "moved", "tokens"}
	const leastID = 8
	cell := 8
	if t.width < 2+leastID+cell*len(heads) {
		cell, heads = 7, heads[:5] // without the tokens, whose total stands above the table
	}
	named = min(named, max(leastID, t.width-2-cell*len(heads)))
	row := func(id, numbers style, name string, cells ...string) {
		var b strings.Builder
		for _, c := range cells[:len(heads)] {
			fmt.Fprintf(&b, "%*s", cell, c)
		}
		t.line(text{id, "  " + fill(shorten(name, named, t.g.more), named)}, text{numbers, strings.TrimRight(b.String(), " ")})
	}
	row(dim, dim, "reminder", heads...)
	for _, r := range v.reminders() {
		if !r.same() {
			row(bold, plain, r.id, strconv.Itoa(r.fires[0]), strconv.Itoa(r.fires[1]), zero(r.gained, "+"), zero(r.lost, "-"), zero(r.moved, "~"),
				signed(r.tokens[1]-r.tokens[0]))
		}
	}
	if same > 0 {
		t.line(text{dim, "  " + plural(same, "other reminder") + ": no difference"})
	}
	v.onlyThere()
}

// onlyThere names the reminders that only one of the sets has.
func (v *diffView) onlyThere() {
	for i, what := range [...]string{"only before", "only after"} {
		var ids []string
		for _, r := range v.reminders() {
			if r.there[i] && !r.there[1-i] {
				ids = append(ids, r.id)
			}
		}
		if len(ids) > 0 {
			for _, l := range wrap(what+": "+strings.Join(ids, ", "), v.t.width-2) {
				v.t.line(text{dim, "  " + l})
			}
		}
	}
}

// zero returns a count with a sign before it, "" for 0.
func zero(n int, sign string) string {
	if n == 0 {
		return ""
	}
	return sign + strconv.Itoa(n)
}

// signed returns a difference with its sign, "" for 0.
func signed(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", n)
}

func thousandsOf(n int, unit string) string {
	return thousands(int64(n)) + strings.TrimPrefix(plural(n, unit), strconv.Itoa(n))
}
