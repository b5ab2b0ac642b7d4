package response

import "encoding/binary"

// frames reads the binary event stream of Amazon Bedrock in pieces. An event is its length, the length of its
// headers, a checksum, the headers, a payload and a checksum. Payloads are passed on as they come; nothing is
// kept. Checksums are left for the client to check.
//
// Source: AWS, "Event stream encoding".
type frames struct {
	data  func([]byte) // called with each piece of a payload
	event func()       // called at the end of each event

	head    [12]byte // lengths and checksum
	n       int      // bytes of head that have come
	headers uint32   // bytes that are still to come of the headers
	payload uint32   // and of the payload
	tail    uint32   // and of the last checksum
	broken  bool     // lengths are impossible; nothing more is read
}

func (f *frames) write(p []byte) {
	for len(p) > 0 && !f.broken {
		if f.n < len(f.head) {
			n := copy(f.head[f.n:], p)
			f.n += n
			p = p[n:]
			if f.n == len(f.head) {
				f.begin()
			}
			continue
		}
		switch {
		case f.headers > 0:
			p = p[consume(&f.headers, p):]
		case f.payload > 0:
			n := consume(&f.payload, p)
			f.data(p[:n])
			p = p[n:]
		default:
			p = p[consume(&f.tail, p):]
			if f.tail == 0 {
				f.n = 0
				f.event()
			}
		}
	}
}

func (f *frames) begin() {
	total, headers := binary.BigEndian.Uint32(f.head[:]), binary.BigEndian.Uint32(f.head[4:])
	if total < 16 || headers > total-16 {
		f.broken = true
		return
	}
	f.headers, f.payload, f.tail = headers, total-16-headers, 4
}

// consume takes the bytes of p, as far as they belong to the next left bytes: it returns how many, and
// reduces left by them.
func consume(left *uint32, p []byte) int {
	n := len(p)
	if uint64(n) > uint64(*left) {
		n = int(*left)
	}
	*left -= uint32(n)
	return n
}
