package body

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/response"
)

// messageKey is a message that has a key.
type messageKey struct {
	key     uint64
	message int    // index of the message
	loose   bool   // it may be gone the next time, see makeKeys
	minted  bool   // it is of ids that no other message has
	head    uint64 // number of the Head of the conversation up to the message, that included
}

// spell returns a key as 16 hexadecimal digits.
func spell(key uint64) string { return fmt.Sprintf("%016x", key) }

// keyer computes the keys of a body. A key must be the same however the client writes the message the next
// time (WIRE.md §2.2). So calls and results are keyed by their ids, which no client changes, and everything
// else by its speaker, its words and the key before it. An id that is too short to be random may come again
// where the server keeps the messages before; so there it counts together with the response or conversation
// that the body goes on with. Images and documents, cache marks, signatures, null members, unknown members
// and the order of members do not count.
type keyer struct {
	*Body
	h    xxhash.Digest
	buf  []byte
	few  [8]byte
	seen []Span // ids of the message that is keyed
}

// makeKeys computes the keys of the messages, and the Heads behind them.
func (d *Body) makeKeys() {
	k, heads := keyer{Body: d}, keyer{Body: d}
	d.keys = make([]messageKey, 0, len(d.Messages)+1)
	d.server = k.server()
	heads.h.Reset()
	heads.hashUint(d.server)
	d.begin = heads.h.Sum64()
	// by the hash of a message's ids, how many messages had the same
	same := make(map[uint64]uint64, len(d.Messages))
	// the last key that is not loose; how many loose ones follow it
	last, looseRun := d.server, uint64(0)
	for i := range d.Messages {
		m := &d.Messages[i]
		if !d.speaks(m) {
			continue
		}
		k.h.Reset()
		k.hashByte(byte(m.Class))
		loose := false // the message may be gone the next time, so no other key depends on this one
		byID := k.hashIDs(m)
		if byID {
			if k.Stateful && !k.random() {
				k.hashUint(d.server)
			}
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
		key := messageKey{key: k.h.Sum64(), message: i, loose: loose}
		own := key.key
		if byID {
			if key.minted = k.random(); !key.minted { // other conversations may have the same key
				k.h.Reset()
				k.hashUint(key.key)
				k.hashWords(m)
				own = k.h.Sum64()
			}
		}
		if !loose {
			heads.hashUint(own)
			last, looseRun = key.key, 0
		}
		key.head = heads.h.Sum64()
		d.keys = append(d.keys, key)
	}
}

// server returns what the chain of keys begins with: a hash of the response or conversation of the server's
// that the body goes on with, 0 if there is none.
func (k *keyer) server() uint64 {
	if !k.Stateful {
		return 0
	}
	k.h.Reset()
	for _, at := range []Span{k.Previous, k.Conversation} {
		if !at.Found() {
			continue
		}
		_, _ = k.h.Write(response.Canonical(at.Of(k.Bytes)))
	}
	return k.h.Sum64()
}

// speaks reports whether a message has a key. Those of the host have none, since their words change; nor has
// a message that is only the model's thinking, which may come back or not.
func (d *Body) speaks(m *Message) bool {
	if m.Class == System || m.Thought {
		return false
	}
	if m.Class != Assistant || m.Beside {
		return true
	}
	blocks := d.Blocks(m)
	return len(blocks) == 0 || slices.ContainsFunc(blocks, func(b Block) bool { return !b.Thought })
}

// hashIDs hashes the ids of a message's calls and results, and reports whether there are any.
func (k *keyer) hashIDs(m *Message) (any bool) {
	k.seen = k.seen[:0]
	for c := range k.Calls(m) {
		same := func(s Span) bool { return bytes.Equal(s.Of(k.Bytes), c.ID.Of(k.Bytes)) }
		// a result may come back twice
		if c.ID.From == c.ID.To || c.Kind == ServerAnswered || slices.ContainsFunc(k.seen, same) {
			continue
		}
		k.seen = append(k.seen, c.ID)
		if c.IsCall() {
			k.hashByte('c')
		} else {
			k.hashByte('r')
		}
		k.hashText(c.ID)
	}
	return len(k.seen) > 0
}

// random reports whether one of the ids that hashIDs has hashed is long enough to be random.
func (k *keyer) random() bool {
	return slices.ContainsFunc(k.seen, func(s Span) bool { return response.Minted(string(s.Of(k.Bytes))) })
}

// hashOutput hashes the output of a call. A string and one text block are the same. Of what is not JSON
// nothing is hashed.
func (k *keyer) hashOutput(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '{' && !bytes.Contains(raw, []byte(`"text"`)) || json.Valid(raw) {
		k.hashValue(raw)
	}
}

func (k *keyer) hashValue(raw []byte) {
	switch raw[0] {
	case '"':
		if k.buf = unescapeAll(k.buf[:0], raw[1:len(raw)-1]); !utf8.Valid(raw) {
			k.buf = append(k.buf[:0], jsonscan.Unquote(raw)...)
		}
		k.h.Write(k.buf)
	case '[':
		for _, e := range jsonscan.Elements(raw) {
			k.hashValue(e)
		}
	case '{':
		var text []byte
		for key, value := range jsonscan.Of(raw).Members() {
			if string(key) == "text" { // the last one counts
				text = value
			}
		}
		if len(text) > 0 && text[0] == '"' {
			k.hashValue(text)
		} else if out, ok := jsonscan.AppendCanonical(k.buf[:0], raw, "cache_control"); ok {
			k.buf = out
			k.h.Write(out)
		}
	}
}

// hashWords hashes the words, calls and results of a message, in the normalisation of WIRE.md §2.2, except
// what a host writes in a user's place, which changes from one request to the next. It reports whether there
// was anything but the host's.
func (k *keyer) hashWords(m *Message) (theirs bool) {
	if m.Class == OtherClass { // an unknown item: all of it counts
		_, _ = k.h.Write(response.Canonical(m.Span.Of(k.Bytes)))
		return true
	}
	host := false
	for _, b := range k.Blocks(m) {
		if m.Class == User && b.IsText && k.IsHostTag(b.Text, -1) {
			host = true
			continue
		}
		theirs = theirs || !b.CacheMark
		if !b.Thought && b.Kind == NoCall && b.Text.From < b.Text.To {
			k.hashText(b.Text)
		}
	}
	for c := range k.Calls(m) {
		switch c.Kind {
		case Called:
			k.hashText(c.Name)
			_, _ = k.h.Write(response.Canonical(c.Input.Of(k.Bytes)))
		case Answered:
			k.hashOutput(c.Output.Of(k.Bytes))
		}
	}
	return theirs || !host || m.Form == NoContent || m.Beside
}

func (k *keyer) hashByte(b byte) {
	k.few[0] = b
	k.h.Write(k.few[:1])
}

func (k *keyer) hashUint(n uint64) {
	binary.LittleEndian.PutUint64(k.few[:], n)
	k.h.Write(k.few[:])
}

// hashText hashes the decoded string whose inside is at, and its length.
func (k *keyer) hashText(at Span) {
	raw := at.Of(k.Bytes)
	if bytes.IndexByte(raw, '\\') >= 0 {
		k.buf = unescapeAll(k.buf[:0], raw)
		raw = k.buf
	}
	k.h.Write(raw)
	k.hashUint(uint64(len(raw)))
}
