package control

import (
	"context"
	"errors"
	"time"

	"github.com/aside-go/aside/cmd/asided/internal/bundle"
	"github.com/aside-go/aside/state"
)

// Revisions implement bundle.Revisions in a store. Its methods may be called concurrently.
type Revisions struct{ Store state.Store }

var errNoStore = errors.New("the state is not open yet")

// Latest implements bundle.Revisions.
func (r *Revisions) Latest(ctx context.Context, name string) (int64, error) {
	if r.Store == nil {
		return 0, errNoStore
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	record, err := Read(ctx, r.Store)
	return record.Bundles[name], err
}

// Used implements bundle.Revisions.
func (r *Revisions) Used(ctx context.Context, m *bundle.Manifest) error {
	latest, err := r.Latest(ctx, m.Name)
	if err != nil || m.Revision <= latest && m.Replaces != latest {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return edit(ctx, r.Store, func(record *Record) {
		if latest := record.Bundles[m.Name]; m.Revision > latest || m.Replaces == latest {
			record.Bundles[m.Name], record.Written = m.Revision, time.Now()
		}
	})
}
