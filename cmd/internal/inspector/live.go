package inspector

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Limits of the streams of events.
const (
	maxStreams = 16
	pace       = 200 * time.Millisecond // between two events of a stream
	alive      = 15 * time.Second       // between two signs of life
	slow       = 30 * time.Second       // until a browser that takes nothing is given up
)

// events is GET /aside/events: a stream of server-sent events. Each holds the runs that have changed since
// the one before, however often, so a stream needs no queue and a slow browser misses nothing but the states
// between.
func (x *Inspector) events(w http.ResponseWriter, r *http.Request, _ string) {
	if x.streams.Add(1) > maxStreams {
		x.streams.Add(-1)
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer x.streams.Add(-1)
	news, end := x.record.listen()
	defer end()
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	last := uint64(0)
	send := func() bool {
		var changed []summary
		changed, last = x.record.since(last)
		b, err := json.Marshal(changed)
		if err != nil {
			return false
		}
		return write(w, control, "data: "+string(b)+"\n\n")
	}
	beat := time.NewTicker(alive)
	defer beat.Stop()
	for ok := send(); ok; {
		select {
		case <-r.Context().Done():
			return
		case <-x.closed:
			return
		case <-beat.C:
			ok = write(w, control, ":\n\n")
		case <-news:
			ok = send()
			select { // what changes meanwhile goes out together
			case <-r.Context().Done():
				return
			case <-x.closed:
				return
			case <-time.After(pace):
			}
		}
	}
}

// write sends a piece of a stream, and reports whether the browser has taken it.
func write(w http.ResponseWriter, control *http.ResponseController, s string) bool {
	_ = control.SetWriteDeadline(time.Now().Add(slow)) // a writer without deadlines is not of a network
	_, err := fmt.Fprint(w, s)
	return err == nil && control.Flush() == nil
}
