package lens

import (
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent/session"
)

// view is the replay.View that makes a Session.
type view struct {
	*Session
	set  *compile.Set
	open map[int]*open // by replay.Step.RunN
}

// open is a run that goes on.
type open struct {
	run     int // index in Session.Runs
	turn    int // the latest
	at      time.Time
	between []*Reminder            // of moments after the latest turn, whose calls are not told yet
	tools   []string               // the tool of each of between; "": the end of the work
	waiting map[string][]*Reminder // by id: firings whose outcome is not known
}

// Turn implements replay.View.
func (v *view) Turn(s *replay.Step) {
	r := v.open[s.RunN]
	if r == nil {
		r = &open{run: len(v.Runs), waiting: map[string][]*Reminder{}}
		v.Runs = append(v.Runs, Run{ID: s.Run.ID, Thread: s.Run.Thread, File: s.Run.Source})
		v.open[s.RunN] = r
	}
	if s.Moment != fact.Turn {
		for _, f := range s.Decision.Fired {
			m := v.reminder(s, f)
			m.Moment = s.Moment.String()
			r.between, r.tools = append(r.between, m), append(r.tools, s.Tool)
		}
		return
	}
	v.past(r, s.Turn)
	r.turn, r.at = s.Decision.Turn, s.At
	v.Runs[r.run].Turns = r.turn
	if s.Model != "" {
		v.Runs[r.run].Model = s.Model
	}
	for _, text := range s.Prompts {
		v.add(r, Item{Kind: Prompt, Text: text})
	}
	v.due(r, s)
	for _, o := range s.Decision.Outcomes {
		r.ended(o.ID, r.turn-o.After, o.Outcome)
	}
}

// past adds what the record of the next turn says of the one before: the answer, its calls, and what happened
// since.
func (v *view) past(r *open, next *session.Turn) {
	if text := next.Response; strings.TrimSpace(text) != "" {
		v.add(r, Item{Kind: Answer, Text: text})
	}
	for i := range next.Calls {
		c := next.Calls[i].Fact()
		if k := slices.Index(r.tools, c.Tool); k >= 0 {
			v.put(r, r.between[k])
			r.between, r.tools = slices.Delete(r.between, k, k+1), slices.Delete(r.tools, k, k+1)
		}
		v.add(r, Item{Kind: Call, Title: c.Tool, Text: c.Command + strings.Join(c.Paths, " ") + c.Subject,
			Output: c.Output, Failed: c.Failed == fact.True})
	}
	for _, m := range r.between {
		v.put(r, m)
	}
	r.between, r.tools = nil, nil
	if next.Compacted {
		v.add(r, Item{Kind: Note, Text: "the history was compacted"})
	}
	if next.Resumed {
		v.add(r, Item{Kind: Note, Text: "the session was resumed"})
	}
}

// due adds what stands before the model on a turn: texts of hooks as they were recorded, and those that the
// rules would have put there besides. Of hints only the text of a rule that fires is known to be of a hook.
func (v *view) due(r *open, s *replay.Step) {
	recorded := strings.Join(s.Delivered, "\n\n")
	for _, f := range s.Decision.Fired {
		m := v.reminder(s, f)
		if text := strings.TrimSpace(f.Text); text != "" {
			var before, after string
			if before, after, m.Live = strings.Cut(recorded, text); m.Live {
				recorded = before + after
			}
			m.Live = m.Live || slices.ContainsFunc(s.Hints, func(h string) bool { return says(h, text) })
		}
		v.put(r, m)
	}
	if rest := strings.TrimSpace(recorded); rest != "" {
		v.put(r, &Reminder{Turn: s.Decision.Turn, Text: rest, Live: true})
	}
}

// angles undoes what agents make of angle brackets in texts of hooks.
var angles = strings.NewReplacer("&lt;", "<", "&gt;", ">")

// says reports whether a text of an agent's holds the text of a reminder.
func says(hint, text string) bool {
	return strings.Contains(hint, text) || strings.Contains(angles.Replace(hint), angles.Replace(text))
}

// reminder returns a firing.
func (v *view) reminder(s *replay.Step, f reminder.Due) *Reminder {
	m := &Reminder{ID: f.ID, Turn: s.Decision.Turn, Why: s.Decision.Why(f.ID), Tokens: f.Tokens, Text: f.Text,
		HeldOut: f.HeldOut, decision: s.Decision}
	if i, ok := v.set.Index(f.ID); ok {
		rule := v.set.Reminder(i)
		m.File, m.Line = rule.File, rule.Place("id").Start.Line
		if rule.Expect != "" {
			m.Outcome = Waiting
		}
	}
	return m
}

// put adds a reminder.
func (v *view) put(r *open, m *Reminder) {
	if m.Outcome == Waiting {
		r.waiting[m.ID] = append(r.waiting[m.ID], m)
	}
	v.add(r, Item{Kind: Aside, Reminder: m})
}

func (v *view) add(r *open, i Item) {
	i.Run, i.Turn, i.At = r.run, r.turn, r.at
	v.Items = append(v.Items, i)
}

// ended records the outcome of the firing of a reminder on a turn.
func (r *open) ended(id string, turn int, outcome string) {
	at := slices.IndexFunc(r.waiting[id], func(m *Reminder) bool { return m.Turn == turn })
	if at >= 0 {
		m := r.waiting[id][at]
		m.Outcome, m.After = outcome, r.turn-turn
		r.waiting[id] = slices.Delete(r.waiting[id], at, at+1)
	}
}

// RunOver implements replay.View.
func (v *view) RunOver(rest *replay.Rest) {
	r := v.open[rest.RunN]
	if r == nil {
		return
	}
	if rest.After != nil {
		v.past(r, rest.After)
		r.turn++
		for _, text := range rest.After.Prompts {
			v.add(r, Item{Kind: Prompt, Text: text})
		}
	}
	delete(v.open, rest.RunN)
}

// End implements replay.View.
func (v *view) End(r *replay.Report) {
	for _, m := range r.Reminders {
		if m.Never != "" {
			v.Silent = append(v.Silent, Silent{m.ID, m.Never})
		}
	}
}
