package suggest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent/session"
)

// usage is a replay.View that counts how often each of testCommands ran.
type usage struct {
	replay.Ignored
	runs []int
}

// usageSet has a reminder for each of testCommands, whose id ends with its place.
func usageSet() *compile.Set {
	var rs []reminder.Reminder
	for i, c := range testCommands {
		rs = append(rs, reminder.Reminder{ID: fmt.Sprintf("t%03d", i), Mode: reminder.While, Text: "x",
			Trigger: "after_tool:@shell(" + c + "*)"})
	}
	return must(compile.New(rs, compile.Options{}))
}

func (u *usage) Turn(s *replay.Step) {
	for _, f := range s.Decision.Fired {
		var i int
		_, _ = fmt.Sscanf(f.ID, "t%d", &i) // the ids are those of usageSet
		u.runs[i]++
	}
}

// Candidates are measured with two reminders each: the candidate itself, and one with the suffix lasting,
// whose expectation lasts until it is heeded.
const (
	lasting = ".lasting"
	forever = 1 << 30 // turns
	// the id of a reminder that never fires, and has the replay tell the paths of calls
	paths = "paths"
)

// set returns the reminders that measure candidates.
func set(all []*candidate) *compile.Set {
	rs := []compile.Source{{Reminder: reminder.Reminder{ID: paths, Trigger: `len(path) > 1000000`, Text: "x"}}}
	for _, c := range all {
		long := c.source
		long.ID, long.Within = c.id+lasting, forever
		rs = append(rs, c.source, long)
	}
	return must(compile.FromFiles(rs, compile.Options{}))
}

func must[D any](set *compile.Set, ds []D) *compile.Set {
	if len(ds) > 0 {
		panic(fmt.Sprint(ds)) // the patterns are part of the program, as TestProposals checks
	}
	return set
}

// near is within how many turns of each other two firings are about the same thing.
const near = 2

// found is what sessions say of a candidate.
type found struct {
	*candidate
	fires int
	lost  map[string]int // by session in which it would have fired: turns until its expectation came true
	also  map[string]int // how many firings a reminder of the person's own came beside or shortly before
}

// measure is a replay.View that measures candidates.
type measure struct {
	replay.Ignored
	all      []*candidate
	found    map[string]*found // by id
	sessions map[string]bool
	turns    int
	own      map[string]int // how often each reminder of the person's own fires
	open     map[int]*run   // by number
}

// run is a run that goes on.
type run struct {
	session string
	pending map[string]int // expectations that last, by candidate
	latest  map[string]int // the turn of the latest firing, by reminder of the person's own
	read    map[string]bool
	before  map[string]bool // the files that were read before the latest compaction; nil: there was none
}

func newMeasure(all []*candidate) *measure {
	m := &measure{all: all, found: map[string]*found{}, sessions: map[string]bool{}, own: map[string]int{},
		open: map[int]*run{}}
	for _, c := range all {
		m.found[c.id] = &found{candidate: c, lost: map[string]int{}, also: map[string]int{}}
	}
	return m
}

// Turn implements replay.View.
func (m *measure) Turn(s *replay.Step) {
	r := m.open[s.RunN]
	if r == nil {
		r = &run{session.RootOf(s.Run.ID), map[string]int{}, map[string]int{}, map[string]bool{}, nil}
		m.open[s.RunN] = r
		m.sessions[r.session] = true
	}
	if s.Moment == fact.Turn {
		m.turns++
		for _, o := range s.Decision.Outcomes {
			if id, is := strings.CutSuffix(o.ID, lasting); is && o.Outcome != reminder.Ignored && r.pending[id] > 0 {
				r.pending[id]--
			}
		}
		again := r.readsAgain(s)
		for _, c := range m.all {
			if at := m.found[c.id]; !at.reading && r.pending[c.id] > 0 || at.reading && again {
				at.lost[r.session]++
			}
		}
	}
	turn := s.Decision.Turn
	if s.Against != nil {
		for _, f := range s.Against.Fired {
			m.own[f.ID]++
			r.latest[f.ID] = turn
		}
	}
	for _, f := range s.Decision.Fired {
		id, is := strings.CutSuffix(f.ID, lasting)
		if !is { // the one with lasting fires beside it
			continue
		}
		r.pending[id]++
		at := m.found[id]
		at.fires++
		if !at.reading {
			at.lost[r.session] += 0 // it is there from now on
		}
		for own, latest := range r.latest {
			if turn-latest <= near {
				at.also[own]++
			}
		}
	}
}

// readsAgain reports whether the previous turn read a file that was read before the latest compaction, and
// changed none.
func (r *run) readsAgain(s *replay.Step) bool {
	again, edits := false, false
	for i := range s.Calls {
		switch c := &s.Calls[i].Told; c.Class {
		case fact.Edit:
			edits = true
		case fact.Read:
			for _, p := range c.Paths {
				again = again || r.before[p]
				r.read[p] = true
			}
		}
	}
	if s.Compacted { // the calls were before it
		r.before = maps.Clone(r.read)
	}
	return again && !edits
}

// RunOver implements replay.View.
func (m *measure) RunOver(rest *replay.Rest) { delete(m.open, rest.RunN) }

// covers returns the reminder of the person's own that speaks where a candidate would for at least half of
// its firings, and is not so busy that this says nothing; "" for none.
func (m *measure) covers(id string) string {
	at := m.found[id]
	for _, own := range slices.Sorted(maps.Keys(at.also)) {
		if 2*at.also[own] >= at.fires && m.own[own] <= 4*at.fires {
			return own
		}
	}
	return ""
}
