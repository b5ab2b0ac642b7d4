package proxy

import (
	"context"
	"io"
	"net"

	"github.com/aside-go/aside/inject/wire"
)

// dial opens a connection to an upstream.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext(ctx, network, address)
	if tcp, ok := c.(*net.TCPConn); ok {
		return conn{tcp}, err
	}
	return c, err
}

// conn is a connection that sends a wire.Source from where its bytes lie, in one writev. net/http would copy them piece by piece
// through a buffer. Under TLS nothing is gained: what is sent there are copies, encrypted.
type conn struct{ *net.TCPConn }

// ReadFrom implements io.ReaderFrom; net/http calls it with no more than the length of the body.
func (c conn) ReadFrom(r io.Reader) (int64, error) {
	if l, ok := r.(*io.LimitedReader); ok {
		if s, ok := l.R.(wire.Source); ok && int64(s.Len()) <= l.N {
			n, err := s.WriteTo(c.TCPConn)
			l.N -= n
			return n, err
		}
	}
	return c.TCPConn.ReadFrom(r)
}
