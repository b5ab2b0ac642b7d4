package modelapi

import (
	"io"
	"net"
	"net/http"
	"strconv"
)

// ServeHTTP answers as the API of the path does. A Fault that stalls ends when the client is gone.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	path := r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	p, a := f.handle(Request{Path: path, Header: r.Header.Clone(), Body: body})
	switch {
	case a.Refusal != nil:
		a.Refusal.header(w.Header())
		w.WriteHeader(a.Refusal.Status)
		_, _ = w.Write(a.Refusal.Body())
	case p.Count:
		whole(w, a.counted(p))
	case a.Fault.Garbage:
		send(w, r, a.Fault, [][]byte{[]byte("<html>\x00\xff{\"id\":")})
	case !p.Stream:
		w.Header().Set("Content-Type", "application/json")
		if a.Fault.zero() {
			whole(w, a.body(p))
			return
		}
		send(w, r, a.Fault, [][]byte{a.body(p)})
	default:
		w.Header().Set("Content-Type", streamType(p))
		send(w, r, a.Fault, a.chunks(p))
	}
}

func (f Fault) zero() bool {
	return !f.Cut && !f.Reset && !f.Stall && f.Chunk == 0 && f.Pace == nil
}

func whole(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

func streamType(p *Prompt) string {
	switch {
	case p.API == Converse || p.legacy:
		return "application/vnd.amazon.eventstream"
	case p.API == Gemini && !p.sse:
		return "application/json"
	}
	return "text/event-stream; charset=utf-8"
}

// chunks returns the answer's events as the API streams them, each as one chunk.
func (a Answer) chunks(p *Prompt) [][]byte {
	var out [][]byte
	events := a.events(p)
	for i, e := range events {
		switch {
		case p.API == Converse:
			out = append(out, frame(e))
		case p.legacy:
			out = append(out, frame(bedrockChunk(e)))
		case p.API == Gemini && !p.sse: // an array, element by element
			open, end := ",\r\n", ""
			if i == 0 {
				open = "["
			}
			if i == len(events)-1 {
				end = "\n]\n"
			}
			out = append(out, []byte(open+string(e.data)+end))
		case p.API == Gemini:
			out = append(out, []byte("data: "+string(e.data)+"\r\n\r\n"))
		case e.name == "":
			out = append(out, []byte("data: "+string(e.data)+"\n\n"))
		default:
			out = append(out, []byte("event: "+e.name+"\ndata: "+string(e.data)+"\n\n"))
		}
	}
	return out
}

// send writes chunks, with the fault done to them. It never sleeps: it waits for channels and for the client.
func send(w http.ResponseWriter, r *http.Request, f Fault, chunks [][]byte) {
	if f.Chunk > 0 {
		var all []byte
		for _, c := range chunks {
			all = append(all, c...)
		}
		chunks = nil
		for ; len(all) > 0; all = all[min(f.Chunk, len(all)):] {
			chunks = append(chunks, all[:min(f.Chunk, len(all))])
		}
	}
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	for i, c := range chunks {
		if i == f.After && !f.onward(w, r) {
			return
		}
		if f.Pace != nil {
			select {
			case <-f.Pace:
			case <-r.Context().Done():
				return
			}
		}
		if _, err := w.Write(c); err != nil {
			return
		}
		_ = flush.Flush()
	}
	if f.After >= len(chunks) {
		f.onward(w, r)
	}
}

// onward does what a fault does at chunk f.After, and reports whether the chunks go on.
func (f Fault) onward(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case f.Reset:
		reset(w)
	case f.Stall:
		select {
		case <-f.Resume:
			return true
		case <-r.Context().Done():
			return false
		}
	case !f.Cut:
		return true
	}
	return false
}

// reset resets the connection.
func reset(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2, or a recorder
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}
