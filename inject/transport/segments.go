package transport

import (
	"slices"

	"github.com/aside-go/aside/inject"
)

// Segments returns the texts of a conversation for display, in their order: those of history, which holds
// none of ours, and the reminders that stood in the latest turn's request, each behind the message that it
// stands with. reports are those of the run's requests so far, in order; they tell the rest of each Segment.
// Of a text whose firing is in none of them no more than ID and Text is known. A reminder is never part of a
// block of history: its Block is -1.
//
// What is shown so is told by the Transport itself, so that no text of a user, a tool or a model is ever
// taken for a reminder.
func Segments(history []inject.Message, reports ...Report) []inject.Segment {
	stands := known(reports)
	begin := slices.IndexFunc(history, func(m inject.Message) bool { return m.Role != "system" })
	var out []inject.Segment
	reminders := func(of, message int, role string) {
		for _, s := range stands {
			if s.Message == of {
				s.Message, s.Role = message, role
				out = append(out, s)
			}
		}
	}
	texts := inject.SegmentsOf(history, inject.Options{})
	for i := range history {
		if i == begin { // behind the system prompt
			reminders(-1, i-1, "system")
		}
		for len(texts) > 0 && texts[0].Message == i {
			out, texts = append(out, texts[0]), texts[1:]
		}
		reminders(i, i, history[i].Role)
	}
	return out
}

// known returns the texts that stand in the request of the latest turn, with what the reports tell of them.
func known(reports []Report) []inject.Segment {
	var all []*inject.Segment             // of all turns
	fired := map[string]inject.Segment{}  // the latest firing of each reminder
	placed := map[Stand]*inject.Segment{} // by Stand.place
	var stands []Stand
	for i := range reports {
		r := &reports[i]
		if r.Turn == 0 || r.Passed != "" {
			continue
		}
		for _, f := range r.Fired {
			fired[f.ID] = inject.Segment{ID: f.ID, File: f.File, Turn: r.Turn, Why: f.Why, Tokens: f.Tokens}
		}
		stands = r.Stands
		for _, s := range stands {
			if _, there := placed[s.place()]; there && !s.New {
				continue
			}
			g := fired[s.ID]
			if !s.New { // its firing was before these reports
				g = inject.Segment{}
			}
			g.ID, g.Text, g.Reminder, g.Message, g.Block = s.ID, s.Text, true, s.Message, -1
			placed[s.place()] = &g
			all = append(all, &g)
		}
		for _, o := range r.Outcomes {
			at := slices.IndexFunc(all, func(g *inject.Segment) bool {
				return g.ID == o.ID && g.Turn == r.Turn-o.After
			})
			if at >= 0 {
				all[at].Outcome = o.Outcome
			}
		}
	}
	out := make([]inject.Segment, len(stands))
	for i, s := range stands {
		out[i] = *placed[s.place()]
	}
	return out
}

// place returns what is the same of a text in each request in which it stands.
func (s Stand) place() Stand {
	s.New = false
	return s
}
