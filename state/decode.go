package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Decode reads what Encode wrote, in this version or an earlier one. Anything else is an error: ErrNewer if it says that
// it is of a later version, ErrCorrupt otherwise. Blanks around it are no harm. It copies what it needs of b.
func Decode(b []byte) (*Snapshot, error) {
	run, ok := unwrap(b)
	if !ok {
		var err error
		if run, err = opened(b); err != nil {
			return nil, err
		}
	}
	w, ok := readRun(string(run))
	if !ok {
		var err error
		if w, err = otherwise(run); err != nil {
			return nil, corrupt(err)
		}
	}
	s, err := w.snapshot()
	if err != nil {
		return nil, corrupt(err)
	}
	return s, nil
}

// unwrap takes the run out of an envelope that is, byte for byte, as Encode writes it in this version; opened says what is wrong with
// any other. It saves most of the time that a short process takes over a snapshot.
func unwrap(b []byte) (run json.RawMessage, ok bool) {
	b = bytes.TrimSpace(b)
	const tail = `,"sum":"00000000","v":1}`
	if version != 1 || len(b) < len(envelopeHead)+len(tail) || string(b[:len(envelopeHead)]) != envelopeHead {
		return nil, false
	}
	run = b[len(envelopeHead) : len(b)-len(tail)]
	return run, string(b[len(b)-len(tail):]) == `,"sum":"`+checksum(run)+`","v":1}`
}

// opened takes the run out of an envelope.
func opened(b []byte) (json.RawMessage, error) {
	var head struct {
		V *int `json:"v"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, corrupt(err)
	}
	switch {
	case head.V == nil || *head.V < 1:
		return nil, corrupt(errors.New("no version"))
	case *head.V > version:
		return nil, fmt.Errorf("%w: %d, this is %d", ErrNewer, *head.V, version)
	}
	var env envelope
	if err := strict(b, &env); err != nil {
		return nil, corrupt(err)
	}
	if again, err := marshal(env); err != nil || !bytes.Equal(bytes.TrimSpace(b), again) { // the checksum is of run alone
		return nil, corrupt(errors.New("not as it was written"))
	}
	if got := checksum(env.Run); got != env.Sum {
		return nil, corrupt(fmt.Errorf("checksum %s, not %q", got, env.Sum))
	}
	return env.Run, nil
}

// marshal writes v without escaping for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// otherwise reads a run that is not as Encode writes it in this version, or says what is wrong with it.
func otherwise(run json.RawMessage) (w *wireRun, err error) {
	if err = strict(run, &w); err != nil {
		return nil, err
	}
	if w == nil {
		return nil, errors.New("no run")
	}
	w.Facts, err = compact(w.Facts) // Encode writes them as they are
	if err == nil {
		w.Notes, err = compact(w.Notes)
	}
	return w, err
}

func corrupt(err error) error { return fmt.Errorf("%w: %w", ErrCorrupt, err) }

// strict unmarshals one JSON value with known members only and nothing behind it.
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

// snapshot checks what the rest of the package relies on: order, ranges, and references that lead somewhere.
func (w *wireRun) snapshot() (*Snapshot, error) {
	s := &past{
		turn: w.Turn, facts: w.Facts, tag: w.Tag, calls: w.Calls, queue: w.Queue, spent: w.Spent,
		failures: w.Failures, failedKnown: w.FailedKnown,
		first: moment(w.Clock.First), high: moment(w.Clock.High), last: moment(w.Clock.Last), prev: moment(w.Clock.Prev),
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
	return &Snapshot{s, noted(w.Notes)}, errors.Join(w.readKeys(s), w.readTools(s), w.readRules(s), w.readTexts(s), w.readDecision(s))
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
			last: markIn(r.Last), before: markIn(r.Before), since: r.Since,
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
	d := &Decision{Turn: w.Turn, Key: w.Decision.Key, Fired: []reminder.Due{}, Due: []reminder.Due{}, Undelivered: w.Decision.Undelivered}
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
