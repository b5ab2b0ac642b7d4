package load

import (
	"fmt"
	"math"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// winner is the last of cs that compiles, else the first, and what is wrong with those behind it: one that does not compile
// overrides nothing.
func winner(cs []candidate, opts Options) (int, grammar.Diagnostics) {
	var told grammar.Diagnostics
	top := len(cs) - 1
	for ; top > 0; top-- {
		_, ds := compile.FromFiles([]compile.Source{cs[top].Source}, opts.Options)
		if !ds.HasErrors() {
			break
		}
		told = append(told, ds...)
	}
	return top, told
}

// keepSafe leaves out of the candidates for one id those of projects, where the user's own is of the safety tier and in force:
// a project can neither replace it nor switch it off (law T7).
func keepSafe(cs []candidate, opts Options) ([]candidate, grammar.Diagnostics) {
	if !slices.ContainsFunc(cs, func(c candidate) bool { return c.project }) {
		return cs, nil
	}
	var own, theirs []candidate
	for _, c := range cs {
		if c.project {
			theirs = append(theirs, c)
		} else {
			own = append(own, c)
		}
	}
	if len(own) == 0 || len(theirs) == 0 {
		return cs, nil
	}
	top, _ := winner(own, opts)
	safe := own[top]
	if safe.Tier != reminder.Safety || safe.Disabled {
		return cs, nil
	}
	var ds grammar.Diagnostics
	for _, c := range theirs {
		what := "replace"
		if c.Disabled {
			what = "switch off"
		}
		ds = append(ds, grammar.Diagnostic{Code: code.ReplacesSafety, Severity: grammar.Warning, File: c.File, Range: c.Place("id"),
			Message: fmt.Sprintf("a project cannot %s %q, a safety reminder of your own: this one is left out", what, c.ID),
			Hint:    "give it another id than the one in " + safe.File})
	}
	return own, ds
}

// rankBelow lowers the priorities of projects' reminders until each stands below the user's own safety reminders: nothing that
// a project says comes after them, or takes their room (law T7). An equal priority is not told: it is what reminders have that
// say nothing about it.
func rankBelow(winners []candidate) grammar.Diagnostics {
	lowest, found := math.MaxInt, false
	for _, c := range winners {
		if !c.project && c.Tier == reminder.Safety && !c.Disabled {
			lowest, found = min(lowest, c.Priority), true
		}
	}
	if !found || lowest == math.MinInt {
		return nil
	}
	var ds grammar.Diagnostics
	for i := range winners {
		c := &winners[i]
		if !c.project || c.Priority < lowest {
			continue
		}
		if c.Priority > lowest {
			ds = append(ds, grammar.Diagnostic{Code: code.OutranksSafety, Severity: grammar.Warning, File: c.File, Range: c.Place("priority"),
				Message: fmt.Sprintf("a project cannot outrank your own safety reminders: priority %d counts as %d", c.Priority, lowest-1),
				Hint:    fmt.Sprintf("write a priority below %d", lowest)})
		}
		c.Priority = lowest - 1
	}
	return ds
}
