package state

import (
	"cmp"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// entry is what a run remembers of one rule. A rule without one is armed, never fired, and was not true on the last turn
// on which it was known. Entries are never written to once a snapshot holds them.
type entry struct {
	id       string
	version  string // digest
	spentArm bool   // fired on this edge: not armed
	fires    int
	last     fact.Mark // of the last firing; Turn 0 is never
	before   fact.Mark // of the firing before that, for whoever asks about the turn of the last
	since    int       // turn on which the trigger became true; 0 is not true
	sinceAt  time.Time
}

// blank reports whether e says nothing that its absence would not say.
func (e *entry) blank() bool { return !e.spentArm && e.fires == 0 && e.since == 0 }

// slot is an entry and where its rule stands in the id order of the snapshot's rules.
type slot struct {
	*entry
	pos int
}

// find returns the entry of the rule with that id, or nil.
func find(slots []slot, id string) *entry {
	i, ok := slices.BinarySearchFunc(slots, id, func(s slot, id string) int { return cmp.Compare(s.id, id) })
	if !ok {
		return nil
	}
	return slots[i].entry
}

// join returns the entries as they stand under rules: those of rules that are gone are gone, and those of rules whose
// version changed keep their counters only. It costs a map look-up an entry, and nothing when rules are those of the
// previous step.
func (s *past) join(rules *Rules) []slot {
	if s.rules == rules || len(s.entries) == 0 {
		return s.entries
	}
	var pos []int // of a rule index, where that is not the position itself
	if rules.byID != nil {
		pos = make([]int, len(rules.byID))
		for p, i := range rules.byID {
			pos[i] = p
		}
	}
	out := make([]slot, 0, len(s.entries))
	for _, sl := range s.entries {
		i, ok := rules.index[sl.id]
		if !ok {
			continue
		}
		if v := digest(rules.rules[i].Version); v != sl.version {
			e := *sl.entry
			e.version, e.spentArm, e.since, e.sinceAt = v, false, 0, time.Time{}
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

// Reload returns a run's state as it stands under rules, before any turn was taken under them: a rule that is gone with one
// reload and comes back with the next starts anew, though no turn lies between. A nil prev stays nil.
func Reload(prev *Snapshot, rules *Rules) *Snapshot {
	if prev == nil {
		return nil
	}
	next := *prev.at()
	next.entries, next.rules = next.join(rules), rules
	return &Snapshot{&next, prev.notes}
}
