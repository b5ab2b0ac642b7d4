package filestore

import (
	"hash/crc32"
	"os"

	"github.com/aside-go/aside/state"
)

// known is a snapshot that this process has read or saved, and that it need not decode again. Decoding takes
// most of the time of a Load if one process serves a run over many turns. And should the disk lose it, the
// run goes on from here: where its file was damaged, where the directory was removed or replaced, or where an
// older copy of the disk came back.
type known struct {
	rev      state.Revision
	sum      uint32 // sumOf the encoded snapshot
	snapshot *state.Snapshot
	home     string // Store.home, when it was read or saved
}

// maxKnown is the number of runs of which a Store keeps the last snapshot.
const maxKnown = 4096

// sumOf returns the CRC-32C of b.
func sumOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// remember keeps a snapshot.
func (s *Store) remember(name string, rev state.Revision, encoded []byte, snap *state.Snapshot) {
	home := s.home.Load()
	if home == nil {
		stamp := s.stamp()
		home = &stamp
		s.home.Store(home)
	}
	s.known.Add(name, known{rev, sumOf(encoded), snap, *home})
}

// after reports whether k is of the same run as a revision, and later. The first revision of a run is drawn
// from so many numbers that those of two runs of one name are not near each other.
func (k known) after(rev state.Revision) bool { return k.rev > rev && k.rev-rev < 1<<32 }

// lost reports whether the directory has lost the file of a known run. If it is still the directory that held
// the file, the run was deleted.
func (s *Store) lost(k known) bool { return s.stamp() != k.home }

// orLost returns the known snapshot of a run that has no file, if the directory has lost that, else at.
func (s *Store) orLost(name string, at loaded) loaded {
	k, ok := s.known.Get(name)
	switch {
	case !ok:
	case s.lost(k):
		return loaded{snapshot: k.snapshot, rev: k.rev, mark: durable}
	default:
		s.known.Remove(name)
	}
	return at
}

// stamp returns the content of the stamp file, which no two directories have in common, "" if there is none.
func (s *Store) stamp() string {
	b, _ := os.ReadFile(s.path(stampFile))
	return string(b)
}
