package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/state"
)

// decision notes what was decided on a turn.
func (p *Page) decision(r *run, at int, s *replay.Step) {
	d := s.Decision
	for _, f := range d.Fired {
		i, ok := p.set.Index(f.ID)
		if !ok {
			continue
		}
		if p.fires >= p.limits.fires {
			p.lost.Fires++
			continue
		}
		p.fires++
		part, _ := d.Part(f.ID)
		row := []int{i, at, f.Tokens, p.text(f.Text, maxText), p.text(d.Why(f.ID), maxValue), p.came(part)}
		if f.Manual {
			row = append(row, 1)
		}
		r.Fires = append(r.Fires, row)
	}
	for _, h := range d.Held {
		if i, ok := p.set.Index(h.ID); ok {
			p.rules[i].Held++
			if h.Why != state.HeldText { // that is told as an error, with what was wrong
				r.Held = p.stretch(r, r.Held, at, reason{i, visible(heldWords(h, p.set.Reminder(i)))})
			}
		}
	}
	for _, e := range d.Errors {
		if i, ok := p.set.Index(e.ID); ok {
			r.Errors = p.stretch(r, r.Errors, at, reason{i, visible(cut(e.Error, maxValue))})
		}
	}
}

// stretch notes what kept a reminder from firing on a turn, and returns all that was noted. Turns on end with one reason are one row.
func (p *Page) stretch(r *run, all [][4]int, at int, why reason) [][4]int {
	row := [4]int{why.rule, at, at, p.strings.place(why.why)}
	if k, ok := r.last[why]; ok && k < len(all) && all[k] == [4]int{row[0], all[k][1], at - 1, row[3]} {
		all[k][2] = at
		return all
	}
	if p.stretches >= p.limits.stretches {
		p.lost.Held++
		return all
	}
	p.stretches++
	r.last[why] = len(all)
	return append(all, row)
}

// came returns the place of what the parts of a trigger came to: [shape, a letter for the truth of each part, what it read…]. -1
// is no parts at all. Triggers keep their shape from turn to turn, and many turns read the same.
func (p *Page) came(root compile.Part) int {
	if root.Text == "" {
		return -1
	}
	shape, truths, values := []any{}, []byte{}, []any{}
	var walk func(q compile.Part, depth int, above string)
	walk = func(q compile.Part, depth int, above string) {
		shape = append(shape, depth, visible(q.Text))
		truths = append(truths, q.Truth.String()[0])
		value := 0
		if q.Value != "" && q.Value != above { // a list's members read what the list reads
			value = p.text(q.Value, maxValue)
		}
		values = append(values, value)
		for _, k := range q.Parts {
			walk(k, depth+1, q.Value)
		}
	}
	walk(root, 0, "")
	return p.parts.place(encoded(append([]any{p.shapes.place(encoded(shape)), string(truths)}, values...)))
}

// encoded returns v as JSON that may stand in a script: no <, > or & is left in it.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("report: %v", err)) // these are numbers, texts and lists of them
	}
	return string(b)
}

// list joins values that are JSON already.
func list(values []string) json.RawMessage {
	return json.RawMessage("[" + strings.Join(values, ",") + "]")
}
