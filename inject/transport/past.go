package transport

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/state"
)

// past are the states of a run as they were before each of its last turns, oldest first. Conversations that
// part at one of these begin with its state. A state is nearly the one after it, and is compressed as such:
// so a turn compresses one, and only a conversation that parts reads more than the last.
type past []moment

// moment is a state of a run.
type moment struct {
	Head string // notes.Head
	// its snapshot without ledger and past, compressed: with its head and the snapshot after it as dictionary,
	// or as the last one alone
	State []byte
}

// maxPast is how many states a run keeps. Each takes some 200 bytes, and the last as much as a snapshot.
const maxPast = 16

// MarshalText implements encoding.TextMarshaler.
func (m moment) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode([]byte(m.Head+" "), m.State), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *moment) UnmarshalText(b []byte) (err error) {
	head, state, _ := bytes.Cut(b, []byte(" "))
	m.Head = string(head)
	m.State, err = base64.RawURLEncoding.AppendDecode(nil, state)
	return err
}

// dict returns the dictionary of a moment with a head before the snapshot next.
func dict(head string, next []byte) *s2.Dict {
	return s2.MakeDict(slices.Concat(next, []byte(head)), nil)
}

// state returns the snapshot of the moment at an index, encoded; nil where it cannot be read.
func (p past) state(at int) []byte {
	var next []byte
	for i := len(p) - 1; i >= max(at, 0); i-- {
		is, err := p[i].decode(next)
		if err != nil || len(is) < s2.MinDictSize {
			return nil
		}
		next = is
	}
	return next
}

// packed returns the moment of a snapshot with a head, before the snapshot next; nil for none.
func packed(head string, is, next []byte) moment {
	var b []byte
	if next == nil {
		b = s2.Encode(nil, is)
	} else {
		b = dict(head, next).Encode(nil, is)
	}
	return moment{head, bytes.Clone(b)} // what s2 returns holds far more memory than it is long
}

// decode returns the snapshot of a moment before that of another one, nil for none.
func (m moment) decode(next []byte) ([]byte, error) {
	if next == nil {
		return s2.Decode(nil, m.State)
	}
	return dict(m.Head, next).Decode(nil, m.State)
}

// add returns the past with the state of a run that goes on to its next turn. n are its notes.
func (p past) add(s *state.Snapshot, n notes) past {
	head := n.Head
	n.Ledger, n.Past = ledger.Ledger{}, nil
	s, err := state.Note(s, &stored{n})
	if err != nil {
		return p
	}
	is := s.Encode()
	was := p.state(len(p) - 1)
	if was == nil {
		return past{packed(head, is, nil)}
	}
	p = p[max(0, len(p)-maxPast+1):]
	next := append(make(past, 0, len(p)+1), p...)
	next[len(p)-1] = packed(p[len(p)-1].Head, was, is)
	return append(next, packed(head, is, nil))
}

// notes returns the notes of the moment at an index, the zero notes where it cannot be read.
func (p past) notes(at int) (n notes) {
	if s, err := state.Decode(p.state(at)); err == nil {
		n, _ = decode(s.Notes())
	}
	return n
}

// heard reports whether the run has begun its last turn with that answer.
func (p past) heard(a answer) bool {
	n := p.notes(len(p) - 1)
	return n.Turn == a.turn && n.Answer == a.key
}

// until returns the past before the moment at an index.
func (p past) until(at int) past {
	is := p.state(at - 1)
	if at == 0 || is == nil {
		return nil
	}
	p = slices.Clone(p[:at])
	p[at-1] = packed(p[at-1].Head, is, nil)
	return p
}

// place is a place in a run at which the conversation may go on.
type place struct {
	run   string
	notes notes
	at    int // index of notes.Past; its length is where the run is now; -1 is no place
	reach int // how many messages of the conversation that has seen; -1: that is not known
}

// heard reports whether the state at a place has the answer that a conversation goes on from.
func (p place) heard(steps []step) bool {
	n := p.notes
	if p.at < len(n.Past) {
		n = n.Past.notes(p.at)
	}
	return slices.ContainsFunc(steps, func(s step) bool { return s.Before == n.Asked && s.Answer == n.Answer })
}

// better returns the better of two places: the one that has seen more of the conversation, and its answer.
// The place in the run that is new is found first.
func (x *exchange) better(old, is place, steps []step) place {
	heads, n := x.heads(), is.notes
	is.at, is.reach = -1, -2
	if at := slices.Index(heads, n.Head); at >= 0 || x.goesOn(n) {
		is.at, is.reach = len(n.Past), at
	}
	for i, m := range n.Past {
		if at := slices.Index(heads, m.Head); at > is.reach {
			is.at, is.reach = i, at
		}
	}
	if is.at < 0 && len(n.Past) > 0 { // they have parted earlier than the run remembers
		is.at = 0
	}
	better := is.at == len(n.Past) || old.at < len(old.notes.Past)
	if is.reach != old.reach {
		better = is.reach > old.reach
	} else if heard := is.heard(steps); heard != old.heard(steps) { // the other one was asked the same
		better = heard
	}
	if better {
		return is
	}
	return old
}

// split begins the run with the state at a place in another run: that after the last turn that the two have
// in common. Where the other run does not keep that state any more, it is the oldest that the run keeps, in
// which nothing is missing of the turns that both have.
func (x *exchange) split(ctx context.Context, p place, steps []step) error {
	is := p.notes.Past.state(p.at)
	if is == nil {
		return errPast
	}
	s, err := state.Decode(is)
	if err != nil {
		return err
	}
	was, err := decode(s.Notes())
	if err != nil {
		return err
	}
	was.Past, was.Ledger = p.notes.Past.until(p.at), p.notes.Ledger
	if p.reach >= 0 {
		was.Ledger = was.Ledger.Until(was.Turn)
	}
	for _, step := range steps {
		if step.Before == was.Asked && step.Answer != was.Answer { // it is another answer that it goes on from
			was.Usage = usage{}
		}
	}
	if s, err = state.Note(s, &stored{was}); err != nil {
		return err
	}
	if _, err = x.t.ev.Begin(ctx, x.report.Run, s); err != nil {
		x.inherit(p.run)
	}
	return err
}

// errPast says that the earlier states of a run are damaged.
var errPast = errors.New("the run's earlier states cannot be read")
