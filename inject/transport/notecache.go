package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/eval"
)

// noteCache spares runs the encoding and decoding of their notes: notes are encoded only where a store asks for bytes, and bytes
// that were encoded or decoded here a moment ago are not decoded again. It holds one run a slot; a run that loses its slot is
// decoded anew. Notes that were encoded are shared from then on and never written to.
type noteCache struct {
	slots [256]atomic.Pointer[lazyNotes]
}

func (c *noteCache) slot(run string) *atomic.Pointer[lazyNotes] {
	return &c.slots[xxhash.Sum64String(run)%uint64(len(c.slots))]
}

// encode returns n in the form in which a run's state carries it.
func (c *noteCache) encode(run string, n notes) eval.Notes {
	return &lazyNotes{notes: n, slot: c.slot(run)}
}

// decode returns the notes that a run's state carries, the zero notes where it carries none. Its error is of bytes that are no notes.
func (c *noteCache) decode(run string, stored eval.Notes) (notes, error) {
	if n, ok := stored.(*lazyNotes); ok {
		return n.notes, nil
	}
	raw, ok := stored.(json.RawMessage)
	if !ok {
		return notes{}, nil
	}
	slot := c.slot(run)
	if n := slot.Load(); n != nil && bytes.Equal(n.raw, raw) {
		return n.notes, nil
	}
	n := &lazyNotes{raw: raw}
	if err := json.Unmarshal(raw, &n.notes); err != nil {
		return notes{}, fmt.Errorf("notes of the run: %w", err)
	}
	slot.Store(n)
	return n.notes, nil
}

// lazyNotes is an eval.Notes that becomes JSON when it is asked for, once.
type lazyNotes struct {
	notes
	slot *atomic.Pointer[lazyNotes] // where it lies from then on
	once sync.Once
	raw  []byte
	err  error
}

// MarshalJSON implements eval.Notes.
func (n *lazyNotes) MarshalJSON() ([]byte, error) {
	n.once.Do(func() {
		n.raw, n.err = json.Marshal(n.notes)
		n.slot.Store(n)
	})
	return n.raw, n.err
}
