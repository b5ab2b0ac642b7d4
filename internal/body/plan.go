package body

import (
	"slices"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/mark"
)

// group is the texts that go to one target.
type group struct {
	Target
	texts []string // wrapped
	ids   []string // of the reminders, one for each text
}

// add adds a wrapped text; "" says nothing and is left out.
func (g *group) add(text, id string) {
	if text != "" {
		g.texts, g.ids = append(g.texts, text), append(g.ids, id)
	}
}

// tail returns the message to which texts at the end of the request belong, -1 if there is none: one of the
// host's only where all are.
func (dr *Draft) tail() int {
	i := dr.last
	for i >= 0 && (dr.ourMessages[i] || dr.Messages[i].Class == System) {
		i--
	}
	if i < 0 && dr.Format.OwnMessages {
		return dr.last
	}
	return i
}

// divide returns the due texts for the beginning of a run, for the last message that a person submitted, and
// for the message at the end. One for the beginning goes to the end unless the beginning is open.
func (dr *Draft) divide(open bool, due []reminder.Due) (start, turn, tail group) {
	last := dr.tail()
	// a text that is gone from the next request goes behind everything that is cached
	byTurn := dr.opts.Delivery != Tail && dr.opts.Place != InSystem && dr.turn >= 0 && dr.turn != last
	for _, d := range due {
		switch {
		case d.Attach == reminder.RunStart && open:
			start.add(dr.Wrap.Wrap(d.Text), d.ID)
		case d.Attach == reminder.UserTurn && byTurn:
			turn.add(dr.Wrap.Wrap(d.Text), d.ID)
		default:
			tail.add(dr.Wrap.Wrap(d.Text), d.ID)
		}
	}
	return start, turn, tail
}

// plan appends the due texts to groups, by target, and notes in report those that cannot go anywhere.
func (dr *Draft) plan(groups []group, open bool, due []reminder.Due, report *Report) []group {
	start, turn, tail := dr.divide(open, due)
	if len(start.texts) > 0 {
		why := whyAnswered
		if !dr.isBound(-1) {
			start.Target, why = dr.promptTarget()
		}
		groups = start.settle(groups, why, report)
	}
	groups = dr.assign(groups, turn, dr.turn, report)
	groups = dr.assign(groups, tail, dr.tail(), report)
	if slices.ContainsFunc(groups, func(g group) bool { return g.lapses }) {
		report.Beta = dr.Takes.ClearAt
	}
	return groups
}

// assign appends group g, whose texts belong to message i, with its target.
func (dr *Draft) assign(groups []group, g group, i int, report *Report) []group {
	if len(g.texts) == 0 {
		return groups
	}
	var hold string
	if g.Target, hold = dr.target(i); hold == "" {
		report.Delivery = dr.delivery(&g.Target)
	}
	return g.settle(groups, hold, report)
}

// settle appends g to groups, or notes in report that it is held, if hold says why.
func (g group) settle(groups []group, hold string, report *Report) []group {
	if hold != "" {
		report.Held = append(report.Held, Held{len(g.texts), hold})
		return groups
	}
	return append(groups, g)
}

// Inject returns the body, and the changes that put due in and neutralise forged tags; no changes where
// nothing is put. Texts of ours that stand already where texts go are removed first, and the body is read
// again: the changes are for the body that is returned.
func (d *Body) Inject(due []reminder.Due, opts Options, report *Report) (*Body, Splices, error) {
	w := mark.New(opts.Options).Only(due)
	dr := d.draft(w, opts, report)
	dr.look(false)
	groups := dr.plan(nil, true, due, report)
	if len(groups) == 0 { // all is held: nothing is touched
		return d, nil, nil
	}
	if s := dr.removeStanding(due); len(s) > 0 {
		again, err := Read(d.Format, s.Apply(d.Bytes))
		if err != nil {
			return nil, nil, err
		}
		*report = Report{}
		dr = again.draft(w, opts, report)
		dr.look(false)
		groups = dr.plan(nil, true, due, report)
	}
	var s Splices
	dr.neutraliseTexts(&s)
	dr.insert(&s, groups)
	return dr.Body, s, nil
}

// Strip returns the changes that remove everything that is ours.
func (d *Body) Strip(opts Options) Splices {
	dr := d.draft(mark.New(opts.Options), opts, new(Report))
	dr.look(opts.Mark == "")
	return dr.removeAll()
}

// Neutralise returns the changes that make forged tags harmless.
func (d *Body) Neutralise(opts Options) (s Splices) {
	d.draft(mark.New(opts.Options).Only(nil), opts, new(Report)).neutraliseTexts(&s)
	return s
}
