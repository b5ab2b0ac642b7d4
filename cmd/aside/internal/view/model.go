package view

import (
	"context"
	"fmt"
	"io"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// source is where a session comes from, and what can be done with it while it is shown.
type source struct {
	Open func(context.Context) (*lens.Session, error) // reads it, again and again
	// Grown returns when there is more of the session than when it was called last; nil: nobody asks.
	Grown func(context.Context) error
	Edit  func(ctx context.Context, file string) error // has a person change a rule file
}

// model is what is on the screen. Its methods are called by one goroutine.
type model struct {
	ctx     context.Context
	env     *command.Env
	source  source
	session *lens.Session
	// reminders are the indexes of the reminders in the list, in order.
	reminders []int
	counts    string         // which reminders there are, and how often
	explained *lens.Reminder // the latest one of which next was asked

	width, height int // of the terminal
	list          list
	noPanel       bool
	help          bool
	message       string // in the last row, up to the next key
	search        search
}

func newModel(ctx context.Context, e *command.Env, source source, s *lens.Session) *model {
	m := &model{ctx: ctx, env: e, source: source}
	m.resize(80, 24)
	m.show(s)
	m.list.top, m.list.cursor = place{}, 0
	if source.Grown != nil {
		m.list.toEnd()
	}
	return m
}

// show shows a session in place of the one that is shown.
func (m *model) show(s *lens.Session) {
	m.session, m.reminders, m.counts, m.explained = s, s.Reminders(), counts(s), nil
	m.list.replace(s.Items)
	m.search.offset = -1
}

// opened says that the session was read again, since it has grown, or since a rule was changed.
type opened struct {
	session *lens.Session
	err     error
	id      string // of the reminder whose rule it was; "": none
}

// edited says that the session is to be read again: a person has edited the rule of a reminder, or the
// session has grown.
type edited struct {
	id  string // of the reminder; "" where the session has grown
	err error
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.grow() }

func (m *model) grow() tea.Cmd {
	if m.source.Grown == nil {
		return nil
	}
	return func() tea.Msg { return edited{"", m.source.Grown(m.ctx)} }
}

// open reads the session again. id is that of opened.
func (m *model) open(id string) tea.Cmd {
	return func() tea.Msg {
		s, err := m.source.Open(m.ctx)
		return opened{s, err, id}
	}
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.PasteMsg:
		m.search.typed(msg.Content)
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			m.list.scroll(-wheel)
		case tea.MouseWheelDown:
			m.list.scroll(wheel)
		}
	case tea.MouseClickMsg:
		m.click(msg.X, msg.Y)
	case edited:
		if msg.err != nil {
			m.message = msg.err.Error()
			return m, nil
		}
		return m, m.open(msg.id)
	case opened:
		return m, m.opened(msg)
	}
	return m, nil
}

// wheel is how many rows a notch of the mouse wheel is.
const wheel = 3

// opened shows the session that was read again.
func (m *model) opened(msg opened) tea.Cmd {
	m.message = ""
	if msg.session != nil {
		if msg.id != "" {
			m.message = fmt.Sprintf("%s: %s, %d before", msg.id,
				terminal.Count(fires(msg.session, msg.id), "firing"), fires(m.session, msg.id))
		}
		m.show(msg.session)
	}
	if msg.err != nil {
		m.message = msg.err.Error()
	}
	if msg.id != "" { // the wait for more of the session goes on
		return nil
	}
	return m.grow()
}

// fires returns how often a reminder stands in a session.
func fires(s *lens.Session, id string) (n int) {
	for i := range s.Items {
		if r := s.Items[i].Reminder; r != nil && r.ID == id {
			n++
		}
	}
	return n
}

// key obeys a key.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	m.message = ""
	name := k.String()
	switch {
	case name == "ctrl+c":
		return tea.Quit
	case name == "ctrl+z":
		return tea.Suspend
	case m.search.typing:
		m.typed(name, k.Text)
		return nil
	case m.help:
		m.help = false
		if name == "q" {
			return tea.Quit
		}
		return nil
	}
	l := &m.list
	switch name {
	case "q":
		return tea.Quit
	case "up", "k":
		l.step(-1)
	case "down", "j":
		l.step(1)
	case "pgup", "b", "ctrl+u":
		l.scroll(-max(l.height-2, 1))
	case "pgdown", "space", "f", "ctrl+d":
		l.scroll(max(l.height-2, 1))
	case "home", "g":
		l.top, l.cursor = place{}, 0
	case "end", "G":
		l.toEnd()
	case "enter":
		if len(l.items) > 0 {
			l.toggle(l.cursor)
		}
	case "a":
		l.toggleAll()
	case "n":
		m.reminder(1)
	case "p":
		m.reminder(-1)
	case "/":
		m.search.typing, m.search.query = true, ""
	case "N":
		m.find(1)
	case "P":
		m.find(-1)
	case "esc":
		m.search = search{}
	case "i":
		m.noPanel = !m.noPanel
		m.resize(m.width, m.height)
	case "?":
		m.help = true
	case "e":
		return m.edit()
	}
	return nil
}

// reminder selects the next reminder in a direction.
func (m *model) reminder(by int) {
	at, is := slices.BinarySearch(m.reminders, m.list.cursor)
	if by < 0 || is {
		at += by
	}
	if at < 0 || at >= len(m.reminders) {
		m.message = "there is no reminder " + where(by)
		return
	}
	m.list.show(m.reminders[at])
}

// where returns the word for a direction.
func where(by int) string {
	if by > 0 {
		return "below"
	}
	return "above"
}

// click selects the item in a row of the screen, and opens or closes it.
func (m *model) click(x, y int) {
	if m.help {
		m.help = false
		return
	}
	if y -= 1; y < 0 || y >= m.list.height || x >= m.list.width {
		return
	}
	if i, _, ok := m.list.at(y); ok {
		m.list.cursor = i
		m.list.toggle(i)
	}
}

// selected returns the reminder that is selected; nil where there is none.
func (m *model) selected() *lens.Reminder {
	if len(m.list.items) == 0 {
		return nil
	}
	return m.list.items[m.list.cursor].Reminder
}

// edit has the person change the rule of the selected reminder.
func (m *model) edit() tea.Cmd {
	switch r := m.selected(); {
	case r == nil:
		m.message = "e changes the rule of a reminder: n selects the next one"
	case r.File == "" || m.source.Edit == nil:
		m.message = "no rule here is known to have put this text there"
	default:
		return tea.Exec(editor{run: func() error { return m.source.Edit(m.ctx, r.File) }},
			func(err error) tea.Msg { return edited{r.ID, err} })
	}
	return nil
}

// resize sets the size of the terminal.
func (m *model) resize(width, height int) {
	m.width, m.height = width, height
	columns, rows := width, height-2 // the first row and the last one
	if across, down := m.panelSize(); across < width {
		columns -= across + 1
	} else {
		rows -= down
	}
	m.list.resize(columns, rows)
}

// panelSize returns the size of the panel, which stands beside a wide list, and below another one.
func (m *model) panelSize() (columns, rows int) {
	switch {
	case m.noPanel || m.height < 12:
		return m.width, 0
	case m.width >= 120:
		return min(m.width/3, 60), m.height - 2
	case m.height < 20:
		return m.width, 4
	}
	return m.width, min(6+m.height/8, m.height/3)
}

// editor is a tea.ExecCommand that has the terminal as this process has it.
type editor struct{ run func() error }

func (e editor) Run() error        { return e.run() }
func (editor) SetStdin(io.Reader)  {}
func (editor) SetStdout(io.Writer) {}
func (editor) SetStderr(io.Writer) {}
