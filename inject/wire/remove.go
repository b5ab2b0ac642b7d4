package wire

import (
	"slices"

	"github.com/aside-go/aside/internal/outline"
)

// remove turns removals of package inject into splices. It undoes put, to the byte.
func (d *body) remove(s *splices, rs []outline.Removal) {
	messages := map[int]bool{}
	blocks := map[int]map[int]bool{}
	for _, r := range rs {
		switch r.Kind {
		case outline.RemoveMessage:
			messages[r.Message] = true
		case outline.RemoveBlock:
			if blocks[r.Message] == nil {
				blocks[r.Message] = map[int]bool{}
			}
			blocks[r.Message][r.Block] = true
		case outline.CutHead:
			t := decode(d.b, d.of(&d.messages[r.Message])[r.Block].text)
			s.cut(t.from, t.offset(r.At))
		case outline.CutTail:
			at := d.of(&d.messages[r.Message])[r.Block].text
			t := decode(d.b, at)
			s.cut(t.offset(r.At), at.to)
		}
	}
	for i := range d.messages {
		if gone := blocks[i]; gone != nil && !messages[i] {
			d.removeBlocks(s, &d.messages[i], gone)
		}
	}
	removeElements(s, d.messages, messages)
}

// removeBlocks removes blocks of a message's content. Blocks that append had made of a string become that string again. A blank
// that was added because the client's array looks like ours (likeWritten) goes too.
func (d *body) removeBlocks(s *splices, m *message, gone map[int]bool) {
	blocks := d.of(m)
	kept := len(blocks) - len(gone)
	last := blocks[len(blocks)-1]
	if !d.f.vendor && d.word(m.role) == "system" || !d.atEnd(m, gone) || !d.likeWritten(m, kept) {
		removeElements(s, blocks, gone)
		return
	}
	switch next := d.b[last.to]; {
	case next == ' ':
		removeElements(s, blocks, gone)
		s.cut(last.to, last.to+1)
	case next == ']' && kept == 1 && d.compact(blocks):
		s.cut(m.content.from, blocks[0].text.from-1)
		s.cut(blocks[0].text.to+1, m.content.to)
	default:
		removeElements(s, blocks, gone)
	}
}

// atEnd reports whether the blocks that go are the last ones of the content, and are wrapped blocks rather than what
// inject.PlaceText adds.
func (d *body) atEnd(m *message, gone map[int]bool) bool {
	blocks := d.of(m)
	for i := len(blocks) - len(gone); i < len(blocks); i++ {
		if !gone[i] || decode(d.b, blocks[i].text).s[0] == '\n' {
			return false
		}
	}
	return true
}

// compact reports whether blocks are written as we write them, with only commas between them.
func (d *body) compact(blocks []block) bool {
	return compact(blocks) && !slices.ContainsFunc(blocks, func(b block) bool { return !d.asWritten(b) })
}

// compact reports whether only a comma stands between the elements of an array.
func compact[T located](elements []T) bool {
	for i := 1; i < len(elements); i++ {
		if elements[i].at().from != elements[i-1].at().to+1 {
			return false
		}
	}
	return true
}

// markedTheirs reports whether an array that holds nothing but blocks like ours is marked as the client's by a blank behind the
// last block.
func (d *body) markedTheirs(m *message) bool {
	blocks := d.of(m)
	return len(blocks) > 0 && d.likeWritten(m, 0) && d.b[blocks[len(blocks)-1].to] == ' '
}

// removeElements removes elements of an array, with their commas: from each up to the next element that stays, or, at the end of the
// array, from the end of the last one that stays.
func removeElements[T located](s *splices, elements []T, gone map[int]bool) {
	stays := -1 // the last element so far that stays
	for i := 0; i < len(elements); i++ {
		if !gone[i] {
			stays = i
			continue
		}
		end := i + 1
		for end < len(elements) && gone[end] {
			end++
		}
		switch {
		case end < len(elements):
			s.cut(elements[i].at().from, elements[end].at().from)
		case stays >= 0:
			s.cut(elements[stays].at().to, elements[end-1].at().to)
		default:
			s.cut(elements[i].at().from, elements[end-1].at().to)
		}
		i = end - 1
	}
}
