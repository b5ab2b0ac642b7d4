package wire

import (
	"math/bits"
	"reflect"
	"sync"
)

// memories are the latest that were put there. A memory is listed under the chain (parts.chains) of its first message, of its
// first 4, 16, 64 messages and so on, so that a body finds it that shares one of these beginnings; of two with the same beginning
// the later one is found there.
type memories struct {
	mu             sync.Mutex // guards all of it
	at             map[uint64]*memory
	newest, oldest *memory
	bytes          int // of all that are listed
}

const (
	mostRemembered = 16 << 20           // how many bytes memories hold at most
	largestMemory  = mostRemembered / 4 // how many one of them may have
	roomy          = 4                  // how many times the bytes of a memory the one may have that is given for it
	lookupStep     = 4                  // the ratio of the numbers of messages under which one is listed
)

// put adds m, unless m is too large; from then on m is not the caller's. dropped, if there is one, is the caller's: a memory that
// was forgotten for m, and has no more room than may be of use for a list like that of m.
func (s *memories) put(m *memory) (dropped *memory) {
	if m.size = m.bytes(); m.size > largestMemory {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[uint64]*memory{}
	}
	if m.older = s.newest; m.older != nil {
		m.older.newer = m
	} else {
		s.oldest = m
	}
	s.newest = m
	s.bytes += m.size
	for n := 1; n <= len(m.chains); n *= lookupStep {
		c := m.chains[n-1]
		was := s.at[c]
		s.at[c] = m
		m.listed++
		if was == nil {
			continue
		}
		if was.listed--; was.listed == 0 { // nothing finds it any more
			s.unlink(was)
			dropped = was
		}
	}
	for s.bytes > mostRemembered {
		dropped = s.oldest
		s.forget(dropped)
	}
	if dropped != nil && dropped.size > roomy*m.size {
		return nil
	}
	return dropped
}

// take returns the memory that is listed under a chain, and forgets it; nil if there is none.
func (s *memories) take(chain uint64) *memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.at[chain]
	if m != nil {
		s.forget(m)
	}
	return m
}

func (s *memories) forget(m *memory) {
	for n := 1; n <= len(m.chains); n *= lookupStep {
		if c := m.chains[n-1]; s.at[c] == m {
			delete(s.at, c)
		}
	}
	s.unlink(m)
}

func (s *memories) unlink(m *memory) {
	if m.newer != nil {
		m.newer.older = m.older
	} else {
		s.newest = m.older
	}
	if m.older != nil {
		m.older.newer = m.newer
	} else {
		s.oldest = m.newer
	}
	m.newer, m.older, m.listed = nil, nil, 0
	s.bytes -= m.size
}

// entryBytes is about how many bytes of a map each place takes under which a memory is listed.
const entryBytes = 32

// bytes returns how many bytes m takes, once it is listed.
func (m *memory) bytes() int {
	places := (bits.Len(uint(len(m.chains))) + 1) / 2 // powers of lookupStep up to the length
	return int(reflect.TypeFor[memory]().Size()) + places*entryBytes + m.parts.size()
}
