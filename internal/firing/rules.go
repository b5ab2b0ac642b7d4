package firing

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
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

	patterns []fact.Pattern // those with a subject, which a run has to count

	// Identical says that a rule asks for identical calls, which a run counts then. It may be set before the
	// first Step.
	Identical bool

	// Digest names the rules in decisions; it is kept in snapshots. "" is no name. It may be set before the
	// first Step.
	Digest string
}

// NewRules returns the reminders of a set. Input.Judge and Input.Render name a reminder by its index in the
// list.
//
// The machine never evaluates Trigger, Rearm and Expect. Mode, Trigger and the fields of the effect together
// name the condition: after a reload a reminder keeps its state if they are the same, so Trigger and Expect
// should be the same for all spellings of a condition. A Rearm that is not empty says that the second list of
// Input.Judge arms the reminder, an Expect that Input.Expect is asked. Text stands in the digest of a Record
// alone. Predicate and Disabled play no part.
//
// NewRules replaces a value that makes no sense by the default: a negative span or count by zero, a tier or
// place that does not exist by the first one, Rearm of a While by none, and MaxFires of a Safety reminder,
// which must never fall silent, by no limit. Of several reminders with the same id only the first can fire.
// NewRules copies the list.
//
// patterns are the call patterns with a subject whose calls a run has to count, because a trigger may ask for
// them.
func NewRules(reminders []reminder.Reminder, patterns ...fact.Pattern) *Rules {
	rs := &Rules{list: slices.Clone(reminders), first: make(map[string]int, len(reminders)), patterns: patterns}
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
	if r.Mode == reminder.While {
		r.Rearm = ""
	}
	r.Within, r.MaxIgnored = max(r.Within, 0), max(r.MaxIgnored, 0)
	if r.Within == 0 {
		r.Within = reminder.DefaultWithin
	}
	if r.Expect == "" {
		r.Within, r.MaxIgnored = 0, 0
	}
	if r.Tier == reminder.Safety {
		r.MaxFires, r.MaxIgnored, r.Holdout = 0, 0, 0
	}
	if r.Keep.Unit > reminder.KeepConversation {
		r.Keep.Unit = reminder.KeepDefault
	}
	r.Keep = r.Keep.Or(r.Mode)
	if r.Keep.N = max(r.Keep.N, 1); r.Keep.Unit == reminder.KeepConversation {
		r.Keep.N = 0
	}
}

func notNegative(s reminder.Span) reminder.Span {
	return reminder.Span{Turns: max(s.Turns, 0), UserTurns: max(s.UserTurns, 0), Time: max(s.Time, 0)}
}

// Len returns the number of reminders.
func (rs *Rules) Len() int { return len(rs.list) }

// Reminder returns reminder i, with the defaults of NewRules filled in. It must not be modified.
func (rs *Rules) Reminder(i int) *reminder.Reminder { return &rs.list[i] }

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

// versionOf names the condition of a reminder by a hash of 96 bits: a trigger may be too long for a snapshot.
func versionOf(r *reminder.Reminder) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s\x00%t %s\x00%d %v %d", r.Mode, r.Trigger, r.Pause, r.Expect,
		r.Within, r.Holdout, r.MaxIgnored))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// entry is the memory that a run has of one reminder. Most reminders have none: without an entry a reminder
// is armed, has never fired, and its trigger was not true when it was last known. An entry is never modified
// once a snapshot holds it.
type entry struct {
	id      string
	version string // versionOf the reminder
	fires   int
	last    fact.Mark // of the last firing
	heldOut bool      // of the last firing, too
	// of the last firing on an earlier turn than that: LastFire returns it on the turn of a firing
	before fact.Mark

	// A turn may come in parts, each of which is decided on the state before the turn. So an entry that changed
	// on a turn has both: prior is before turn, after is behind it. On a later turn prior means nothing.
	turn         int
	prior, after arming

	open    []expectation // by turn
	ignored int           // ignored firings in a row
}

// arming is the part of an entry that says whether the reminder may fire. While the trigger stays true it
// stays the same.
type arming struct {
	disarmed bool      // the reminder fired, and was not armed again since
	gaps     fact.Gaps // while it is disarmed: where behind the turn its trigger is false
	from     int       // see row; 0 where the trigger was not true
	since    time.Time // the time of the first turn of the row
}

// row returns the number of turns in a row, up to that turn, on which the trigger was true, unknown ones
// aside.
func (a arming) row(turn int) int {
	if a.from == 0 {
		return 0
	}
	return turn - a.from + 1
}

// inRow is the inverse of row.
func (a arming) inRow(row, turn int) arming {
	if a.from = 0; row > 0 {
		a.from = turn - row + 1
	}
	return a
}

// aside is the turn to which rows of reminders that are gone count: they stand still while others go on.
const aside = -1

// moved returns an entry whose rows count to another turn.
func (e *entry) moved(from, to int) *entry {
	if e.after.from == 0 && e.prior.from == 0 {
		return e
	}
	n := *e
	n.after = e.after.inRow(e.after.row(from), to)
	n.prior = e.prior.inRow(e.prior.row(from-1), to-1)
	return &n
}

// seen returns the entry of a reminder that has seen a part of a turn, though it changed nothing.
func (e *entry) seen(turn int) *entry {
	if e.turn == turn {
		return e
	}
	n := *e
	n.turn, n.prior = turn, e.after
	return &n
}

// back returns the entry of a reminder that is loaded again, after it was away, for a turn of which it has
// seen no part. Further parts of the turn begin with the state in which the reminder left.
func (e *entry) back(turn int) *entry {
	n := *e
	n.turn, n.prior = turn, e.after.inRow(e.after.row(turn), turn-1)
	n.open = slices.DeleteFunc(slices.Clone(e.open), func(x expectation) bool { return x.Ended != "" })
	return &n
}

// blank reports whether the reminder is as if it had no entry.
func (e *entry) blank() bool {
	return e.after == arming{} && e.fires == 0 && e.prior == arming{} && len(e.open) == 0 && e.ignored == 0
}

// waiting returns the number of expectations that have not ended.
func (e *entry) waiting() (n int) {
	for _, x := range e.open {
		if x.Ended == "" {
			n++
		}
	}
	return n
}

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

// entry returns the entry of the reminder with that id, or nil, also if the reminder is gone.
func (s *past) entry(id string) *entry {
	if e := find(s.entries, id); e != nil {
		return e
	}
	if i := slices.IndexFunc(s.gone, func(e *entry) bool { return e.id == id }); i >= 0 {
		return s.gone[i].moved(aside, s.turn)
	}
	return nil
}

// speakLate counts the firings of earlier parts of this turn to the user turn that a later part has begun: a
// turn is in one user turn.
func (s *past) speakLate() {
	late := func(e *entry) *entry {
		if e.fires == 0 || e.last.Turn != s.turn {
			return e
		}
		l := *e
		l.last.UserTurn, l.last.UserTurnOK = s.userTurns, true
		return &l
	}
	s.changeEntries(late)
	s.texts = slices.Clone(s.texts)
	for i := range s.texts {
		if s.texts[i].turn == s.turn {
			s.texts[i].userTurn = s.userTurns
		}
	}
}

// changeEntries puts the results of change in place of all entries.
func (s *past) changeEntries(change func(*entry) *entry) {
	s.own()
	s.entries, s.gone = slices.Clone(s.entries), slices.Clone(s.gone)
	for i := range s.entries {
		s.entries[i].entry = change(s.entries[i].entry)
	}
	for i, e := range s.gone {
		s.gone[i] = change(e)
	}
}

// maxGone is how many reminders that are gone from the rules a run remembers: one that comes back goes on
// where it was.
const maxGone = 4096

// adopt brings the entries to the rules: the entry of a reminder that is gone is set aside, that of one that
// came back is taken up, and one whose version changed keeps only its counters. It costs one look-up for each
// entry, and nothing if rs are the rules of the previous step.
func (s *past) adopt(rs *Rules) {
	if s.rules == rs {
		return
	}
	s.own()
	s.watch(rs)
	s.rules = rs
	if len(s.entries) == 0 && len(s.gone) == 0 {
		return // a text of a reminder asked for by hand alone waits for its end
	}
	pos := make([]int, len(rs.list)) // of each reminder in the order of ids
	for p := range rs.list {
		pos[rs.at(p)] = p
	}
	var here []slot
	var gone []*entry
	take := func(e *entry, turn int) {
		i, ok := rs.first[e.id]
		if !ok {
			if turn != aside {
				e = e.seen(turn)
			}
			gone = append(gone, e.moved(turn, aside))
			return
		}
		if e = e.moved(turn, s.turn); turn == aside && e.turn != s.turn {
			e = e.back(s.turn)
		}
		if v := versionOf(&rs.list[i]); v != e.version {
			e = &entry{id: e.id, version: v, fires: e.fires, last: e.last, heldOut: e.heldOut,
				before: e.before}
			if e.blank() {
				return
			}
		}
		here = append(here, slot{e, pos[i]})
	}
	for _, e := range s.gone {
		take(e, aside)
	}
	for _, sl := range s.entries {
		take(sl.entry, s.turn)
	}
	slices.SortFunc(here, func(a, b slot) int { return cmp.Compare(a.id, b.id) })
	s.entries, s.gone = here, gone[max(len(gone)-maxGone, 0):]
	s.dropGoneTexts(rs)
}

// maxGoneTexts is how many texts of reminders that are gone a run keeps.
const maxGoneTexts = 32

func (s *past) dropGoneTexts(rs *Rules) {
	var turns []int
	isGone := func(t text) bool { _, here := rs.first[t.ID]; return !here }
	for _, t := range s.texts {
		if isGone(t) {
			turns = append(turns, t.turn)
		}
	}
	if len(turns) <= maxGoneTexts {
		return
	}
	slices.Sort(turns)
	oldest := turns[len(turns)-maxGoneTexts]
	s.texts = slices.DeleteFunc(slices.Clone(s.texts), func(t text) bool { return isGone(t) && t.turn < oldest })
}

// Reload returns prev as it stands under rs: with the reminders armed whose version changed. Step does the
// same by itself, so a host needs Reload only if the rules change more than once between two turns: the run
// then sees each change of a trigger. A nil prev stays nil.
func Reload(prev *Snapshot, rs *Rules) *Snapshot {
	if prev == nil {
		return nil
	}
	next := prev.at().shared()
	next.adopt(rs)
	return &Snapshot{&next, prev.kept}
}
