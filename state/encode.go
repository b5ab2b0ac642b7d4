package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/internal/crc32c"
)

func checksum(b []byte) string { return fmt.Sprintf("%08x", crc32c.Checksum(b)) }

// Encode returns the snapshot as JSON on one line, with sorted keys: equal snapshots have equal bytes. The form is
// {"run":{…},"sum":"…","v":1}, where sum is the CRC-32C of the bytes of run.
func (s *Snapshot) Encode() []byte {
	if s == nil {
		s = &Snapshot{}
	}
	run := marshal(s.wire())
	return marshal(envelope{Run: run, Sum: checksum(run), V: version})
}

// marshal writes v without escaping for HTML. What it is given has no cycles, no functions, only valid times and facts
// that Step and Decode found to be JSON, so there is no error to report.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("state: a snapshot that is not JSON: %v", err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (s *Snapshot) wire() *wireRun {
	w := &wireRun{
		Calls: s.calls, Clock: wireClock{First: s.first, High: s.high, Last: s.last, Prev: s.prev},
		Facts: s.facts, Notes: s.notes, Failures: s.failures, FailedKnown: s.failedKnown,
		Output: known(s.output, s.outputKnown), Queue: s.queue, Spent: s.spent, Tag: s.tag,
		ToolCalls: known(s.toolCalls, s.toolsKnown), Turn: s.turn, UserTurns: known(s.userTurns, s.userKnown),
	}
	for _, k := range s.keys {
		w.Keys = append(w.Keys, fmt.Sprintf("%016x", k))
	}
	for _, t := range s.tools {
		w.Tools = append(w.Tools, wireTool{Calls: t.calls, Name: t.name, Turn: t.turn})
	}
	for _, sl := range s.entries {
		w.Rules = append(w.Rules, sl.wire(s.turn))
	}
	for i := range s.texts {
		t := &s.texts[i]
		w.Texts = append(w.Texts, wireText{
			Attach: t.Attach, ID: t.ID, Keep: t.Keep, Late: t.Late, Manual: t.Manual, Missed: t.missed,
			Priority: t.Priority, Text: t.Text, Tier: t.Tier, Tokens: t.Tokens, Turn: t.turn, Waiting: t.waiting,
		})
	}
	if d := s.decision; d != nil {
		w.Decision = &wireDecision{Due: ids(d.Due), Fired: ids(d.Fired), Key: d.Key, Undelivered: d.Undelivered}
		for _, e := range d.Errors {
			w.Decision.Errors = append(w.Decision.Errors, wireError{Error: e.Error, ID: e.ID})
		}
		for _, h := range d.Held {
			w.Decision.Held = append(w.Decision.Held, wireHeld{ID: h.ID, Time: h.Left.Time, Turns: h.Left.Turns, Why: h.Why})
		}
	}
	return w
}

func (e *entry) wire(turn int) wireEntry {
	w := wireEntry{Fired: e.spentArm, Fires: e.fires, ID: e.id, Last: markOut(e.last), Since: e.since, Version: e.version}
	if e.last.Turn == turn {
		w.Before = markOut(e.before)
	}
	if e.since > 0 {
		w.SinceAt = known[time.Time](e.sinceAt, true)
	}
	return w
}

func ids(due []terms.Due) []string {
	var out []string
	for i := range due {
		out = append(out, due[i].ID)
	}
	return out
}
