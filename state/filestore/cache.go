package filestore

import (
	"hash/crc32"
	"io"
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
	half     int    // stored.half of the file
}

// maxKnown is the number of runs of which a Store keeps the last snapshot.
const maxKnown = 4096

// sumOf returns the CRC-32 of b, by IEEE's polynomial: to make the tables of Castagnoli's takes a tenth of
// the time that a hook has.
func sumOf(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// remember keeps a snapshot.
func (s *Store) remember(name string, at stored, snap *state.Snapshot) {
	home := s.home.Load()
	if home == nil {
		stamp := s.stamp()
		home = &stamp
		s.home.Store(home)
	}
	s.known.Add(name, known{at.rev, sumOf(at.snapshot), snap, *home, at.half})
}

// unchanged returns what read would return of an open file, without the snapshot, if the file still holds
// what is known: then the revisions of both halves tell that, and there is no need to read more.
func (k known) unchanged(f io.ReaderAt) (at stored, ok bool) {
	if k.half == 0 {
		return stored{}, false
	}
	var first, second [48]byte // a header up to its revision is shorter
	var m [1]byte
	at = stored{content: content{rev: k.rev}, half: k.half}
	for _, part := range []struct {
		b  []byte
		at int64
	}{{first[:], 0}, {second[:], int64(k.half)}, {m[:], at.markAt()}} {
		if _, err := f.ReadAt(part.b, part.at); err != nil {
			return stored{}, false
		}
	}
	at.mark = markOf(m[0])
	switch a, b := revisionIn(first[:]), revisionIn(second[:]); {
	case a == 0 || b == 0:
		return stored{}, false
	case a == k.rev && b < k.rev:
		at.spare = int64(k.half)
		return at, true
	default:
		return at, b == k.rev && a <= b
	}
}

// readKnown returns the known snapshot of a run if its file still holds it.
func (s *Store) readKnown(name string) (at loaded, ok bool) {
	k, ok := s.known.Get(name)
	if !ok || k.half == 0 {
		return loaded{}, false
	}
	f, err := s.disk.openRead(s.path(name + runExt))
	if err != nil {
		return loaded{}, false
	}
	defer f.Close()
	was, ok := k.unchanged(f)
	return loaded{k.snapshot, k.rev, false, was.mark}, ok
}

// openKnown opens the file of a run for a save on revision prev, if this process knows that revision and the
// file still holds it; else f is nil.
func (s *Store) openKnown(name string, prev state.Revision) (f *os.File, at stored) {
	k, ok := s.known.Get(name)
	if !ok || k.rev != prev || k.half == 0 {
		return nil, stored{}
	}
	f, err := s.disk.open(s.path(name + runExt))
	if err != nil {
		return nil, stored{}
	}
	if at, ok = k.unchanged(f); !ok {
		f.Close()
		return nil, stored{}
	}
	return f, at
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
