package replay

import (
	"fmt"
	"strconv"

	"github.com/aside-go/aside/compile"
)

// report is what a replay came to.
type report struct {
	turns, runs int
	tokens      int
	reminders   []reminderReport // in the order of their ids
}

// reminderReport is what became of one reminder.
type reminderReport struct {
	id          string
	fires       int
	first, last place // of its first and last firing
	tokens      int
	never       string // why it never fired; "" if it did
}

// place is a turn in a run, both from 1. The zero place is none.
type place struct{ run, turn int }

// show names a turn, with its run where there are several.
func (p place) show(runs int) string {
	if runs > 1 {
		return fmt.Sprintf("%d:%d", p.run, p.turn)
	}
	return strconv.Itoa(p.turn)
}

// summary adds up steps.
type summary struct {
	set   *compile.Set
	out   report
	seen  *observed
	held  []map[string]int // by reminder: how often what stood against it
	wrong []string         // by reminder: the latest error of its text
}

func newSummary(set *compile.Set) *summary {
	s := &summary{set: set, seen: newObserved()}
	s.out.reminders = make([]reminderReport, set.Len())
	s.held = make([]map[string]int, set.Len())
	s.wrong = make([]string, set.Len())
	for i := range s.out.reminders {
		s.out.reminders[i].id = set.Reminder(i).ID
		s.held[i] = map[string]int{}
	}
	return s
}

func (s *summary) add(t *step) {
	s.out.turns++
	if t.first {
		s.out.runs++
	}
	s.seen.add(t)
	for _, d := range t.decision.Fired {
		i, ok := s.set.Index(d.ID)
		if !ok {
			continue
		}
		r := &s.out.reminders[i]
		r.last = place{s.out.runs, t.decision.Turn}
		if r.fires == 0 {
			r.first = r.last
		}
		r.fires++
		r.tokens += d.Tokens
		s.out.tokens += d.Tokens
	}
	for _, h := range t.decision.Held {
		if i, ok := s.set.Index(h.ID); ok {
			s.held[i][h.Why]++
		}
	}
	for _, e := range t.decision.Errors {
		if i, ok := s.set.Index(e.ID); ok {
			s.wrong[i] = e.Error
		}
	}
}

// report returns the sums so far.
func (s *summary) report() *report {
	out := s.out
	for i := range out.reminders {
		if r := &out.reminders[i]; r.fires == 0 {
			r.never = s.never(i)
		}
	}
	return &out
}
