package ruletest

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
)

// Coverage says what the tests have seen of the triggers of all reminders that they loaded. A reminder that several tests load
// from one place is one.
type Coverage struct {
	Reminders []Covered `json:"reminders"` // by file, line and id

	index map[coverKey]int
}

// Covered is one reminder.
type Covered struct {
	ID    string        `json:"id"`
	File  string        `json:"file"`
	Line  int           `json:"line"`
	Turns int           `json:"turns"` // on which it was evaluated
	Fires int           `json:"fires"`
	Parts []CoveredPart `json:"parts"`

	trigger, rearm grammar.Expr // as parsed; nil of a constant, and of no rearm
}

// CoveredPart is an operand of a trigger or of a rearm, or several that are joined by "and" or "or". The constants always, never
// and manual are not counted: there is nothing to see of them.
type CoveredPart struct {
	Of      string `json:"of"` // trigger or rearm
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	True    int    `json:"true"` // turns
	False   int    `json:"false"`
	Unknown int    `json:"unknown"`
}

type coverKey struct {
	file, id, trigger, rearm string
	line                     int
}

// Missing says in words what was never seen of p; "" if it was true and false.
func (p *CoveredPart) Missing() string {
	switch {
	case p.True > 0 && p.False > 0:
		return ""
	case p.True > 0:
		return "never false"
	case p.False > 0:
		return "never true"
	case p.Unknown > 0:
		return "never decided"
	default:
		return "never evaluated"
	}
}

// Outcomes counts what there is to see, two outcomes a part, and what was seen of it.
func (c *Coverage) Outcomes() (seen, all int) {
	for _, r := range c.Reminders {
		for _, p := range r.Parts {
			all += 2
			seen += min(p.True, 1) + min(p.False, 1)
		}
	}
	return seen, all
}

// Percent is the share of outcomes that was seen, from 0 to 100; 100 if there are none.
func (c *Coverage) Percent() float64 {
	seen, all := c.Outcomes()
	if all == 0 {
		return 100
	}
	return 100 * float64(seen) / float64(all)
}

func (c *Coverage) sort() {
	slices.SortStableFunc(c.Reminders, func(a, b Covered) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
	})
	c.index = nil
}

// meet takes in the reminders of a set: also one that no turn is played with is there to be seen.
func (c *Coverage) meet(set *compile.Set) {
	if c == nil {
		return
	}
	for i := range set.Len() {
		c.of(set, i)
	}
}

// of is what is known of reminder i of a set.
func (c *Coverage) of(set *compile.Set, i int) *Covered {
	r := set.Reminder(i)
	at := r.Place("trigger").Start
	file := r.File
	if abs, err := filepath.Abs(file); err == nil {
		file = abs // two tests may name it from two directories
	}
	key := coverKey{file, r.ID, r.Trigger, r.Rearm, at.Line}
	if n, ok := c.index[key]; ok {
		return &c.Reminders[n]
	}
	if c.index == nil {
		c.index = map[coverKey]int{}
	}
	c.index[key] = len(c.Reminders)
	out := Covered{ID: r.ID, File: r.File, Line: at.Line, Parts: []CoveredPart{}}
	out.trigger = out.add("trigger", r, r.Trigger, set.Trigger(i).Explain(set.Schema().NewFrame()))
	if rearm := set.Rearm(i); rearm != nil {
		out.rearm = out.add("rearm", r, r.Rearm, rearm.Explain(set.Schema().NewFrame()))
	}
	c.Reminders = append(c.Reminders, out)
	return &c.Reminders[len(c.Reminders)-1]
}

// add adds the parts of one trigger as they are written in src, and returns its tree.
func (r *Covered) add(of string, rm *compile.Reminder, src string, root compile.Part) grammar.Expr {
	tree, _ := grammar.Parse(src)
	each(tree.Root, root, func(x grammar.Expr, p compile.Part) {
		part := CoveredPart{Of: of, Text: p.Text}
		at := x.Span()
		if rm.Origin != nil {
			at = rm.Origin.Place(of, at)
		}
		part.Line, part.Column = at.Start.Line, at.Start.Column
		r.Parts = append(r.Parts, part)
	})
	return tree.Root
}

// each visits the parts that are counted, the whole first, in the same order for every turn of the same trigger.
func each(x grammar.Expr, p compile.Part, visit func(grammar.Expr, compile.Part)) {
	var terms []grammar.Expr
	switch x := x.(type) {
	case *grammar.Constant:
		return
	case *grammar.Not: // it says no more than what is behind it
		if len(p.Parts) == 1 {
			each(x.X, p.Parts[0], visit)
		}
		return
	case *grammar.And:
		terms = x.Terms
	case *grammar.Or:
		terms = x.Terms
	}
	visit(x, p)
	if len(terms) != len(p.Parts) {
		return
	}
	for i, t := range terms {
		each(t, p.Parts[i], visit)
	}
}

// fired counts what fired on a turn.
func (c *Coverage) fired(set *compile.Set, ids []string) {
	if c == nil {
		return
	}
	for _, id := range ids {
		if i, ok := set.Index(id); ok {
			c.of(set, i).Fires++
		}
	}
}

// turn counts what each part was on one turn.
func (c *Coverage) turn(set *compile.Set, xs []eval.Explanation) {
	if c == nil {
		return
	}
	for _, x := range xs {
		i, ok := set.Index(x.ID)
		if !ok {
			continue
		}
		r := c.of(set, i)
		r.Turns++
		parts := r.Parts
		count := func(_ grammar.Expr, p compile.Part) {
			switch part := &parts[0]; p.Truth {
			case fact.True:
				part.True++
			case fact.False:
				part.False++
			default:
				part.Unknown++
			}
			parts = parts[1:]
		}
		if each(r.trigger, x.Trigger, count); x.Rearm != nil {
			each(r.rearm, *x.Rearm, count)
		}
	}
}
