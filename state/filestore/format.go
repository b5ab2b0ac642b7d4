package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/aside-go/aside/state"
)

// content is what the file of a run says. The file has two halves of the same size. Each begins with a
// record, which is three lines:
//
//	aside-run 2 REVISION "RUN"
//	SNAPSHOT
//	CRC-32 of the bytes before, in hexadecimal
//
// The record with the higher revision counts; the next save writes over the other one. The last byte of the
// file is its mark. What else follows a record means nothing.
type content struct {
	run      string
	rev      state.Revision
	snapshot []byte // state.Snapshot.Encode
}

const (
	magic  = "aside-run"
	format = 2
	// block divides the size of a half, so that the halves share no block of the disk.
	block = 4096
)

// encode returns the record of c.
func encode(c content) []byte {
	b := fmt.Appendf(nil, "%s %d %d %s\n%s\n", magic, format, c.rev, strconv.QuoteToASCII(c.run), c.snapshot)
	return append(b, sumLine(b)...)
}

// newFile returns the content of a file with a record in both halves, and room for the record to grow by a
// quarter.
func newFile(record []byte, m mark) []byte {
	half := (len(record)*5/4/block + 1) * block
	b := make([]byte, 2*half)
	copy(b, record)
	copy(b[half:], record)
	b[len(b)-1] = byte(m)
	return b
}

// mark says whether what can be read in a file is durable.
type mark byte

const (
	durable    mark = '0'
	underWay   mark = '1' // it may not be durable yet
	syncFailed mark = '2' // the same, and a sync failed
)

// fits reports whether a record is to be written into a half of that size. A half that is far too large is
// not used again: each load reads all of it.
func fits(record []byte, half int) bool {
	return len(record) < half && (half == block || half <= 8*len(record))
}

// sumLine returns the last line of a record whose other lines are b.
func sumLine(b []byte) string {
	return fmt.Sprintf("%08x\n", sumOf(b))
}

// markOf returns the mark that a byte is.
func markOf(b byte) mark {
	if m := mark(b); m == durable || m == syncFailed {
		return m
	}
	return underWay
}

// revisionIn returns the revision in the header at the beginning of b, 0 if there is none of this format.
func revisionIn(b []byte) state.Revision {
	rest, ok := bytes.CutPrefix(b, []byte(magic+" "+strconv.Itoa(format)+" "))
	digits, _, whole := bytes.Cut(rest, []byte(" "))
	if !ok || !whole {
		return 0
	}
	rev, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		return 0
	}
	return state.Revision(rev)
}

// stored is the file of a run as it was read; the zero value for a run that does not exist.
type stored struct {
	content
	half  int   // the size of a half
	spare int64 // the offset of the half whose record does not count
	torn  bool  // that record is not whole
	mark  mark
}

// decode reads a file. The error is ErrNewer for a later format, otherwise ErrCorrupt.
func decode(b []byte) (stored, error) {
	half, m := len(b)/2, underWay
	if len(b) > 0 {
		m = markOf(b[len(b)-1])
	}
	first, err1 := decodeRecord(b)
	second, err2 := decodeRecord(b[half:])
	switch {
	case errors.Is(err1, state.ErrNewer), err1 != nil && err2 != nil:
		return stored{}, err1
	case errors.Is(err2, state.ErrNewer):
		return stored{}, err2
	case half%block != 0 || len(b) != 2*half:
		return stored{}, corrupt("it has not the size of two halves")
	case err2 != nil || err1 == nil && first.rev > second.rev:
		return stored{first, half, int64(half), err2 != nil, m}, nil
	default:
		return stored{second, half, 0, err1 != nil, m}, nil
	}
}

// decodeRecord reads the record at the beginning of b.
func decodeRecord(b []byte) (c content, err error) {
	line, rest, ok := bytes.Cut(b, []byte("\n"))
	if !ok {
		return content{}, corrupt("it is cut off")
	}
	if c, err = parseHeader(string(line)); err != nil {
		return content{}, err
	}
	summed := len(line) + 1
	c.snapshot, rest, ok = bytes.Cut(rest, []byte("\n"))
	summed += len(c.snapshot) + 1
	sum, _, whole := bytes.Cut(rest, []byte("\n"))
	if !ok || !whole {
		return content{}, corrupt("it is cut off")
	}
	if string(sum)+"\n" != sumLine(b[:summed]) {
		return content{}, corrupt("the checksum is wrong")
	}
	return c, nil
}

func parseHeader(line string) (content, error) {
	f := strings.SplitN(line, " ", 4)
	if len(f) != 4 || f[0] != magic {
		return content{}, corrupt("it does not begin as a run does")
	}
	v, err := strconv.Atoi(f[1])
	switch {
	case err != nil || v < 1:
		return content{}, corrupt("no format")
	case v > format:
		return content{}, fmt.Errorf("%w: format %d, this is %d", state.ErrNewer, v, format)
	case v < format:
		return content{}, corrupt("its format is that of an earlier version, which is not read any more")
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
	run, err := url.PathUnescape(strings.TrimPrefix(name, plainPrefix))
	if strings.HasPrefix(name, hashedPrefix) {
		if run, err = s.header(name); err != nil {
			return "", err
		}
	}
	if err != nil || fileName(run) != name {
		return "", errNoRun
	}
	return run, nil
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
