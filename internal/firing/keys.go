package firing

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/reminder"
)

// keyMemory is the number of turn keys that a run remembers, two fewer after a turn with an Input.Body. Step
// takes a turn with an older key for a new one, unless keys end in the number of their turn.
const keyMemory = 64

// Taken returns the decision of the run's last turn if that turn has the key, ErrOtherBody if it has the key
// and another body, ErrOldKey if an older turn has the key, and nil, nil if a turn with the key would be a
// new one. Step begins with the same question; body is Input.Body.
func (s *Snapshot) Taken(key, body string) (*reminder.Decision, error) {
	return s.at().decided(hashKey(key), key, hashKey(body))
}

func (s *past) decided(hash uint64, key string, body uint64) (*reminder.Decision, error) {
	switch {
	case key == "":
		return nil, nil
	case s.decision != nil && s.decision.Key != "" &&
		s.keys[len(s.keys)-1] == hash && s.decision.Key == validUTF8(key):
		if body != 0 && s.body != 0 && body != s.body {
			return nil, fmt.Errorf("%w: %q", ErrOtherBody, key)
		}
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

// remember adds the hash of a turn key to those of the last keyMemory turns, and keeps that of the turn's
// body in place of the body of the turn before.
func (s *past) remember(hash, body uint64) {
	s.own()
	room := keyMemory
	if body != 0 {
		room -= bodyRoom
	}
	old := s.keys[max(len(s.keys)-room+1, 0):]
	s.keys, s.body = append(append(make([]uint64, 0, len(old)+1), old...), hash), body
}

// bodyRoom is how many hashes withBody adds.
const bodyRoom = 2

// withBody returns the keys as they are written. The hash of a body stands before a second hash of its key,
// which no keys have otherwise. So a program that knows no bodies reads one as a key that nobody sends.
func (s *past) withBody() []uint64 {
	if s.body == 0 {
		return s.keys
	}
	return append(slices.Clone(s.keys), s.body, s.keys[len(s.keys)-1])
}

// splitBody is the inverse of withBody.
func splitBody(written []uint64) (keys []uint64, body uint64) {
	key := len(written) - 1 - bodyRoom
	if key < 0 || written[key] != written[len(written)-1] {
		return written, 0
	}
	return written[:key+1], written[key+1]
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

// hashKey returns the hash by which a run remembers a turn key, or a body.
func hashKey(key string) uint64 {
	if key == "" {
		return 0
	}
	var room [64]byte // most keys take no more
	sum := sha256.Sum256(append(room[:0], key...))
	return hashOf(sum[:])
}
