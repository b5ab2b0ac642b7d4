package state

import (
	"cmp"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// entry is what a run remembers of one rule. Most rules have none: a rule without an entry is armed, has never fired, and
// its trigger was not true when it was last known. An entry is never modified once a snapshot holds it.
type entry struct {
	id       string
	version  string // digest of Rule.Version
	disarmed bool   // it fired, and was not armed again since
	fires    int
	last     fact.Mark // of the last firing; Turn 0 is never
	before   fact.Mark // of the firing before that: on the turn of a firing, LastFire still tells this one
	since    int       // turn from which on the trigger has been true; 0 if it is not true
	sinceAt  time.Time // of turn since
}

// blank reports whether e says the same as no entry at all.
func (e *entry) blank() bool { return !e.disarmed && e.fires == 0 && e.since == 0 }

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

// entriesUnder returns the entries as they stand under rules: without those of rules that are gone, and with nothing but the
// counters of those whose version changed. It costs one map look-up for each entry, and nothing if rules are the ones of the
// previous step.
func (s *past) entriesUnder(rules *Rules) []slot {
	if s.rules == rules || len(s.entries) == 0 {
		return s.entries
	}
	var pos []int // the position of each rule in the order of ids; nil if that is its index
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

// Reload returns prev as it stands under rules: without what it remembers of rules that are gone, and with the rules armed
// whose version changed. Step does the same by itself, so a host needs Reload only where rules change more than once between
// two turns: a rule that is gone with one reload and back with the next then starts anew. A nil prev stays nil.
func Reload(prev *Snapshot, rules *Rules) *Snapshot {
	if prev == nil {
		return nil
	}
	next := *prev.at()
	next.entries, next.rules = next.entriesUnder(rules), rules
	return &Snapshot{&next, prev.notes}
}
