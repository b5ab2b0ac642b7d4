package hook

import (
	"context"

	"github.com/aside-go/aside/state"
)

// memo is a store that loads a run once, and again only after a Save. What it returns may be out of date: to
// save what was made of an old snapshot is state.ErrConflict, as ever. It is for one run and one goroutine.
type memo struct {
	state.Store
	known bool
	last  *state.Snapshot
	rev   state.Revision
}

// Load implements state.Store.
func (m *memo) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if m.known {
		return m.last, m.rev, nil
	}
	s, rev, err := m.Store.Load(ctx, run)
	if err == nil {
		m.known, m.last, m.rev = true, s, rev
	}
	return s, rev, err
}

// Save implements state.Store.
func (m *memo) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	m.known = false
	return m.Store.Save(ctx, run, prev, next)
}
