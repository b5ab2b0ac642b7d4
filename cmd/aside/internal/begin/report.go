package begin

import (
	"context"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
)

// report is the output of --json. CLI.md fixes the names and their meaning.
type report struct {
	Changed bool              `json:"changed"`
	Agents  []setup.Installed `json:"agents"`
	Rules   []install.File    `json:"rules"`
	Session *session          `json:"session"` // null: none, or it cannot be replayed
}

// session is what the rules would have done in the newest session.
type session struct {
	Path  string   `json:"path"`
	Turns int      `json:"turns"`
	Fired []firing `json:"fired"` // in the order of their first firings
}

type firing struct {
	ID    string `json:"id"`
	Fires int    `json:"fires"`
	First int    `json:"first"` // a turn, from 1
}

// printJSON prints what was done, or with --dry-run would be.
func (b *beginning) printJSON(ctx context.Context) error {
	r := b.made
	for _, a := range r.Agents {
		r.Changed = r.Changed || a.Changed
	}
	for _, f := range r.Rules {
		r.Changed = r.Changed || f.Did.Writes()
	}
	if seen, err := b.trial(ctx); err == nil && seen != nil && seen.Path != "" {
		r.Session = &session{Path: seen.Path, Turns: seen.Turns, Fired: []firing{}}
		for _, x := range firedIn(seen) {
			r.Session.Fired = append(r.Session.Fired, firing{x.ID, x.Fires, x.First.Turn})
		}
	}
	return b.PrintJSON(r)
}
