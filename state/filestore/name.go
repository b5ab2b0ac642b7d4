package filestore

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const (
	plainPrefix  = "run-"  // then the run, other bytes than [a-z0-9_-] as %XX
	hashedPrefix = "hash-" // then the SHA-256 of a run that would be too long
	maxPlain     = 128
)

// fileName returns the name of a run's files without extension. It has lower-case letters only, so that runs stay apart
// where file names have no case, and no name is one that some system reserves.
func fileName(run string) string {
	var b strings.Builder
	b.WriteString(plainPrefix)
	for i := 0; i < len(run) && b.Len() <= maxPlain; i++ {
		switch c := run[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	if b.Len() <= maxPlain {
		return b.String()
	}
	sum := sha256.Sum256([]byte(run))
	return hashedPrefix + hex.EncodeToString(sum[:])
}

// runOf returns the run whose files have that name.
func (s *Store) runOf(name string) (string, error) {
	if plain, ok := strings.CutPrefix(name, plainPrefix); ok {
		return unescape(plain)
	}
	f, err := os.Open(s.path(name + runExt))
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s: %w", name+runExt, err)
	}
	c, err := parseHeader(strings.TrimSuffix(line, "\n"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name+runExt, err)
	}
	return c.run, nil
}

func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", errors.New("a file name that is no run: " + strconv.Quote(s))
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", errors.New("a file name that is no run: " + strconv.Quote(s))
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), nil
}
