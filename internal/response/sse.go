package response

import "bytes"

// sse reads server-sent events in pieces. It passes on the data of an event as it comes, with line ends
// between its lines, and keeps nothing. Lines end in LF, CRLF or CR; all fields but data are skipped.
//
// Source: the HTML standard, "Server-sent events".
type sse struct {
	to events

	state   sseState
	name    [4]byte // of the field, its first bytes
	n       int     // length of the name so far
	hasData bool    // the event has data
	wasCR   bool    // the last byte was a CR; an LF behind it belongs to it
	content bool    // the line has any bytes
}

// events receives the data that an sse reads.
type events interface {
	data([]byte) // a piece of the event's data
	event()      // the end of an event that has data
}

type sseState uint8

const (
	sseName  sseState = iota // in the name of a field
	sseBlank                 // behind "data:", where one blank is no data
	sseData                  // in data
	sseSkip                  // in another field
)

var lineEnd = []byte{'\n'}

func (s *sse) write(p []byte) {
	for len(p) > 0 {
		if s.wasCR && p[0] == '\n' {
			s.wasCR = false
			p = p[1:]
			continue
		}
		s.wasCR = false
		n := bytes.IndexByte(p, '\n')
		if n < 0 {
			n = len(p)
		}
		if cr := bytes.IndexByte(p[:n], '\r'); cr >= 0 {
			n = cr
		}
		s.part(p[:n])
		if n == len(p) {
			return
		}
		s.wasCR = p[n] == '\r'
		s.line()
		p = p[n+1:]
	}
}

// part reads a piece of one line, without line ends.
func (s *sse) part(p []byte) {
	for len(p) > 0 {
		s.content = true
		switch s.state {
		case sseName:
			c := p[0]
			p = p[1:]
			switch {
			case c != ':':
				if s.n < len(s.name) {
					s.name[s.n] = c
				}
				s.n++
			case s.n == 4 && string(s.name[:]) == "data":
				s.begin()
				s.state = sseBlank
			default:
				s.state = sseSkip
			}
		case sseBlank:
			s.state = sseData
			if p[0] == ' ' {
				p = p[1:]
			}
		case sseData:
			s.to.data(p)
			return
		default:
			return
		}
	}
}

// begin begins a line of data.
func (s *sse) begin() {
	if s.hasData {
		s.to.data(lineEnd)
	}
	s.hasData = true
}

// line ends a line. An empty line ends the event.
func (s *sse) line() {
	if !s.content {
		s.end()
	}
	if s.state == sseName && s.n == 4 && string(s.name[:]) == "data" {
		s.begin() // a name without a colon: data of nothing
	}
	s.state, s.n, s.content = sseName, 0, false
}

// end ends an event, if it has data.
func (s *sse) end() {
	if s.hasData {
		s.hasData = false
		s.to.event()
	}
}
