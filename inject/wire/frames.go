package wire

import "encoding/binary"

// frames reads the binary event stream of Amazon Bedrock, which comes in pieces: a length of the whole, a length of the
// headers, a checksum, the headers, a payload, a checksum. The payload goes on as it comes; nothing is kept. Checksums
// are the client's affair.
//
// Source: AWS, "Event stream encoding".
type frames struct {
	data  func([]byte) // is given a piece of a payload
	event func()       // is called at the end of one

	head    [12]byte
	n       int    // how much of the head is there
	headers uint32 // bytes that are left of each part
	payload uint32
	tail    uint32
	broken  bool
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

// consume takes from left what p has of it, and returns how much that was.
func consume(left *uint32, p []byte) int {
	n := len(p)
	if uint64(n) > uint64(*left) {
		n = int(*left)
	}
	*left -= uint32(n)
	return n
}
