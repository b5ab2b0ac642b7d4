package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/excerpt"
)

// Styles of a terminal. The grey and the blue are of the 256 colours, which no palette changes, and have a
// contrast of 4 at least on black and on white; faint text is black on a white xterm, and "bright black" is
// the background of some palettes.
const (
	plain   = ""
	bold    = "1"
	reverse = "7"
	red     = "31"
	magenta = "35"
	grey    = "38;5;243"
	blue    = "38;5;31"
)

// piece is a part of a row in one style.
type piece struct{ style, text string }

// line returns pieces as a row of at most n columns.
func (m *model) line(n int, pieces ...piece) string {
	var b strings.Builder
	for _, p := range pieces {
		s := terminal.Shorten(p.text, n, m.env.Glyph("…", "..."))
		n -= terminal.Width(s)
		b.WriteString(m.paint(p.style, s))
	}
	return b.String()
}

// paint returns a text in a style. Without colours the reverse stays, by which matches are told.
func (m *model) paint(style, s string) string {
	if style == plain || s == "" || !m.env.Colour && style != reverse {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[m"
}

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.screen(), "\n"))
	v.AltScreen, v.MouseMode, v.WindowTitle = true, tea.MouseModeCellMotion, "aside view"
	return v
}

// screen returns the rows of the screen.
func (m *model) screen() []string {
	out := append(make([]string, 0, m.height), m.header())
	if m.help {
		out = append(out, m.keys(m.height-2)...)
	} else {
		out = append(out, m.body()...)
	}
	out = append(out, m.footer())
	return out[:min(len(out), m.height)]
}

// body returns the rows of the list, and of the panel beside or below it.
func (m *model) body() []string {
	rows := m.rows()
	switch panel, down := m.panelSize(); {
	case down == 0:
	case panel == m.width:
		rows = append(rows, m.panel(panel, down)...)
	default:
		for i, about := range m.panel(panel, len(rows)) {
			rows[i] = terminal.Fill(rows[i], m.list.width) + m.paint(grey, m.env.Glyph("│", "|")) + about
		}
	}
	return rows
}

// rows returns the rows of the list.
func (m *model) rows() []string {
	l := &m.list
	out := make([]string, 0, l.height)
	if len(l.items) == 0 {
		out = append(out, "", m.line(l.width, piece{grey, "  waiting for the first message"}))
	}
	row := l.top.row
	for i := l.top.item; i < len(l.items) && len(out) < l.height; i++ {
		for n := l.rows(i); row < n && len(out) < l.height; row++ {
			out = append(out, m.row(i, row))
		}
		row = 0
	}
	return filled(out, l.height)
}

// filled returns rows with empty ones behind them, or without the last ones, so that there are n.
func filled(rows []string, n int) []string {
	for len(rows) < n {
		rows = append(rows, "")
	}
	return rows[:n]
}

// keys returns rows that say what the keys do.
func (m *model) keys(height int) (out []string) {
	const label = 14
	for _, row := range helpRows {
		name, does := row[0], newRows(row[1], m.width-label-2)
		for k := range max(does.all(), 1) {
			text := ""
			if k < does.all() {
				text = does.row(k)
			}
			out = append(out, m.line(m.width, piece{bold, "  " + terminal.Fill(name, label)}, piece{plain, text}))
			name = ""
		}
	}
	return filled(out, max(height, 0))
}

// helpRows are the keys and what they do.
var helpRows = [][2]string{
	{"", ""},
	{"n  p", "the next reminder, the one before"},
	{"Enter", "open or close what is selected; a click does, too"},
	{"a", "open or close all reminders"},
	{"e", "change the rule in your editor, and see its marks move"},
	{"i", "show or hide the panel: why, what comes next, outcome"},
	{"", ""},
	{"Up Down  k j", "select another message; in a long one a row at a time"},
	{"PgUp PgDn", "a screen at a time; b and Space, too"},
	{"g  G", "the beginning, the end"},
	{"/", "look for a text; capitals count if there are some"},
	{"N  P", "the next match, the one before"},
	{"q", "leave"},
	{"", ""},
	{"", "With Shift held, the mouse selects text as usual."},
}

// row returns a row of an item.
func (m *model) row(i, k int) string {
	l := &m.list
	b, it := l.block(i), &l.items[i]
	k -= b.gap
	if k < 0 {
		if b.gap == 2 && k == -1 {
			return m.line(l.width, piece{grey, m.run(it.Run)})
		}
		return ""
	}
	bar := "  "
	if i == l.cursor {
		bar = m.paint(magenta, m.env.Glyph("▌", ">")) + " "
	}
	room := l.width - 2
	switch {
	case k == 0:
		return bar + m.line(room, m.title(i)...)
	case k > b.shown:
		return bar + m.line(room, piece{grey, "  " + m.env.Glyph("…", "...") + " Enter shows more"})
	}
	text := b.text.row(k - 1)
	style, indent := plain, "  "
	switch {
	case it.Reminder != nil:
		indent = m.paint(grey, m.env.Glyph("│", "|")) + " "
	case it.Kind == lens.Call, it.Kind == lens.Note:
		style = grey
	}
	return bar + indent + m.found(style, text)
}

// found returns a text with the matches of the search marked.
func (m *model) found(style, text string) string {
	q := m.search.query
	if q == "" || m.search.typing {
		return m.paint(style, text)
	}
	folded := m.search.fold(text)
	if len(folded) != len(text) { // the offsets are not those of the text
		folded = text
	}
	var b strings.Builder
	for {
		at := strings.Index(folded, q)
		if at < 0 {
			return b.String() + m.paint(style, text)
		}
		b.WriteString(m.paint(style, text[:at]) + m.paint(reverse, text[at:at+len(q)]))
		text, folded = text[at+len(q):], folded[at+len(q):]
	}
}

// title returns the row that names an item, which is all of a reminder while that is closed.
func (m *model) title(i int) []piece {
	it := &m.list.items[i]
	if it.Reminder == nil {
		return m.name(it)
	}
	mark := m.env.Glyph("▸ ", "+ ")
	if m.list.isOpen(i) {
		mark = m.env.Glyph("▾ ", "- ")
	}
	return append([]piece{{grey, mark}}, reminderName(it.Reminder)...)
}

// name returns the row that names an item that is not a reminder.
func (m *model) name(it *lens.Item) []piece {
	switch it.Kind {
	case lens.Prompt:
		return []piece{{bold + ";" + blue, "you"}, {grey, m.when(it)}}
	case lens.Answer:
		return []piece{{bold, "model"}, {grey, m.when(it)}}
	case lens.Call:
		style, mark := plain, ""
		if it.Failed {
			style, mark = red, " failed"
		}
		return []piece{{style, "  " + terminal.Line(it.Title) + mark}, {grey, " " + terminal.Line(first(it.Text))}}
	}
	return []piece{{grey, "  " + m.env.Glyph("—", "-") + " " + terminal.Line(first(it.Text))}}
}

// first returns the first line of a text, which may be long, as far as a row may show of it.
func first(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return excerpt.Head(text, 4096)
}

// hookText names a text that stands where reminders do, and is of none of the rules.
const hookText = "text of a hook"

// reminderName returns the id of a reminder, and what became of it.
func reminderName(r *lens.Reminder) []piece {
	rest := ""
	if r.Tokens > 0 {
		rest += "  " + terminal.Count(r.Tokens, "token")
	}
	if r.HeldOut {
		rest += ", held out"
	} else if !r.Live {
		rest += ", would have been read"
	}
	if r.Outcome != "" {
		rest += ", " + r.Outcome
	}
	return []piece{{grey + ";" + bold, terminal.Line(cmp.Or(r.ID, hookText))}, {grey, rest}}
}

// when returns the turn and the time of an item.
func (m *model) when(it *lens.Item) string {
	dot := " " + m.env.Glyph("·", "-") + " "
	out := dot + fmt.Sprintf("turn %d", it.Turn)
	if !it.At.IsZero() {
		out += dot + it.At.In(time.Local).Format("15:04")
	}
	return out
}

// run returns the name of a run.
func (m *model) run(n int) string {
	r := &m.session.Runs[n]
	line := strings.Repeat(m.env.Glyph("─", "-"), 2)
	return line + " " + terminal.Line(r.Thread+" "+r.ID) + " " + line
}

// header returns the first row.
func (m *model) header() string {
	where := terminal.Count(len(m.reminders), "reminder")
	if at, is := slices.BinarySearch(m.reminders, m.list.cursor); is {
		where = fmt.Sprintf("reminder %d of %d", at+1, len(m.reminders))
	}
	if n := len(m.list.items); n > 0 {
		where += fmt.Sprintf("  %d%%", 100*(m.list.cursor+1)/n)
	}
	if m.source.Grown != nil {
		where += "  following"
	}
	name := terminal.Line(m.env.Short(m.session.File))
	room := m.width - terminal.Width(where) - 2
	if room < 12 {
		name, room = "", max(room, 0)
	}
	if over := terminal.Width(name) - room; over > 0 { // the end of a path says most
		name = m.env.Glyph("…", "...") + tail(name, room-3)
	}
	return m.line(m.width, piece{bold, terminal.Fill(name, room+2)}, piece{plain, where})
}

// tail returns the longest end of s that takes at most n columns.
func tail(s string, n int) string {
	for terminal.Width(s) > n && s != "" {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return s
}

// footer returns the last row.
func (m *model) footer() string {
	switch {
	case m.search.typing:
		return m.line(m.width, piece{bold, "/"}, piece{plain, terminal.Shown(m.search.query)}, piece{reverse, " "})
	case m.message != "":
		return m.line(m.width, piece{bold, terminal.Line(m.message)})
	case m.help:
		return m.line(m.width, piece{grey, "any key: back"})
	}
	var keys []piece
	used := 0
	for _, k := range [][2]string{{"n p", "reminders"}, {"Enter", "open"}, {"?", "help"}, {"q", "leave"},
		{"/", "search"}, {"e", "edit the rule"}, {"a", "all"}, {"i", "panel"}} {
		if used += terminal.Width(k[0]) + terminal.Width(k[1]) + 3; used-2 > m.width {
			break
		}
		keys = append(keys, piece{bold, k[0]}, piece{grey, " " + k[1] + "  "})
	}
	return m.line(m.width, keys...)
}
