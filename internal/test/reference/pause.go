package reference

import (
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// pause is that a reminder has held back a call for what it asks about: a simple command, a file, or all that
// a call is about.
type pause struct {
	reminder, about string
	turn, userTurn  int
	at              time.Time
}

// asksAgain returns what a reminder asks about in the call at hand for the first time, and whether it holds
// the call back anew since that is of the same answer as another one (LANGUAGE.md §4).
func (m *Machine) asksAgain(r *rule, o *Occasion, s Step) (fresh []pause, again bool) {
	held, turn := 0, m.turn
	if s.More && turn > 0 {
		turn--
	}
	for _, p := range m.pauses {
		if p.reminder == r.ID && p.userTurn == m.userTurns {
			held++
		}
	}
	for _, about := range m.about(r, o) {
		known := false
		for _, p := range m.pauses {
			if p.reminder == r.ID && p.about == about && m.userTurns-p.userTurn <= 1 {
				known = true
				again = again || p.turn == turn && s.At.Sub(p.at).Abs() <= 2*time.Second
			}
		}
		if !known && held < 2 {
			fresh = append(fresh, pause{r.ID, about, turn, m.userTurns, s.At})
		}
	}
	return fresh, again
}

// about is what makes a trigger true in the call at hand: simple commands, files, or all of it.
func (m *Machine) about(r *rule, o *Occasion) (list []string) {
	c := *o.Before
	add := func(about string, part fact.Call) {
		with := *o
		with.Before = &part
		if r.trigger.Truth(m.view(&with, r)) == fact.True {
			list = append(list, about)
		}
	}
	all := strings.Join(append(slices.Clone(c.Paths), c.Tool, c.Subject), "|")
	if c.Command != "" {
		var words []string
		alone := func(command string) fact.Call {
			return fact.Call{Tool: c.Tool, Class: c.Class, Input: c.Input, Command: command, Subject: c.Subject,
				Told: c.Told, WrittenTold: c.WrittenTold}
		}
		for _, command := range Commands(c.Command) {
			words = append(words, inOneForm(command))
			add(inOneForm(command), alone(command))
		}
		all = strings.Join(words, "|")
		of := len(list)
		if add("", alone("")); len(list) > of {
			return []string{all}
		}
		list = slices.DeleteFunc(slices.Clone(list), func(outer string) bool { // as sudo has one in it
			for _, inner := range list {
				if before, has := strings.CutSuffix(outer, inner); has && strings.HasSuffix(before, " ") {
					return true
				}
			}
			return false
		})
	}
	if len(list) == 0 {
		for _, file := range c.Paths {
			part := c
			part.Paths = []string{file}
			add(file, part)
		}
	}
	if len(list) == 0 {
		list = []string{all}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// inOneForm is a simple command without slashes at the end of its words.
func inOneForm(command string) string {
	var words []string
	for w := range strings.FieldsSeq(command) {
		for len(w) > 1 && strings.HasSuffix(w, "/") {
			w = w[:len(w)-1]
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}
