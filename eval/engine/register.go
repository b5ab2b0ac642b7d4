package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/near"
)

// registered is a reminder from code.
type registered struct {
	reminder.Reminder
	when func(context.Context, *Run) bool // nil: the trigger says
}

// byFuncName is the fact that holds the ids of the reminders whose function is true.
const byFuncName = "vars.registered"

// byFunc returns that fact. What a function looks at lies outside of the run, as a computed fact does, so it
// is asked as one: once a turn, and kept with the turn for who asks why.
func (e *Engine) byFunc() fact.Fact {
	return fact.Fact{Name: byFuncName, Type: fact.Set,
		Doc: "the registered reminders whose Go function is true",
		Compute: func(ctx context.Context, name string) (any, error) {
			e.mu.Lock()
			all, run := maps.Clone(e.code), e.runs[name]
			e.mu.Unlock()
			if run == nil { // nobody has asked for it, and nobody may ever say that it has ended
				run = &Run{e: e, name: name, obs: e.ev.Observe(name)}
			}
			ids := []string{}
			for _, id := range slices.Sorted(maps.Keys(all)) {
				if r := all[id]; r.when != nil && r.when(ctx, run) {
					ids = append(ids, id)
				}
			}
			return ids, nil
		}}
}

// Register adds a reminder for all runs, beside those of files, in place of one that was registered with the
// same id. It survives a reload of the files, and not the process. A reminder that is replaced keeps its
// counts, and with the same mode and trigger all of its state, as one does that a process registers again.
//
// Mistakes are grammar.Diagnostics, and nothing changes then. The id of a reminder of a file is such a
// mistake; a file that brings the id later goes before the registered one, and a disabled one switches it
// off.
func (e *Engine) Register(r reminder.Reminder) error { return e.add(registered{Reminder: r}) }

// RegisterFunc is Register for a reminder whose trigger is a Go function: when is asked once on each turn,
// with the context of the model call. With mode When, the reminder fires as when turns from false to true.
// when may be called concurrently, should return soon, and may ask the Engine.
func (e *Engine) RegisterFunc(r reminder.Reminder, when func(ctx context.Context, run *Run) bool) error {
	if r.Trigger != "" || when == nil {
		return fmt.Errorf("reminder %q: a function takes the place of the trigger", r.ID)
	}
	r.Trigger = byFuncName + " == " + strconv.Quote(r.ID)
	return e.add(registered{r, when})
}

// add is Register, and RegisterFunc once the trigger is there.
func (e *Engine) add(r registered) error {
	if err := e.open(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, diags := e.rules.Set.With([]reminder.Reminder{r.Reminder})
	if diags.HasErrors() {
		return diags
	}
	for _, d := range diags {
		e.log.Warn("registered reminder", "diagnostic", d.String())
	}
	e.code[r.ID] = r
	e.reload()
	return nil
}

// Unregister removes a reminder that was registered. Its counts stay, for the case that it comes back. An id
// that was not registered is an *eval.UnknownError.
func (e *Engine) Unregister(id string) error {
	if err := e.open(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.code[id]; !ok {
		ids := slices.Sorted(maps.Keys(e.code))
		return &eval.UnknownError{Name: id, Suggestions: near.Names(id, ids)}
	}
	delete(e.code, id)
	e.reload()
	return nil
}

// reload puts into use what is known of rules: those of files, and those from code whose id no file has. e.mu
// is held.
func (e *Engine) reload() {
	taken := map[string]bool{}
	for _, r := range e.rules.Reminders {
		taken[r.ID] = true
	}
	var more []reminder.Reminder
	for _, r := range slices.SortedFunc(maps.Values(e.code), func(a, b registered) int {
		return cmp.Compare(a.ID, b.ID)
	}) {
		if !taken[r.ID] {
			more = append(more, r.Reminder)
		}
	}
	set, _ := e.rules.Set.With(more) // which has no errors: each was tried
	e.ev.Reload(set)
}
