package firing

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// formatVersion is the format that Encode writes, and the one that a program must know at least to read it: a
// member that may be left out is added without a new one. Decode reads also the one before it, which has no
// memory of the user turn, and of a turn the truths of conditions on texts alone. So that the version before
// can still read what this one writes, a format is read a version before it is written.
const formatVersion = 4

// wireSnapshot is a Snapshot in format 4, without its envelope.
type wireSnapshot struct {
	Notes json.RawMessage `json:"notes,omitempty"`
	Run   *wireRun        `json:"run"`
}

// wireRun is a run in format 4. The struct tags are the format. The members of every struct stand in
// byte order, so that equal snapshots have equal bytes; TestEncodeSorted holds it. An absent member is zero;
// an absent pointer is unknown.
type wireRun struct {
	Calls       []uint32        `json:"calls,omitempty"` // indices of tools, oldest first
	Clock       wireClock       `json:"clock"`
	Decision    *wireDecision   `json:"decision,omitempty"`
	Facts       fact.Values     `json:"facts,omitzero"`
	Failures    int             `json:"failures,omitempty"`
	Before      int             `json:"failures_before,omitempty"`
	FailedKnown bool            `json:"failures_known,omitempty"`
	Gone        []wireEntry     `json:"gone,omitempty"` // oldest first
	Identical   *wireIdentical  `json:"identical,omitempty"`
	Keys        wireHashes      `json:"keys,omitempty"` // past.withBody
	Output      *int64          `json:"output_tokens,omitempty"`
	Added       json.RawMessage `json:"own,omitempty"`
	Patterns    []patternCount  `json:"patterns,omitempty"` // by key
	Pauses      []pause         `json:"pauses,omitempty"`   // oldest first
	Prompted    bool            `json:"prompted,omitempty"`
	Queue       []string        `json:"queue,omitempty"`
	Responded   bool            `json:"responded,omitempty"`
	Rules       []wireEntry     `json:"rules,omitempty"` // by id
	Seen        wireHashes      `json:"seen,omitempty"`  // oldest first
	Spent       int64           `json:"spent,omitempty"`
	Spoke       bool            `json:"spoke,omitempty"`
	Tag         string          `json:"tag,omitempty"`
	Texts       []wireText      `json:"texts,omitempty"` // by id
	Told        fact.Texts      `json:"told,omitempty"`
	ToldCalls   bool            `json:"told_calls,omitempty"`
	ToolCalls   *int            `json:"tool_calls,omitempty"`
	Tools       []tool          `json:"tools,omitempty"` // in the order of their first use
	Turn        int             `json:"turn"`
	UserTurns   *int            `json:"user_turns,omitempty"`
}

// wireTime is a time in milliseconds since 1970.
type wireTime int64

func wireOfTime(t time.Time) wireTime { return wireTime(t.UnixMilli()) }

// time is the inverse of wireOfTime.
func (w wireTime) time() time.Time { return moment(time.UnixMilli(int64(w))) }

// wireHashes are hashes of 48 bits one after the other, each in 8 characters of base64. So they stay the same
// bytes in the snapshots of later turns, which are compressed as differences.
type wireHashes string

func wireOfHashes(hashes []uint64) wireHashes {
	b := make([]byte, 0, 8*len(hashes))
	for _, h := range hashes {
		b = binary.BigEndian.AppendUint64(b, h<<16)[:len(b)+hashSize]
	}
	return wireHashes(base64.RawURLEncoding.EncodeToString(b))
}

// hashes is the inverse of wireOfHashes.
func (w wireHashes) hashes() (out []uint64, err error) {
	b, err := base64.RawURLEncoding.DecodeString(string(w))
	if err != nil || len(b)%hashSize != 0 {
		return nil, fmt.Errorf("hashes %q", w)
	}
	for ; len(b) > 0; b = b[hashSize:] {
		out = append(out, hashOf(b))
	}
	return out, nil
}

type wireClock struct {
	First wireTime `json:"first"`
	High  wireTime `json:"high"`
	Last  wireTime `json:"last"`
	Prev  wireTime `json:"prev"`
}

// wireDecision names the texts that it put before the model; the texts themselves stand in wireRun.Texts.
type wireDecision struct {
	Due         []string             `json:"due,omitempty"`
	Errors      []reminder.TextError `json:"errors,omitempty"`
	Fired       []string             `json:"fired,omitempty"`
	Held        []wireHeld           `json:"held,omitempty"`
	Key         string               `json:"key,omitempty"`
	Outcomes    []reminder.Outcome   `json:"outcomes,omitempty"`
	Rules       string               `json:"rules,omitempty"`
	Undelivered []string             `json:"undelivered,omitempty"`
}

type wireHeld struct {
	ID        string        `json:"id"`
	Time      time.Duration `json:"time,omitempty"` // nanoseconds
	Turns     int           `json:"turns,omitempty"`
	UserTurns int           `json:"user_turns,omitempty"`
	Why       string        `json:"why"`
}

type wireEntry struct {
	After   wireArming    `json:"after,omitzero"`
	Before  wireMark      `json:"before,omitzero"` // only of a rule that fired on the last turn
	Fires   int           `json:"fires,omitempty"`
	HeldOut bool          `json:"held_out,omitempty"`
	ID      string        `json:"id"`
	Ignored int           `json:"ignored,omitempty"`
	Last    wireMark      `json:"last,omitzero"`
	Open    []expectation `json:"open,omitempty"`  // by turn
	Prior   *wireArming   `json:"prior,omitempty"` // only of a rule that changed on the last turn
	Version string        `json:"version"`
}

type wireArming struct {
	Disarmed bool      `json:"disarmed,omitempty"`
	Gaps     fact.Gaps `json:"gaps,omitempty"`
	Row      int       `json:"row,omitempty"`
	Since    *wireTime `json:"since,omitempty"`
}

type wireMark struct {
	At        wireTime `json:"at"`
	Output    *int64   `json:"output_tokens,omitempty"`
	Turn      int      `json:"turn"`
	UserTurns *int     `json:"user_turns,omitempty"`
}

type wireText struct {
	Attach   reminder.Attach `json:"attach,omitempty"`
	HeldOut  bool            `json:"held_out,omitempty"`
	ID       string          `json:"id"`
	Keep     reminder.Keep   `json:"keep"`
	Late     bool            `json:"late,omitempty"`
	Manual   bool            `json:"manual,omitempty"`
	Missed   bool            `json:"missed,omitempty"`
	Priority int             `json:"priority,omitempty"`
	Text     string          `json:"text"`
	Tier     reminder.Tier   `json:"tier,omitempty"`
	Tokens   int             `json:"tokens,omitempty"`
	Turn     int             `json:"turn"`
	UserTurn int             `json:"user_turn,omitempty"`
	Waiting  bool            `json:"waiting,omitempty"`
}

// Encode returns the snapshot as JSON on one line, with sorted keys: equal snapshots have equal bytes. The
// form is {"notes":…,"run":{…},"sum":"…","v":3}, where sum is the CRC-32 of the bytes before its comma.
func (s *Snapshot) Encode() []byte {
	var notes []byte
	var err error
	if kept := s.Notes(); kept != nil {
		notes, err = kept.MarshalJSON()
	}
	b := bytes.NewBuffer(make([]byte, 0, len(notes)+usualRun))
	b.WriteByte('{')
	if err == nil && len(notes) > 0 {
		b.WriteString(`"notes":`)
		err = json.Compact(b, notes)
		b.WriteByte(',')
	}
	if err != nil { // the host broke its promise: see Notes
		panic(fmt.Sprintf("state: notes that cannot be written: %v", err))
	}
	b.WriteString(`"run":`)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	// Step and Note let nothing into a snapshot that JSON cannot hold
	if err := enc.Encode(wireOf(s.at())); err != nil {
		panic(fmt.Sprintf("state: a snapshot that cannot be written: %v", err))
	}
	return seal(bytes.TrimSuffix(b.Bytes(), []byte("\n")), formatVersion)
}

// usualRun is about as many bytes as most runs take.
const usualRun = 4 << 10

// seal ends the envelope of an encoded snapshot: the CRC-32 of the bytes before it in eight hexadecimal
// digits, and the version of the format.
func seal(b []byte, version int) []byte {
	return fmt.Appendf(b, `,"sum":"%08x","v":%d}`, crc32.ChecksumIEEE(b), version)
}

// compact returns a copy of JSON without white space; nil if raw is empty.
func compact(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	b.Grow(len(raw))
	if err := json.Compact(&b, raw); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// wireOf returns a run in the form in which it is written, without notes.
func wireOf(run *past) *wireRun {
	settled := run.shared()
	s := &settled
	s.settle()
	w := &wireRun{
		Calls: s.calls, Clock: wireClock{First: wireOfTime(s.first), High: wireOfTime(s.high),
			Last: wireOfTime(s.last), Prev: wireOfTime(s.prev)},
		Facts: s.facts, Failures: s.failures, Before: s.failuresBefore, FailedKnown: s.failedKnown,
		Identical: wireOfIdentical(s.identical),
		Keys:      wireOfHashes(s.withBody()), Seen: wireOfHashes(s.seen), Pauses: s.pauses,
		Spoke: s.spoke, Responded: s.responded,
		Told: s.told, Prompted: s.prompted,
		Output: known(&s.output, s.outputKnown), Patterns: s.patterns, Queue: s.queue, Spent: s.spent, Tag: s.tag,
		ToldCalls: s.toldCalls, ToolCalls: known(&s.toolCalls, s.toolsKnown), Tools: s.tools, Turn: s.turn,
		UserTurns: known(&s.userTurns, s.userKnown),
	}
	if s.added != "" {
		w.Added = json.RawMessage(s.added)
	}
	w.Rules = make([]wireEntry, 0, len(s.entries))
	for _, e := range s.entries {
		w.Rules = wireOfEntry(w.Rules, e.entry, s.turn, s.turn)
	}
	for _, e := range s.gone {
		w.Gone = wireOfEntry(w.Gone, e, s.turn, aside)
	}
	w.Texts = make([]wireText, 0, len(s.texts))
	for _, t := range s.texts {
		w.Texts = append(w.Texts, wireText{
			Attach: t.Attach, HeldOut: t.HeldOut, ID: t.ID, Keep: t.Keep, Late: t.Late, Manual: t.Manual,
			Missed: t.missed, Priority: t.Priority, Text: t.Text, Tier: t.Tier, Tokens: t.Tokens, Turn: t.turn,
			UserTurn: t.userTurn, Waiting: t.waiting,
		})
	}
	if d := s.decision; d != nil {
		w.Decision = &wireDecision{Due: idsOf(d.Due), Fired: idsOf(d.Fired), Key: d.Key, Outcomes: d.Outcomes,
			Rules: d.Rules, Undelivered: d.Undelivered, Errors: d.Errors}
		for _, h := range d.Held {
			w.Decision.Held = append(w.Decision.Held, wireHeld{ID: h.ID, Time: h.Left.Time, Turns: h.Left.Turns,
				UserTurns: h.Left.UserTurns, Why: h.Why})
		}
	}
	return w
}

// wireOfEntry appends an entry of a run that has had that many turns, unless nothing of it counts any more.
// Its rows count to the turn to.
func wireOfEntry(list []wireEntry, e *entry, turn, to int) []wireEntry {
	w := wireEntry{After: wireOfArming(e.after, to), Fires: e.fires, HeldOut: e.heldOut, ID: e.id,
		Ignored: e.ignored,
		Last:    wireOfMark(&e.last), Version: e.version}
	if e.last.Turn == turn {
		w.Before = wireOfMark(&e.before)
	}
	if e.turn == turn && (e.prior != e.after || to == aside) {
		prior := wireOfArming(e.prior, to-1)
		w.Prior = &prior
	}
	for _, x := range e.open {
		if x.Ended == "" || e.turn == turn {
			w.Open = append(w.Open, x)
		}
	}
	if w.blank() {
		return list
	}
	return append(list, w)
}

// blank reports whether the entry is blank.
func (w *wireEntry) blank() bool {
	return w.After == wireArming{} && w.Fires == 0 && (w.Prior == nil || *w.Prior == wireArming{}) &&
		len(w.Open) == 0 && w.Ignored == 0
}

func wireOfArming(a arming, turn int) wireArming {
	w := wireArming{Disarmed: a.disarmed, Gaps: a.gaps, Row: a.row(turn)}
	if a.from != 0 {
		since := wireOfTime(a.since)
		w.Since = &since
	}
	return w
}

// arming and entry are the inverse of wireOfArming and wireOfEntry.
func (w wireArming) arming(turn int) arming {
	a := arming{disarmed: w.Disarmed, gaps: w.Gaps}.inRow(w.Row, turn)
	if w.Since != nil {
		a.since = w.Since.time()
	}
	return a
}

func (w *wireEntry) entry(turn, to int) *entry {
	e := &entry{id: w.ID, version: w.Version, fires: w.Fires, heldOut: w.HeldOut, last: w.Last.mark(),
		before: w.Before.mark(), after: w.After.arming(to), ignored: w.Ignored, open: w.Open}
	if w.Prior != nil {
		e.turn, e.prior = turn, w.Prior.arming(to-1)
	}
	if e.turn == 0 && slices.ContainsFunc(e.open, func(x expectation) bool { return x.Ended != "" }) {
		e.turn, e.prior = turn, e.after
	}
	return e
}

// wireOfMark returns the zero wireMark for no mark. It borrows the numbers of m, whose turn is 0 where a
// reminder fired at a moment before the first turn.
func wireOfMark(m *fact.Mark) wireMark {
	if m.Turn == 0 && m.At.IsZero() {
		return wireMark{}
	}
	return wireMark{
		At: wireOfTime(m.At), Output: known(&m.OutputTokens, m.OutputOK), Turn: m.Turn,
		UserTurns: known(&m.UserTurn, m.UserTurnOK),
	}
}

func idsOf(due []reminder.Due) []string {
	ids := make([]string, 0, len(due))
	for i := range due {
		ids = append(ids, due[i].ID)
	}
	return ids
}

// known returns p, nil if what it points to is unknown; value is its inverse.
func known[T any](p *T, ok bool) *T {
	if !ok {
		return nil
	}
	return p
}

func value[T any](p *T) (v T, ok bool) {
	if p == nil {
		return v, false
	}
	return *p, true
}
