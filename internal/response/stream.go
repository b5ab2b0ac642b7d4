package response

import (
	"bytes"
	"encoding/binary"
)

// text reads a piece of a stream of server-sent events, of which lines end in LF, CRLF or CR.
//
// Source: the HTML standard, "Server-sent events".
func (t *Tap) text(p []byte) {
	for len(p) > 0 && !t.over {
		if t.wasCR && p[0] == '\n' {
			t.wasCR = false
			p = p[1:]
			continue
		}
		t.wasCR = false
		n := bytes.IndexByte(p, '\n')
		if cr := bytes.IndexByte(p[:max(n, 0)], '\r'); cr >= 0 {
			n = cr
		} else if n < 0 {
			n = bytes.IndexByte(p, '\r')
		}
		if n < 0 {
			t.keep(p)
			return
		}
		if t.keep(p[:n]) {
			t.line()
		}
		t.wasCR = p[n] == '\r'
		p = p[n+1:]
	}
}

// line reads the line in t.buf. An empty line ends the event. Only the field data counts.
func (t *Tap) line() {
	line := t.buf
	t.buf = t.buf[:0]
	name, data, _ := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
		t.dispatch()
	case string(name) == "data":
		if t.lines++; t.lines > 1 {
			t.event = append(t.event, '\n')
		}
		t.event = append(t.event, bytes.TrimPrefix(data, []byte(" "))...)
	}
}

// dispatch ends a server-sent event.
func (t *Tap) dispatch() {
	if string(t.event) == "[DONE]" {
		t.final = true
	} else if t.lines > 0 {
		t.settle(t.event)
	}
	t.event, t.lines = t.event[:0], 0
}

// frames reads the whole events of Amazon Bedrock's binary stream. An event is its length, the length of its
// headers, a checksum, the headers, a payload and a checksum. Checksums are left for the client to check.
//
// Source: AWS, "Event stream encoding".
func (t *Tap) frames() {
	const prelude, least = 12, 16
	rest := t.buf
	for len(rest) >= prelude {
		size, headers := binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])
		if size < least || headers > size-least {
			t.over = true
			return
		}
		if uint64(len(rest)) < uint64(size) {
			break
		}
		t.settle(rest[prelude+headers : size-4])
		rest = rest[size:]
	}
	t.buf = append(t.buf[:0], rest...)
}
