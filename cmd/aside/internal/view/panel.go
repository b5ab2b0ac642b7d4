package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/reminder"
)

// label is how many columns the names of the panel take.
const label = 9

// panel returns the rows of the panel: why the selected reminder was put there, what comes next, and what
// became of it.
func (m *model) panel(columns, height int) []string {
	out := make([]string, 0, height)
	room := columns - 1
	if columns == m.width { // below the list
		out = append(out, m.paint(grey, strings.Repeat(m.env.Glyph("─", "-"), columns)))
	}
	add := func(name, style, value string) {
		if value == "" {
			return
		}
		text := newRows(value, room-label)
		for k := range text.all() {
			if len(out) == height {
				return
			}
			out = append(out, " "+m.line(room, piece{grey, terminal.Fill(name, label)}, piece{style, text.row(k)}))
			name = ""
		}
	}
	if r := m.selected(); r == nil {
		add("fired", plain, m.counts)
		for _, s := range m.session.Silent {
			add("silent", plain, s.ID+": "+s.Why)
		}
		if len(m.reminders) > 0 {
			add("", grey, "n selects the next reminder")
		}
	} else {
		add("reminder", bold, cmp.Or(r.ID, hookText+", and none of these rules"))
		for _, row := range m.about(r) {
			add(row.name, plain, row.value)
		}
		add("text", grey, r.Text)
	}
	return filled(out, height)
}

// known is what is known of a reminder in one respect; "": nothing.
type known struct{ name, value string }

// about returns what is known of a reminder.
func (m *model) about(r *lens.Reminder) []known {
	return []known{{"why", r.Why}, {"next", m.next(r)}, {"outcome", outcome(r)}, {"file", m.place(r)}}
}

// next returns what comes next for a reminder.
func (m *model) next(r *lens.Reminder) string {
	if m.explained != r {
		r.Explain()
		m.explained = r
	}
	return r.Next
}

// outcome returns what became of a reminder, in words.
func outcome(r *lens.Reminder) string {
	read := "the model read it"
	switch {
	case r.HeldOut:
		read = "not sent: the run is held out"
	case !r.Live:
		read = "the model would have read it"
	}
	switch r.Outcome {
	case "":
		return read + "; nothing is expected of it"
	case lens.Waiting:
		return read + "; at the end it was neither heeded nor ignored"
	case reminder.Open:
		return read + "; nobody knows whether it was heeded"
	}
	return read + fmt.Sprintf("; %s after %s", r.Outcome, terminal.Count(r.After, "turn"))
}

// counts returns which reminders stand in a session, and how often.
func counts(s *lens.Session) string {
	var ids []string
	times := map[string]int{}
	for _, i := range s.Reminders() {
		id := cmp.Or(s.Items[i].Reminder.ID, hookText)
		if times[id]++; times[id] == 1 {
			ids = append(ids, id)
		}
	}
	for k, id := range ids {
		if times[id] > 1 {
			ids[k] += fmt.Sprintf(" (%d times)", times[id])
		}
	}
	return cmp.Or(strings.Join(ids, ", "), "nothing")
}

// place returns where the rule of a reminder stands, and which firing this is.
func (m *model) place(r *lens.Reminder) string {
	at := fmt.Sprintf("turn %d", r.Turn)
	if r.Moment != "" {
		at += " (" + r.Moment + ")"
	}
	if r.Tokens > 0 {
		at += ", " + terminal.Count(r.Tokens, "token")
	}
	if r.File == "" {
		return at
	}
	file := m.env.Short(r.File)
	if r.Line > 0 {
		file += fmt.Sprintf(":%d", r.Line)
	}
	return file + ", " + at
}
