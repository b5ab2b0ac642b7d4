package firing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Decode reads the bytes that Encode wrote. For other bytes it returns ErrNewer if they name a later version,
// otherwise ErrCorrupt. White space around the snapshot is allowed. Decode keeps no part of b.
func Decode(b []byte) (*Snapshot, error) {
	body, err := open(bytes.TrimSpace(b))
	if err != nil {
		return nil, err
	}
	var w wireSnapshot
	if err := whole(io.MultiReader(bytes.NewReader(body), strings.NewReader("}")), &w); err != nil {
		return nil, corrupt(err)
	}
	if w.Run == nil {
		return nil, corrupt(errors.New("no run"))
	}
	s, err := w.Run.snapshot()
	if err != nil {
		return nil, corrupt(err)
	}
	if s.kept, err = w.kept(); err != nil {
		return nil, corrupt(err)
	}
	return s, nil
}

// kept returns the notes.
func (w *wireSnapshot) kept() (Notes, error) {
	raw, err := compact(w.Notes)
	return noted(raw), err
}

// open returns what seal has ended, to the byte. So it needs no parser, but for the version in an envelope of
// another form.
func open(b []byte) ([]byte, error) {
	const tail = `,"sum":"01234567","v":4}`
	if end := len(b) - len(tail); end > 0 {
		for v := formatVersion; v >= formatVersion-1; v-- {
			if bytes.Equal(b[end:], seal(b[:end:end], v)[end:]) {
				return b[:end], nil
			}
		}
	}
	var other struct{ V int }
	if err := json.Unmarshal(b, &other); err != nil {
		return nil, corrupt(err)
	}
	if other.V > formatVersion {
		return nil, fmt.Errorf("%w: %d, this is %d", ErrNewer, other.V, formatVersion)
	}
	if other.V == 1 || other.V == 2 {
		return nil, corrupt(fmt.Errorf("its format is %d, of an earlier version, which is not read any more: "+
			"delete the run, and it begins anew", other.V))
	}
	return nil, corrupt(errors.New("the checksum or the version is wrong, or the members are not as they " +
		"were written"))
}

func corrupt(err error) error { return fmt.Errorf("%w: %w", ErrCorrupt, err) }

// whole unmarshals one JSON value, with nothing behind it. A member that is not known is one of the version
// after this one, which reads the run without it.
func whole(r io.Reader, v any) error {
	dec := json.NewDecoder(r)
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
		turn: w.Turn, rest: &rest{tag: w.Tag, calls: w.Calls, queue: w.Queue, spent: w.Spent,
			first: w.Clock.First.time(), tools: w.Tools, patterns: w.Patterns},
		failures: w.Failures, failuresBefore: w.Before, failedKnown: w.FailedKnown, facts: w.Facts,
		spoke: w.Spoke, responded: w.Responded, told: w.Told, prompted: w.Prompted, toldCalls: w.ToldCalls,
		high: w.Clock.High.time(), last: w.Clock.Last.time(), prev: w.Clock.Prev.time(),
	}
	s.output, s.outputKnown = value(w.Output)
	s.userTurns, s.userKnown = value(w.UserTurns)
	s.toolCalls, s.toolsKnown = value(w.ToolCalls)
	if !counts(s.turn, s.failures, s.failuresBefore, s.userTurns, s.toolCalls) || !counts(s.output, s.spent) {
		return nil, errors.New("a count out of range")
	}
	if !ascending(s.queue) {
		return nil, errors.New("the queue is not in order")
	}
	added, err := compact(w.Added)
	if err != nil {
		return nil, err
	}
	s.added = string(added)
	return &Snapshot{past: s},
		errors.Join(w.readKeys(s), w.readIdentical(s), w.readTools(s), w.readRules(s), w.readTexts(s),
			w.readDecision(s))
}

func (w *wireRun) readKeys(s *past) (err error) {
	if s.keys, err = w.Keys.hashes(); err == nil {
		s.seen, err = w.Seen.hashes()
	}
	s.pauses = w.Pauses
	for _, p := range s.pauses {
		if !counts(p.Turn, p.User) || p.Turn > s.turn || p.User > s.userTurns {
			return errors.New("a pause out of range")
		}
	}
	if err == nil && (len(s.keys) > keyMemory || len(s.seen) > maxSeen || len(s.pauses) > maxSeen) {
		err = fmt.Errorf("%d turn keys, %d moments, %d pauses", len(s.keys), len(s.seen), len(s.pauses))
	}
	s.keys, s.body = splitBody(s.keys)
	return err
}

func (w *wireRun) readTools(s *past) error {
	for _, t := range w.Tools {
		if !counts(t.Calls, t.Turn, t.Seq) || t.Turn > s.turn || t.Seq > s.toolCalls {
			return fmt.Errorf("tool %q", t.Name)
		}
	}
	for _, c := range w.Calls {
		if int(c) >= len(w.Tools) {
			return fmt.Errorf("a call of tool %d of %d", c, len(w.Tools))
		}
	}
	if len(w.Calls) > fact.ChainMemory {
		return fmt.Errorf("%d calls", len(w.Calls))
	}
	for i, p := range w.Patterns {
		if !counts(p.Calls, p.Turn, p.Seq) || p.Turn > s.turn || p.Seq > s.toolCalls ||
			i > 0 && w.Patterns[i-1].Key >= p.Key {
			return fmt.Errorf("pattern %q", p.Key)
		}
	}
	return nil
}

func (w *wireRun) readRules(s *past) error {
	if len(w.Gone) > maxGone {
		return fmt.Errorf("%d rules that are gone", len(w.Gone))
	}
	for i, r := range w.Rules {
		if i > 0 && w.Rules[i-1].ID >= r.ID {
			return errors.New("the rules are not in order")
		}
		e, err := r.read(s, s.turn)
		if err != nil {
			return err
		}
		s.entries = append(s.entries, slot{entry: e})
	}
	for _, r := range w.Gone {
		e, err := r.read(s, aside)
		if err != nil {
			return err
		}
		s.gone = append(s.gone, e)
	}
	return nil
}

func (w *wireEntry) read(s *past, to int) (*entry, error) {
	e, row, before := w.entry(s.turn, to), w.After.Row, 0
	if w.Prior != nil {
		before = w.Prior.Row
	}
	ok := counts(e.fires, e.ignored, e.last.Turn, e.before.Turn, row, before) &&
		max(e.last.Turn, e.before.Turn, row) <= s.turn && before < max(s.turn, 1) && len(e.open) <= maxOpen &&
		(e.fires > 0 || e.last.Turn == 0) && (row > 0) == (w.After.Since != nil) && !e.blank()
	for i, x := range e.open {
		ok = ok && x.Turn >= 0 && x.Turn <= s.turn && (i == 0 || e.open[i-1].Turn <= x.Turn) &&
			slices.Contains([]string{"", reminder.Ignored, reminder.Open}, x.Ended)
	}
	if !ok {
		return nil, fmt.Errorf("rule %q", w.ID)
	}
	return e, nil
}

func (w *wireRun) readTexts(s *past) error {
	for i, t := range w.Texts {
		switch {
		case i > 0 && w.Texts[i-1].ID >= t.ID:
			return errors.New("the texts are not in order")
		case !counts(t.Turn, t.Tokens, t.UserTurn) || t.Turn > s.turn, t.Keep.Unit == reminder.KeepDefault:
			return fmt.Errorf("text of %q", t.ID)
		}
		s.texts = append(s.texts, text{
			Due: reminder.Due{
				ID: t.ID, Text: t.Text, Priority: t.Priority, Tier: t.Tier, Attach: t.Attach, Keep: t.Keep,
				Tokens: t.Tokens, Manual: t.Manual, Late: t.Late, HeldOut: t.HeldOut,
			},
			turn: t.Turn, userTurn: t.UserTurn, waiting: t.Waiting, missed: t.Missed,
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
	d := &reminder.Decision{Turn: w.Turn, Key: w.Decision.Key, Fired: []reminder.Due{}, Due: []reminder.Due{},
		Rules: w.Decision.Rules, Undelivered: w.Decision.Undelivered, Outcomes: w.Decision.Outcomes,
		Errors: w.Decision.Errors}
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
	for _, h := range w.Decision.Held {
		d.Held = append(d.Held, reminder.Held{ID: h.ID, Why: h.Why,
			Left: reminder.Span{Turns: h.Turns, UserTurns: h.UserTurns, Time: h.Time}})
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

// mark is the inverse of wireOfMark.
func (m *wireMark) mark() fact.Mark {
	if *m == (wireMark{}) {
		return fact.Mark{}
	}
	out := fact.Mark{At: m.At.time(), Turn: m.Turn}
	out.OutputTokens, out.OutputOK = value(m.Output)
	out.UserTurn, out.UserTurnOK = value(m.UserTurns)
	return out
}
