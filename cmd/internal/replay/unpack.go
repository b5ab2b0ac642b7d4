package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// unpacked is a reader of a file's content, be the file compressed with gzip, with Zstandard, or not at all,
// as its first bytes tell. It streams; of Zstandard it takes windows up to maxWindow.
type unpacked struct {
	from source
	r    io.Reader // nil until the first Read
	done func()
	note string // why the rest could not be decompressed; "": there is no such rest
}

// maxWindow bounds the memory of a decoder. zstd --ultra --long writes windows of 128 MB.
const maxWindow = 128 << 20

func unpack(from io.Reader) *unpacked { return &unpacked{from: source{r: from}, done: func() {}} }

// Read implements io.Reader. Where a compressed file is damaged or cut off, Read returns the bytes before
// that place, then io.EOF, and sets note.
func (u *unpacked) Read(b []byte) (n int, err error) {
	if u.r == nil {
		err = u.open()
	}
	if err == nil {
		n, err = u.r.Read(b)
	}
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	case u.from.err != nil: // a decoder may have replaced it by an error of its own
		return n, u.from.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		u.note = "the packed file is cut off; what could be unpacked was replayed"
	default:
		u.note = fmt.Sprintf("the packed file is damaged (%v); what comes before that was replayed", err)
	}
	u.r = bytes.NewReader(nil)
	return n, io.EOF
}

// open sets r and done.
func (u *unpacked) open() (err error) {
	in := bufio.NewReader(&u.from)
	magic, _ := in.Peek(4) // its error comes again from Read
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		u.r, err = gunzip(in)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		var done func()
		if u.r, done, err = unzstd(in); err == nil {
			u.done = done
		}
	default:
		u.r = in
	}
	return err
}

// close frees the decoder.
func (u *unpacked) close() { u.done() }

// source keeps the error of a reader.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
