package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aside-go/aside/cmd/internal/reasons"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
)

// decision adds the decision on a turn, the at-th of the run.
func (p *Page) decision(r *run, at int, d Decision) {
	for _, f := range d.Fired {
		i, ok := p.set.Index(f.ID)
		if !ok {
			continue
		}
		if p.shownFires >= p.limits.fires {
			p.lost.Fires++
			continue
		}
		p.shownFires++
		row := []int{i, at, f.Tokens, p.text(f.Text, maxText), p.text(f.Why, maxValue), p.came(f.Part)}
		if f.Manual {
			row = append(row, 1)
		}
		r.Fires = append(r.Fires, row)
	}
	for _, h := range d.Held {
		if i, ok := p.set.Index(h.ID); ok {
			p.rules[i].Held++
			if h.Why != reminder.HeldText { // for a text that cannot be rendered there is an error below
				h.Left = reminder.Span{} // it would end the stretch with each turn
				r.Held = p.stretch(r, r.Held, at, reason{i, Visible(reasons.Held(h, p.set, nil))})
			}
		}
	}
	for _, e := range d.Errors {
		if i, ok := p.set.Index(e.ID); ok {
			r.Errors = p.stretch(r, r.Errors, at, reason{i, Visible(Cut(e.Error, maxValue))})
		}
	}
}

// stretch adds to all, which is r.Held or r.Errors, why a reminder did not fire on a turn, and returns it.
// Consecutive turns with the same reason are one row.
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

// came returns the index in p.parts of the parts of a trigger on one turn, as [shape, a letter for the truth
// of each part, the value of each part…], where shape is an index in p.shapes; -1 for no parts. Turns share
// shapes, and often values, so each is stored once.
func (p *Page) came(root trigger.Part) int {
	if root.Text == "" {
		return -1
	}
	shape, truths, values := []any{}, []byte{}, []any{}
	var walk func(q trigger.Part, depth int, above string)
	walk = func(q trigger.Part, depth int, above string) {
		shape = append(shape, depth, Visible(q.Text))
		truths = append(truths, q.Truth.String()[0])
		value := 0
		if q.Value != "" && q.Value != above { // the members of a list have the value of the list
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

// encoded returns v as JSON that may stand in a script, since <, > and & are escaped.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("report: %v", err)) // these are numbers, texts and lists of them
	}
	return string(b)
}

// list returns a JSON array of values that are JSON already.
func list(values []string) json.RawMessage {
	return json.RawMessage("[" + strings.Join(values, ",") + "]")
}
