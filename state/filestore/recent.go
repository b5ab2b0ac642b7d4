package filestore

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"

	"github.com/aside-go/aside/state"
)

// recent holds snapshots that were read or saved a moment ago beside their bytes. A file that still says the same need not be
// decoded again, which is most of a Load where one process takes a run over many turns.
type recent struct {
	seed  maphash.Seed
	slots [256]atomic.Pointer[kept] // by the run's file, of several the last one
}

// kept is immutable.
type kept struct {
	bytes    []byte
	snapshot *state.Snapshot
}

// tooLong is from how many bytes on a snapshot is not kept.
const tooLong = 64 << 10

func (r *recent) slot(name string) *atomic.Pointer[kept] {
	return &r.slots[maphash.String(r.seed, name)%uint64(len(r.slots))]
}

// keep takes in a snapshot and its bytes, which must not be written to from here on.
func (r *recent) keep(name string, b []byte, s *state.Snapshot) {
	if len(b) < tooLong {
		r.slot(name).Store(&kept{b, s})
	}
}

// decode is state.Decode of the bytes of a run.
func (r *recent) decode(name string, b []byte) (*state.Snapshot, error) {
	if k := r.slot(name).Load(); k != nil && bytes.Equal(k.bytes, b) {
		return k.snapshot, nil
	}
	s, err := state.Decode(b)
	if err == nil {
		r.keep(name, b, s)
	}
	return s, err
}
