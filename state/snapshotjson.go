package state

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// formatVersion is the format that Encode writes, and the only one that Decode reads.
const formatVersion = 2

// wireRun is a Snapshot in format 2. The struct tags are the format. The members of every struct stand in
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
	Keys        []string        `json:"keys,omitempty"` // hashes of 16 hexadecimal digits, oldest first
	Notes       json.RawMessage `json:"notes,omitempty"`
	Output      *int64          `json:"output_tokens,omitempty"`
	Added       json.RawMessage `json:"own,omitempty"`
	Patterns    []wirePattern   `json:"patterns,omitempty"` // by key
	Queue       []string        `json:"queue,omitempty"`
	Responded   bool            `json:"responded,omitempty"`
	Rules       []wireEntry     `json:"rules,omitempty"` // by id
	Seen        []string        `json:"seen,omitempty"`  // hashes as in Keys, oldest first
	Spent       int64           `json:"spent,omitempty"`
	Spoke       bool            `json:"spoke,omitempty"`
	Tag         string          `json:"tag,omitempty"`
	Texts       []wireText      `json:"texts,omitempty"` // by id
	ToldCalls   bool            `json:"told_calls,omitempty"`
	ToolCalls   *int            `json:"tool_calls,omitempty"`
	Tools       []wireTool      `json:"tools,omitempty"` // in the order of their first use
	Turn        int             `json:"turn"`
	UserTurns   *int            `json:"user_turns,omitempty"`
}

type wireClock struct {
	First time.Time `json:"first"`
	High  time.Time `json:"high"`
	Last  time.Time `json:"last"`
	Prev  time.Time `json:"prev"`
}

// wireDecision names the texts that it put before the model; the texts themselves stand in wireRun.Texts.
type wireDecision struct {
	Due         []string    `json:"due,omitempty"`
	Errors      []wireError `json:"errors,omitempty"`
	Fired       []string    `json:"fired,omitempty"`
	Held        []wireHeld  `json:"held,omitempty"`
	Key         string      `json:"key,omitempty"`
	Outcomes    []Outcome   `json:"outcomes,omitempty"`
	Rules       string      `json:"rules,omitempty"`
	Undelivered []string    `json:"undelivered,omitempty"`
}

type wireError struct {
	Error string `json:"error"`
	ID    string `json:"id"`
}

type wireHeld struct {
	ID        string        `json:"id"`
	Time      time.Duration `json:"time,omitempty"` // nanoseconds
	Turns     int           `json:"turns,omitempty"`
	UserTurns int           `json:"user_turns,omitempty"`
	Why       string        `json:"why"`
}

type wireEntry struct {
	After   wireArming  `json:"after,omitzero"`
	Before  *wireMark   `json:"before,omitempty"` // only of a rule that fired on the last turn
	Fires   int         `json:"fires,omitempty"`
	HeldOut bool        `json:"held_out,omitempty"`
	ID      string      `json:"id"`
	Ignored int         `json:"ignored,omitempty"`
	Last    *wireMark   `json:"last,omitempty"`
	Open    []wireOpen  `json:"open,omitempty"`  // by turn
	Prior   *wireArming `json:"prior,omitempty"` // only of a rule that changed on the last turn
	Version string      `json:"version"`
}

type wireArming struct {
	Disarmed bool       `json:"disarmed,omitempty"`
	Row      int        `json:"row,omitempty"`
	Since    *time.Time `json:"since,omitempty"`
}

type wireOpen struct {
	Ended   string `json:"ended,omitempty"` // only of one that ended on the last turn
	Firing  string `json:"firing"`
	HeldOut bool   `json:"held_out,omitempty"`
	Known   bool   `json:"known,omitempty"`
	Turn    int    `json:"turn"`
	Version string `json:"version"`
}

type wirePattern struct {
	Calls  int    `json:"calls,omitempty"`
	Key    string `json:"key"`
	Seq    int    `json:"seq,omitempty"`
	Turn   int    `json:"turn,omitempty"`
	Unsure bool   `json:"unsure,omitempty"`
}

type wireMark struct {
	At        time.Time `json:"at"`
	Output    *int64    `json:"output_tokens,omitempty"`
	Turn      int       `json:"turn"`
	UserTurns *int      `json:"user_turns,omitempty"`
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

type wireTool struct {
	Calls int        `json:"calls"`
	Class fact.Class `json:"class,omitempty"`
	Name  string     `json:"name"`
	Seq   int        `json:"seq"`
	Turn  int        `json:"turn"`
}

// Encode returns the snapshot as JSON on one line, with sorted keys: equal snapshots have equal bytes. The
// form is {"run":{…},"sum":"…","v":1}, where sum is the CRC-32 of the bytes of run.
func (s *Snapshot) Encode() []byte {
	w := wireOf(s.at())
	if notes := s.Notes(); notes != nil {
		raw, err := notes.MarshalJSON()
		if err != nil { // the host broke its promise: see Notes
			panic(fmt.Sprintf("state: notes that cannot be written: %v", err))
		}
		w.Notes = raw
	}
	run, err := marshal(w)
	if err != nil { // Step and Note let nothing into a snapshot that JSON cannot hold
		panic(fmt.Sprintf("state: a snapshot that cannot be written: %v", err))
	}
	return seal(run)
}

// seal returns the envelope of an encoded run: the run, the CRC-32 of its bytes in eight hexadecimal digits,
// and the version of the format.
func seal(run []byte) []byte {
	return fmt.Appendf(make([]byte, 0, len(run)+64), `{"run":%s,"sum":"%08x","v":%d}`, run, checksum(run),
		formatVersion)
}

func checksum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// marshal writes v on one line, without escaping for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
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
		Calls: s.calls, Clock: wireClock{First: s.first, High: s.high, Last: s.last, Prev: s.prev},
		Facts: s.facts, Failures: s.failures, Before: s.failuresBefore, FailedKnown: s.failedKnown,
		Keys: hexadecimal(s.keys), Seen: hexadecimal(s.seen), Spoke: s.spoke, Responded: s.responded,
		Output: known(s.output, s.outputKnown), Queue: s.queue, Spent: s.spent, Tag: s.tag,
		ToldCalls: s.toldCalls, ToolCalls: known(s.toolCalls, s.toolsKnown), Turn: s.turn,
		UserTurns: known(s.userTurns, s.userKnown),
	}
	if s.added != "" {
		w.Added = json.RawMessage(s.added)
	}
	for _, t := range s.tools {
		w.Tools = append(w.Tools, wireTool{Calls: t.calls, Class: t.class, Name: t.name, Seq: t.seq, Turn: t.turn})
	}
	for _, p := range s.patterns {
		w.Patterns = append(w.Patterns,
			wirePattern{Calls: p.calls, Key: p.key, Seq: p.seq, Turn: p.turn, Unsure: p.unsure})
	}
	for _, e := range s.entries {
		w.Rules = wireOfEntry(w.Rules, e.entry, s.turn, s.turn)
	}
	for _, e := range s.gone {
		w.Gone = wireOfEntry(w.Gone, e, s.turn, aside)
	}
	for _, t := range s.texts {
		w.Texts = append(w.Texts, wireText{
			Attach: t.Attach, HeldOut: t.HeldOut, ID: t.ID, Keep: t.Keep, Late: t.Late, Manual: t.Manual,
			Missed: t.missed, Priority: t.Priority, Text: t.Text, Tier: t.Tier, Tokens: t.Tokens, Turn: t.turn,
			UserTurn: t.userTurn, Waiting: t.waiting,
		})
	}
	if d := s.decision; d != nil {
		w.Decision = &wireDecision{Due: idsOf(d.Due), Fired: idsOf(d.Fired), Key: d.Key, Outcomes: d.Outcomes,
			Rules: d.Rules, Undelivered: d.Undelivered}
		for _, e := range d.Errors {
			w.Decision.Errors = append(w.Decision.Errors, wireError{Error: e.Error, ID: e.ID})
		}
		for _, h := range d.Held {
			w.Decision.Held = append(w.Decision.Held, wireHeld{ID: h.ID, Time: h.Left.Time, Turns: h.Left.Turns,
				UserTurns: h.Left.UserTurns, Why: h.Why})
		}
	}
	return w
}

func hexadecimal(hashes []uint64) (out []string) {
	var b []byte
	for _, h := range hashes {
		b = binary.BigEndian.AppendUint64(b, h)
	}
	for all := hex.EncodeToString(b); all != ""; all = all[16:] {
		out = append(out, all[:16])
	}
	return out
}

// wireOfEntry appends an entry of a run that has had that many turns, unless nothing of it counts any more.
// Its rows count to the turn to.
func wireOfEntry(list []wireEntry, e *entry, turn, to int) []wireEntry {
	w := wireEntry{After: wireOfArming(e.after, to), Fires: e.fires, HeldOut: e.heldOut, ID: e.id,
		Ignored: e.ignored,
		Last:    wireOfMark(e.last), Version: e.version}
	if e.last.Turn == turn {
		w.Before = wireOfMark(e.before)
	}
	if e.turn == turn && e.prior != e.after {
		prior := wireOfArming(e.prior, to-1)
		w.Prior = &prior
	}
	for _, x := range e.open {
		if x.ended == "" || e.turn == turn {
			w.Open = append(w.Open, wireOpen{Ended: x.ended, Firing: x.firing, HeldOut: x.heldOut, Known: x.known,
				Turn: x.turn, Version: x.version})
		}
	}
	if now := w.entry(turn, to); now.blank() {
		return list
	}
	return append(list, w)
}

func wireOfArming(a arming, turn int) wireArming {
	w := wireArming{Disarmed: a.disarmed, Row: a.row(turn)}
	if a.from != 0 {
		w.Since = &a.since
	}
	return w
}

// arming and entry are the inverse of wireOfArming and wireOfEntry.
func (w wireArming) arming(turn int) arming {
	a := arming{disarmed: w.Disarmed}.inRow(w.Row, turn)
	if w.Since != nil {
		a.since = moment(*w.Since)
	}
	return a
}

func (w *wireEntry) entry(turn, to int) *entry {
	e := &entry{id: w.ID, version: w.Version, fires: w.Fires, heldOut: w.HeldOut, last: w.Last.mark(),
		before: w.Before.mark(),
		after:  w.After.arming(to), ignored: w.Ignored}
	if w.Prior != nil {
		e.turn, e.prior = turn, w.Prior.arming(to-1)
	}
	for _, x := range w.Open {
		e.open = append(e.open, expectation{turn: x.Turn, firing: x.Firing, version: x.Version, heldOut: x.HeldOut,
			known: x.Known, ended: x.Ended})
		if x.Ended != "" && e.turn == 0 {
			e.turn, e.prior = turn, e.after
		}
	}
	return e
}

// wireOfMark returns nil for the mark of no turn.
func wireOfMark(m fact.Mark) *wireMark {
	if m.Turn == 0 {
		return nil
	}
	return &wireMark{
		At: m.At, Output: known(m.OutputTokens, m.OutputOK), Turn: m.Turn,
		UserTurns: known(m.UserTurn, m.UserTurnOK),
	}
}

func idsOf(due []reminder.Due) (ids []string) {
	for i := range due {
		ids = append(ids, due[i].ID)
	}
	return ids
}

// known returns a pointer to v, nil if v is unknown; value is its inverse.
func known[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

func value[T any](p *T) (v T, ok bool) {
	if p == nil {
		return v, false
	}
	return *p, true
}
