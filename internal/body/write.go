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
			b = dr.Format.writeMessage(b, &messages[i])
		}
		dr.insertMessages(s, at, b)
	}
	for _, g := range groups { // last, because it may stand where the list of messages ends
		if g.way == asMember {
			s.Insert(dr.List.To, append([]byte{','}, dr.Format.writePrompt(g.texts)...)...)
		}
	}
}

// writeMessage appends a message that holds the texts of a group, as one string or as blocks.
func (f *Format) writeMessage(dst []byte, g *group) []byte {
	dst = f.open(dst, g.role, g.lapses)
	if f.NoStrings {
		return append(f.appendBlocks(append(dst, '['), g.texts, nil), "]}"...)
	}
	return append(quote(dst, strings.Join(g.texts, "\n\n")), '}')
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
	if at == len(dr.Messages) && !dr.ListIsContent && dr.likeString(0) {
		m = append(m, ' ')
	}
	switch {
	case dr.ListIsContent:
		s.Insert(dr.List.From, append([]byte{'['}, dr.Format.open(nil, "user", false)...)...)
		s.Insert(dr.List.To, append(append([]byte("},"), m...), ']')...)
	case len(dr.Messages) == 0:
		s.Insert(dr.List.From+1, m...)
	case at == 0:
		s.Insert(dr.Messages[0].From, append(m, ',')...)
	default:
		s.insertBehind(dr.Messages[at-1].Span, m)
	}
}

// insertBehind puts an element behind another one: directly, with a comma of its own. So the bytes up to the
// end of added are the same once the client's next element follows, whatever white space that client writes.
func (s *Splices) insertBehind(element Span, added []byte) {
	s.Insert(element.To, ',')
	s.Insert(element.To, added...)
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

// attach puts a text block for each text at the end of a content. String content becomes the first block, and
// its bytes stay. Where the client's last block looks like ours, the comma between is followed by a blank.
func (dr *Draft) attach(s *Splices, m *Message, texts []string) {
	f, blocks := dr.Format, dr.Blocks(m)
	added := f.appendBlocks(nil, texts, dr.ownMark(m))
	if m.Form == StringContent {
		s.Insert(m.Content.From, append([]byte{'['}, f.Block[0]...)...)
		s.Insert(m.Content.To, slices.Concat([]byte(f.Block[1]+","), added, []byte{']'})...)
		return
	}
	if dr.likeWritten(m, len(blocks)) {
		added = append(added, ' ')
	}
	if len(blocks) == 0 {
		s.Insert(m.Content.From+1, added...)
		return
	}
	last := blocks[len(blocks)-1]
	if dr.likeOurs(m, last) {
		added = slices.Insert(added, 0, ' ')
	}
	s.insertBehind(last.Span, added)
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
	return dr.matches(dr.Wrap.Any(), b) && (dr.opts.Neutralise == mark.Nothing || m.Class == System ||
		len(dr.forged(dr.Says(b.Text), Text{Source: OfBlock, InResult: m.Class == Tool})) == 0)
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
