package transport

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/aside-go/aside/inject/wire"
)

// body is a request's body.
type body struct {
	raw  *buffer   // as it came
	rest io.Reader // what follows raw, of a body that is too long to be read
	text []byte    // decompressed
	from *http.Request
	copy *buffer // what is sent of a short one
}

// readBody reads a body of at most limit bytes, which holds after decompression too. passed is why it cannot be used; what was read of
// it is then sent on as it is. The error is one of reading.
func readBody(r *http.Request, limit int64) (b *body, passed string, err error) {
	b = &body{from: r}
	if r.ContentLength > limit {
		b.raw, b.rest = newBuffer(0), r.Body
		return b, PassedLarge, nil
	}
	b.raw = newBuffer(int(min(max(r.ContentLength, 0), claimed)) + 512)
	b.raw.b, err = readAll(b.raw.b, r.Body, limit)
	switch {
	case errors.Is(err, errLarge):
		b.rest = r.Body
		return b, PassedLarge, nil
	case err != nil:
		_ = r.Body.Close()
		return nil, "", err
	}
	if err := r.Body.Close(); err != nil {
		return nil, "", err
	}
	b.text, passed = decompress(b.raw.b, r.Header.Get("Content-Encoding"), limit)
	return b, passed, nil
}

// claimed is how many bytes of memory a client gets for saying that it will send as many; beyond that it must send them.
const claimed = 4 << 20

var errLarge = errors.New("too large")

// readAll appends all of r to buf; errLarge comes with what was read so far.
func readAll(buf []byte, r io.Reader, limit int64) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(len(buf), 512))
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return buf, errLarge
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return buf, err
		}
	}
}

// decompress returns raw decompressed; passed is why that cannot be done.
func decompress(raw []byte, encoding string, limit int64) (text []byte, passed string) {
	r, err := decoder(bytes.NewReader(raw), encoding)
	switch {
	case err != nil:
		return nil, PassedEncoding
	case r == nil:
		return raw, ""
	}
	defer r.Close()
	text, err = readAll(make([]byte, 0, min(4*int64(len(raw)), limit)), r, limit)
	switch {
	case errors.Is(err, errLarge):
		return nil, PassedLarge
	case err != nil:
		return nil, PassedEncoding
	}
	return text, ""
}

var errEncoding = errors.New("an encoding that is not known")

// maxWindow is how many bytes back a compressed stream may refer; RFC 8878 asks decoders to support 8 MB.
const maxWindow = 8 << 20

// decoder returns a reader that undoes a content encoding of r, nil where there is none.
func decoder(r io.Reader, encoding string) (io.ReadCloser, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return nil, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	default:
		return nil, errEncoding
	}
}

// set makes an edition of the body the body of r, uncompressed.
func (b *body) set(r *http.Request, e wire.Edition) {
	r.Header.Del("Content-Encoding")
	b.give(r, e.Len(), e.Open)
}

// reset makes what came the body of r.
func (b *body) reset(r *http.Request) {
	if b.rest == nil {
		b.give(r, len(b.raw.b), func() wire.Source { return bytes.NewReader(b.raw.b) })
		return
	}
	r.ContentLength = b.from.ContentLength
	r.GetBody = b.from.GetBody
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(b.raw.b), b.rest), b.from.Body}
}

// give makes n bytes the body of r. GetBody opens them again, for another attempt on another connection.
func (b *body) give(r *http.Request, n int, open func() wire.Source) {
	r.ContentLength = int64(n)
	r.TransferEncoding = nil
	r.Header.Del("Content-Length") // net/http writes it from ContentLength
	r.GetBody = func() (io.ReadCloser, error) { return b.raw.open(open()) }
	if n <= small {
		b.copied(r, n, open())
	}
	r.Body, _ = r.GetBody()
}

// copied makes a copy of n bytes the body of r, of a type that net/http knows to lie in memory. Such a body cannot tell when it is
// closed, so the copy's memory is given back when net/http reports that the request is written. A Base that does not report that
// leaves the copy to the garbage collector.
func (b *body) copied(r *http.Request, n int, from io.Reader) {
	text := newBuffer(n)
	text.b = text.b[:n]
	_, _ = io.ReadFull(from, text.b) // out of memory: nothing can fail
	var open atomic.Int32
	r.GetBody = func() (io.ReadCloser, error) {
		if !text.hold() {
			return nil, errOver
		}
		open.Add(1)
		return io.NopCloser(bytes.NewReader(text.b)), nil
	}
	written := func(w httptrace.WroteRequestInfo) {
		if w.Err == nil && open.Add(-1) >= 0 { // a Base may send more often than it has asked for a body
			text.release()
		}
	}
	*r = *r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteRequest: written}))
	b.copy.release() // that of an earlier attempt
	b.copy = text
}

// small is the length in bytes up to which a body is copied for sending. A body that net/http knows to lie in memory goes out in one
// write with the request's head; of any other the head goes out first, and the upstream wakes up twice.
const small = 32 << 10
