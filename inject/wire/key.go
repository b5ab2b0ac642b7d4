package wire

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/internal/outline"
)

// messageKey is a message that has a key.
type messageKey struct {
	key     uint64
	message int  // index of the message; 0 for a list that is a string
	loose   bool // the message may be gone the next time, so no other key depends on this one
}

// spell returns a key as 16 hexadecimal digits.
func spell(key uint64) string {
	b := strconv.AppendUint(make([]byte, 0, 32), key, 16)
	return string(append(append(make([]byte, 0, 16), "0000000000000000"[len(b):]...), b...))
}

// keyer computes the keys of a body. A key must be the same however the client writes the message the next time (WIRE.md §2.2).
// So calls and results are keyed by their ids, which no client changes, and everything else by its speaker, its words and the key
// before it. Cache marks, signatures, null members, unknown members and the order of members do not count.
type keyer struct {
	*body
	h    xxhash.Digest
	buf  []byte
	few  [8]byte
	seen []span // ids of the message that is keyed
}

// makeKeys computes the keys of the messages.
func (d *body) makeKeys() {
	k := keyer{body: d}
	d.keys = make([]messageKey, 0, len(d.messages)+1)
	same := make(map[uint64]uint64, len(d.messages)) // by the hash of a message's ids, how many messages had the same
	last, looseRun := k.server(), uint64(0)          // the last key that is not loose; how many loose ones follow it
	if d.listIsString {
		k.h.Reset()
		k.hashClass(classUser)
		k.hashText(d.listString)
		k.hashUint(last)
		d.keys = append(d.keys, messageKey{key: k.h.Sum64()})
	}
	for i := range d.messages {
		m := &d.messages[i]
		if !d.speaks(m) {
			continue
		}
		k.h.Reset()
		k.hashClass(m.class)
		loose := false
		if k.hashIDs(m) {
			sum := k.h.Sum64()
			if n := same[sum]; n > 0 {
				k.hashUint(n)
			}
			same[sum]++
		} else {
			loose = !k.hashWords(m) // nothing but the words of a host, which may be gone the next time
			k.hashUint(last)
		}
		if loose {
			looseRun++
			k.hashUint(looseRun)
		}
		key := k.h.Sum64()
		d.keys = append(d.keys, messageKey{key, i, loose})
		if !loose {
			last, looseRun = key, 0
		}
	}
}

// server returns what the chain of keys begins with: a hash of the response or conversation of the server's that the body goes on
// with, 0 if there is none.
func (k *keyer) server() uint64 {
	if !k.head.stateful {
		return 0
	}
	k.h.Reset()
	for _, at := range []span{k.head.previous, k.head.conversation} {
		if at.to == 0 {
			continue
		}
		k.hashUint(newCanon(at.of(k.b)).value())
	}
	return k.h.Sum64()
}

// headKey returns the key of the whole conversation: see Conversation.Head. step, if not nil, is called with the head as it is
// behind each message.
func (d *body) headKey(list []messageKey, step func(uint64)) uint64 {
	k := &keyer{body: d}
	start := k.server()
	k.h.Reset()
	k.hashUint(start)
	for _, m := range list {
		k.hashUint(m.key)
		if step != nil {
			step(k.h.Sum64())
		}
	}
	return k.h.Sum64()
}

// speaks reports whether a message has a key. Those of the host have none, since their words change; nor has a message that is
// only the model's thinking, which may come back or not.
func (d *body) speaks(m *message) bool {
	if m.class == classSystem || d.reasoning(m) {
		return false
	}
	if m.class != classAssistant || m.calls.from < m.calls.to || m.nameless {
		return true
	}
	blocks := d.of(m)
	for _, b := range blocks {
		if !b.thought {
			return true
		}
	}
	return len(blocks) == 0
}

// reasoning reports whether a message is an item of the model's thinking.
func (d *body) reasoning(m *message) bool { return d.word(m.kind) == "reasoning" }

// hashIDs hashes the ids of a message's calls and results, and reports whether there are any.
func (k *keyer) hashIDs(m *message) (any bool) {
	k.seen = k.seen[:0]
	id := func(kind byte, at span) {
		if at.from == at.to || slices.ContainsFunc(k.seen, func(s span) bool { return bytes.Equal(s.of(k.b), at.of(k.b)) }) {
			return // a result may come back twice
		}
		any = true
		k.seen = append(k.seen, at)
		k.hashByte(kind)
		k.hashText(at)
	}
	kind := byte('c')
	if m.class == classTool {
		kind = 'r'
	}
	id(kind, m.id)
	for _, c := range k.calls[m.calls.from:m.calls.to] {
		id('c', c)
	}
	for _, b := range k.of(m) {
		switch b.kind {
		case kindCall, kindServerCall:
			id('c', b.id)
		case kindResult:
			id('r', b.id)
		}
	}
	return any
}

// hashWords hashes what a message without ids says, except what a host writes in a user's place, which changes from one request
// to the next. It reports whether there was anything but the host's.
func (k *keyer) hashWords(m *message) (any bool) {
	if m.class == classOther { // an unknown item: all of it counts
		k.hashUint(newCanon(m.of(k.b)).value())
		return true
	}
	host := false
	for _, b := range k.of(m) {
		if m.class == classUser && b.isText && mayOpen(b.text.of(k.b)) && isHostTag(k.body.says(b.text)) {
			host = true
			continue
		}
		any = any || b.isText || !bytes.Contains(b.of(k.b), []byte(`"cachePoint"`))
		switch {
		case b.thought:
		case b.kind == kindCall || b.kind == kindResult:
			k.hashUint(newCanon(b.of(k.b)).matter())
		case b.text.from < b.text.to:
			k.hashText(b.text)
		}
	}
	if m.form == outline.NoContent || m.nameless || m.calls.from < m.calls.to {
		k.hashUint(newCanon(m.of(k.b)).matter())
		any = true
	}
	return any || !host
}

func (k *keyer) hashClass(c class) { k.hashByte(byte(c)) }

func (k *keyer) hashByte(b byte) {
	k.few[0] = b
	k.h.Write(k.few[:1])
}

func (k *keyer) hashUint(n uint64) {
	binary.LittleEndian.PutUint64(k.few[:], n)
	k.h.Write(k.few[:])
}

// hashText hashes what the string whose inside is at says, and the length of that.
func (k *keyer) hashText(at span) {
	raw := at.of(k.b)
	if bytes.IndexByte(raw, '\\') >= 0 {
		k.buf = unescapeAll(k.buf[:0], raw)
		raw = k.buf
	}
	k.h.Write(raw)
	k.hashUint(uint64(len(raw)))
}

// unescapeAll appends what a JSON string says, whose inside is raw.
func unescapeAll(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 {
			return append(dst, raw[i:]...)
		}
		dst = append(dst, raw[i:i+n]...)
		dst, i = unescape(dst, raw, i+n)
	}
	return dst
}
