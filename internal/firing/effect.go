package firing

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// expectation is a firing whose outcome is not settled.
type expectation struct {
	// Ignored or Open if it ended so on the turn of its entry; a further part of that turn may still heed it
	Ended   string `json:"ended,omitempty"`
	Firing  string `json:"firing"`             // Record.Firing
	HeldOut bool   `json:"held_out,omitempty"` // the text was not sent
	Known   bool   `json:"known,omitempty"`    // whether the expected trigger was known on a turn since
	Turn    int    `json:"turn"`               // of the firing
	Version string `json:"version"`            // Record.Version, of the firing
}

// maxOpen is how many expectations of a reminder a run remembers. An older one ends open.
const maxOpen = 64

// heldOut reports whether a run is held out of a reminder: whether its Fraction lies below the share.
func (in *Input) heldOut(r *reminder.Reminder) bool {
	switch {
	case r.Holdout <= 0:
		return false
	case r.Holdout >= 1 || in.Holdout == reminder.HoldoutHeld:
		return true
	case in.Holdout == reminder.HoldoutSent:
		return false
	}
	return Fraction(in.Run, r.ID) < r.Holdout
}

// Fraction is the place of a run among all runs, from 0 up to 1, in what is decided by shares of runs under
// one name: the first 53 bits of SHA-256 of (run, name), a zero byte between the two. A run that lies below a
// share lies below each larger one.
func Fraction(run, name string) float64 {
	sum := sha256.Sum256([]byte(run + "\x00" + name))
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}

// settleOutcomes ends the expectations of an entry that this turn decides, before its trigger is read.
// further says that an earlier part of this turn did so before.
func (st *stepState) settleOutcomes(i int, e *entry, further bool) {
	if len(e.open) == 0 {
		return
	}
	r, t := &st.rules.list[i], fact.Unknown
	if st.in.Expect != nil {
		t = st.in.Expect(i)
	}
	open, heeded := make([]expectation, 0, len(e.open)), false
	last := nameFiring(cmp.Or(st.in.Thread, st.in.Run), r.ID, e.fires)
	waits, unread := st.waits(r.ID), slices.Contains(st.rearmed, r.ID)
	for _, x := range e.open {
		switch its := x.Firing == last && x.Ended == ""; {
		case its && unread:
			st.record(r, &x, reminder.Record{Outcome: reminder.Unread})
			continue
		case its && waits: // it begins with the turn that carries the text
			x.Turn = st.next.turn
		}
		after := st.next.turn - x.Turn
		if after == 0 { // a further part of the turn of the firing
			open = append(open, x)
			continue
		}
		if x.Ended != "" && !further {
			continue
		}
		was := x.Ended
		x.Known = x.Known || t != fact.Unknown
		switch {
		case t == fact.True:
			heeded = true
			if was == reminder.Ignored {
				e.ignored--
			}
			st.outcome(r, &x, reminder.Heeded)
			continue
		case was != "":
		case st.in.Compacted == fact.True, st.in.CompactedBefore, after >= r.Within && !x.Known:
			x.Ended = reminder.Open
		case after >= r.Within:
			x.Ended = reminder.Ignored
			e.ignored++
		}
		if x.Ended != was {
			st.outcome(r, &x, x.Ended)
		}
		open = append(open, x)
	}
	if heeded && (r.MaxIgnored == 0 || e.ignored < r.MaxIgnored) {
		e.ignored = 0
	}
	e.open = open
}

// waits reports whether no turn has carried the text with which its trigger has fired a reminder.
func (st *stepState) waits(id string) bool {
	t := findText(st.next.texts, id)
	return t != nil && t.waiting && !t.Manual
}

// outcome adds the end of an expectation to the decision and to the record.
func (st *stepState) outcome(r *reminder.Reminder, x *expectation, end string) {
	after := st.next.turn - x.Turn
	st.decision.Outcomes = append(st.decision.Outcomes,
		reminder.Outcome{ID: r.ID, Outcome: end, After: after, HeldOut: x.HeldOut})
	st.record(r, x, reminder.Record{Outcome: end, Turns: after})
}

// record gives a record of a firing to the host.
func (st *stepState) record(r *reminder.Reminder, x *expectation, rec reminder.Record) {
	if st.in.Record != nil {
		st.in.Record(x.record(&st.in, r.ID, rec))
	}
}

// record completes a record of the firing of a reminder.
func (x *expectation) record(in *Input, id string, rec reminder.Record) reminder.Record {
	rec.Time, rec.Run, rec.ID = moment(in.At), nameRun(in.Run), id
	rec.Firing, rec.Version, rec.HeldOut = x.Firing, x.Version, x.HeldOut
	return rec
}

// End returns prev with no expectation that waits, each of them open, and the records of these. Of in, Run,
// Thread and At count.
func End(prev *Snapshot, in Input) (*Snapshot, []reminder.Record) {
	next, records := prev.at().shared(), []reminder.Record(nil)
	end := func(e *entry) *entry {
		if e.waiting() == 0 {
			return e
		}
		n := *e
		n.open = slices.Clone(e.open)
		for i := range n.open {
			if x := &n.open[i]; x.Ended == "" {
				x.Ended = reminder.Open
				records = append(records,
					x.record(&in, e.id, reminder.Record{Outcome: reminder.Open, Turns: next.turn - x.Turn}))
			}
		}
		return &n
	}
	next.changeEntries(end)
	return &Snapshot{&next, prev.Notes()}, records
}

// expect opens the expectation of a firing.
func (st *stepState) expect(c *candidate) {
	r, e := c.rule, c.entry
	if r.Expect == "" {
		return
	}
	told := *r
	if st.in.Shadow[r.ID] {
		told.Holdout = 1
	}
	x := expectation{Turn: st.next.turn, HeldOut: c.due.HeldOut, Version: nameText(&told),
		Firing: nameFiring(cmp.Or(st.in.Thread, st.in.Run), r.ID, e.fires)}
	if n := len(e.open) - 1; n >= 0 && e.open[n].Ended == "" && st.waits(r.ID) &&
		e.open[n].Firing == nameFiring(cmp.Or(st.in.Thread, st.in.Run), r.ID, e.fires-1) {
		st.record(r, &e.open[n], reminder.Record{Outcome: reminder.Unread})
		e.open = e.open[:n]
	}
	st.record(r, &x, reminder.Record{Outcome: reminder.Fired, Tokens: c.due.Tokens})
	e.open = append(slices.Clip(e.open), x)
	if len(e.open) > maxOpen {
		if e.open[0].Ended == "" {
			st.outcome(r, &e.open[0], reminder.Open)
		}
		e.open = e.open[1:]
	}
}
