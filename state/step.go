package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/internal/tightjson"
)

// Step takes a run over one turn. It returns the snapshot after it and what was decided, and changes nothing: a turn whose
// snapshot is not saved never was. A nil prev is a new run.
//
// A turn with the key of the run's last turn is the same turn again: Step returns prev itself and the stored decision,
// and asks the Input nothing. A key that an older turn had is ErrOldKey; the last KeyMemory keys are remembered. Facts
// that are not JSON are an error. After an error there is no snapshot and no decision.
func Step(prev *Snapshot, rules *Rules, in Input) (*Snapshot, *Decision, error) {
	last := prev.at()
	hash := hashKey(in.Key)
	switch d, err := last.taken(hash, in.Key); {
	case err != nil:
		return nil, nil, err
	case d != nil:
		return prev, d, nil
	}
	facts, err := compact(in.Facts)
	if err != nil {
		return nil, nil, fmt.Errorf("facts of the turn: %w", err)
	}

	out := &outcome{past: *last}
	out.next = Snapshot{&out.past, prev.Notes()}
	s, d := &out.past, &out.decision
	st := step{last: last, next: s, decision: d, in: in, rules: rules}
	s.facts = facts
	s.entries, s.rules = s.join(rules), rules
	if in.Key != "" {
		s.remember(hash)
	}
	s.advance(&in)
	*d = Decision{Turn: s.turn, Key: strings.ToValidUTF8(in.Key, "\uFFFD"), Fired: []terms.Due{}, Due: []terms.Due{}}
	s.decision = d

	st.endTexts()
	st.manual()
	if in.Judge != nil {
		out.run.s = s
		st.judge(in.Judge(&out.run))
	}
	st.render()
	st.budget()
	st.fire()
	st.carry()
	return &out.next, d, nil
}

// outcome is what a step makes, in one allocation.
type outcome struct {
	next     Snapshot
	past     past
	decision Decision
	run      Run
}

// step is the work of one turn. Nothing of what is stored later points to it, or a store would keep each run's last input.
type step struct {
	last     *past // what next began as
	next     *past // its lists are those of last until they change
	decision *Decision

	in         Input
	rules      *Rules
	trigger    []fact.Truth // what Input.Judge said
	rearmed    []string     // ids that are armed again because their text was never carried
	hand       []string     // ids fired by hand on this turn, in byte order
	candidates []candidate
}

// Taken returns the decision of the run's last turn if that had this key, as Step would, and ErrOldKey if an older one had it.
// Nil, nil says that a turn with this key is a new one.
func (s *Snapshot) Taken(key string) (*Decision, error) { return s.at().taken(hashKey(key), key) }

func (s *past) taken(hash uint64, key string) (*Decision, error) {
	switch {
	case key == "":
		return nil, nil
	case s.decision != nil && s.decision.Key != "" && s.keys[len(s.keys)-1] == hash && s.decision.Key == strings.ToValidUTF8(key, "\uFFFD"):
		return s.decision, nil
	case slices.Contains(s.keys, hash):
		return nil, fmt.Errorf("%w: %q", ErrOldKey, key)
	}
	return nil, nil
}

// remember adds a key's hash to the ring.
func (s *past) remember(hash uint64) {
	old := s.keys[max(len(s.keys)-KeyMemory+1, 0):]
	s.keys = append(append(make([]uint64, 0, len(old)+1), old...), hash)
}

// hashKey returns what the ring remembers of a key; of none it does not matter.
func hashKey(key string) uint64 {
	if key == "" {
		return 0
	}
	var room [64]byte // most keys take no more
	sum := sha256.Sum256(append(room[:0], key...))
	return binary.BigEndian.Uint64(sum[:8])
}

// advance counts the turn and what the host reports of it.
func (s *past) advance(in *Input) {
	at := moment(in.At)
	if s.turn == 0 {
		s.first, s.high = at, at
	}
	s.turn++
	s.prev, s.last = s.last, at
	if at.After(s.high) {
		s.high = at
	}
	if s.tag == "" {
		s.tag = strings.ToValidUTF8(in.Tag, "\uFFFD")
	}
	if in.UserMessage != fact.Unknown {
		s.userKnown = true
	}
	if in.UserMessage == fact.True {
		s.userTurns++
	}
	if in.ResponseKnown {
		s.outputKnown = true
		s.output += min(max(in.ResponseTokens, 0), fact.MaxInt-s.output)
	}
	s.failedKnown = in.Failed != fact.Unknown
	switch in.Failed {
	case fact.True:
		s.failures++
	case fact.False:
		s.failures = 0
	}
	if in.ToolsKnown {
		s.toolsKnown = true
		s.called(in.Tools)
	}
}

// called counts a batch of tool calls.
func (s *past) called(names []string) {
	if len(names) == 0 {
		return
	}
	s.toolCalls += len(names)
	tools := append(make([]tool, 0, len(s.tools)+len(names)), s.tools...)
	calls := append(make([]uint32, 0, len(s.calls)+len(names)), s.calls...)
	for _, name := range names {
		name = strings.ToValidUTF8(name, "\uFFFD")
		i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
		if i < 0 {
			i = len(tools)
			tools = append(tools, tool{name: name})
		}
		tools[i].calls++
		tools[i].turn = s.turn
		calls = append(calls, uint32(i))
	}
	s.tools = tools
	s.calls = slices.Clip(calls[max(len(calls)-fact.ChainMemory, 0):])
}

// latest is the last moment that a snapshot can hold.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)

// moment returns t as a snapshot can hold it: in UTC, without a monotonic reading, in the years 1 to 9999. It compares,
// because the year of a moment far out is anything.
func moment(t time.Time) time.Time {
	t = t.UTC().Round(0)
	switch {
	case t.Before(time.Time{}):
		return time.Time{}
	case t.After(latest):
		return latest
	default:
		return t
	}
}

// compact returns JSON without blanks, as Encode writes it: raw itself where it has none.
func compact(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || tightjson.Tight(raw) { // most were written by a program
		return raw, nil
	}
	var b bytes.Buffer
	b.Grow(len(raw))
	if err := json.Compact(&b, raw); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// tokens returns what a text costs.
func (in *Input) tokens(text string) int {
	if in.Tokens == nil {
		return (len(text) + 3) / 4
	}
	return min(max(in.Tokens(text), 0), math.MaxInt32)
}
