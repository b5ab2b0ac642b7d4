package body

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/mark"
)

// samePlace reports whether the texts of two groups go to one place, so that they are written as one.
func (g *group) samePlace(o *group) bool {
	switch {
	case g.way != o.way:
		return false
	case g.way == asMessage: // messages stay apart, but for the system prompt: some servers take only one
		return g.shape == ShapePrompt && o.shape == ShapePrompt
	case g.way == asMember:
		return true
	}
	return g.into.Content == o.into.Content
}

// joined returns the groups with those for the same place joined, in their order.
func joined(groups []group) []group {
	if len(groups) < 2 {
		return groups
	}
	out := make([]group, 0, len(groups))
next:
	for _, g := range groups {
		for i := len(out) - 1; i >= 0; i-- {
			if out[i].samePlace(&g) {
				out[i].texts = append(slices.Clip(out[i].texts), g.texts...)
				continue next
			}
		}
		out = append(out, g)
	}
	return out
}

// insert turns groups into changes. Messages for the same place stand there in the order of the groups.
func (dr *Draft) insert(s *Splices, groups []group) {
	groups = joined(groups)
	var messages []group
	for _, g := range groups {
		switch g.way {
		case asString:
			s.Insert(dr.Blocks(g.into)[0].Text.To, escape(nil, "\n"+strings.Join(g.texts, "\n"))...)
		case asBlock:
			dr.attach(s, g.into, g.texts)
		case asMessage:
			messages = append(messages, g)
		}
	}
	slices.SortStableFunc(messages, func(x, y group) int { return cmp.Compare(x.at, y.at) })
	for i := 0; i < len(messages); {
		var b []byte
		at := messages[i].at
		for ; i < len(messages) && messages[i].at == at; i++ {
			if b != nil {
				b = append(b, ',')
			}
			b = dr.Format.WriteMessage(b, messages[i].role, messages[i].lapses, messages[i].texts)
		}
		dr.insertMessages(s, at, b)
	}
	for _, g := range groups { // last, because it may stand where the list of messages ends
		if g.way == asMember {
			s.Insert(dr.List.To, append([]byte{','}, dr.Format.writePrompt(g.texts)...)...)
		}
	}
}

// WriteMessage appends a message that holds texts, as one string or as blocks.
func (f *Format) WriteMessage(dst []byte, role string, lapses bool, texts []string) []byte {
	if f.NoStrings {
		return f.WriteBlocks(dst, role, lapses, texts)
	}
	return append(quote(f.open(dst, role, lapses), strings.Join(texts, "\n\n")), '}')
}

// WriteBlocks appends a message that holds a block for each text.
func (f *Format) WriteBlocks(dst []byte, role string, lapses bool, texts []string) []byte {
	return append(f.appendBlocks(append(f.open(dst, role, lapses), '['), texts, nil), "]}"...)
}

// writePrompt returns the member of a new system prompt: joined where that is a string, else a block for each
// of texts.
func (f *Format) writePrompt(texts []string) []byte {
	dst := append(quote(nil, f.Prompt.Members[0]), ':')
	switch {
	case f.Prompt.Joined:
		return quote(dst, strings.Join(texts, "\n\n"))
	case f.Prompt.Parts != "":
		dst = append(quote(append(dst, '{'), f.Prompt.Parts), ":["...)
		return append(f.appendBlocks(dst, texts, nil), "]}"...)
	default:
		return append(f.appendBlocks(append(dst, '['), texts, nil), ']')
	}
}

// insertMessages puts m, one message or several with commas between, before message at. A list that is a
// string becomes a list of messages, with the string as the first. Where the client's own list looks as if it
// had come from a string that way, a blank behind ours tells the two apart.
func (dr *Draft) insertMessages(s *Splices, at int, m []byte) {
	switch {
	case dr.ListIsContent:
		s.Insert(dr.List.From, append([]byte{'['}, dr.Format.open(nil, "user", false)...)...)
		s.Insert(dr.List.To, append(append([]byte("},"), m...), ']')...)
		return
	case at == len(dr.Messages) && dr.likeString(0):
		m = append(m, ' ')
	}
	dr.InsertMessage(s, at, m)
}

// InsertMessage puts a message before message at of the list, or behind the last one.
func (d *Body) InsertMessage(s *Splices, at int, m []byte) {
	insertElement(s, d.List, d.Messages, at, m)
}

// likeString reports whether the list, without the more messages of ours at its end, looks like what
// insertMessages makes of a string.
func (d *Body) likeString(more int) bool {
	if !d.Format.StringList || d.Format.NoStrings || len(d.Messages) != 1+more {
		return false
	}
	m := &d.Messages[0]
	return m.Form == StringContent && m.From == d.List.From+1 && m.Content.To+1 == m.To &&
		string(d.Bytes[m.From:m.Content.From]) == string(d.Format.open(nil, "user", false))
}

// attach puts blocks at the end of a content. Where the client's last block looks like ours, the comma
// between is followed by a blank.
func (dr *Draft) attach(s *Splices, m *Message, texts []string) {
	blocks, mark := dr.Blocks(m), dr.ownMark(m)
	if m.Form == BlockContent && len(blocks) > 0 && dr.likeOurs(m, blocks[len(blocks)-1]) {
		added := append([]byte(", "), dr.Format.appendBlocks(nil, texts, mark)...)
		if dr.likeWritten(m, len(blocks)) {
			added = append(added, ' ')
		}
		s.Insert(blocks[len(blocks)-1].To, added...)
		return
	}
	dr.Append(s, m, texts, mark)
}

// ownMark returns the member by which the cache ends behind our text at the end of the body, too: a copy of
// the client's mark in that message, which stays. So the text is written into the cache at once, and the next
// request, in which it has no mark any more, reads it from there. It returns nil where the client marks
// nothing there, or as often as the API allows, and where the next request does not hold the text.
func (dr *Draft) ownMark(m *Message) []byte {
	last := len(dr.Messages) - 1
	if dr.Format.CacheMark == "" || dr.opts.Delivery == Tail || last < 0 || m != &dr.Messages[last] {
		return nil
	}
	name, said := quote(nil, dr.Format.CacheMark), m.Span.Of(dr.Bytes)
	at := bytes.LastIndex(said, name)
	if at < 0 || bytes.Count(dr.Bytes, name) >= dr.Format.MostMarks {
		return nil
	}
	is := said[at : at+bytes.IndexByte(said[at:], '}')+1]
	if !json.Valid(slices.Concat([]byte{'{'}, is, []byte{'}'})) { // not an object
		return nil
	}
	return is
}

// likeOurs reports whether a block of the client's looks just like one of ours, and stays as it is.
func (dr *Draft) likeOurs(m *Message, b Block) bool {
	if !b.IsText || !dr.asMarked(b) || !mayBeginWrapped(b.Text.Of(dr.Bytes)) {
		return false
	}
	text := dr.Says(b.Text)
	if !dr.Wrap.Any().Ours(text, mark.InBlock).Block {
		return false
	}
	return dr.opts.Neutralise == mark.Nothing || m.Class == System ||
		len(dr.forged(text, Text{Place: mark.InBlock, InResult: m.Class == Tool})) == 0
}

// Append puts a text block for each text behind the content of a message. String content becomes the first
// block, and its bytes stay. mark is a member of the last block, nil for none.
func (d *Body) Append(s *Splices, m *Message, texts []string, mark []byte) {
	f := d.Format
	if m.Form == StringContent {
		s.Insert(m.Content.From, append([]byte{'['}, f.Block[0]...)...)
		s.Insert(m.Content.To, append(f.appendBlocks([]byte(f.Block[1]+","), texts, mark), ']')...)
		return
	}
	blocks := d.Blocks(m)
	added := f.appendBlocks(nil, texts, mark)
	if d.likeWritten(m, len(blocks)) {
		added = append(added, ' ')
	}
	insertElement(s, m.Content, blocks, len(blocks), added)
}

// likeWritten reports whether a client's array of n blocks looks like one that we write: like the block that
// we make of string content, or, empty, like the content of a message that we add. m may hold blocks of ours
// behind those n.
func (d *Body) likeWritten(m *Message, n int) bool {
	if d.Format.Splits == nil || !d.Format.Splits(m) {
		return false
	}
	blocks := d.Blocks(m)
	switch n {
	case 0:
		return len(blocks) == 0 || blocks[0].From == m.Content.From+1
	case 1:
		b := blocks[0]
		return b.IsText && b.From == m.Content.From+1 && d.asWritten(b)
	default:
		return false
	}
}

// asWritten reports whether a block is written as we write blocks, to the byte.
func (d *Body) asWritten(b Block) bool {
	return bytes.Equal(d.Bytes[b.From:max(b.From, b.Text.From-1)], []byte(d.Format.Block[0])) &&
		bytes.Equal(d.Bytes[min(b.Text.To+1, b.To):b.To], []byte(d.Format.Block[1]))
}

// asMarked is asWritten, or reports that the block has a mark as well, behind its text.
func (d *Body) asMarked(b Block) bool {
	if d.Format.CacheMark == "" || d.asWritten(b) {
		return d.asWritten(b)
	}
	end := append(quote([]byte{','}, d.Format.CacheMark), ":{"...)
	return bytes.Equal(d.Bytes[b.From:max(b.From, b.Text.From-1)], []byte(d.Format.Block[0])) &&
		bytes.HasPrefix(d.Bytes[min(b.Text.To+1, b.To):b.To], end) &&
		bytes.HasSuffix(d.Bytes[b.From:b.To], []byte("}"+d.Format.Block[1]))
}

// located is a message or block: something with a span in the body.
type located interface{ at() Span }

func (m Message) at() Span { return m.Span }
func (b Block) at() Span   { return b.Span }

// insertElement puts added before element k of the array whose span is list, or behind the last element:
// directly behind the element before, with a comma of its own. So the bytes up to the end of added are the
// same once the client's next element follows, whatever white space that client writes.
func insertElement[T located](s *Splices, list Span, elements []T, k int, added []byte) {
	switch {
	case len(elements) == 0:
		s.Insert(list.From+1, added...)
	case k == 0:
		s.Insert(elements[0].at().From, append(added, ',')...)
	default:
		s.Insert(elements[k-1].at().To, ',')
		s.Insert(elements[k-1].at().To, added...)
	}
}
