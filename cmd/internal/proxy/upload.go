package proxy

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
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
	// A Transport may still read while the answer goes out, and behind its end. From then on the deadlines of
	// the connection are the server's.
	mu     sync.Mutex
	closed bool
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
	now := time.Now()
	until := u.begun.Add(u.idle + time.Duration(u.read/bodyRate)*time.Second)
	if idle := now.Add(u.idle); idle.Before(until) {
		until = idle
	}
	if until.Sub(u.until).Abs() <= u.idle/64 {
		until = u.until
	}
	if !u.wait(until) {
		return 0, http.ErrBodyReadAfterClose
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
	u.wait(time.Time{})
	return n, err
}

// wait sets the deadline of reading, unless it is set; false if the body is closed.
func (u *upload) wait(until time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	if until != u.until {
		u.until = until
		_ = u.control.SetReadDeadline(until) // a writer without deadlines is not of a network
	}
	return true
}

// Close implements io.Closer.
func (u *upload) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
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
