package state

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
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
	if err != nil { // not as Notes must be
		panic(fmt.Sprintf("state: notes that cannot be written: %v", err))
	}
	return raw
}

// size is about how many bytes a snapshot takes, but for its notes.
func (s *past) size() int {
	n := 1024 + len(s.facts) + 20*len(s.keys) + 8*len(s.calls) + 64*len(s.tools) + 256*len(s.entries)
	for i := range s.texts {
		n += 256 + len(s.texts[i].Text)
	}
	return n
}

// appendTo writes a wireRun with those notes: what is zero is left out where its member says omitempty.
func (s *past) appendTo(b []byte, notes json.RawMessage) []byte {
	b = append(b, '{')
	if len(s.calls) > 0 {
		b = append(tightjson.Member(b, "calls"), '[')
		for _, c := range s.calls {
			b = strconv.AppendUint(tightjson.Item(b), uint64(c), 10)
		}
		b = append(b, ']')
	}
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
	if len(s.keys) > 0 {
		b = append(tightjson.Member(b, "keys"), '[')
		for _, k := range s.keys {
			b = append(appendHex(append(tightjson.Item(b), '"'), k, 16), '"')
		}
		b = append(b, ']')
	}
	if len(notes) > 0 {
		b = append(tightjson.Member(b, "notes"), notes...)
	}
	b = appendKnown(b, "output_tokens", s.output, s.outputKnown)
	b = tightjson.SomeTexts(b, "queue", s.queue)
	if len(s.entries) > 0 {
		b = append(tightjson.Member(b, "rules"), '[')
		for i := range s.entries {
			b = s.entries[i].appendTo(tightjson.Item(b), s.turn)
		}
		b = append(b, ']')
	}
	b = tightjson.SomeInt(b, "spent", s.spent)
	b = tightjson.SomeText(b, "tag", s.tag)
	if len(s.texts) > 0 {
		b = append(tightjson.Member(b, "texts"), '[')
		for i := range s.texts {
			b = s.texts[i].appendTo(tightjson.Item(b))
		}
		b = append(b, ']')
	}
	b = appendKnown(b, "tool_calls", int64(s.toolCalls), s.toolsKnown)
	if len(s.tools) > 0 {
		b = append(tightjson.Member(b, "tools"), '[')
		for i := range s.tools {
			b = s.tools[i].appendTo(tightjson.Item(b))
		}
		b = append(b, ']')
	}
	b = tightjson.MemberInt(b, "turn", int64(s.turn))
	b = appendKnown(b, "user_turns", int64(s.userTurns), s.userKnown)
	return append(b, '}')
}

// appendTo writes a wireDecision.
func (d *Decision) appendTo(b []byte) []byte {
	b = append(b, '{')
	b = appendIDs(b, "due", d.Due)
	if len(d.Errors) > 0 {
		b = append(tightjson.Member(b, "errors"), '[')
		for _, e := range d.Errors {
			b = tightjson.MemberText(append(tightjson.Item(b), '{'), "error", e.Error)
			b = append(tightjson.MemberText(b, "id", e.ID), '}')
		}
		b = append(b, ']')
	}
	b = appendIDs(b, "fired", d.Fired)
	if len(d.Held) > 0 {
		b = append(tightjson.Member(b, "held"), '[')
		for _, h := range d.Held {
			b = tightjson.MemberText(append(tightjson.Item(b), '{'), "id", h.ID)
			b = tightjson.SomeInt(b, "time", int64(h.Left.Time))
			b = tightjson.SomeInt(b, "turns", int64(h.Left.Turns))
			b = append(tightjson.MemberText(b, "why", h.Why), '}')
		}
		b = append(b, ']')
	}
	b = tightjson.SomeText(b, "key", d.Key)
	b = tightjson.SomeTexts(b, "undelivered", d.Undelivered)
	return append(b, '}')
}

// appendTo writes a wireEntry, in a run that has had that many turns.
func (e *entry) appendTo(b []byte, turn int) []byte {
	b = append(b, '{')
	if e.last.Turn == turn {
		b = appendMark(b, "before", e.before)
	}
	b = tightjson.SomeTrue(b, "fired", e.spentArm)
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

func appendIDs(b []byte, name string, due []terms.Due) []byte {
	if len(due) == 0 {
		return b
	}
	b = append(tightjson.Member(b, name), '[')
	for i := range due {
		b = tightjson.Text(tightjson.Item(b), due[i].ID)
	}
	return append(b, ']')
}

// appendKnown writes a number that is known.
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
