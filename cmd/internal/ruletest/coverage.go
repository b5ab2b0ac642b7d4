package ruletest

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// Coverage says which parts of the triggers of all loaded reminders the tests have seen true and false. A
// reminder that several tests load from the same place is counted as one. Its unexported methods do nothing
// on nil.
type Coverage struct {
	Reminders []Covered `json:"reminders"` // by file, line and id

	index map[coverKey]int
}

// Covered is the coverage of one reminder.
type Covered struct {
	ID    string        `json:"id"`
	File  string        `json:"file"`
	Line  int           `json:"line"`
	Turns int           `json:"turns"` // how many turns have evaluated it
	Fires int           `json:"fires"`
	Parts []CoveredPart `json:"parts"`
}

// CoveredPart is the coverage of an operand of a trigger or of a rearm, or of several that are joined by
// "and" or "or". The constants always, never and manual are not counted, since they have a single value.
type CoveredPart struct {
	Of      string `json:"of"` // trigger or rearm
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	True    int    `json:"true"` // on how many turns
	False   int    `json:"false"`
	Unknown int    `json:"unknown"`
}

type coverKey struct {
	file, id, trigger, rearm string
	line                     int
}

// Missing returns in words which outcome of p was never seen; "" where p was true and false.
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

// Outcomes returns how many outcomes there are, two for each part, and how many of them were seen.
func (c *Coverage) Outcomes() (seen, all int) {
	for _, r := range c.Reminders {
		for _, p := range r.Parts {
			all += 2
			seen += min(p.True, 1) + min(p.False, 1)
		}
	}
	return seen, all
}

// Percent returns how many of 100 outcomes were seen; 100 where there are no outcomes.
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

// addSet adds the reminders of a set, so that they are counted even if no turn is run with them.
func (c *Coverage) addSet(set *compile.Set) {
	if c == nil {
		return
	}
	for i := range set.Len() {
		c.of(set, i)
	}
}

// of returns the entry of reminder i of a set, which it adds where there is none.
func (c *Coverage) of(set *compile.Set, i int) *Covered {
	r := set.Reminder(i)
	at := r.Place("trigger").Start
	file := r.File
	if abs, err := filepath.Abs(file); err == nil {
		file = abs // two tests may name the file relative to different directories
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
	out.add("trigger", r, set.Trigger(i))
	out.add("rearm", r, set.Rearm(i))
	c.Reminders = append(c.Reminders, out)
	return &c.Reminders[len(c.Reminders)-1]
}

// add adds the parts of a trigger or rearm, as of says.
func (r *Covered) add(of string, rm *compile.Source, p *trigger.Predicate) {
	if p == nil {
		return
	}
	each(p.Root(), p.Explain(p.Schema().NewFrame()), func(x grammar.Expr, p trigger.Part) {
		part := CoveredPart{Of: of, Text: p.Text}
		at := x.Span()
		if rm.Origin != nil {
			at = rm.Origin.Place(of, at)
		}
		part.Line, part.Column = at.Start.Line, at.Start.Column
		r.Parts = append(r.Parts, part)
	})
}

// each visits the parts that are counted, each before its own parts. The order is the same on every turn. A
// constant is none, "not" has the outcomes of its operand, and stopping is true whenever its trigger is read.
func each(n *condition.Node, p trigger.Part, visit func(grammar.Expr, trigger.Part)) {
	_, not := n.Expr.(*grammar.Not)
	switch {
	case n.Leaf != nil && (n.Leaf.Kind == condition.Constant || n.Leaf.Kind == condition.Stopping):
		return
	case !not:
		visit(n.Expr, p)
	}
	for i, k := range n.Kids {
		each(k, p.Parts[i], visit)
	}
}

// fired counts the firings of a turn.
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

// turn counts the truth of each part of the triggers that are read at a moment: on one turn, before a call or
// before the agent ends.
func (c *Coverage) turn(set *compile.Set, at fact.Moment, xs []eval.Explanation) {
	if c == nil {
		return
	}
	for _, x := range xs {
		i, ok := set.Index(x.ID)
		if !ok || set.Trigger(i).Moment() != at {
			continue
		}
		r := c.of(set, i)
		r.Turns++
		parts := r.Parts
		count := func(_ grammar.Expr, p trigger.Part) {
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
		each(set.Trigger(i).Root(), x.Trigger, count)
		if x.Rearm != nil {
			each(set.Rearm(i).Root(), *x.Rearm, count)
		}
	}
}
