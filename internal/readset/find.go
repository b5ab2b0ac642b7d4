package readset

import (
	"context"
	"errors"

	"github.com/aside-go/aside/state"
)

// Finder is a state.Store that finds runs by keys of theirs, as the comment of state.Store says.
type Finder interface {
	Find(ctx context.Context, key uint64, limit int) (map[string][]uint64, error)
}

// Keyed are notes by whose keys a Finder finds their run; each key has a value, which Find returns.
type Keyed interface {
	Keys() (keys, values []uint64)
}

// Finds reports whether the store over which the request has read runs finds them by keys.
func (s *Set) Finds(ctx context.Context) bool {
	_, err := s.Find(ctx, 0, 0)
	return !errors.Is(err, errors.ErrUnsupported)
}

// Find calls that of the store over which the request has read runs, and returns errors.ErrUnsupported where
// it has none.
func (s *Set) Find(ctx context.Context, key uint64, limit int) (map[string][]uint64, error) {
	s.mu.Lock()
	f, ok := s.store.(Finder)
	s.mu.Unlock()
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return f.Find(ctx, key, limit)
}

// KeysOf returns the keys of a snapshot's notes, and their values; keys is nil where the notes name none.
func KeysOf(s *state.Snapshot) (keys, values []uint64) {
	if k, ok := s.Notes().(Keyed); ok {
		return k.Keys()
	}
	return nil, nil
}
