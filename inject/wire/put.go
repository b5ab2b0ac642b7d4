package wire

import (
	"bytes"

	"github.com/aside-go/aside/internal/outline"
)

// put turns the edits of package inject into splices. remove undoes them.
func (d *body) put(s *splices, edits []outline.Edit) {
	var alone []byte // messages for a list that is empty
	for _, e := range edits {
		switch e.Op {
		case outline.Append:
			d.append(s, &d.messages[e.Message], e.Texts)
		case outline.Extend:
			at := d.of(&d.messages[e.Message])[e.Block].text.to
			s.insert(at, escape(nil, e.Texts[0])...)
		case outline.Prepend:
			d.prepend(s, &d.messages[e.Message], e)
		case outline.InsertText, outline.InsertBlocks:
			if len(d.messages) > 0 {
				insertElement(s, d.list, d.messages, e.Message, d.message(nil, e))
				continue
			}
			if alone != nil {
				alone = append(alone, ',')
			}
			alone = d.message(alone, e)
		}
	}
	if alone != nil {
		s.insert(d.list.from+1, alone...)
	}
}

// message appends the texts of an edit as a message.
func (d *body) message(dst []byte, e outline.Edit) []byte {
	dst = d.f.open(dst, e.Role, false)
	if e.Op == outline.InsertText {
		return append(quote(dst, e.Joined()), '}')
	}
	return append(d.f.blocks(append(dst, '['), e.Texts), "]}"...)
}

// append puts a text block for each text behind the content of a message. String content becomes the first block, and its bytes
// stay.
func (d *body) append(s *splices, m *message, texts []string) {
	if m.form == outline.StringContent {
		s.insert(m.content.from, append([]byte{'['}, d.f.block[0]...)...)
		s.insert(m.content.to, append(d.f.blocks([]byte(d.f.block[1]+","), texts), ']')...)
		return
	}
	blocks := d.of(m)
	added := d.f.blocks(nil, texts)
	if texts[0][0] != '\n' && d.likeWritten(m, len(blocks)) {
		added = append(added, ' ')
	}
	insertElement(s, m.content, blocks, len(blocks), added)
}

// likeWritten reports whether a client's array of n blocks looks like one that we write: like the block that we make of string
// content, or, empty, like the content of a message that we add. m may hold blocks of ours behind those n.
func (d *body) likeWritten(m *message, n int) bool {
	blocks := d.of(m)
	if d.f.vendor && (!d.f.anthropic || m.class != classUser) {
		return false // no string becomes blocks there
	}
	switch n {
	case 0:
		return len(blocks) == 0 || blocks[0].from == m.content.from+1
	case 1:
		b := blocks[0]
		return b.isText && b.from == m.content.from+1 && d.asWritten(b)
	default:
		return false
	}
}

// asWritten reports whether a block is written as we write blocks, to the byte.
func (d *body) asWritten(b block) bool {
	return bytes.Equal(d.b[b.from:max(b.from, b.text.from-1)], []byte(d.f.block[0])) &&
		bytes.Equal(d.b[min(b.text.to+1, b.to):b.to], []byte(d.f.block[1]))
}

// prepend puts the texts of e before the content of a message.
func (d *body) prepend(s *splices, m *message, e outline.Edit) {
	if m.form == outline.StringContent {
		s.insert(m.content.from+1, escape(nil, e.Joined()+"\n\n")...)
		return
	}
	insertElement(s, m.content, d.of(m), 0, d.f.blocks(nil, e.Texts))
}

// located is a message or block: what has a span in the body.
type located interface{ at() span }

func (m message) at() span { return m.span }
func (b block) at() span   { return b.span }

// insertElement puts added before element k of the array whose span is list, or behind the last element: directly before element k, or
// directly behind the last one, with a comma.
func insertElement[T located](s *splices, list span, elements []T, k int, added []byte) {
	switch {
	case len(elements) == 0:
		s.insert(list.from+1, added...)
	case k == len(elements):
		s.insert(elements[k-1].at().to, ',')
		s.insert(elements[k-1].at().to, added...)
	default:
		s.insert(elements[k].at().from, append(added, ',')...)
	}
}
