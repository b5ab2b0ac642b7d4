package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/aside-go/aside/state"
)

// content is what the file of a run holds, in three lines:
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
	b := make([]byte, 0, len(magic)+len(c.run)+len(c.snapshot)+64)
	b = strconv.AppendInt(append(append(b, magic...), ' '), format, 10)
	b = strconv.AppendUint(append(b, ' '), uint64(c.rev), 10)
	b = strconv.AppendQuoteToASCII(append(b, ' '), c.run)
	b = append(append(append(b, '\n'), c.snapshot...), '\n')
	return append(b, sumLine(b)...)
}

// sumLine is the last line of a file, behind b.
func sumLine(b []byte) string {
	return fmt.Sprintf("%08x\n", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// decode reads a file; the error is ErrNewer for a later format and ErrCorrupt for anything else that is wrong.
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
