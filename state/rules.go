package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Rules are the reminders of a set, made ready for Step. They are immutable and may be used concurrently.
//
// Use the same *Rules for every step: with others, even equal ones, a step has to look up each reminder of
// which the run remembers something.
type Rules struct {
	list  []reminder.Reminder
	first map[string]int // the index of the first reminder with that id
	byID  []int          // indices in the byte order of ids; nil if the list is in that order
	twice []bool         // by index, whether an earlier reminder has the same id; nil if none has
}

// NewRules returns the reminders of a set. Input.Judge and Input.Render name a reminder by its index in the
// list.
//
// The machine never evaluates Trigger and Rearm. Mode and Trigger together name the condition: after a reload
// a reminder keeps its state if both are the same, so Trigger should be in canonical form. A Rearm that is
// not empty says that the second list of Input.Judge arms the reminder. Predicate, Disabled and Text play no
// part.
//
// NewRules replaces a value that makes no sense by the default: a negative span or count by zero, a tier or
// place that does not exist by the first one, Rearm of a While by none, and MaxFires of a Safety reminder,
// which must never fall silent, by no limit. Of several reminders with the same id only the first can fire.
// NewRules copies the list.
func NewRules(reminders []reminder.Reminder) *Rules {
	rs := &Rules{list: slices.Clone(reminders), first: make(map[string]int, len(reminders))}
	for i := range rs.list {
		settle(&rs.list[i])
		if _, ok := rs.first[rs.list[i].ID]; !ok {
			rs.first[rs.list[i].ID] = i
			continue
		}
		if rs.twice == nil {
			rs.twice = make([]bool, len(reminders))
		}
		rs.twice[i] = true
	}
	byID := func(a, b int) int { return cmp.Compare(rs.list[a].ID, rs.list[b].ID) }
	order := make([]int, len(reminders))
	for i := range order {
		order[i] = i
	}
	if !slices.IsSortedFunc(order, byID) {
		slices.SortStableFunc(order, byID)
		rs.byID = order
	}
	return rs
}

// settle replaces missing values and values that make no sense by defaults, as NewRules says.
func settle(r *reminder.Reminder) {
	r.For, r.Cooldown = notNegative(r.For), notNegative(r.Cooldown)
	r.MaxFires = max(r.MaxFires, 0)
	if r.Tier > reminder.Safety {
		r.Tier = reminder.Guidance
	}
	if r.Attach > reminder.RunStart {
		r.Attach = reminder.Tail
	}
	if r.Tier == reminder.Safety {
		r.MaxFires = 0
	}
	if r.Mode == reminder.While {
		r.Rearm = ""
	}
	switch r.Keep.Unit {
	case reminder.KeepCall, reminder.KeepTurn, reminder.KeepConversation:
		r.Keep.Turns = 0
	case reminder.KeepTurns:
		r.Keep.Turns = max(r.Keep.Turns, 1)
	default:
		r.Keep = reminder.Keep{Unit: reminder.KeepTurn}
		if r.Mode == reminder.While {
			r.Keep.Unit = reminder.KeepCall
		}
	}
}

func notNegative(s reminder.Span) reminder.Span {
	return reminder.Span{Turns: max(s.Turns, 0), Time: max(s.Time, 0)}
}

// Len returns the number of reminders.
func (rs *Rules) Len() int { return len(rs.list) }

// Reminder returns reminder i, with the defaults of NewRules filled in. It must not be modified.
func (rs *Rules) Reminder(i int) *reminder.Reminder { return &rs.list[i] }

// Index returns the index of the reminder with that id, and whether there is one.
func (rs *Rules) Index(id string) (int, bool) {
	i, ok := rs.first[id]
	return i, ok
}

// at returns the index of the reminder at a position in the order of ids.
func (rs *Rules) at(pos int) int {
	if rs.byID == nil {
		return pos
	}
	return rs.byID[pos]
}

// truth returns the truth of reminder i in ts; Unknown if ts ends before it, or if an earlier reminder has
// its id.
func (rs *Rules) truth(ts []fact.Truth, i int) fact.Truth {
	if i >= len(ts) || rs.twice != nil && rs.twice[i] {
		return fact.Unknown
	}
	return ts[i]
}

// versionOf names the mode and the trigger of a reminder by a hash of 96 bits: a trigger may be too long for
// a snapshot.
func versionOf(r *reminder.Reminder) string {
	sum := sha256.Sum256([]byte(r.Mode.String() + " " + r.Trigger))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// entry is the memory that a run has of one reminder. Most reminders have none: without an entry a reminder
// is armed, has never fired, and its trigger was not true when it was last known. An entry is never modified
// once a snapshot holds it.
type entry struct {
	id       string
	version  string // versionOf the reminder
	disarmed bool   // the reminder fired, and was not armed again since
	fires    int
	last     fact.Mark // of the last firing; Turn 0 is never
	before   fact.Mark // of the firing before the last: on the turn of a firing, LastFire still returns this one
	since    int       // turn from which on the trigger has been true; 0 if it is not true
	sinceAt  time.Time // the time of turn since
}

// blank reports whether the reminder is as if it had no entry.
func (e *entry) blank() bool { return !e.disarmed && e.fires == 0 && e.since == 0 }

// slot is an entry with the position of its reminder in the id order of the snapshot's rules.
type slot struct {
	*entry
	pos int
}

// find returns the entry of the reminder with that id, or nil.
func find(slots []slot, id string) *entry {
	i, ok := slices.BinarySearchFunc(slots, id, func(s slot, id string) int { return cmp.Compare(s.id, id) })
	if !ok {
		return nil
	}
	return slots[i].entry
}

// entriesUnder returns the entries as they stand under rs: the entry of a reminder that is gone is left out,
// and one whose version changed keeps only its counters. The cost is one map look-up for each entry, and
// nothing if rs are the rules of the previous step.
func (s *past) entriesUnder(rs *Rules) []slot {
	if s.rules == rs || len(s.entries) == 0 {
		return s.entries
	}
	var pos []int // the position of each reminder in the order of ids; nil if that is its index
	if rs.byID != nil {
		pos = make([]int, len(rs.byID))
		for p, i := range rs.byID {
			pos[i] = p
		}
	}
	out := make([]slot, 0, len(s.entries))
	for _, sl := range s.entries {
		i, ok := rs.first[sl.id]
		if !ok {
			continue
		}
		if v := versionOf(&rs.list[i]); v != sl.version {
			e := *sl.entry
			e.version, e.disarmed, e.since, e.sinceAt = v, false, 0, time.Time{}
			if e.blank() {
				continue
			}
			sl.entry = &e
		}
		sl.pos = i
		if pos != nil {
			sl.pos = pos[i]
		}
		out = append(out, sl)
	}
	return out
}

// Reload returns prev as it stands under rs: without the memory of reminders that are gone, and with the
// reminders armed whose version changed. Step does the same by itself, so a host needs Reload only if the
// rules change more than once between two turns: a reminder that is gone with one reload and back with the
// next then starts anew. A nil prev stays nil.
func Reload(prev *Snapshot, rs *Rules) *Snapshot {
	if prev == nil {
		return nil
	}
	next := *prev.at()
	next.entries, next.rules = next.entriesUnder(rs), rs
	return &Snapshot{&next, prev.kept}
}
