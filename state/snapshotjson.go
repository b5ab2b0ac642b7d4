package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// formatVersion is the format that Encode writes. Decode reads all formats up to it.
const formatVersion = 1

// wireRun is a Snapshot in format 1. The struct tags are the format. The members of every struct stand in
// byte order, so that equal snapshots have equal bytes; TestEncodeSorted holds it. An absent member is zero;
// an absent pointer is unknown.
type wireRun struct {
	Calls       []uint32        `json:"calls,omitempty"` // indices of tools, oldest first
	Clock       wireClock       `json:"clock"`
	Decision    *wireDecision   `json:"decision,omitempty"`
	Facts       fact.Values     `json:"facts,omitzero"`
	Failures    int             `json:"failures,omitempty"`
	FailedKnown bool            `json:"failures_known,omitempty"`
	Keys        []string        `json:"keys,omitempty"` // hashes of 16 hexadecimal digits, oldest first
	Notes       json.RawMessage `json:"notes,omitempty"`
	Output      *int64          `json:"output_tokens,omitempty"`
	Queue       []string        `json:"queue,omitempty"`
	Rules       []wireEntry     `json:"rules,omitempty"` // by id
	Spent       int64           `json:"spent,omitempty"`
	Tag         string          `json:"tag,omitempty"`
	Texts       []wireText      `json:"texts,omitempty"` // by id
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
	Undelivered []string    `json:"undelivered,omitempty"`
}

type wireError struct {
	Error string `json:"error"`
	ID    string `json:"id"`
}

type wireHeld struct {
	ID    string        `json:"id"`
	Time  time.Duration `json:"time,omitempty"` // nanoseconds
	Turns int           `json:"turns,omitempty"`
	Why   string        `json:"why"`
}

type wireEntry struct {
	Before  *wireMark  `json:"before,omitempty"` // only of a rule that fired on the last turn
	Fired   bool       `json:"fired,omitempty"`  // not armed: the rule fired on the edge that still lasts
	Fires   int        `json:"fires,omitempty"`
	ID      string     `json:"id"`
	Last    *wireMark  `json:"last,omitempty"`
	Since   int        `json:"since,omitempty"`
	SinceAt *time.Time `json:"since_at,omitempty"`
	Version string     `json:"version"`
}

type wireMark struct {
	At        time.Time `json:"at"`
	Output    *int64    `json:"output_tokens,omitempty"`
	Turn      int       `json:"turn"`
	UserTurns *int      `json:"user_turns,omitempty"`
}

type wireText struct {
	Attach   reminder.Attach `json:"attach,omitempty"`
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
	Waiting  bool            `json:"waiting,omitempty"`
}

type wireTool struct {
	Calls int    `json:"calls"`
	Name  string `json:"name"`
	Turn  int    `json:"turn"`
}

// Encode returns the snapshot as JSON on one line, with sorted keys: equal snapshots have equal bytes. The
// form is {"run":{…},"sum":"…","v":1}, where sum is the CRC-32C of the bytes of run.
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

// seal returns the envelope of an encoded run: the run, the CRC-32C of its bytes in eight hexadecimal digits,
// and the version of the format.
func seal(run []byte) []byte {
	return fmt.Appendf(nil, `{"run":%s,"sum":"%08x","v":%d}`, run, checksum(run), formatVersion)
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

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
	settled := *run
	s := &settled
	s.settle()
	w := &wireRun{
		Calls: s.calls, Clock: wireClock{First: s.first, High: s.high, Last: s.last, Prev: s.prev},
		Facts: s.facts, Failures: s.failures, FailedKnown: s.failedKnown,
		Output: known(s.output, s.outputKnown), Queue: s.queue, Spent: s.spent, Tag: s.tag,
		ToolCalls: known(s.toolCalls, s.toolsKnown), Turn: s.turn, UserTurns: known(s.userTurns, s.userKnown),
	}
	for _, k := range s.keys {
		w.Keys = append(w.Keys, fmt.Sprintf("%016x", k))
	}
	for _, t := range s.tools {
		w.Tools = append(w.Tools, wireTool{Calls: t.calls, Name: t.name, Turn: t.turn})
	}
	for _, e := range s.entries {
		w.Rules = append(w.Rules, wireOfEntry(e.entry, s.turn))
	}
	for _, t := range s.texts {
		w.Texts = append(w.Texts, wireText{
			Attach: t.Attach, ID: t.ID, Keep: t.Keep, Late: t.Late, Manual: t.Manual, Missed: t.missed,
			Priority: t.Priority, Text: t.Text, Tier: t.Tier, Tokens: t.Tokens, Turn: t.turn, Waiting: t.waiting,
		})
	}
	if d := s.decision; d != nil {
		w.Decision = &wireDecision{Due: idsOf(d.Due), Fired: idsOf(d.Fired), Key: d.Key, Undelivered: d.Undelivered}
		for _, e := range d.Errors {
			w.Decision.Errors = append(w.Decision.Errors, wireError{Error: e.Error, ID: e.ID})
		}
		for _, h := range d.Held {
			w.Decision.Held = append(w.Decision.Held,
				wireHeld{ID: h.ID, Time: h.Left.Time, Turns: h.Left.Turns, Why: h.Why})
		}
	}
	return w
}

// wireOfEntry returns an entry of a run that has had that many turns.
func wireOfEntry(e *entry, turn int) wireEntry {
	w := wireEntry{
		Fired: e.disarmed, Fires: e.fires, ID: e.id, Last: wireOfMark(e.last), Since: e.since, Version: e.version,
	}
	if e.last.Turn == turn {
		w.Before = wireOfMark(e.before)
	}
	if e.since > 0 {
		w.SinceAt = &e.sinceAt
	}
	return w
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

// Decode reads the bytes that Encode wrote, in this version or an earlier one. For other bytes it returns
// ErrNewer if they name a later version, otherwise ErrCorrupt. White space around the snapshot is allowed.
// Decode keeps no part of b.
func Decode(b []byte) (*Snapshot, error) {
	run, err := open(bytes.TrimSpace(b))
	if err != nil {
		return nil, err
	}
	var w *wireRun
	if err := strict(run, &w); err != nil {
		return nil, corrupt(err)
	}
	if w == nil {
		return nil, corrupt(errors.New("no run"))
	}
	s, err := w.snapshot()
	if err != nil {
		return nil, corrupt(err)
	}
	return s, nil
}

// open returns the run in an envelope, which must be as seal writes it, to the byte: the checksum is of the
// run alone. So open needs no parser, but for the version in an envelope of another form.
func open(b []byte) (json.RawMessage, error) {
	const head, tail = `{"run":`, `,"sum":"01234567","v":1}`
	if end := len(b) - len(tail); end > len(head) {
		if run := b[len(head):end]; bytes.Equal(b, seal(run)) {
			return run, nil
		}
	}
	var other struct{ V int }
	if err := json.Unmarshal(b, &other); err != nil {
		return nil, corrupt(err)
	}
	if other.V > formatVersion {
		return nil, fmt.Errorf("%w: %d, this is %d", ErrNewer, other.V, formatVersion)
	}
	return nil, corrupt(errors.New("the checksum or the version is wrong, or the members are not as they " +
		"were written"))
}

func corrupt(err error) error { return fmt.Errorf("%w: %w", ErrCorrupt, err) }

// strict unmarshals one JSON value, with no unknown members and nothing behind it.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind it")
	}
	return nil
}

// snapshot checks the invariants of a run on which the package relies: order, ranges, and references that
// lead somewhere.
func (w *wireRun) snapshot() (*Snapshot, error) {
	s := &past{
		turn: w.Turn, tag: w.Tag, calls: w.Calls, queue: w.Queue, spent: w.Spent,
		failures: w.Failures, failedKnown: w.FailedKnown, facts: w.Facts,
		first: moment(w.Clock.First), high: moment(w.Clock.High),
		last: moment(w.Clock.Last), prev: moment(w.Clock.Prev),
	}
	s.output, s.outputKnown = value(w.Output)
	s.userTurns, s.userKnown = value(w.UserTurns)
	s.toolCalls, s.toolsKnown = value(w.ToolCalls)
	if !counts(s.turn, s.failures, s.userTurns, s.toolCalls) || !counts(s.output, s.spent) {
		return nil, errors.New("a count out of range")
	}
	if !ascending(s.queue) {
		return nil, errors.New("the queue is not in order")
	}
	notes, err := compact(w.Notes)
	if err != nil {
		return nil, err
	}
	return &Snapshot{s, noted(notes)},
		errors.Join(w.readKeys(s), w.readTools(s), w.readRules(s), w.readTexts(s), w.readDecision(s))
}

func (w *wireRun) readKeys(s *past) error {
	if len(w.Keys) > KeyMemory {
		return fmt.Errorf("%d turn keys", len(w.Keys))
	}
	for _, k := range w.Keys {
		n, err := strconv.ParseUint(k, 16, 64)
		if err != nil {
			return fmt.Errorf("turn key %q", k)
		}
		s.keys = append(s.keys, n)
	}
	return nil
}

func (w *wireRun) readTools(s *past) error {
	for _, t := range w.Tools {
		if !counts(t.Calls, t.Turn) || t.Turn > s.turn {
			return fmt.Errorf("tool %q", t.Name)
		}
		s.tools = append(s.tools, tool{name: t.Name, calls: t.Calls, turn: t.Turn})
	}
	for _, c := range w.Calls {
		if int(c) >= len(w.Tools) {
			return fmt.Errorf("a call of tool %d of %d", c, len(w.Tools))
		}
	}
	if len(w.Calls) > fact.ChainMemory {
		return fmt.Errorf("%d calls", len(w.Calls))
	}
	return nil
}

func (w *wireRun) readRules(s *past) error {
	for i, r := range w.Rules {
		e := &entry{
			id: r.ID, version: r.Version, disarmed: r.Fired, fires: r.Fires,
			last: r.Last.mark(), before: r.Before.mark(), since: r.Since,
		}
		if r.SinceAt != nil {
			e.sinceAt = moment(*r.SinceAt)
		}
		switch {
		case i > 0 && w.Rules[i-1].ID >= r.ID:
			return errors.New("the rules are not in order")
		case !counts(e.fires, e.since, e.last.Turn, e.before.Turn) || max(e.since, e.last.Turn) > s.turn,
			(e.fires > 0) != (e.last.Turn > 0), (e.since > 0) != (r.SinceAt != nil), e.blank():
			return fmt.Errorf("rule %q", r.ID)
		}
		s.entries = append(s.entries, slot{entry: e})
	}
	return nil
}

func (w *wireRun) readTexts(s *past) error {
	for i, t := range w.Texts {
		switch {
		case i > 0 && w.Texts[i-1].ID >= t.ID:
			return errors.New("the texts are not in order")
		case !counts(t.Turn, t.Tokens) || t.Turn > s.turn || t.Turn == 0, t.Keep.Unit == reminder.KeepDefault:
			return fmt.Errorf("text of %q", t.ID)
		}
		s.texts = append(s.texts, text{
			Due: reminder.Due{
				ID: t.ID, Text: t.Text, Priority: t.Priority, Tier: t.Tier, Attach: t.Attach, Keep: t.Keep,
				Tokens: t.Tokens, Manual: t.Manual, Late: t.Late,
			},
			turn: t.Turn, waiting: t.Waiting, missed: t.Missed,
		})
	}
	return nil
}

func (w *wireRun) readDecision(s *past) error {
	if (w.Decision == nil) != (w.Turn == 0) {
		return errors.New("a turn without a decision")
	}
	if w.Decision == nil {
		return nil
	}
	d := &Decision{Turn: w.Turn, Key: w.Decision.Key, Fired: []reminder.Due{}, Due: []reminder.Due{},
		Undelivered: w.Decision.Undelivered}
	if d.Key != "" && len(s.keys) == 0 {
		return errors.New("a turn key that is not remembered")
	}
	var err error
	if d.Fired, err = w.resolve(s, w.Decision.Fired, d.Fired); err != nil {
		return err
	}
	if d.Due, err = w.resolve(s, w.Decision.Due, d.Due); err != nil {
		return err
	}
	for _, e := range w.Decision.Errors {
		d.Errors = append(d.Errors, TextError{ID: e.ID, Error: e.Error})
	}
	for _, h := range w.Decision.Held {
		d.Held = append(d.Held, Held{ID: h.ID, Why: h.Why, Left: reminder.Span{Turns: h.Turns, Time: h.Time}})
	}
	s.decision = d
	return nil
}

// resolve appends the texts of those ids to out.
func (w *wireRun) resolve(s *past, ids []string, out []reminder.Due) ([]reminder.Due, error) {
	for _, id := range ids {
		t := findText(s.texts, id)
		if t == nil {
			return nil, fmt.Errorf("the text of %q is missing", id)
		}
		out = append(out, t.Due)
	}
	return out, nil
}

func counts[T int | int64](ns ...T) bool {
	return !slices.ContainsFunc(ns, func(n T) bool { return n < 0 || int64(n) > fact.MaxInt })
}

func ascending(ids []string) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i-1] >= ids[i] {
			return false
		}
	}
	return true
}

// mark returns the mark that m stands for; that of no turn for nil.
func (m *wireMark) mark() fact.Mark {
	if m == nil {
		return fact.Mark{}
	}
	out := fact.Mark{At: m.At.UTC(), Turn: m.Turn}
	out.OutputTokens, out.OutputOK = value(m.Output)
	out.UserTurn, out.UserTurnOK = value(m.UserTurns)
	return out
}
