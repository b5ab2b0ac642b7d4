package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// setFacts sets the facts of a turn in an empty frame. alone says that nobody else tells facts of the turn.
// The error joins the *FactErrors of all wrong facts.
func setFacts(f *fact.Frame, t *Turn, alone bool) error {
	t.observed.tell(f, alone)
	f.SetPlace(t.Place)
	var errs []error
	set := func(name string, v any) {
		if err := setFact(f, name, v); err != nil {
			errs = append(errs, err)
		}
	}
	calls := f.Schema().Fact(fact.CallList).Name
	if v, ok := t.Facts[calls]; ok { // first: other facts follow from it unless the host gives them
		set(calls, v)
	}
	for name, v := range t.Facts { // in any order: none of these depends on another
		if name != calls {
			set(name, v)
		}
	}
	slices.SortStableFunc(errs, func(a, b error) int {
		return strings.Compare(a.(*FactError).Name, b.(*FactError).Name)
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
func addCounts(f *fact.Frame, run *firing.Run) {
	now := run.Now()
	put := func(id fact.ID, n int64, known bool) {
		if known && !f.Known(id) {
			f.SetInt(id, n)
		}
	}
	if !f.Known(fact.Started) {
		at, _ := f.Moment()
		firstOfUser := at == fact.Stopping && now.Turn > 0 && now.UserTurn <= 1
		f.SetBool(fact.Started, firstOfUser || at != fact.Stopping && now.Turn == 1)
	}
	put(fact.TurnCount, int64(now.Turn), true)
	put(fact.UserTurnCount, int64(now.UserTurn), now.UserTurnOK)
	put(fact.OutputTokens, now.OutputTokens, now.OutputOK)
	calls, known := run.ToolCalls()
	put(fact.ToolCalls, int64(calls), known)
	failures, known := run.FailuresInRow()
	put(fact.FailuresInRow, int64(failures), known)
	putIdentical(f, run)
	timed := !now.At.IsZero()
	if timed && !f.Known(fact.Elapsed) {
		f.SetDuration(fact.Elapsed, run.Elapsed())
	}
	if idle, ok := run.Idle(); ok && timed && !f.Known(fact.Idle) {
		f.SetDuration(fact.Idle, idle)
	}
	if tokens, window := f.Num(fact.ContextTokens), f.Num(fact.ContextWindow); !f.Known(fact.ContextUsage) &&
		tokens >= 0 && window > 0 {
		f.SetRatio(fact.ContextUsage, tokens/window)
	}
	f.SetHistory(run)
}

// putIdentical sets how often the calls were made that a moment sees.
func putIdentical(f *fact.Frame, run *firing.Run) {
	n, ok := 0, false
	switch at, call := f.Moment(); {
	case f.Known(fact.IdenticalCalls):
	case at == fact.BeforeTool && call != nil:
		n, ok = run.IdenticalTo(*call)
	case at == fact.Stopping:
		n, ok = run.MostIdentical()
		if told, _ := f.Batch(); len(told) > 0 {
			more, known := run.IdenticalTo(told...)
			n, ok = max(n, more), ok && known
		}
	default:
		n, ok = run.Identical()
	}
	if ok {
		f.SetInt(fact.IdenticalCalls, int64(n))
	}
}

// recall sets the facts of the last turn in an empty frame, as far as the snapshot or unkept has them. It
// returns the names of the facts that were known on the turn, and that neither has.
func recall(f *fact.Frame, s *state.Snapshot, unkept fact.Values) (missing []string, err error) {
	missing, err = f.Restore(s.Facts(), unkept)
	if err != nil {
		return nil, fmt.Errorf("the last turn: %w: %w", state.ErrCorrupt, err)
	}
	classed := func(c fact.Call) bool { return c.Class != fact.NoClass }
	if batch, known := f.Batch(); known && !slices.ContainsFunc(batch, classed) {
		calls := slices.Clone(batch) // the run knows the classes of tools, the facts know their names
		for i := range calls {
			calls[i].Class = s.Run().ToolClass(calls[i].Tool)
		}
		if slices.ContainsFunc(calls, classed) {
			f.SetTools(calls)
		}
	}
	return missing, nil
}
