package state

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// keyMemory is the number of turn keys that a run remembers. Step takes a turn with an older key for a new
// one, unless keys end in the number of their turn.
const keyMemory = 64

// Taken returns the decision of the run's last turn if that turn has the key, ErrOldKey if an older turn has
// it, and nil, nil if a turn with the key would be a new one. Step begins with the same question.
func (s *Snapshot) Taken(key string) (*Decision, error) { return s.at().decided(hashKey(key), key) }

func (s *past) decided(hash uint64, key string) (*Decision, error) {
	switch {
	case key == "":
		return nil, nil
	case s.decision != nil && s.decision.Key != "" &&
		s.keys[len(s.keys)-1] == hash && s.decision.Key == validUTF8(key):
		return s.decision, nil
	case slices.Contains(s.keys, hash), s.decision != nil && older(key, s.decision.Key):
		return nil, fmt.Errorf("%w: %q", ErrOldKey, key)
	}
	return nil, nil
}

// older reports whether key names an earlier turn than last: both end in a number and are otherwise the same,
// and the number of key is lower. So Step refuses a turn that comes after its successor, although the run has
// never seen its key. A number of more than six digits is a hash or random, and says nothing about time.
func older(key, last string) bool {
	name, n, ok := numbered(key)
	lastName, lastN, lastOK := numbered(last)
	return ok && lastOK && name == lastName && n < lastN
}

// numbered splits a key into a name and the number of its turn; ok is false if the key does not end in such a
// number.
func numbered(key string) (name string, n int, ok bool) {
	name = strings.TrimRight(key, "0123456789")
	digits := strings.TrimLeft(key[len(name):], "0")
	if len(name) == len(key) || len(digits) > 6 {
		return name, 0, false
	}
	for _, c := range []byte(digits) {
		n = 10*n + int(c-'0')
	}
	return name, n, true
}

// remember adds the hash of a turn key to those of the last keyMemory turns.
func (s *past) remember(hash uint64) {
	s.own()
	old := s.keys[max(len(s.keys)-keyMemory+1, 0):]
	s.keys = append(append(make([]uint64, 0, len(old)+1), old...), hash)
}

// hashSize is the size of a hash in bytes. Of 2^42 turns, one has the hash of another key that the run
// remembers.
const hashSize = 6

// hashOf returns the hash that a sum begins with.
func hashOf(sum []byte) (h uint64) {
	for _, b := range sum[:hashSize] {
		h = h<<8 | uint64(b)
	}
	return h
}

// hashKey returns the hash by which a run remembers a turn key.
func hashKey(key string) uint64 {
	if key == "" {
		return 0
	}
	var room [64]byte // most keys take no more
	sum := sha256.Sum256(append(room[:0], key...))
	return hashOf(sum[:])
}
