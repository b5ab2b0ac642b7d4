package replay

import (
	"fmt"
	"slices"
	"strings"
)

// end writes the summary.
func (t *timeline) end(r *report) {
	t.flush()
	if t.some {
		t.line()
	}
	fires, named := 0, len("reminder")
	for _, m := range r.reminders {
		fires += m.fires
		named = max(named, columns(m.id))
	}
	named = min(named, t.width/3)
	t.line(text{bold, fmt.Sprintf("%s in %s", plural(r.turns, "turn"), plural(r.runs, "run"))},
		text{plain, fmt.Sprintf("; reminders fired %s, %s in all", plural(fires, "time"), plural(r.tokens, "token"))})
	if len(r.reminders) == 0 {
		t.line(text{dim, "  no rules were given"})
		return
	}
	if fires > 0 { // with several runs a turn is named RUN:TURN
		t.line(text{dim, fmt.Sprintf("  %s  %5s  %6s  %6s  %6s", fill("reminder", named), "fires", "first", "last", "tokens")})
	}
	for _, m := range r.reminders {
		if m.fires > 0 {
			t.line(text{bold, "  " + fill(shorten(m.id, named, t.g.more), named)},
				text{plain, fmt.Sprintf("  %5d  %6s  %6s  %6s", m.fires, m.first.show(r.runs), m.last.show(r.runs), thousands(int64(m.tokens)))})
		}
	}
	if fires > 0 && slices.ContainsFunc(r.reminders, func(m reminderReport) bool { return m.fires == 0 }) {
		t.line(text{dim, "  never fired, and why:"})
	}
	for _, m := range r.reminders {
		if m.fires == 0 {
			t.never(m, named)
		}
	}
}

// never says why a reminder did not fire, on as many lines as that takes.
func (t *timeline) never(m reminderReport, named int) {
	id := fill(shorten(m.id, named, t.g.more), named)
	for _, line := range wrap(clean(m.never), t.width-named-4) {
		t.line(text{plain, "  " + id}, text{dim, "  " + line})
		id = strings.Repeat(" ", named)
	}
}
