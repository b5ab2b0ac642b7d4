package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/aside-go/aside/state"
)

const (
	plainPrefix  = "run-"  // then the run, other bytes than [a-z0-9_-] as %XX
	hashedPrefix = "hash-" // then the SHA-256 of a run that would be too long
	maxPlain     = 128
)

// fileName returns the name of a run's files without extension. It has no upper-case letters, so that the files of two runs differ
// also on file systems that ignore case, and it has a prefix, so that it is none of the names that some systems reserve.
func fileName(run string) string {
	var b strings.Builder
	b.WriteString(plainPrefix)
	for i := 0; i < len(run) && b.Len() <= maxPlain; i++ {
		switch c := run[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	if b.Len() <= maxPlain {
		return b.String()
	}
	sum := sha256.Sum256([]byte(run))
	return hashedPrefix + hex.EncodeToString(sum[:])
}

// errNoRun says that a file does not belong to a run, or to one whose name the file's does not tell.
var errNoRun = errors.New("not the file of a run")

// runOf returns the run whose files have that name.
func (s *Store) runOf(name string) (string, error) {
	run, err := unescape(strings.TrimPrefix(name, plainPrefix))
	if strings.HasPrefix(name, hashedPrefix) {
		run, err = s.header(name)
	}
	if err == nil && fileName(run) != name {
		err = errNoRun
	}
	return run, err
}

// header reads the run out of its file.
func (s *Store) header(name string) (string, error) {
	b, err := s.disk.read(s.path(name + runExt))
	if errors.Is(err, state.ErrCorrupt) {
		return "", errNoRun
	}
	if err != nil {
		return "", err
	}
	c, err := decode(b)
	if err != nil {
		return "", errNoRun
	}
	return c.run, nil
}

func unescape(s string) (string, error) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", errNoRun
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", errNoRun
		}
		b = append(b, byte(c))
		i += 2
	}
	return string(b), nil
}
