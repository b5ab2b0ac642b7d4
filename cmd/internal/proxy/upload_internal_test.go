package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// deadlines is a connection that keeps the deadlines that it is given.
type deadlines struct {
	http.ResponseWriter
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// TestUploadBehindItsEnd: a Transport that still reads the body where the answer is over leaves the deadlines
// alone. They are the server's then, which ends its own read by one that lies in the past.
func TestUploadBehindItsEnd(t *testing.T) {
	t.Parallel()
	conn := &deadlines{ResponseWriter: httptest.NewRecorder()}
	body, client := io.Pipe()
	u := newUpload(conn, &http.Request{Body: body}, time.Minute)
	read := make(chan error)
	begun := make(chan struct{})
	go func() {
		close(begun)
		_, err := io.Copy(io.Discard, u)
		read <- err
	}()
	<-begun
	if _, err := client.Write([]byte("part")); err != nil { // it is read
		t.Fatal(err)
	}
	u.Close()
	set := slices.Clone(conn.set)
	client.Close()
	<-read
	if !slices.Equal(conn.set, set) || len(set) == 0 {
		t.Errorf("deadlines %v, and %v before the end", conn.set, set)
	}
}
