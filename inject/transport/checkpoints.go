package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/klauspost/compress/s2"

	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// checkpoints are the states of a run as they were before each of its last turns, oldest first. Conversations
// that part at one of these begin with its state. A state is nearly the one after it, and is compressed as
// such: so a turn compresses one, and only a conversation that parts reads more than the last.
type checkpoints []checkpoint

// checkpoint is a state of a run.
type checkpoint struct {
	Turn int // notes.Turn
	// its snapshot without what a later one keeps as well, compressed: with its turn and the snapshot after
	// it as dictionary, or as the last one alone
	State []byte
}

// maxCheckpoints is how many states a run keeps. Each takes some 200 bytes, the last as much as a snapshot.
const maxCheckpoints = 16

// MarshalText implements encoding.TextMarshaler.
func (m checkpoint) MarshalText() ([]byte, error) {
	turn := strconv.AppendInt(nil, int64(m.Turn), 10)
	return base64.RawURLEncoding.AppendEncode(append(turn, ' '), m.State), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *checkpoint) UnmarshalText(b []byte) (err error) {
	turn, state, _ := bytes.Cut(b, []byte(" "))
	if m.Turn, err = strconv.Atoi(string(turn)); err != nil { // of an earlier version
		*m = checkpoint{}
		return nil
	}
	m.State, err = base64.RawURLEncoding.AppendDecode(nil, state)
	return err
}

// dict returns the dictionary of a checkpoint at a turn before the snapshot next.
func dict(turn int, next []byte) *s2.Dict {
	return s2.MakeDict(strconv.AppendInt(slices.Clone(next), int64(turn), 10), nil)
}

// state returns the snapshot of the checkpoint at an index, encoded; nil where it cannot be read.
func (p checkpoints) state(at int) []byte {
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

// packed returns the checkpoint of a snapshot at a turn, before the snapshot next; nil for none.
func packed(turn int, is, next []byte) checkpoint {
	var b []byte
	if next == nil {
		b = s2.Encode(nil, is)
	} else {
		b = dict(turn, next).Encode(nil, is)
	}
	return checkpoint{turn, bytes.Clone(b)} // what s2 returns holds far more memory than it is long
}

// decode returns the snapshot of a checkpoint before that of another one, nil for none.
func (m checkpoint) decode(next []byte) ([]byte, error) {
	if next == nil {
		return s2.Decode(nil, m.State)
	}
	return dict(m.Turn, next).Decode(nil, m.State)
}

// add returns the checkpoints with the state of a run that goes on to its next turn. n are its notes.
func (p checkpoints) add(s *state.Snapshot, n notes) checkpoints {
	turn := n.Turn
	n.Ledger, n.Past, n.Origin, n.Answers, n.Listed = ledger.Ledger{}, nil, checkpoint{}, nil, 0
	s, err := firing.Note(s, &carriedNotes{n})
	if err != nil {
		return p
	}
	is := s.Encode()
	was := p.state(len(p) - 1)
	if was == nil {
		return checkpoints{packed(turn, is, nil)}
	}
	p = p[max(0, len(p)-maxCheckpoints+1):]
	next := append(make(checkpoints, 0, len(p)+1), p...)
	next[len(p)-1] = packed(p[len(p)-1].Turn, was, is)
	return append(next, packed(turn, is, nil))
}

// from returns the snapshot after a turn, or of the oldest turn behind that, and its turn; nil for none.
func (p checkpoints) from(turn int) ([]byte, int) {
	if i := slices.IndexFunc(p, func(m checkpoint) bool { return m.Turn >= turn }); i >= 0 {
		return p.state(i), p[i].Turn
	}
	return nil, 0
}

// until returns the checkpoints before a turn.
func (p checkpoints) until(turn int) checkpoints {
	at := 0
	for at < len(p) && p[at].Turn < turn {
		at++
	}
	is := p.state(at - 1)
	if at == 0 || is == nil {
		return nil
	}
	p = slices.Clone(p[:at])
	p[at-1] = packed(p[at-1].Turn, is, nil)
	return p
}

// part begins a run with the state of another one after the turn that the conversation goes on from. Where
// the other run does not keep that state any more, it is the oldest later one: its counts are ahead by the
// turns between.
func (x *exchange) part(ctx context.Context, to, from string, n notes) error {
	x.report.Run, x.parted = to, true
	is, turn := n.Past.from(x.at.turn)
	if x.at.turn == 1 && n.Origin.State != nil {
		is, turn = checkpoints{n.Origin}.state(0), 1 // which is compressed alone
	}
	if is == nil || n.Turn == x.at.turn { // as it is now
		x.at.turn = n.Turn
		x.inherit(from)
		_, _, pending, _ := x.readRun(ctx, from) // whose error Fork has, too
		_, err := x.t.ev.Fork(ctx, from, to)
		if len(pending) > 0 && err == nil {
			x.t.pending.Add(to, pending)
		}
		return err
	}
	s, err := state.Decode(is)
	if err != nil {
		return err
	}
	was, err := decode(s.Notes())
	if err != nil {
		return err
	}
	was.Ledger, was.Past, was.Origin = n.Ledger.Until(x.at.turn), n.Past.until(turn), n.Origin
	later := func(a completion) bool { return a.Turn > x.at.turn }
	was.Answers = slices.DeleteFunc(slices.Clone(n.Answers), later)
	was.Base = cmp.Or(n.Base, x.base)
	x.at.turn = turn
	if s, err = firing.Note(s, &carriedNotes{was}); err != nil {
		return err
	}
	if _, err = x.t.ev.Begin(ctx, to, s); err != nil {
		x.inherit(from)
		return err
	}
	x.remember(func(l *fallback) { // for when the state cannot be read
		if l.notes.Turn == 0 {
			l.notes, l.mark = was, s.Tag()
		}
	})
	return nil
}
