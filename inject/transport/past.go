package transport

import (
	"context"
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
	Head  string `json:"head"`  // notes.Head
	State []byte `json:"state"` // its snapshot without ledger and past; compressed with the one before as dictionary
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

// split begins the run with the state at which the conversation parts from another run: that after the last
// turn that both have. Where the other run does not keep that state any more, it is the oldest that the run
// keeps, in which nothing is missing of the turns that both have.
func (x *exchange) split(ctx context.Context, n notes, steps []body.Step) error {
	states := n.Past.states()
	if len(states) == 0 {
		return nil
	}
	heads, at := x.conv.Heads(), len(states)-1
	for at > 0 && !slices.Contains(heads, n.Past[at].Head) {
		at--
	}
	s, err := state.Decode(states[at])
	if err != nil {
		return err
	}
	was, err := decode(s.Notes())
	if err != nil {
		return err
	}
	was.Past, was.Ledger = n.Past[:at], n.Ledger
	if slices.Contains(heads, was.Head) {
		was.Ledger = n.Ledger.Until(was.Turn)
	}
	for _, step := range steps {
		if step.Before == was.Head && step.Answer != was.Answer { // it is another answer that it goes on from
			was.Usage = usage{}
		}
	}
	if s, err = state.Note(s, &stored{was}); err != nil {
		return err
	}
	_, err = x.t.ev.Begin(ctx, x.report.Run, s)
	return err
}
