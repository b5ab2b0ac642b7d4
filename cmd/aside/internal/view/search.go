package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// search is what a person looks for.
type search struct {
	typing bool   // the person is at it
	query  string // "": nothing
	item   int    // of the latest match
	offset int    // in the text of that item; -1: in its title, or there was no match
}

// typed adds to the query what a person has typed.
func (s *search) typed(text string) {
	if s.typing {
		s.query += terminal.Line(text)
	}
}

// typed obeys a key while the person types what to look for.
func (m *model) typed(name, text string) {
	s := &m.search
	switch name {
	case "esc":
		*s = search{}
	case "enter":
		if s.typing = false; s.query != "" {
			s.item, s.offset = m.list.cursor, -2
			m.find(1)
		}
	case "backspace":
		if r := []rune(s.query); len(r) > 0 {
			s.query = string(r[:len(r)-1])
		}
	default:
		if text != "" {
			s.query += text
		}
	}
}

// find selects the next match in a direction, and shows it. Without capitals in the query, none count.
func (m *model) find(by int) {
	s, l := &m.search, &m.list
	if s.query == "" {
		m.message = "/ looks for a text"
		return
	}
	if s.item != l.cursor {
		s.item, s.offset = l.cursor, -1
	}
	for i := s.item; i >= 0 && i < len(l.items); i += by {
		from := -2 // before the title
		if i == s.item {
			from = s.offset
		} else if by < 0 {
			from = math.MaxInt / 2
		}
		if at, ok := s.in(l, i, from, by); ok {
			s.item, s.offset = i, at
			l.reach(i, at)
			return
		}
	}
	m.message = fmt.Sprintf("no %q %s", s.query, where(by))
}

// in returns where the next match of an item is: its offset in the text, -1 for the title.
func (s *search) in(l *list, item, from, by int) (at int, ok bool) {
	it := &l.items[item]
	title := it.Title
	if it.Kind == lens.Call {
		title += " " + it.Text
	} else if it.Reminder != nil {
		title = it.Reminder.ID
	}
	named := strings.Contains(s.fold(title), s.query)
	text := s.fold(l.words(it))
	if by > 0 {
		if from < -1 && named {
			return -1, true
		}
		from = min(max(from+1, 0), len(text))
		at = strings.Index(text[from:], s.query)
		return from + at, at >= 0
	}
	at = strings.LastIndex(text[:min(max(from+len(s.query)-1, 0), len(text))], s.query)
	return at, at >= 0 || named && from > -1
}

// fold returns a text in the form in which the query is looked for in it.
func (s *search) fold(text string) string {
	if s.query == strings.ToLower(s.query) {
		return strings.ToLower(text)
	}
	return text
}
