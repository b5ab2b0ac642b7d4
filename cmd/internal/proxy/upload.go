package proxy

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// Limits of a request's body. A client that sends nothing for bodyIdle, or over the whole less than
// bodyRate bytes a second beyond the first bodyIdle, holds a connection for nothing.
const (
	bodyIdle = time.Minute
	bodyRate = 1 << 10

	// lingerTime is how long a client may go on sending a body that nobody wants any more. A connection that is
	// closed under it would lose the answer.
	lingerTime = 2 * time.Second
)

// errSlow says that the body of a request has not come in time.
var errSlow = errors.New("the body of the request did not come in time")

// upload is the body of a request, as the client sends it. It stays open until the request is answered, since
// it is read on then (linger); Close ends reading by anybody else.
type upload struct {
	body    io.Reader
	control *http.ResponseController
	idle    time.Duration
	begun   time.Time

	read  int64     // bytes so far
	until time.Time // the deadline that is set
	// a Transport may still read while the answer goes out
	closed atomic.Bool
	over   atomic.Bool // nothing more comes
	slow   atomic.Bool // since the client took too long
}

func newUpload(w http.ResponseWriter, r *http.Request, idle time.Duration) *upload {
	if idle <= 0 {
		idle = bodyIdle
	}
	return &upload{body: r.Body, control: http.NewResponseController(w), idle: idle, begun: time.Now()}
}

// Read implements io.Reader. It is for one goroutine at a time.
func (u *upload) Read(p []byte) (int, error) {
	if u.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	now := time.Now()
	until := u.begun.Add(u.idle + time.Duration(u.read/bodyRate)*time.Second)
	if idle := now.Add(u.idle); idle.Before(until) {
		until = idle
	}
	if until.Sub(u.until).Abs() > u.idle/64 {
		u.until = until
		_ = u.control.SetReadDeadline(until) // a writer without deadlines is not of a network
	}
	n, err := u.body.Read(p)
	u.read += int64(n)
	if err == nil {
		return n, nil
	}
	u.over.Store(true)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		u.slow.Store(true)
		return n, errSlow // the deadline stays, so that the server closes the connection
	}
	_ = u.control.SetReadDeadline(time.Time{})
	return n, err
}

// Close implements io.Closer.
func (u *upload) Close() error {
	u.closed.Store(true)
	return nil
}

// linger reads what the client still sends, for a while, once the answer is written.
func (u *upload) linger() {
	_ = u.Close()
	if u.over.Load() {
		return
	}
	if u.control.Flush() == nil && u.control.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.Copy(io.Discard, u.body)
	}
}
