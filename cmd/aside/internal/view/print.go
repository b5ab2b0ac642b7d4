package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// write prints a session as text, with all that the screen would show.
func write(e *command.Env, s *lens.Session) {
	m := &model{env: e, session: s}
	for i := range s.Items {
		it := &s.Items[i]
		if i > 0 && s.Items[i-1].Run != it.Run {
			fmt.Fprintf(e.Out, "\n%s\n", m.run(it.Run))
		}
		switch it.Kind {
		case lens.Prompt, lens.Answer:
			fmt.Fprintln(e.Out, "\n"+m.line(math.MaxInt, m.name(it)...))
			lines(e, "    ", it.Text)
		case lens.Call:
			failed := ""
			if it.Failed {
				failed = " failed"
			}
			fmt.Fprintf(e.Out, "  %s%s\n", terminal.Line(it.Title), failed)
			lines(e, "    $ ", it.Text)
			lines(e, "    ", it.Output)
		case lens.Note:
			lines(e, "  "+e.Glyph("—", "-")+" ", it.Text)
		case lens.Aside:
			m.reminderLines(it.Reminder)
		}
	}
	for i, r := range s.Silent {
		if i == 0 {
			fmt.Fprintln(e.Out, "\nnever fired, and why:")
		}
		lines(e, "  ", r.ID+": "+r.Why)
	}
}

// lines prints a text line by line.
func lines(e *command.Env, before, text string) {
	if text = strings.TrimRight(text, " \t\r\n"); text == "" {
		return
	}
	for line := range strings.Lines(text) {
		fmt.Fprintln(e.Out, before+harmless(strings.TrimRight(line, "\r\n")))
	}
}

// reminderLines prints a reminder with all that is known of it.
func (m *model) reminderLines(r *lens.Reminder) {
	e := m.env
	fmt.Fprintln(e.Out, "  "+e.Glyph("▾", "-")+" "+m.line(math.MaxInt, reminderName(r)...))
	bar := "  " + e.Glyph("│", "|") + " "
	lines(e, bar, r.Text)
	for _, row := range m.about(r) {
		if row.value != "" {
			lines(e, bar+e.Paint(grey, row.name+": "), row.value)
		}
	}
}
