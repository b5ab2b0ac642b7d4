package transport

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/aside-go/aside/internal/body"
)

// payload is a request's body.
type payload struct {
	from *http.Request
	raw  []byte    // as it came
	rest io.Reader // the bytes behind raw, of a body that is too long; nil: raw is all
	text []byte    // raw, decompressed
}

// readBody reads a body of at most limit bytes, before and after decompression. passed is the
// reason for which the body cannot be used; it is then sent on as it is. The error is one of
// reading.
func readBody(r *http.Request, limit int64) (b *payload, passed string, err error) {
	b = &payload{from: r}
	if r.ContentLength > limit {
		b.rest = r.Body
		return b, PassedLarge, nil
	}
	b.raw, err = readAll(r.Body, r.ContentLength, limit)
	if errors.Is(err, errLarge) {
		b.rest = r.Body
		return b, PassedLarge, nil
	}
	if closed := r.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, "", err
	}
	b.text, passed = decompress(b.raw, r.Header.Get("Content-Encoding"), limit)
	return b, passed, nil
}

var errLarge = errors.New("too large")

// maxClaim is the number of bytes for which a client gets memory by announcing a length; it must
// send the bytes to get more.
const maxClaim = 4 << 20

// readAll reads all of r, about size bytes. errLarge comes with the bytes read so far, more than limit.
func readAll(r io.Reader, size, limit int64) ([]byte, error) {
	room := min(max(size, 0), maxClaim) + bytes.MinRead
	b := bytes.NewBuffer(make([]byte, 0, room))
	_, err := b.ReadFrom(io.LimitReader(r, limit+1))
	if err == nil && int64(b.Len()) > limit {
		err = errLarge
	}
	return b.Bytes(), err
}

// decompress returns raw decompressed; passed is the reason for which that is not possible.
func decompress(raw []byte, encoding string, limit int64) (text []byte, passed string) {
	r, err := decoder(bytes.NewReader(raw), encoding)
	switch {
	case err != nil:
		return nil, PassedEncoding
	case r == nil:
		return raw, ""
	}
	defer r.Close()
	text, err = readAll(r, 4*int64(len(raw)), limit)
	switch {
	case errors.Is(err, errLarge):
		return nil, PassedLarge
	case err != nil:
		return nil, PassedEncoding
	}
	return text, ""
}

var errEncoding = errors.New("an encoding that is not known")

// maxWindow is how many bytes back a compressed stream may refer; RFC 8878 asks decoders to support
// 8 MB.
const maxWindow = 8 << 20

// decoder returns a reader that undoes a content encoding of r, nil where there is none.
func decoder(r io.Reader, encoding string) (io.ReadCloser, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return nil, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "br":
		return io.NopCloser(brotli.NewReader(r)), nil
	case "deflate":
		return inflate(r)
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	default:
		return nil, errEncoding
	}
}

// inflate returns a reader that undoes the content encoding "deflate". That is zlib's format, but some
// clients and servers leave its frame out.
func inflate(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReader(r)
	if h, err := b.Peek(2); err == nil && h[0]&0x0f == 8 && (int(h[0])<<8|int(h[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}

// restore makes the body as it came the body of r.
func (b *payload) restore(r *http.Request) {
	if b.rest == nil {
		setBody(r, b.raw)
		return
	}
	r.ContentLength, r.GetBody = b.from.ContentLength, b.from.GetBody
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(b.raw), b.rest), b.from.Body}
}

// setEdited makes the edited body the body of r.
func setEdited(r *http.Request, e *body.Edited) {
	if e.Len() <= maxCopied {
		setBody(r, e.AppendTo(make([]byte, 0, e.Len())))
		return
	}
	setOpener(r, e.Len(), e.Open)
}

// maxCopied is the length in bytes up to which an edited body is copied for sending. net/http sends a body
// that it knows to lie in memory together with the head, in one write. A longer body takes many writes in any
// case, and to allocate it would cost as much as to read it.
const maxCopied = 32 << 10

// setBody makes text the body of r.
func setBody(r *http.Request, text []byte) {
	setOpener(r, len(text), func() io.Reader { return bytes.NewReader(text) })
}

// setOpener makes n bytes the body of r. open opens them again for each attempt on another connection.
func setOpener(r *http.Request, n int, open func() io.Reader) {
	r.ContentLength, r.TransferEncoding = int64(n), nil
	r.Header.Del("Content-Length") // net/http writes it from ContentLength
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(open()), nil }
	r.Body, _ = r.GetBody()
}
