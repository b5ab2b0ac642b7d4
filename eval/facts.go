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
	"github.com/aside-go/aside/state"
)

// unkept are the facts that a snapshot does not keep: their texts are long, and people wrote them.
var unkept = [...]fact.ID{fact.Prompt, fact.Response}

// setFacts sets the host's facts in an empty frame. Its error joins the *FactErrors of all wrong facts.
func setFacts(f *fact.Frame, t *Turn) error {
	var errs []error
	for name, v := range t.Facts { // in any order: no fact depends on another
		if err := setFact(f, name, v); err != nil {
			errs = append(errs, err)
		}
	}
	slices.SortFunc(errs, func(a, b error) int {
		return strings.Compare(a.(*FactError).Name,
			b.(*FactError).Name)
	})
	if t.Fill != nil {
		t.Fill(f)
	}
	if failed, known := f.Failed(); known && !f.Known(fact.LastToolCallFailed) {
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

// addCounts sets the counts of the run and the facts that follow from others, unless the host gave them. It
// also gives the triggers access to the run's past.
func addCounts(f *fact.Frame, run *state.Run) {
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
	if tokens, window := f.Num(fact.ContextTokens), f.Num(fact.ContextWindow); !f.Known(fact.ContextUsage) &&
		tokens >= 0 && window > 0 {
		f.SetRatio(fact.ContextUsage, tokens/window)
	}
	f.SetHistory(run)
}

// keptFacts are the facts that the host gave for a turn, in the form of the snapshot. addCounts computes the
// others again.
type keptFacts struct {
	Facts  map[string]any `json:"facts"`
	Failed []string       `json:"failed,omitempty"` // nil if unknown
	Unkept []string       `json:"unkept,omitempty"` // names of facts that were known and are not kept
}

// record returns the keptFacts of a frame that holds only the facts of the host, as JSON. It appends text,
// since every turn calls it and encoding/json would need a map of boxed values. Names of facts need no
// escapes.
func record(w *work) json.RawMessage {
	f, s := w.frame, w.frame.Schema()
	b := append(w.facts[:0], `{"facts":{`...)
	var missing []string
	first := true
	for id := range fact.ID(s.Len()) {
		if !f.Known(id) {
			continue
		}
		if slices.Contains(unkept[:], id) {
			missing = append(missing, s.Fact(id).Name)
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(append(append(b, '"'), s.Fact(id).Name...), `":`...)
		b = appendFact(b, f, id)
	}
	b = append(b, '}')
	if failed, known := f.Failed(); known {
		b = appendTexts(append(b, `,"failed":`...), failed)
	}
	if len(missing) > 0 {
		b = appendTexts(append(b, `,"unkept":`...), missing)
	}
	w.facts = append(b, '}')
	return bytes.Clone(w.facts)
}

// appendFact appends the value of a known fact as JSON, in a form that Frame.SetValue takes.
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
		return appendTexts(b, list)
	}
}

func appendTexts(b []byte, texts []string) []byte {
	b = append(b, '[')
	for i, t := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, t)
	}
	return append(b, ']')
}

// appendText appends s as a JSON string. Most strings here are names that need no escapes.
func appendText(b []byte, s string) []byte {
	plain := func(r rune) bool { return r >= ' ' && r <= '~' && r != '"' && r != '\\' }
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return append(append(append(b, '"'), s...), '"')
	}
	quoted, _ := json.Marshal(s) // every string can be written
	return append(b, quoted...)
}

// recall sets the facts of a snapshot in an empty frame, and returns the names of the facts that were known
// and are not kept. It leaves out facts that the schema no longer has, or has with another type by now.
func recall(f *fact.Frame, s *state.Snapshot) (missing []string, err error) {
	raw := s.Facts()
	if len(raw) == 0 {
		return nil, nil
	}
	var k keptFacts
	if err := json.Unmarshal(raw, &k); err != nil {
		return nil, fmt.Errorf("facts of the last turn: %w: %w", state.ErrCorrupt, err)
	}
	for name, v := range k.Facts {
		_ = f.SetValue(name, v) // an error says that the schema has changed since
	}
	if k.Failed != nil {
		f.SetFailed(k.Failed)
	}
	return k.Unkept, nil
}
