package replay

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/aside-go/aside/compile"
)

// show returns the place as "turn", or as "run:turn" where there are several runs.
func (p Place) show(runs int) string {
	if runs > 1 {
		return fmt.Sprintf("%d:%d", p.Run, p.Turn)
	}
	return strconv.Itoa(p.Turn)
}

// summary makes the report from the steps.
type summary struct {
	o     *Options
	set   *compile.Set
	out   Report
	seen  *observed
	held  []map[string]int // by reminder and state.Held.Why: on how many turns the reminder was held
	wrong []string         // by reminder: the latest error of rendering its text, ""
}

func newSummary(o *Options) *summary {
	set := o.Set
	s := &summary{o: o, set: set, seen: newObserved()}
	s.out.Reminders = make([]ReminderReport, set.Len())
	s.held = make([]map[string]int, set.Len())
	s.wrong = make([]string, set.Len())
	for i := range s.out.Reminders {
		s.out.Reminders[i].ID = set.Reminder(i).ID
		s.held[i] = map[string]int{}
	}
	return s
}

func (s *summary) add(t *Step) {
	s.out.Turns++
	if t.First {
		s.out.Runs++
	}
	s.seen.add(t)
	for _, d := range t.Decision.Fired {
		i, ok := s.set.Index(d.ID)
		if !ok {
			continue
		}
		r := &s.out.Reminders[i]
		r.Last = Place{t.RunN, t.Decision.Turn}
		if r.Fires == 0 {
			r.First = r.Last
		}
		r.Fires++
		r.Tokens += d.Tokens
		s.out.Tokens += d.Tokens
	}
	for _, h := range t.Decision.Held {
		if i, ok := s.set.Index(h.ID); ok {
			s.held[i][h.Why]++
		}
	}
	for _, e := range t.Decision.Errors {
		if i, ok := s.set.Index(e.ID); ok {
			s.wrong[i] = e.Error
		}
	}
}

// report returns the report on the steps so far.
func (s *summary) report() *Report {
	out := s.out
	for i := range out.Reminders {
		if r := &out.Reminders[i]; r.Fires == 0 {
			r.Never = s.never(i)
		}
	}
	out.Reminders = slices.DeleteFunc(out.Reminders, func(r ReminderReport) bool { return !s.o.wanted(r.ID) })
	return &out
}
