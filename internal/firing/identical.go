package firing

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

// Where a rule asks for identical calls, a run remembers which calls were made in this user turn, and how
// often: each by a hash that differs from run to run. Nothing else of them is kept.

// identicalCalls are the calls of a user turn. It is never changed, but replaced.
type identicalCalls struct {
	list   []identical // the one that was made last stands last
	unsure bool        // of some call of the user turn nothing was told that tells it from others
	told   bool        // the turn told its calls
	// of those, how often the one was made in the user turn that was made most often; -1 where that is not known
	now int
}

// identical counts one call.
type identical struct {
	hash uint64
	n    int // in this user turn
	turn int // of the last one
	now  int // of n, those on that turn
}

// maxIdentical is how many different calls of a user turn are told apart. Past it the one that has not come
// for the longest time is forgotten.
const maxIdentical = 512

// hashCall returns the hash of a call: of the tool and its input, or else of what is told of that. ok is
// false where nothing is.
func (s *past) hashCall(c *fact.Call) (hash uint64, ok bool) {
	said := []string{strconv.FormatInt(s.first.UnixMilli(), 36), c.Tool}
	switch {
	case c.Input != "":
		said = append(said, cmp.Or(jsonscan.Compact([]byte(c.Input)), c.Input))
	case c.Told:
		said = slices.Concat(said, []string{c.Command, c.Subject, strconv.Itoa(len(c.Paths))}, c.Paths, c.Written)
	default:
		return 0, false
	}
	sum := sha256.Sum256([]byte(strings.Join(said, "\x00")))
	return binary.BigEndian.Uint64(sum[:]) >> 16, true
}

// watchIdentical begins or ends the counting, as the rules ask for it, and takes a new turn. How often the
// calls of earlier turns of the user turn were made is not known then.
func (s *past) watchIdentical(rs *Rules, begins bool) {
	old := s.identical
	switch {
	case !rs.Identical && old == nil:
		return
	case !rs.Identical:
		s.own()
		s.identical = nil
		return
	case old == nil:
		old = &identicalCalls{unsure: s.turn > 0, told: true, now: -1} // of earlier parts nothing is known
	case !begins:
		return
	}
	next := *old
	if begins {
		next.unsure = s.unsureOfCalls(old)
		next.told, next.now = false, 0
	}
	s.own()
	s.identical = &next
}

// unsureOfCalls reports whether something is not known of the calls of the user turn, the latest turn among
// its turns.
func (s *past) unsureOfCalls(c *identicalCalls) bool {
	return c == nil || c.unsure || !c.told && !s.spoke && s.turn > 1 // the turn that begins one has no calls
}

// speakIdentical begins a user turn: the calls of this turn alone belong to it.
func (s *past) speakIdentical() {
	if s.identical == nil {
		return
	}
	next, most := *s.identical, 0
	next.list, next.unsure = nil, next.now < 0
	for _, c := range s.identical.list {
		if c.turn == s.turn {
			c.n = c.now
			next.list, most = append(next.list, c), max(most, c.n)
		}
	}
	next.now = min(next.now, most)
	s.own()
	s.identical = &next
}

// countIdentical counts a batch of calls.
func (s *past) countIdentical(in *Input) {
	if s.identical == nil {
		return
	}
	next := *s.identical
	next.told, next.list = true, slices.Clone(next.list)
	for k := range in.Calls {
		hash, ok := s.hashCall(&in.Calls[k])
		if !ok || !in.CallsTold {
			next.unsure, next.now = true, -1
			continue
		}
		c := identical{hash: hash}
		if i := slices.IndexFunc(next.list, func(c identical) bool { return c.hash == hash }); i >= 0 {
			c = next.list[i]
			next.list = slices.Delete(next.list, i, i+1)
		} else if len(next.list) == maxIdentical {
			next.list = slices.Delete(next.list, 0, 1)
		}
		if c.turn != s.turn {
			c.turn, c.now = s.turn, 0
		}
		c.n, c.now = c.n+1, c.now+1
		next.list = append(next.list, c)
		if next.now >= 0 {
			next.now = max(next.now, c.n)
		}
	}
	s.own()
	s.identical = &next
}

// Identical returns how often the call was made in this user turn that, of those just made, was made most
// often; 0 if none was. ok is false if that is not known.
func (r *Run) Identical() (n int, ok bool) {
	c := r.at().identical
	if c == nil || !c.told || c.now < 0 || c.unsure {
		return 0, false
	}
	return c.now, true
}

// IdenticalTo is Identical of calls that are told at another moment than a turn, themselves included.
func (r *Run) IdenticalTo(calls ...fact.Call) (n int, ok bool) {
	c := r.at().identical
	if r.at().unsureOfCalls(c) {
		return 0, false
	}
	list := slices.Clone(c.list)
	for k := range calls {
		hash, ok := r.at().hashCall(&calls[k])
		if !ok {
			return 0, false
		}
		i := slices.IndexFunc(list, func(made identical) bool { return made.hash == hash })
		if i < 0 {
			i, list = len(list), append(list, identical{hash: hash})
		}
		list[i].n++
		n = max(n, list[i].n)
	}
	return n, true
}

// MostIdentical is Identical of all calls of the user turn.
func (r *Run) MostIdentical() (n int, ok bool) {
	c := r.at().identical
	if r.at().unsureOfCalls(c) {
		return 0, false
	}
	for _, made := range c.list {
		n = max(n, made.n)
	}
	return n, true
}

// wireIdentical are identicalCalls.
type wireIdentical struct {
	Counts []int      `json:"counts,omitempty"` // for each hash n, turn and now of identical
	Hashes wireHashes `json:"hashes,omitempty"`
	Now    *int       `json:"now,omitempty"` // absent: not known
	Told   bool       `json:"told,omitempty"`
	Unsure bool       `json:"unsure,omitempty"`
}

func wireOfIdentical(c *identicalCalls) *wireIdentical {
	if c == nil {
		return nil
	}
	w := &wireIdentical{Now: known(&c.now, c.now >= 0), Told: c.told, Unsure: c.unsure}
	hashes := make([]uint64, len(c.list))
	for i, made := range c.list {
		hashes[i] = made.hash
		w.Counts = append(w.Counts, made.n, made.turn, made.now)
	}
	w.Hashes = wireOfHashes(hashes)
	return w
}

// readIdentical is the inverse of wireOfIdentical.
func (w *wireRun) readIdentical(s *past) error {
	if w.Identical == nil {
		return nil
	}
	i := w.Identical
	hashes, err := i.Hashes.hashes()
	if err != nil || len(hashes) > maxIdentical || 3*len(hashes) != len(i.Counts) || !counts(i.Counts...) ||
		i.Now != nil && !counts(*i.Now) {
		return errors.New("identical calls")
	}
	s.identical = &identicalCalls{unsure: i.Unsure, told: i.Told, now: -1}
	if i.Now != nil {
		s.identical.now = *i.Now
	}
	for k, hash := range hashes {
		n := i.Counts[3*k:]
		s.identical.list = append(s.identical.list, identical{hash, n[0], n[1], n[2]})
	}
	return nil
}
