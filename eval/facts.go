package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/tightjson"
	"github.com/aside-go/aside/state"
)

// unkept are the facts whose texts a snapshot does not keep: they are long, and people's own.
var unkept = [...]fact.ID{fact.Prompt, fact.Response}

// take puts the host's facts into an empty frame.
func take(f *fact.Frame, t *Turn) error {
	var errs []error
	for name, v := range t.Facts { // in any order: none reads another
		if err := setFact(f, name, v); err != nil {
			errs = append(errs, err)
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.(*FactError).Name, b.(*FactError).Name) })
	if t.Fill != nil {
		t.Fill(f)
	}
	if failed, told := f.Failed(); told && !f.Known(fact.LastToolCallFailed) {
		f.SetBool(fact.LastToolCallFailed, len(failed) > 0)
	}
	return errors.Join(errs...)
}

// setFact is SetValue with an error that lists the nearest names.
func setFact(f *fact.Frame, name string, v any) error {
	err := f.SetValue(name, v)
	if err == nil {
		return nil
	}
	fe := &FactError{Name: name, Err: err}
	if u := (*fact.UnknownError)(nil); errors.As(err, &u) {
		fe.Suggestions = unknown(name, append(f.Schema().Names(), fact.FailedTools)).Suggestions
	}
	return fe
}

// count adds what the run itself counts, and what follows from other facts, where the host did not give it.
func count(f *fact.Frame, run *state.Run) {
	now := run.Now()
	put := func(id fact.ID, n int64, known bool) {
		if known && !f.Known(id) {
			f.SetInt(id, n)
		}
	}
	put(fact.TurnCount, int64(now.Turn), true)
	put(fact.UserTurnCount, int64(now.UserTurn), now.UserTurnOK)
	put(fact.OutputTokens, now.OutputTokens, now.OutputOK)
	calls, known := run.ToolCalls()
	put(fact.ToolCalls, int64(calls), known)
	failures, known := run.FailuresInRow()
	put(fact.FailuresInRow, int64(failures), known)
	if !f.Known(fact.Elapsed) {
		f.SetDuration(fact.Elapsed, run.Elapsed())
	}
	if idle, ok := run.Idle(); ok && !f.Known(fact.Idle) {
		f.SetDuration(fact.Idle, idle)
	}
	if tokens, window := f.Num(fact.ContextTokens), f.Num(fact.ContextWindow); !f.Known(fact.ContextUsage) && tokens >= 0 && window > 0 {
		f.SetRatio(fact.ContextUsage, tokens/window)
	}
	f.SetHistory(run)
}

// kept is what a snapshot keeps of a turn's facts: what the host gave, so that the rest can be counted again.
type kept struct {
	Facts  map[string]any `json:"facts"`
	Failed []string       `json:"failed,omitempty"` // nil: not told
	Unkept []string       `json:"unkept,omitempty"` // known, but not kept
}

// membersOf returns what stands before the value of each fact in kept.Facts.
func membersOf(s *fact.Schema) []string {
	members := make([]string, s.Len())
	for id := range members {
		members[id] = string(append(appendText(nil, s.Fact(fact.ID(id)).Name), ':'))
	}
	return members
}

// record writes the facts of a frame that holds only those of the host, as kept reads them.
func (p *program) record(w *work) json.RawMessage {
	f, s := w.frame, p.set.Schema()
	b := append(w.facts[:0], `{"facts":{`...)
	first := true
	for id := range fact.ID(s.Len()) {
		if !f.Known(id) || slices.Contains(unkept[:], id) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendFact(append(b, p.members[id]...), f, id)
	}
	b = append(b, '}')
	if failed, told := f.Failed(); told {
		b = appendList(append(b, `,"failed":`...), failed)
	}
	sep := `,"unkept":[`
	for _, id := range unkept {
		if f.Known(id) {
			b = appendText(append(b, sep...), s.Fact(id).Name)
			sep = ","
		}
	}
	if sep == "," {
		b = append(b, ']')
	}
	w.facts = append(b, '}')
	return bytes.Clone(w.facts)
}

// appendFact writes a fact that is known.
func appendFact(b []byte, f *fact.Frame, id fact.ID) []byte {
	switch f.Schema().Fact(id).Type {
	case fact.Bool:
		return strconv.AppendBool(b, f.Truth(id) == fact.True)
	case fact.Int:
		return strconv.AppendInt(b, int64(f.Num(id)), 10)
	case fact.Ratio:
		return strconv.AppendFloat(b, f.Num(id), 'g', -1, 64)
	case fact.Duration:
		return appendText(b, time.Duration(f.Num(id)).String())
	case fact.String:
		text, _ := f.Text(id)
		return appendText(b, text)
	default:
		list, _ := f.Set(id)
		return appendList(b, list)
	}
}

func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			j, err := json.Marshal(s)
			if err != nil {
				panic(err) // a string always has a JSON form
			}
			return append(b, j...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

func appendList(b []byte, l []string) []byte {
	b = append(b, '[')
	for i, s := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, s)
	}
	return append(b, ']')
}

// recall puts what a snapshot kept into an empty frame, and returns the names of facts that were known but are not kept.
// Facts that the schema no longer has, or now with another type, are left out.
func recall(f *fact.Frame, s *state.Snapshot) (missing []string, err error) {
	raw := s.Facts()
	if len(raw) == 0 {
		return nil, nil
	}
	if missing, ok := recallTight(f, string(raw)); ok {
		return missing, nil
	}
	f.Reset()
	var k kept
	if err := json.Unmarshal(raw, &k); err != nil {
		return nil, fmt.Errorf("facts of the last turn: %w: %w", state.ErrCorrupt, err)
	}
	for name, v := range k.Facts {
		_ = f.SetValue(name, v) // the schema may have changed since
	}
	if k.Failed != nil {
		f.SetFailed(k.Failed)
	}
	return k.Unkept, nil
}

// recallTight reads what record writes with the schema of f; false means that raw is anything else. It saves whoever asks for the facts
// of every turn most of the time that encoding/json takes.
func recallTight(f *fact.Frame, raw string) (missing []string, ok bool) {
	r := tightjson.NewReader(raw)
	r.Open('{')
	if r.Member("facts") {
		r.Open('{')
		for id := range fact.ID(f.Schema().Len()) {
			if r.Member(f.Schema().Fact(id).Name) {
				readFact(r, f, id)
			}
		}
		r.Close('}')
	}
	if r.Member("failed") {
		f.SetFailed(r.Texts())
	}
	missing = r.MemberTexts("unkept")
	r.Close('}')
	return missing, r.End()
}

// readFact reads what appendFact wrote.
func readFact(r *tightjson.Reader, f *fact.Frame, id fact.ID) {
	switch f.Schema().Fact(id).Type {
	case fact.Bool:
		f.SetBool(id, r.Bool())
	case fact.Int:
		f.SetInt(id, r.Int())
	case fact.Ratio:
		f.SetRatio(id, r.Float())
	case fact.Duration:
		d, err := time.ParseDuration(r.Text())
		if err != nil {
			r.Fail()
		}
		f.SetDuration(id, d)
	case fact.String:
		f.SetText(id, r.Text())
	default:
		f.SetSet(id, r.Texts())
	}
}
