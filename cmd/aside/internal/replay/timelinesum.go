package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// RunOver implements View. It shows nothing: what came after a run's last turn belongs to no turn.
func (t *timeline) RunOver(*Rest) {}

// End implements View. It writes the summary, unless there was no turn.
func (t *timeline) End(r *Report) {
	t.flush()
	if r.Turns == 0 {
		return
	}
	if t.some {
		t.line()
	}
	fires, named := 0, len("reminder")
	for _, m := range r.Reminders {
		fires += m.Fires
		named = max(named, columns(m.ID))
	}
	t.line(text{bold, fmt.Sprintf("%s in %s", plural(r.Turns, "turn"), plural(r.Runs, "run"))},
		text{plain, fmt.Sprintf("; reminders fired %s, %s in all", plural(fires, "time"), plural(r.Tokens, "token"))})
	if len(r.Reminders) == 0 {
		t.line(text{dim, "  no rules were given"})
		return
	}
	if fires > 0 {
		t.fired(r, named)
	}
	if slices.ContainsFunc(r.Reminders, func(m ReminderReport) bool { return m.Fires == 0 }) {
		t.line(text{dim, "  never fired, and why:"})
	}
	named = min(named, t.width*2/5)
	for _, m := range r.Reminders {
		if m.Fires == 0 {
			t.never(m, named)
		}
	}
}

// fired writes the table of reminders that fired. named is how many columns their longest id takes. With several runs a turn is written
// as run:turn, which the heading says, or, where that is too narrow, a line under the table.
func (t *timeline) fired(r *Report, named int) {
	const leastID = 12
	heads, least := []string{"fires", "first", "last", "tokens"}, []int{5, 6, 6, 6}
	note := ""
	if r.Runs > 1 {
		heads[1], heads[2], note = "first run:turn", "last run:turn", "  (first and last are run:turn)"
	}
	room := func() int {
		left := t.width - len("  ")
		for i, h := range heads {
			left -= len("  ") + max(len(h), least[i])
		}
		return left
	}
	if room() < leastID {
		heads[1], heads[2] = "first", "last"
	} else {
		note = ""
	}
	named = min(named, max(room(), leastID))
	row := func(id, numbers style, name string, cells ...string) {
		var b strings.Builder
		for i, c := range cells {
			fmt.Fprintf(&b, "  %*s", max(len(heads[i]), least[i]), c)
		}
		t.line(text{id, "  " + fill(shorten(name, named, t.g.more), named)}, text{numbers, b.String()})
	}
	row(dim, dim, "reminder", heads...)
	for _, m := range r.Reminders {
		if m.Fires > 0 {
			row(bold, plain, m.ID, strconv.Itoa(m.Fires), m.First.show(r.Runs), m.Last.show(r.Runs), thousands(int64(m.Tokens)))
		}
	}
	if note != "" {
		t.line(text{dim, note})
	}
}

// never writes why a reminder did not fire, on as many lines as needed.
func (t *timeline) never(m ReminderReport, named int) {
	id := fill(shorten(m.ID, named, t.g.more), named)
	for _, line := range wrap(clean(m.Never), t.width-named-4) {
		t.line(text{plain, "  " + id}, text{dim, "  " + line})
		id = strings.Repeat(" ", named)
	}
}
