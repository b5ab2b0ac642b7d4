package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/aside-go/aside/state"
)

// content is the content of a run's file, in three lines:
//
//	aside-run 1 REVISION "RUN"
//	SNAPSHOT
//	CRC-32C of the bytes before, in hexadecimal
type content struct {
	run      string
	rev      state.Revision
	snapshot []byte // state.Snapshot.Encode
}

const (
	magic  = "aside-run"
	format = 1
)

func encode(c content) []byte {
	b := fmt.Appendf(nil, "%s %d %d %s\n%s\n", magic, format, c.rev, strconv.QuoteToASCII(c.run), c.snapshot)
	return append(b, sumLine(b)...)
}

// sumLine returns the last line of a file whose other lines are b.
func sumLine(b []byte) string {
	return fmt.Sprintf("%08x\n", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// decode reads a file. The error is ErrNewer for a later format, otherwise ErrCorrupt.
func decode(b []byte) (content, error) {
	line, rest, ok := bytes.Cut(b, []byte("\n"))
	if !ok {
		return content{}, corrupt("it is cut off")
	}
	c, err := parseHeader(string(line))
	if err != nil {
		return content{}, err
	}
	body, sum, ok := bytes.Cut(rest, []byte("\n"))
	if !ok {
		return content{}, corrupt("it is cut off")
	}
	if string(sum) != sumLine(b[:len(b)-len(sum)]) {
		return content{}, corrupt("the checksum is wrong")
	}
	c.snapshot = body
	return c, nil
}

func parseHeader(line string) (content, error) {
	f := strings.SplitN(line, " ", 4)
	if len(f) != 4 || f[0] != magic {
		return content{}, corrupt("it does not begin as a run does")
	}
	v, err := strconv.Atoi(f[1])
	if err != nil || v < 1 {
		return content{}, corrupt("no format")
	}
	if v > format {
		return content{}, fmt.Errorf("%w: format %d, this is %d", state.ErrNewer, v, format)
	}
	rev, err := strconv.ParseUint(f[2], 10, 64)
	if err != nil || rev == 0 {
		return content{}, corrupt("no revision")
	}
	run, err := strconv.Unquote(f[3])
	if err != nil {
		return content{}, corrupt("no run")
	}
	return content{run: run, rev: state.Revision(rev)}, nil
}

func corrupt(why string) error { return fmt.Errorf("%w: %w", state.ErrCorrupt, errors.New(why)) }

const (
	plainPrefix  = "run-"  // then the run, other bytes than [a-z0-9_-] as %XX
	hashedPrefix = "hash-" // then the SHA-256 of a run that would be too long
	maxPlain     = 128
)

// fileName returns the name of a run's files without extension. The name has no upper-case letters, so the
// files of two runs differ also on file systems that ignore case. It has a prefix, so it is none of the names
// that some systems reserve.
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

// errNoRun says that a file belongs to no run, or to a run whose name the file name does not tell.
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
