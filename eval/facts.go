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

// unkept are the facts whose texts a snapshot does not keep: they are long, and they are what people wrote.
var unkept = [...]fact.ID{fact.Prompt, fact.Response}

// setFacts puts the host's facts into an empty frame. Its error joins the *FactErrors of all facts that are wrong.
func setFacts(f *fact.Frame, t *Turn) error {
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

// addCounts sets the facts that the run itself counts, and those that follow from others, where the host did not give them.
// It also lets triggers ask about the run's past.
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
	if tokens, window := f.Num(fact.ContextTokens), f.Num(fact.ContextWindow); !f.Known(fact.ContextUsage) && tokens >= 0 && window > 0 {
		f.SetRatio(fact.ContextUsage, tokens/window)
	}
	f.SetHistory(run)
}

// kept is what a snapshot keeps of a turn's facts: those that the host gave, from which addCounts makes the rest again.
type kept struct {
	Facts  map[string]any `json:"facts"`
	Failed []string       `json:"failed,omitempty"` // nil if unknown
	Unkept []string       `json:"unkept,omitempty"` // names of facts that were known but whose text is not kept
}

// record writes the facts of a frame that holds only those of the host, in the form of kept. Names of facts need no escapes.
func record(w *work) json.RawMessage {
	f, s := w.frame, w.frame.Schema()
	b := append(tightjson.Member(append(w.facts[:0], '{'), "facts"), '{')
	missing := make([]string, 0, len(unkept))
	for id := range fact.ID(s.Len()) {
		switch {
		case !f.Known(id):
		case slices.Contains(unkept[:], id):
			missing = append(missing, s.Fact(id).Name)
		default:
			b = appendFact(tightjson.Member(b, s.Fact(id).Name), f, id)
		}
	}
	b = append(b, '}')
	if failed, known := f.Failed(); known {
		b = tightjson.Texts(tightjson.Member(b, "failed"), failed)
	}
	b = tightjson.SomeTexts(b, "unkept", missing)
	w.facts = append(b, '}')
	return bytes.Clone(w.facts)
}

// appendFact writes the value of a known fact; readFact reads it.
func appendFact(b []byte, f *fact.Frame, id fact.ID) []byte {
	switch f.Schema().Fact(id).Type {
	case fact.Bool:
		return strconv.AppendBool(b, f.Truth(id) == fact.True)
	case fact.Int:
		return strconv.AppendInt(b, int64(f.Num(id)), 10)
	case fact.Ratio:
		return tightjson.Float(b, f.Num(id))
	case fact.Duration:
		return tightjson.Text(b, time.Duration(f.Num(id)).String())
	case fact.String:
		text, _ := f.Text(id)
		return tightjson.Text(b, text)
	default:
		list, _ := f.Set(id)
		return tightjson.Texts(b, list)
	}
}

// recall puts the facts that a snapshot keeps into an empty frame, and returns the names of those that were known but whose
// text is not kept. Facts that the schema no longer has, or has with another type by now, are left out.
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
		_ = f.SetValue(name, v) // an error says that the schema has changed since
	}
	if k.Failed != nil {
		f.SetFailed(k.Failed)
	}
	return k.Unkept, nil
}

// recallTight is recall for facts that record wrote with the schema of f. It reports false for anything else; the frame may
// then hold some facts. Reading the facts of a turn takes it a fraction of the time that encoding/json needs.
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

// readFact sets a fact to the value that appendFact wrote.
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
