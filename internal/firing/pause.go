package firing

import (
	"slices"
	"strings"
	"time"
)

// pause is that a reminder has held back a call for a part of it, of which no more than a hash is kept. In a
// later answer of the model the part goes through, since the reason was said; in the user turn after it, too,
// since the person's message is consent.
type pause struct {
	At   int64  `json:"at,omitempty"` // in milliseconds since 1970; 0 where the host has no clock
	Key  uint64 `json:"key"`          // of the reminder and the part
	Rule uint64 `json:"rule"`         // of the reminder
	Turn int    `json:"turn"`         // whose answer made the call
	User int    `json:"user"`         // the user turn, counted
}

const (
	// maxPauses is from how many parts on a reminder holds back nothing more in a user turn.
	maxPauses = 2
	// oneAnswer is within which time calls without a turn between them are of one answer. A model takes
	// longer to try again, and some hosts tell of no turn then.
	oneAnswer = 2 * time.Second
)

// asks returns the pauses that reminder i would add for the call: none where all that it asks about was said.
// again says that a call of the same answer was held back for a part of this one.
func (st *stepState) asks(i int) (fresh []pause, again bool) {
	r, c, s := &st.rules.list[i], st.in.Call, st.next
	parts := []string{strings.Join(append([]string{c.Tool, c.Command, c.Subject}, c.Paths...), "\x00")}
	if st.in.Pauses != nil {
		parts = st.in.Pauses(i)
	}
	made := pause{Rule: hashKey(r.ID), Turn: s.turn, User: s.userTurns}
	if st.in.More && s.turn > 0 {
		made.Turn--
	}
	if !st.in.At.IsZero() {
		made.At = st.in.At.UnixMilli()
	}
	held := 0
	for _, p := range s.pauses {
		if p.Rule == made.Rule && p.User == made.User {
			held++
		}
	}
	for _, part := range parts {
		made.Key = hashKey(r.ID + "\x00" + part)
		k := slices.IndexFunc(s.pauses, func(p pause) bool { return p.Key == made.Key })
		switch {
		case k < 0:
			fresh = append(fresh, made)
		case s.pauses[k].Turn == made.Turn && near(s.pauses[k].At, made.At):
			again = true
		}
	}
	if held >= maxPauses {
		fresh = nil
	}
	return fresh, again
}

// near reports whether two moments are of one answer. Hooks that run at once may save in another order than
// they began, and a clock that is set back ends the answer.
func near(a, b int64) bool { return max(a-b, b-a) <= oneAnswer.Milliseconds() }

// forgetPauses forgets the pauses that no longer count when a user turn begins.
func (s *past) forgetPauses() {
	over := func(p pause) bool { return p.User < s.userTurns-1 }
	if slices.ContainsFunc(s.pauses, over) {
		s.own()
		s.pauses = slices.DeleteFunc(slices.Clone(s.pauses), over)
	}
}
