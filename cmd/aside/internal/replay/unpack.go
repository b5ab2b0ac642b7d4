package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// unpacked is a reader of a file's content, be the file compressed with gzip, with Zstandard, or not at all,
// as its first bytes tell. It streams; of Zstandard it takes windows up to maxWindow.
type unpacked struct {
	from io.Reader
	r    io.Reader // nil until the first Read
	done func()
	note string // why the rest could not be decompressed; "": there is no such rest
}

// maxWindow bounds the memory of a decoder. zstd --ultra --long writes windows of 128 MB.
const maxWindow = 128 << 20

func unpack(from io.Reader) *unpacked { return &unpacked{from: from, done: func() {}} }

// Read implements io.Reader. Where a compressed file is damaged or cut off, Read returns the bytes before
// that place, then io.EOF, and sets note.
func (u *unpacked) Read(b []byte) (int, error) {
	if u.r == nil {
		if err := u.open(); err != nil {
			return 0, err
		}
	}
	return u.r.Read(b)
}

func (u *unpacked) open() error {
	var magic [4]byte
	n, err := io.ReadFull(u.from, magic[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	whole := &source{r: io.MultiReader(bytes.NewReader(magic[:n]), u.from)}
	switch {
	case bytes.HasPrefix(magic[:n], []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(whole)
		if err != nil {
			u.r = &packed{u, whole, bytes.NewReader(nil), err}
			return nil
		}
		u.r = &packed{u, whole, z, nil}
	case bytes.Equal(magic[:n], []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(whole, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		u.r, u.done = &packed{u, whole, z, nil}, z.Close
	default:
		u.r = whole
	}
	return nil
}

// source keeps the error of a reader, which a decoder may replace by one of its own.
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

// packed reads through a decoder. Where the compressed bytes are wrong it ends with io.EOF and a note. Where
// they cannot be read it returns that error.
type packed struct {
	u    *unpacked
	from *source
	z    io.Reader
	err  error
}

func (p *packed) Read(b []byte) (n int, err error) {
	if err = p.err; err == nil {
		n, err = p.z.Read(b)
	}
	switch {
	case err == nil || errors.Is(err, io.EOF):
	case p.from.err != nil:
		err = p.from.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.u.note, err = "the packed file is cut off; what could be unpacked was replayed", io.EOF
	default:
		p.u.note, err = fmt.Sprintf("the packed file is damaged (%v); what comes before that was replayed",
			err), io.EOF
	}
	if err != nil {
		p.err = err
	}
	return n, err
}

// close frees the decoder.
func (u *unpacked) close() { u.done() }
