package replay

import (
	"maps"
	"slices"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

// differ compares the firings by two sets of rules, before and after, turn by turn.
//
// A firing by only one of the sets is lost or gained. A lost firing and a gained one of the same reminder in the same run, with no firing
// by both sets in between, are a single firing that has moved. The later of their two turns reports it as moved; the earlier one was
// reported as lost or gained before that could be known.
type differ struct {
	total diffTotal
	byID  map[string]*diffReminder
	open  map[*transcript.Run]map[string]*unmatched // by run and id
}

// diffTotal sums up a comparison. Pairs are before and after.
type diffTotal struct {
	turns, runs, changed int // changed: turns with a difference
	fires, tokens        [2]int
	gained, lost, moved  int
	reworded             int
}

// diffReminder sums up a comparison for one reminder. Pairs are before and after.
type diffReminder struct {
	id                  string
	there               [2]bool // whether the set has this reminder
	fires, tokens       [2]int
	gained, lost, moved int
	reworded            int // firings on the same turn with another text
}

func (r *diffReminder) same() bool { return r.gained+r.lost+r.moved+r.reworded == 0 }

// unmatched are the lost or the gained firings of one reminder in one run since the last firing by both sets. There are never both:
// they would match.
type unmatched struct {
	lost  bool // else gained
	turns []int
}

// diffTurn holds the differences on one turn, each list in the order of the firings.
type diffTurn struct {
	gained, lost []reminder.Due
	moved        []move
	reworded     []reworded
}

func (d *diffTurn) any() bool { return len(d.gained)+len(d.lost)+len(d.moved)+len(d.reworded) > 0 }

// move is a firing that has moved to another turn. One of from and to is the turn that is reported.
type move struct {
	due      reminder.Due // of the turn that is reported
	from, to int
}

type reworded struct{ before, after reminder.Due }

func newDiffer(o *Options) *differ {
	d := &differ{byID: map[string]*diffReminder{}, open: map[*transcript.Run]map[string]*unmatched{}}
	for i, set := range [...]*compile.Set{o.Set, o.Against} {
		for _, id := range set.IDs() {
			if !o.wanted(id) {
				continue
			}
			if d.byID[id] == nil {
				d.byID[id] = &diffReminder{id: id}
			}
			d.byID[id].there[i] = true
		}
	}
	return d
}

// reminders returns byID in the order of the ids.
func (d *differ) reminders() (all []*diffReminder) {
	for _, id := range slices.Sorted(maps.Keys(d.byID)) {
		all = append(all, d.byID[id])
	}
	return all
}

// turn compares the two decisions on a turn.
func (d *differ) turn(s *Step) diffTurn {
	var out diffTurn
	d.total.turns++
	if s.First {
		d.total.runs++
	}
	before, after := s.Decision.Fired, s.Against.Fired
	for _, f := range before {
		d.count(0, f)
		if g := find(after, f.ID); g != nil {
			delete(d.open[s.Run], f.ID)
			if g.Text != f.Text {
				d.byID[f.ID].reworded++
				d.total.reworded++
				out.reworded = append(out.reworded, reworded{f, *g})
			}
			continue
		}
		if at, ok := d.match(s, f.ID, true); ok {
			out.moved = append(out.moved, move{f, s.Decision.Turn, at})
		} else {
			out.lost = append(out.lost, f)
		}
	}
	for _, g := range after {
		d.count(1, g)
		if find(before, g.ID) != nil {
			continue
		}
		if at, ok := d.match(s, g.ID, false); ok {
			out.moved = append(out.moved, move{g, at, s.Decision.Turn})
		} else {
			out.gained = append(out.gained, g)
		}
	}
	if out.any() {
		d.total.changed++
	}
	return out
}

func (d *differ) count(which int, f reminder.Due) {
	r := d.byID[f.ID]
	r.fires[which]++
	r.tokens[which] += f.Tokens
	d.total.fires[which]++
	d.total.tokens[which] += f.Tokens
}

func find(fired []reminder.Due, id string) *reminder.Due {
	if i := slices.IndexFunc(fired, func(f reminder.Due) bool { return f.ID == id }); i >= 0 {
		return &fired[i]
	}
	return nil
}

// match returns the turn of the earliest unmatched firing that makes a lost or gained firing on this turn one that has moved. Where there
// is none, ok is false, and this firing is unmatched from now on.
func (d *differ) match(s *Step, id string, lost bool) (turn int, ok bool) {
	run := d.open[s.Run]
	if run == nil {
		run = map[string]*unmatched{}
		d.open[s.Run] = run
	}
	r, u := d.byID[id], run[id]
	if u == nil || u.lost == lost {
		if u == nil {
			u = &unmatched{lost: lost}
			run[id] = u
		}
		u.turns = append(u.turns, s.Decision.Turn)
		if lost {
			r.lost++
			d.total.lost++
		} else {
			r.gained++
			d.total.gained++
		}
		return 0, false
	}
	turn = u.turns[0]
	if u.turns = u.turns[1:]; len(u.turns) == 0 {
		delete(run, id)
	}
	if u.lost {
		r.lost--
		d.total.lost--
	} else {
		r.gained--
		d.total.gained--
	}
	r.moved++
	d.total.moved++
	return turn, true
}
