package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/near"
)

// Choice is one of the things that a person can pick.
type Choice struct {
	Name, About string
	Usual       bool // an empty answer takes it
}

// ErrLeft is returned where a person has ended the input in place of an answer.
var ErrLeft = No("nothing was changed")

// Pick shows a list and returns the names that a person has picked, in the order of the list.
func (e *Env) Pick(list []Choice) ([]string, error) {
	e.choices(list)
	usual := "none of them"
	if slices.ContainsFunc(list, func(c Choice) bool { return c.Usual }) {
		usual = "those with *"
	}
	for {
		answer, err := e.Line("Which? Enter: " + usual + "; or numbers, names, all, none: ")
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = ErrLeft
			}
			return nil, err
		}
		names, err := picked(list, answer)
		if err == nil {
			return names, nil
		}
		e.Note("%s", err)
	}
}

// picked returns the names that an answer means.
func picked(list []Choice, answer string) (names []string, err error) {
	take := map[string]bool{}
	var known []string
	for _, c := range list {
		known = append(known, c.Name)
	}
	words := strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if len(words) == 0 {
		for _, c := range list {
			take[c.Name] = c.Usual
		}
	}
	for _, w := range words {
		n, err := strconv.Atoi(w)
		switch {
		case err == nil && n >= 1 && n <= len(list):
			take[known[n-1]] = true
		case slices.Contains(known, w):
			take[w] = true
		case w == "all":
			for _, name := range known {
				take[name] = true
			}
		case w == "none" && len(words) == 1:
		default:
			return nil, fmt.Errorf("%q is not in the list%s", terminal.Line(w), near.Hint(": ", w, known))
		}
	}
	return slices.DeleteFunc(known, func(name string) bool { return !take[name] }), nil
}

// choices prints a list with numbers, the descriptions wrapped to the terminal.
func (e *Env) choices(list []Choice) {
	wide := 0
	for _, c := range list {
		wide = max(wide, len(c.Name))
	}
	columns := e.Width
	if columns == 0 {
		columns = 100
	}
	indent := wide + 8
	for i, c := range list {
		mark := " "
		if c.Usual {
			mark = "*"
		}
		about := terminal.Wrap(c.About, max(columns-indent-1, 20))
		e.Show(fmt.Sprintf("%3d %s %s  %s", i+1, mark, terminal.Fill(e.Paint("1", c.Name), wide),
			strings.Join(about, "\n"+strings.Repeat(" ", indent))))
	}
}
