package inject

import (
	"slices"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/forgery"
)

// Messages returns history with the texts of due put into it, in their order, and with the reminder tags neutralised that others
// wrote into user and tool messages.
//
// history is not written to. The result shares every untouched message with it, and is history itself if nothing changed. A text
// goes in once: texts of the same run that stand at the place already are replaced (without a mark: these very texts). Blank
// texts are left out. A text that is wholly one reminder tag is not wrapped again; tags inside a text are neutralised. A user
// message that had to be added is Auto. Messages may be called concurrently.
func Messages(history []Message, due []reminder.Due, opts Options) []Message {
	seal := opts.Seal().Among(due)
	e := editor{ms: history, seal: seal}
	ms := e.outlines()
	if Plan(ms, due, opts) == nil {
		e.neutralise()
		return e.ms
	}
	if rs := Clear(ms, due, opts); rs != nil {
		e.remove(rs)
		ms = e.outlines()
	}
	edits := Plan(ms, due, opts)
	e.neutralise()
	e.put(edits)
	return e.ms
}

// Strip returns history without what Messages has put into it, history itself if there is nothing. With a mark it removes
// everything that carries the mark in the places where texts are put; without one, the bare form at the places where Messages
// would put texts now. A tag that somebody else wrote stays.
//
// Content that is one plain text block after ours behind it were removed becomes a string again.
func Strip(history []Message, opts Options) []Message {
	e := editor{ms: history, seal: opts.Seal()}
	if rs := Remove(e.outlines(), opts); rs != nil {
		e.remove(rs)
	}
	return e.ms
}

// editor changes a list of messages without writing to what it was given: the list, a message and its blocks are copied before
// they are first changed.
type editor struct {
	ms     []Message
	seal   Seal
	listed bool         // ms is a copy
	copied map[int]bool // the messages whose Blocks are copies
}

// outlines describes the messages as they are now.
func (e *editor) outlines() []Outline {
	n := 0
	for i := range e.ms {
		n += max(1, len(e.ms[i].Blocks))
	}
	pieces := make([]Piece, 0, n)
	out := make([]Outline, len(e.ms))
	for i := range e.ms {
		m, o := &e.ms[i], &out[i]
		o.Role, o.Auto = m.Role, m.Auto
		from := len(pieces)
		if m.Blocks == nil {
			o.Form = FormText
			pieces = append(pieces, e.piece(m.Text, StandOf(m.Role, FormText)))
		} else {
			o.Form, o.Theirs = FormBlocks, !m.Auto || m.Value != nil
			for j := range m.Blocks {
				switch b := &m.Blocks[j]; b.Type {
				case typeText:
					pieces = append(pieces, e.piece(b.Text, StandOf(m.Role, FormBlocks)))
				case typeToolResult:
					o.ToolResult = true
					pieces = append(pieces, Piece{Own: NoOwn()})
				default:
					pieces = append(pieces, Piece{Own: NoOwn()})
				}
			}
		}
		o.Pieces = pieces[from:len(pieces):len(pieces)]
	}
	return out
}

func (e *editor) piece(text string, at Stand) Piece {
	return Piece{Text: true, Empty: text == "", Own: e.seal.Own(text, at)}
}

// message returns message i, of a list that may be written to.
func (e *editor) message(i int) *Message {
	if !e.listed {
		e.ms, e.listed = slices.Clone(e.ms), true
	}
	return &e.ms[i]
}

// blocks returns message i, with Blocks that may be written to.
func (e *editor) blocks(i int) *Message {
	m := e.message(i)
	if !e.copied[i] {
		if e.copied == nil {
			e.copied = map[int]bool{}
		}
		m.Blocks = append(make([]Block, 0, len(m.Blocks)+2), m.Blocks...)
		e.copied[i] = true
	}
	return m
}

// text returns the text of piece j of message i, which may be written to.
func (e *editor) text(i, j int) *string {
	if e.ms[i].Blocks == nil {
		return &e.message(i).Text
	}
	return &e.blocks(i).Blocks[j].Text
}

func textBlocks(texts []string) []Block {
	bs := make([]Block, len(texts))
	for i, t := range texts {
		bs[i] = Block{Type: typeText, Text: t}
	}
	return bs
}

// put applies the edits of a plan.
func (e *editor) put(edits []Edit) {
	for _, d := range slices.Backward(edits) { // the indexes are those before any edit, in ascending order
		switch d.Op {
		case Append:
			m := e.blocksOf(d.Message)
			m.Blocks = append(m.Blocks, textBlocks(d.Texts)...)
		case Prepend:
			if e.ms[d.Message].Blocks == nil {
				m := e.message(d.Message)
				m.Text = d.Joined() + blankLine + m.Text
				continue
			}
			m := e.blocks(d.Message)
			m.Blocks = append(textBlocks(d.Texts), m.Blocks...)
		case Extend:
			*e.text(d.Message, d.Block) += d.Texts[0]
		case InsertText:
			e.insert(d.Message, Message{Role: d.Role, Text: d.Joined(), Auto: d.Role == roleUser})
		case InsertBlocks:
			e.insert(d.Message, Message{Role: d.Role, Blocks: textBlocks(d.Texts), Auto: true})
		}
	}
}

// blocksOf returns message i, with its content as Blocks that may be written to.
func (e *editor) blocksOf(i int) *Message {
	if e.ms[i].Blocks != nil {
		return e.blocks(i)
	}
	m := e.message(i)
	m.Blocks, m.Text = textBlocks([]string{m.Text}), ""
	return m
}

func (e *editor) insert(at int, m Message) {
	ms := make([]Message, 0, len(e.ms)+1)
	e.ms, e.listed = append(append(append(ms, e.ms[:at]...), m), e.ms[at:]...), true
}

// remove applies removals.
func (e *editor) remove(rs []Removal) {
	gone := map[int]bool{}        // messages
	blocks := map[int][]Removal{} // by message, in order
	for _, r := range rs {
		switch r.Kind {
		case RemoveMessage:
			gone[r.Message] = true
		case RemoveBlock:
			blocks[r.Message] = append(blocks[r.Message], r)
		case CutHead:
			t := e.text(r.Message, r.Block)
			*t = (*t)[r.At:]
		case CutTail:
			t := e.text(r.Message, r.Block)
			*t = (*t)[:r.At]
		}
	}
	for i, list := range blocks {
		e.removeBlocks(i, list)
	}
	if len(gone) == 0 {
		return
	}
	ms := make([]Message, 0, len(e.ms)-len(gone))
	for i := range e.ms {
		if !gone[i] {
			ms = append(ms, e.ms[i])
		}
	}
	e.ms, e.listed, e.copied = ms, true, nil
}

// removeBlocks removes blocks of message i. If Append had made blocks of a string, that becomes the string again.
func (e *editor) removeBlocks(i int, list []Removal) {
	m := e.blocks(i)
	wrapped := true
	for _, r := range list {
		wrapped = wrapped && e.seal.Own(m.Blocks[r.Block].Text, StandBlock).Block
	}
	for _, r := range slices.Backward(list) {
		m.Blocks = slices.Delete(m.Blocks, r.Block, r.Block+1)
	}
	if len(m.Blocks) == 1 && wrapped && list[0].Block == 1 {
		if b := m.Blocks[0]; b.Type == typeText && b.Value == nil && b.Blocks == nil {
			m.Text, m.Blocks = b.Text, nil
		}
	}
}

// neutralise makes harmless the tags that others wrote.
func (e *editor) neutralise() {
	for i := range e.ms {
		if m := &e.ms[i]; Untrusted(m.Role) {
			if m.Blocks == nil {
				if t, changed := e.harmlessText(m.Text, StandOf(m.Role, FormText)); changed {
					e.message(i).Text = t
				}
			} else if bs, changed := e.harmless(m.Blocks, StandOf(m.Role, FormBlocks)); changed {
				e.message(i).Blocks = bs
			}
		}
	}
}

func (e *editor) harmlessText(text string, at Stand) (string, bool) {
	fs := e.seal.Forgeries(text, at)
	return forgery.Replace(text, fs), len(fs) > 0
}

// harmless returns blocks with their tags neutralised: bs itself, or a copy if that changed anything.
func (e *editor) harmless(bs []Block, at Stand) (out []Block, changed bool) {
	out = bs
	for j := range bs {
		b := bs[j]
		var touched bool
		switch b.Type {
		case typeText:
			b.Text, touched = e.harmlessText(b.Text, at)
		case typeToolResult:
			b.Text, touched = e.harmlessText(b.Text, StandResult)
			if inner, ok := e.harmless(b.Blocks, StandResult); ok {
				b.Blocks, touched = inner, true
			}
		}
		if touched {
			if !changed {
				out, changed = slices.Clone(bs), true
			}
			out[j] = b
		}
	}
	return out, changed
}
