package replay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/internal/reasons"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/agent/session"
)

// View receives a replay as it goes. All its methods are called by one goroutine, in an order that depends
// on the files alone: file after file, and in each the turns as they were recorded. In a log of requests,
// turns of different runs may alternate; in other files one run follows the other.
//
// A View may keep its arguments, and must not write to them. A kept Step keeps the texts of its turn in
// memory.
type View interface {
	Turn(*Step)
	RunOver(*Rest) // a run has ended; Rest.After is nil where the replay of its file broke off
	End(*Report)   // the replay has ended
}

// Ignored is a View that shows nothing, for a View to embed that takes in only some of a replay.
type Ignored struct{}

func (Ignored) Turn(*Step)    {}
func (Ignored) RunOver(*Rest) {}
func (Ignored) End(*Report)   {}

// Kept is a View that keeps the report. Its Report is nil until the end.
type Kept struct {
	Ignored
	*Report
}

// End implements View.
func (v *Kept) End(r *Report) { v.Report = r }

// Step is one turn with its decision.
type Step struct {
	*session.Turn // as recorded

	RunN   int   // the run's number, from 1, in the order in which runs begin
	First  bool  // this is the run's first turn that is shown
	Window int64 // tokens that the context window holds; 0: unknown

	// Moment is the occasion. A Step at another moment than a turn stands between the turn before it and the
	// next one, and is there only if something fired; Tool is the tool about to be called.
	Moment fact.Moment
	Tool   string

	Decision *eval.Decision // its Turn is the number within the run
	Against  *eval.Decision // the decision by Options.Against; nil where there is none
}

// Fact returns a fact of a turn in the form that fact.Frame.Value returns, nil if it is not known. Facts
// about time are not known where the recording has no times.
func (s *Step) Fact(id fact.ID) (v any) {
	s.Decision.Read(func(f *fact.Frame) { v = f.Value(id) })
	return v
}

// Facts returns all facts that are known on a turn. Of another moment it returns none.
func (s *Step) Facts() map[string]any {
	if s.Moment != fact.Turn {
		return map[string]any{}
	}
	return s.Decision.Facts()
}

// Rest is the record of a run after its last turn: the response of that turn, with its calls and its usage.
type Rest struct {
	Run   *session.Run
	RunN  int
	After *session.Turn // the turn that would have been next, without Key and Model; nil: not known
}

// Report sums up a replay.
type Report struct {
	Turns, Runs, Files int
	Tokens             int              // of all firings
	Interrupted        bool             // the replay is not complete
	Reminders          []ReminderReport // in the order of their ids

	// Extra becomes members of the summary in JSON. Only a View of Options.Views may set it, in End.
	Extra map[string]any
}

// ReminderReport sums up one reminder. CLI.md describes its JSON.
type ReminderReport struct {
	ID     string `json:"id"`
	Fires  int    `json:"fires"`
	First  Place  `json:"first"` // of its first firing
	Last   Place  `json:"last"`
	Tokens int    `json:"tokens"`
	Never  string `json:"never"` // why it never fired; "": it did

	Extra map[string]any `json:"-"` // as Report.Extra
}

// With returns Extra with one more member.
func With(extra map[string]any, name string, v any) map[string]any {
	if extra == nil {
		extra = map[string]any{}
	}
	extra[name] = v
	return extra
}

// Place is a turn of a run, both numbered from 1. The zero Place is not a turn.
type Place struct{ Run, Turn int }

// MarshalJSON writes the number of the turn alone.
func (p Place) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(p.Turn), 10), nil }

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
	held  []map[string]int // by reminder and reminder.Held.Why: on how many turns the reminder was held
	wrong []string         // by reminder: the latest error of rendering its text, ""

	surveys []*trigger.Survey // by reminder, of the turns before its first firing
}

func newSummary(o *Options) *summary {
	set := o.Set
	s := &summary{o: o, set: set}
	s.out.Reminders = make([]ReminderReport, set.Len())
	s.held = make([]map[string]int, set.Len())
	s.wrong = make([]string, set.Len())
	s.surveys = make([]*trigger.Survey, set.Len())
	for i := range s.out.Reminders {
		s.out.Reminders[i].ID = set.Reminder(i).ID
		s.held[i] = map[string]int{}
		s.surveys[i] = set.Trigger(i).Survey()
	}
	return s
}

func (s *summary) add(t *Step) {
	if t.Moment == fact.Turn {
		s.out.Turns++
		s.read(t.Decision)
	}
	if t.First {
		s.out.Runs++
	}
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

// read adds the turn or moment of a decision to the surveys of the reminders that have not fired.
func (s *summary) read(d *eval.Decision) {
	d.Read(func(f *fact.Frame) {
		for i, survey := range s.surveys {
			if s.out.Reminders[i].Fires == 0 {
				survey.Add(f)
			}
		}
	})
}

// report returns the report on the steps so far.
func (s *summary) report() *Report {
	out := s.out
	for i := range out.Reminders {
		if r := &out.Reminders[i]; r.Fires == 0 {
			r.Never = s.never(i)
		}
	}
	out.Reminders = slices.DeleteFunc(out.Reminders, func(r ReminderReport) bool { return !s.o.Wanted(r.ID) })
	return &out
}

// never returns why reminder i did not fire.
func (s *summary) never(i int) string {
	r := s.set.Reminder(i)
	if s.out.Turns == 0 {
		return "there was no turn"
	}
	if s.wrong[i] != "" {
		return "its text could not be rendered: " + s.wrong[i]
	}
	if len(s.held[i]) > 0 {
		var parts []string
		for _, why := range slices.Sorted(maps.Keys(s.held[i])) {
			parts = append(parts, fmt.Sprintf("on %s by %s", terminal.Count(s.held[i][why], "turn"),
				reasons.Held(reminder.Held{ID: r.ID, Why: why}, s.set, nil)))
		}
		return "held back " + strings.Join(parts, ", ")
	}
	return s.surveys[i].String()
}
