package transport

import (
	"context"
	"errors"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/state"
)

// past are the states of a run as they were before each of its last turns, oldest first. Conversations that
// part at one of these begin with its state. A state is nearly the one before it, and is compressed as such.
type past []moment

// moment is a state of a run.
type moment struct {
	Head string `json:"head"` // notes.Head
	// its snapshot without ledger and past; compressed with the one before as dictionary
	State []byte `json:"state"`
}

// maxPast is how many states a run keeps. Each takes some 300 bytes, and the oldest as much as a snapshot.
const maxPast = 16

// states returns the snapshots of all moments, encoded; nil where one cannot be read.
func (p past) states() (all [][]byte) {
	var last []byte
	for _, m := range p {
		var err error
		if last == nil {
			last, err = s2.Decode(nil, m.State)
		} else {
			last, err = s2.MakeDict(last, nil).Decode(nil, m.State)
		}
		if err != nil || len(last) < s2.MinDictSize {
			return nil
		}
		all = append(all, last)
	}
	return all
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
	was := p.states()
	if len(was) == 0 {
		return past{{head, s2.Encode(nil, is)}}
	}
	p = slices.Clone(p)
	if len(p) >= maxPast {
		p[1].State = s2.Encode(nil, was[1])
		p = p[1:]
	}
	return append(p, moment{head, s2.MakeDict(was[len(was)-1], nil).Encode(nil, is)})
}

// place is a place in a run at which the conversation may go on.
type place struct {
	run   string
	notes notes
	at    int // index of notes.Past; its length is where the run is now; -1 is no place
	reach int // how many messages of the conversation that has seen; -1: that is not known
}

// better returns the better of two places: the one that has seen more of the conversation. The place in the
// run that is new is found first.
func (x *exchange) better(old, is place) place {
	heads, n := x.conv.Heads(), is.notes
	is.at, is.reach = -1, -2
	if at := slices.Index(heads, n.Head); at >= 0 || x.conv.GoesOn(n.Head, n.Last) {
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
	if is.reach > old.reach || is.reach == old.reach && (is.at == len(n.Past) || old.at < len(old.notes.Past)) {
		return is
	}
	return old
}

// split begins the run with the state at a place in another run: that after the last turn that the two have
// in common. Where the other run does not keep that state any more, it is the oldest that the run keeps, in
// which nothing is missing of the turns that both have.
func (x *exchange) split(ctx context.Context, p place, steps []body.Step) error {
	states := p.notes.Past.states()
	if len(states) == 0 {
		return errPast
	}
	s, err := state.Decode(states[p.at])
	if err != nil {
		return err
	}
	was, err := decode(s.Notes())
	if err != nil {
		return err
	}
	was.Past, was.Ledger = p.notes.Past[:p.at], p.notes.Ledger
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
