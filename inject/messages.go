package inject

import (
	"encoding/json"
	"slices"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// Message is a message of a conversation in the generic shape: a role, and a content that is a text or
// blocks.
type Message struct {
	Role   string  // system, user, assistant or tool
	Text   string  // the content, if Blocks is nil
	Blocks []Block // the content, if not nil
	Auto   bool    // a user message that no person submitted: an update of the context, a notice of the host
	ID     string  // of a tool message: the call that it answers
	Failed bool    // of a tool message: the call failed

	// Value is the host's own. A message whose content is changed has none: its Value would say less than its
	// content does. Was is the Value that it had.
	Value, Was any
}

// Block is a block of a message's content.
type Block struct {
	Type   string          // "text", "image", "tool_use", "tool_result", "thinking" or any other
	Text   string          // of a text; of a tool_result whose content is a text
	Blocks []Block         // of a tool_result: its content
	ID     string          // of a tool_use; of a tool_result: the call that it answers
	Tool   string          // of a tool_use: the name of the tool
	Input  json.RawMessage // of a tool_use: its input; nil is unknown
	Failed bool            // of a tool_result: the call failed
	Value  any             // the host's own; a block whose Text or Blocks are changed has none
}

// The block types that have a meaning here. All others are kept as they are.
const (
	typeText       = "text"
	typeToolResult = "tool_result"
)

// Placement is where due texts go. Texts attached to run_start go into the system prompt with every
// placement: in front of the first message if that is a system message, else into a new first system message.
type Placement uint8

const (
	// PlaceBlock puts each text into a text block of its own: at the end of the last user or tool message, or,
	// for texts attached to user_turn, at the end of the last message that a person submitted.
	PlaceBlock = Placement(outline.AsBlock)
	// PlaceText appends to the last text of these messages.
	PlaceText = Placement(outline.AsText)
	// PlaceSystem puts one system message before the last user message, or directly behind that message if it
	// holds a tool result.
	PlaceSystem = Placement(outline.AsMessage)
)

// Options say how texts are put before the model. The zero Options are the bare tag, in blocks.
type Options struct {
	Placement Placement
	// Mark is the run's token by which our own tags are known: letters and digits, the same for the whole run.
	// Without a mark the tag is bare, and only its place and exact form tell our tags from those of others.
	Mark string
	// Prefix writes [SYSTEM REMINDER] in front of a text instead of the tag around it, for models without a
	// system role in mid-conversation. Texts in the system prompt have the tag all the same.
	Prefix bool
	// Neutralise says which reminder tags that others wrote are made harmless. With a mark, the zero value
	// changes none but those that claim it, so a client that writes such tags itself keeps them.
	Neutralise Policy
}

// Policy says which reminder tags of others are neutralised, in the texts of users and tools: those that are
// not ours by their mark.
type Policy = mark.Policy

// The policies.
const (
	// NeutraliseByMark neutralises the tags that claim Options.Mark; where there is no mark, all.
	NeutraliseByMark = mark.ByMark
	// NeutraliseAll neutralises all: for hosts that write no such tag themselves.
	NeutraliseAll = mark.All
	// NeutraliseNothing neutralises none. Without a mark, Strip may then take one of them for ours.
	NeutraliseNothing = mark.Nothing
)

func (o Options) tag() mark.Options {
	return mark.Options{Mark: o.Mark, Prefix: o.Prefix, Neutralise: o.Neutralise}
}

// Messages puts texts into one request alone: a model that binds its thinking to every earlier byte refuses
// the next request of the conversation (400), because the texts are missing from it, and a prompt cache
// misses from there on. For conversations there is package inject/transport (Transport.Copy), which puts each
// text back where it stood.
//
// Messages returns history with the texts of due put into it, in their order, and with the reminder tags
// neutralised that others wrote into user and tool messages.
//
// history is not written to. The result shares every untouched message with it, and is history itself if
// nothing changed. A text goes in once: texts of the same run that stand at the place already are replaced
// (without a mark: these very texts). Blank texts are left out. A text that is wholly one reminder tag is not
// wrapped again; tags inside a text are neutralised. A user message that had to be added is Auto. Messages
// may be called concurrently.
func Messages(history []Message, due []reminder.Due, opts Options) []Message {
	at, w := outline.Placement(opts.Placement), mark.New(opts.tag()).Only(due)
	e := editor{ms: history, ours: w}
	ms := e.outlines()
	if outline.Plan(ms, due, at, w) == nil {
		e.neutralise()
		return e.ms
	}
	if rs := outline.Clear(ms, due, at, w); rs != nil {
		e.remove(rs)
		ms = e.outlines()
	}
	edits := outline.Plan(ms, due, at, w)
	e.neutralise()
	e.put(edits)
	return e.ms
}

// Strip returns history without what Messages has put into it, history itself if there is nothing. With a
// mark it removes everything that carries the mark in the places where texts are put; without one, the bare
// form at the places where Messages would put texts now. A tag that somebody else wrote stays.
//
// Content that is one plain text block after ours behind it were removed becomes a string again.
func Strip(history []Message, opts Options) []Message {
	e := editor{ms: history, ours: mark.New(opts.tag())}
	if rs := outline.Remove(e.outlines(), e.ours); rs != nil {
		e.remove(rs)
	}
	return e.ms
}

// editor changes a list of messages without writing to what it was given: the list, a message and its blocks
// are copied before they are first changed.
type editor struct {
	ms     []Message
	ours   mark.Wrapper
	listed bool // ms is a copy
}

// outlines describes the messages as they are now.
func (e *editor) outlines() []outline.Message {
	out := make([]outline.Message, len(e.ms))
	for i := range e.ms {
		m, o := &e.ms[i], &out[i]
		o.Role, o.Auto = m.Role, m.Auto
		if m.Blocks == nil {
			o.Form = outline.StringContent
			o.Pieces = []outline.Piece{e.piece(m.Text, outline.PlaceOf(m.Role, o.Form))}
			continue
		}
		o.Form, o.Theirs = outline.BlockContent, !m.Auto || m.Value != nil || m.Was != nil
		o.Pieces = make([]outline.Piece, len(m.Blocks))
		for j := range m.Blocks {
			b := &m.Blocks[j]
			if b.Type == typeText {
				o.Pieces[j] = e.piece(b.Text, outline.PlaceOf(m.Role, o.Form))
			} else {
				o.Pieces[j].Ours = mark.None()
			}
			o.ToolResult = o.ToolResult || b.Type == typeToolResult
		}
	}
	return out
}

func (e *editor) piece(text string, at mark.Place) outline.Piece {
	return outline.Piece{Text: true, Empty: text == "", Ours: e.ours.Ours(text, at)}
}

// message returns message i, of a list that may be written to. Its content is to be changed, so it loses its
// Value.
func (e *editor) message(i int) *Message {
	if !e.listed {
		e.ms, e.listed = slices.Clone(e.ms), true
	}
	m := &e.ms[i]
	if m.Value != nil {
		m.Value, m.Was = nil, m.Value
	}
	return m
}

// blocks returns message i, with Blocks that may be written to.
func (e *editor) blocks(i int) *Message {
	m := e.message(i)
	m.Blocks = slices.Clone(m.Blocks)
	return m
}

// text returns the text of piece j of message i, which may be written to.
func (e *editor) text(i, j int) *string {
	if e.ms[i].Blocks == nil {
		return &e.message(i).Text
	}
	b := &e.blocks(i).Blocks[j]
	b.Value = nil
	return &b.Text
}

func textBlocks(texts []string) []Block {
	bs := make([]Block, len(texts))
	for i, t := range texts {
		bs[i] = Block{Type: typeText, Text: t}
	}
	return bs
}

// put applies the edits of a plan.
func (e *editor) put(edits []outline.Edit) {
	for _, d := range slices.Backward(edits) { // the indexes are those before any edit, in ascending order
		switch d.Op {
		case outline.Append:
			m := e.blocksOf(d.Message)
			m.Blocks = append(m.Blocks, textBlocks(d.Texts)...)
		case outline.Prepend:
			if e.ms[d.Message].Blocks == nil {
				m := e.message(d.Message)
				m.Text = d.Joined() + "\n\n" + m.Text
				continue
			}
			m := e.blocks(d.Message)
			m.Blocks = append(textBlocks(d.Texts), m.Blocks...)
		case outline.Extend:
			*e.text(d.Message, d.Block) += d.Texts[0]
		case outline.InsertText:
			e.insert(d.Message, Message{Role: d.Role, Text: d.Joined(), Auto: d.Role == "user"})
		case outline.InsertBlocks:
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
	e.ms, e.listed = slices.Insert(slices.Clone(e.ms), at, m), true
}

// remove applies removals.
func (e *editor) remove(rs []outline.Removal) {
	gone := map[int]bool{}                // messages
	blocks := map[int][]outline.Removal{} // by message, in order
	for _, r := range rs {
		switch r.Kind {
		case outline.RemoveMessage:
			gone[r.Message] = true
		case outline.RemoveBlock:
			blocks[r.Message] = append(blocks[r.Message], r)
		case outline.CutHead:
			t := e.text(r.Message, r.Block)
			*t = (*t)[r.At:]
		case outline.CutTail:
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
	e.ms, e.listed = ms, true
}

// removeBlocks removes blocks of message i. If Append had made blocks of a string, that becomes the string
// again.
func (e *editor) removeBlocks(i int, list []outline.Removal) {
	m := e.blocks(i)
	wrapped := true
	for _, r := range list {
		wrapped = wrapped && e.ours.Ours(m.Blocks[r.Block].Text, mark.InBlock).Block
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
		if m := &e.ms[i]; outline.Untrusted(m.Role) {
			if m.Blocks == nil {
				if t, changed := e.harmlessText(m.Text, outline.PlaceOf(m.Role, outline.StringContent)); changed {
					e.message(i).Text = t
				}
			} else if bs, changed := e.harmless(m.Blocks, outline.PlaceOf(m.Role, outline.BlockContent)); changed {
				e.message(i).Blocks = bs
			}
		}
	}
}

func (e *editor) harmlessText(text string, at mark.Place) (string, bool) {
	fs := e.ours.Forged(text, at)
	return mark.Replace(text, fs), len(fs) > 0
}

// harmless returns blocks with their tags neutralised: bs itself, or a copy if that changed anything.
func (e *editor) harmless(bs []Block, at mark.Place) (out []Block, changed bool) {
	out = bs
	for j := range bs {
		b := bs[j]
		var touched bool
		switch b.Type {
		case typeText:
			b.Text, touched = e.harmlessText(b.Text, at)
		case typeToolResult:
			b.Text, touched = e.harmlessText(b.Text, mark.InResult)
			if inner, ok := e.harmless(b.Blocks, mark.InResult); ok {
				b.Blocks, touched = inner, true
			}
		}
		if touched {
			b.Value = nil
			if !changed {
				out, changed = slices.Clone(bs), true
			}
			out[j] = b
		}
	}
	return out, changed
}
