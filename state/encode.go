package state

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/crc32c"
	"github.com/aside-go/aside/internal/tightjson"
)

func checksum(b []byte) string { return string(appendHex(nil, uint64(crc32c.Checksum(b)), 8)) }

// Encode returns the snapshot as JSON on one line, with sorted keys: equal snapshots have equal bytes. The form is
// {"run":{…},"sum":"…","v":1}, where sum is the CRC-32C of the bytes of run.
func (s *Snapshot) Encode() []byte {
	run, notes := s.at(), encoded(s.Notes())
	b := append(make([]byte, 0, run.size()+len(notes)), envelopeHead...)
	b = run.appendTo(b, notes)
	sum := crc32c.Checksum(b[len(envelopeHead):])
	b = append(appendHex(append(b, `,"sum":"`...), uint64(sum), 8), `","v":`...)
	return append(strconv.AppendInt(b, version, 10), '}')
}

// envelopeHead stands before the run.
const envelopeHead = `{"run":`

// encoded returns notes as bytes without blanks.
func encoded(n Notes) json.RawMessage {
	switch n := n.(type) {
	case nil:
		return nil
	case json.RawMessage:
		return n
	}
	raw, err := n.MarshalJSON()
	if err == nil {
		raw, err = compact(raw)
	}
	if err != nil { // the host broke its promise: see Notes
		panic(fmt.Sprintf("state: notes that cannot be written: %v", err))
	}
	return raw
}

// size estimates how many bytes the encoded snapshot takes without its notes.
func (s *past) size() int {
	n := 1024 + len(s.facts) + 20*len(s.keys) + 8*len(s.calls) + 64*len(s.tools) + 256*len(s.entries)
	for i := range s.texts {
		n += 256 + len(s.texts[i].Text)
	}
	return n
}

// appendTo writes a wireRun with those notes. Zero values are left out where wireRun says omitempty.
func (s *past) appendTo(b []byte, notes json.RawMessage) []byte {
	b = append(b, '{')
	b = appendList(b, "calls", s.calls, func(tool *uint32, b []byte) []byte { return strconv.AppendUint(b, uint64(*tool), 10) })
	b = append(tightjson.Member(b, "clock"), '{')
	b = appendTime(b, "first", s.first)
	b = appendTime(b, "high", s.high)
	b = appendTime(b, "last", s.last)
	b = append(appendTime(b, "prev", s.prev), '}')
	if s.decision != nil {
		b = s.decision.appendTo(tightjson.Member(b, "decision"))
	}
	if len(s.facts) > 0 {
		b = append(tightjson.Member(b, "facts"), s.facts...)
	}
	b = tightjson.SomeInt(b, "failures", int64(s.failures))
	b = tightjson.SomeTrue(b, "failures_known", s.failedKnown)
	b = appendList(b, "keys", s.keys, func(hash *uint64, b []byte) []byte { return append(appendHex(append(b, '"'), *hash, 16), '"') })
	if len(notes) > 0 {
		b = append(tightjson.Member(b, "notes"), notes...)
	}
	b = appendKnown(b, "output_tokens", s.output, s.outputKnown)
	b = tightjson.SomeTexts(b, "queue", s.queue)
	b = appendList(b, "rules", s.entries, func(e *slot, b []byte) []byte { return e.appendTo(b, s.turn) })
	b = tightjson.SomeInt(b, "spent", s.spent)
	b = tightjson.SomeText(b, "tag", s.tag)
	b = appendList(b, "texts", s.texts, (*text).appendTo)
	b = appendKnown(b, "tool_calls", int64(s.toolCalls), s.toolsKnown)
	b = appendList(b, "tools", s.tools, (*tool).appendTo)
	b = tightjson.MemberInt(b, "turn", int64(s.turn))
	b = appendKnown(b, "user_turns", int64(s.userTurns), s.userKnown)
	return append(b, '}')
}

// appendTo writes a wireDecision.
func (d *Decision) appendTo(b []byte) []byte {
	b = append(b, '{')
	b = appendIDs(b, "due", d.Due)
	b = appendList(b, "errors", d.Errors, (*TextError).appendTo)
	b = appendIDs(b, "fired", d.Fired)
	b = appendList(b, "held", d.Held, (*Held).appendTo)
	b = tightjson.SomeText(b, "key", d.Key)
	b = tightjson.SomeTexts(b, "undelivered", d.Undelivered)
	return append(b, '}')
}

// appendTo writes a wireError.
func (e *TextError) appendTo(b []byte) []byte {
	b = tightjson.MemberText(append(b, '{'), "error", e.Error)
	return append(tightjson.MemberText(b, "id", e.ID), '}')
}

// appendTo writes a wireHeld.
func (h *Held) appendTo(b []byte) []byte {
	b = tightjson.MemberText(append(b, '{'), "id", h.ID)
	b = tightjson.SomeInt(b, "time", int64(h.Left.Time))
	b = tightjson.SomeInt(b, "turns", int64(h.Left.Turns))
	return append(tightjson.MemberText(b, "why", h.Why), '}')
}

// appendTo writes a wireEntry, in a run that has had that many turns.
func (e *entry) appendTo(b []byte, turn int) []byte {
	b = append(b, '{')
	if e.last.Turn == turn {
		b = appendMark(b, "before", e.before)
	}
	b = tightjson.SomeTrue(b, "fired", e.disarmed)
	b = tightjson.SomeInt(b, "fires", int64(e.fires))
	b = tightjson.MemberText(b, "id", e.id)
	b = appendMark(b, "last", e.last)
	if b = tightjson.SomeInt(b, "since", int64(e.since)); e.since > 0 {
		b = appendTime(b, "since_at", e.sinceAt)
	}
	return append(tightjson.MemberText(b, "version", e.version), '}')
}

// appendTo writes a wireText.
func (t *text) appendTo(b []byte) []byte {
	b = append(b, '{')
	if t.Attach != 0 {
		b = tightjson.MemberText(b, "attach", t.Attach.String())
	}
	b = tightjson.MemberText(b, "id", t.ID)
	b = tightjson.MemberText(b, "keep", t.Keep.String())
	b = tightjson.SomeTrue(b, "late", t.Late)
	b = tightjson.SomeTrue(b, "manual", t.Manual)
	b = tightjson.SomeTrue(b, "missed", t.missed)
	b = tightjson.SomeInt(b, "priority", int64(t.Priority))
	b = tightjson.MemberText(b, "text", t.Text)
	if t.Tier != 0 {
		b = tightjson.MemberText(b, "tier", t.Tier.String())
	}
	b = tightjson.SomeInt(b, "tokens", int64(t.Tokens))
	b = tightjson.MemberInt(b, "turn", int64(t.turn))
	return append(tightjson.SomeTrue(b, "waiting", t.waiting), '}')
}

// appendTo writes a wireTool.
func (t *tool) appendTo(b []byte) []byte {
	b = tightjson.MemberInt(append(b, '{'), "calls", int64(t.calls))
	b = tightjson.MemberText(b, "name", t.name)
	return append(tightjson.MemberInt(b, "turn", int64(t.turn)), '}')
}

// appendMark writes a wireMark, unless it is of no turn.
func appendMark(b []byte, name string, m fact.Mark) []byte {
	if m.Turn == 0 {
		return b
	}
	b = appendTime(append(tightjson.Member(b, name), '{'), "at", m.At)
	b = appendKnown(b, "output_tokens", m.OutputTokens, m.OutputOK)
	b = tightjson.MemberInt(b, "turn", int64(m.Turn))
	return append(appendKnown(b, "user_turns", int64(m.UserTurn), m.UserTurnOK), '}')
}

// appendTime writes a time, which is one of those that moment returns.
func appendTime(b []byte, name string, t time.Time) []byte {
	b, err := t.AppendText(append(tightjson.Member(b, name), '"'))
	if err != nil {
		panic(fmt.Sprintf("state: a snapshot that cannot be written: %v", err))
	}
	return append(b, '"')
}

// appendIDs writes the ids of texts; the texts themselves stand in wireRun.Texts.
func appendIDs(b []byte, name string, due []reminder.Due) []byte {
	return appendList(b, name, due, func(d *reminder.Due, b []byte) []byte { return tightjson.Text(b, d.ID) })
}

// appendList writes a member that is an array, with appendItem for each of its values; an empty one is left out.
func appendList[T any](b []byte, name string, list []T, appendItem func(v *T, b []byte) []byte) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(tightjson.Member(b, name), '[')
	for i := range list {
		b = appendItem(&list[i], tightjson.Item(b))
	}
	return append(b, ']')
}

// appendKnown writes a number; one that is not known is left out.
func appendKnown(b []byte, name string, n int64, known bool) []byte {
	if !known {
		return b
	}
	return tightjson.MemberInt(b, name, n)
}

// appendHex writes that many hexadecimal digits.
func appendHex(b []byte, n uint64, digits int) []byte {
	for i := digits - 1; i >= 0; i-- {
		b = append(b, "0123456789abcdef"[n>>(4*i)&0xf])
	}
	return b
}
