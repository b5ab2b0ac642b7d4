package body

import (
	"slices"
)

// Read finds the messages of a body. Of members with the same name the last one counts, as for most readers.
// The texts of all messages may hold forged tags, and are noted.
//
// The Body is never nil: of one without messages (ErrShape) the other members are read all the same.
func Read(f *Format, b []byte) (*Body, *Error) {
	d := &Body{Format: f, Bytes: b}
	d.Tools, d.Keeps = f.Tools, f.Keeps
	r := &Reader{Scanner: scan(b, 0), Body: d}
	return d, r.top()
}

// Reader reads a body forward into Body.
type Reader struct {
	Scanner
	Body   *Body
	key    int     // where the member of the body that is read begins
	now    Message // that is read
	again  bool    // what is read is not a message, but a result or the system prompt
	inFile bool    // the block that is read is a file: all strings in it are noted

	blocks []*Block // that are read, each within the one before
	within int      // how many of them
}

// top reads the whole body.
func (r *Reader) top() *Error {
	found, object := false, r.Peek() == '{'
	start := r.Offset()
	at := start
	if object {
		r.request(&at, &found)
	} else {
		r.Skip()
	}
	if d := r.Body; at == start && d.Previous.Found() { // the server has all messages
		d.List, found = Span{d.Previous.To, d.Previous.To}, true
	}
	switch r.Peek(); {
	case r.Bad() || found && r.AtEnd():
		return r.mistake()
	case !r.AtEnd():
		return &Error{Kind: ErrSyntax, Offset: r.Offset(), Reason: "expected nothing more"}
	}
	return &Error{Kind: ErrShape, Offset: at, Reason: `expected an object with an array "` + r.Body.Format.Messages + `"`}
}

// request reads the object that is next: a request, or an object around one (Format.Wrappers). It sets at to
// where the value of the messages begins, and found to whether that is a list of messages. Where there are no
// messages, both stay as they are.
func (r *Reader) request(at *int, found *bool) {
	f := r.Body.Format
	for key := range r.Keys() {
		name := nameOf(key)
		switch {
		case string(name) == f.Messages:
			if r.Peek() != 'n' { // null is as good as nothing
				*at = r.Offset()
			}
			*found = r.messageList()
		case r.Peek() == '{' && slices.ContainsFunc(f.Wrappers,
			func(wrapper string) bool { return string(name) == wrapper }):
			r.request(at, found)
		default:
			r.key = r.Key() - 1
			f.ReadMember(r, name)
		}
	}
}

// messageList reads the value of the member for the messages, and reports whether it is a list of messages.
func (r *Reader) messageList() bool {
	d := r.Body
	// of two lists the second one counts
	d.Messages, d.allBlocks, d.beside, d.Texts, d.Compacted, d.ListIsContent = nil, nil, nil, nil, nil, false
	d.List = Span{From: r.Offset()}
	c := r.Peek()
	switch {
	case c == '[' && d.Format.BlockList != nil && d.Format.BlockList(r):
		m := Message{Class: User, Speaker: ByUser}
		r.ReadContent(&m)
		d.placeTexts(&m, 0)
		m.Span, d.List, d.ListIsContent = m.Content, m.Content, true
		d.Messages = append(d.Messages, m)
	case c == '[':
		for r.Open('['); r.Element(); {
			r.message()
		}
		d.List.To = r.Offset()
	case c == '"' && d.Format.StringList:
		said := r.Text(OfResult)
		d.List.To, d.ListIsContent = r.Offset(), true
		d.allBlocks = append(d.allBlocks, Block{Text: said, Said: said, IsText: true})
		d.Messages = append(d.Messages, Message{Span: d.List, Content: d.List,
			Form: StringContent, Class: User,
			Speaker: ByUser, blocks: Span{0, 1}})
	default:
		r.Skip()
		return false
	}
	return true
}

// message reads the next element of the list of messages.
func (r *Reader) message() {
	d := r.Body
	m := &r.now // it would be allocated, since formats are asked through an interface
	*m = Message{Span: Span{From: r.Offset()}}
	m.blocks = Span{len(d.allBlocks), len(d.allBlocks)}
	m.calls = Span{len(d.beside), len(d.beside)}
	texts := len(d.Texts)
	if r.Peek() == '{' {
		d.Format.ReadMessage(r, m)
	} else {
		r.Skip()
		m.Speaker = BySomebody
	}
	d.placeTexts(m, texts)
	m.To = r.Offset()
	d.Messages = append(d.Messages, *m)
}

// placeTexts drops the texts of a message, those from d.Texts[from] on, if its speaker is trusted; else it
// gives the direct ones their place.
func (d *Body) placeTexts(m *Message, from int) {
	at := OfResult
	switch m.Class {
	case System, Assistant:
		d.Texts = d.Texts[:from]
		return
	case User:
		at = OfUser
	case Tool:
		at = d.Format.ToolText
	}
	block := at
	if at != OfResult {
		block = OfBlock
	}
	for i := from; i < len(d.Texts); i++ {
		switch t := &d.Texts[i]; t.Source {
		case OfUser:
			t.Source = at
		case OfBlock:
			t.Source, t.InResult = block, m.Class == Tool && block == OfResult
		}
	}
}

// ReadContent reads the content of a message into m, and notes its texts.
func (r *Reader) ReadContent(m *Message) {
	d := r.Body
	m.Content.From = r.Offset()
	m.Form, m.ToolResult = NoContent, false
	m.blocks.From = len(d.allBlocks)
	switch c := r.Peek(); {
	case c == '"' && (r.again && d.Format.Prompt.Joined || !d.Format.NoStrings):
		if at := r.Quoted(); at.Found() {
			m.Form = StringContent
			d.allBlocks = append(d.allBlocks, Block{Text: at, Said: at, IsText: true})
			d.Texts = append(d.Texts, Text{Span: at, Source: OfUser})
		}
	case c == '[':
		m.Form = BlockContent
		for r.Open('['); r.Element(); {
			b := r.block()
			m.ToolResult = m.ToolResult || b.Kind == Answered
			d.allBlocks = append(d.allBlocks, b)
		}
	default:
		r.Skip()
	}
	m.blocks.To = len(d.allBlocks)
	m.Content.To = r.Offset()
}

// block reads a block and notes the texts in it: those of a text block, of a tool result and of a file.
func (r *Reader) block() Block {
	d := r.Body
	if r.within == len(r.blocks) {
		r.blocks = append(r.blocks, new(Block))
	}
	b := r.blocks[r.within]
	*b = Block{Span: Span{From: r.Offset()}}
	r.within++
	texts, file := len(d.Texts), false
	switch c := r.Peek(); {
	case c == '"': // a string among blocks: SDKs write such, most servers refuse it
		b.Said = r.Quoted()
	case c == '{':
		// its type may come last, so it is read again
		if file = d.Format.ReadBlock(r, b); file && !r.inFile && !r.Bad() {
			r.Seek(b.From)
			d.Texts, r.inFile = d.Texts[:texts], true
			*b = Block{Span: Span{From: b.From}}
			d.Format.ReadBlock(r, b)
			r.inFile = false
		}
	default:
		r.Skip()
	}
	b.To = r.Offset()
	r.settleTexts(texts, b, file)
	r.within--
	return *b
}

// inAnyFile is the place of a string in a block that may turn out to be a file. Then it becomes InResult;
// else the string is not text.
const inAnyFile Source = 255

// settleTexts drops, of the texts that were noted of a block (those from texts[from] on), the ones that are
// no texts of such a block. This is known only behind the block, since its type may come last.
func (r *Reader) settleTexts(from int, b *Block, file bool) {
	kept := r.Body.Texts[:from]
	for _, t := range r.Body.Texts[from:] {
		switch t.Source {
		case OfResult:
			if b.Kind != Answered && !file {
				continue
			}
		case inAnyFile:
			if !file {
				continue
			}
			t.Source = OfResult
		default:
			if !b.IsText {
				continue
			}
		}
		kept = append(kept, t)
	}
	r.Body.Texts = kept
}

// Compacted notes what a compaction holds, a string whose inside is at; nothing where it has failed.
func (r *Reader) Compacted(at Span) {
	if at.From < at.To {
		r.Body.Compacted = append(r.Body.Compacted, at)
	}
}

// OtherInFile reports whether the block that is read is a file. Then it reads the value of a member that has
// no meaning, and notes the strings in it.
func (r *Reader) OtherInFile() bool {
	if r.inFile {
		r.Strings(inAnyFile)
	}
	return r.inFile
}

// Text reads the string that is next, notes it, and returns its inside.
func (r *Reader) Text(at Source) Span {
	said := r.Quoted()
	if said.Found() {
		r.Body.Texts = append(r.Body.Texts, Text{Span: said, Source: at})
	}
	return said
}

// Strings reads the next value and notes every string in it, keys included: a tool may name a file in a key.
func (r *Reader) Strings(at Source) {
	switch r.Peek() {
	case '"':
		r.Text(at)
	case '[':
		r.EachElement(func() { r.Strings(at) })
	case '{':
		r.EachEntry(at, func([]byte) { r.Strings(at) })
	default:
		r.Skip()
	}
}

// EachEntry is EachMember for an object that a tool or a file wrote: it notes the keys as texts.
func (r *Reader) EachEntry(at Source, value func(name []byte)) {
	for key := range r.Keys() {
		r.Body.Texts = append(r.Body.Texts, Text{Span: Span{r.Key(), r.Key() + len(key)}, Source: at})
		value(nameOf(key))
	}
}

// ResultBlocks reads the list of blocks that is next, the content of a tool result, and notes their texts.
func (r *Reader) ResultBlocks() {
	texts := len(r.Body.Texts)
	r.EachElement(func() { r.block() })
	for i := range r.Body.Texts[texts:] {
		t := &r.Body.Texts[texts+i]
		t.InResult = t.Source == OfBlock
		t.Source = OfResult
	}
}

// ReadPrompt reads the value of a member that holds the system prompt, of any form.
func (r *Reader) ReadPrompt() {
	d := r.Body
	d.Prompt.From, d.PromptKey = r.Offset(), r.key
	d.Opening = r.Opening()
	d.Prompt.To = r.Offset()
}

// Opening reads a system prompt of any form, and returns the inside of the first text in it.
func (r *Reader) Opening() (at Span) {
	switch r.Peek() {
	case '[':
		first := true
		r.EachElement(func() {
			if first {
				at = r.Opening()
			} else {
				r.Skip()
			}
			first = false
		})
	case '{':
		r.EachMember(func(name []byte) {
			switch string(name) {
			case "text":
				at = r.Quoted()
			case "parts", "content":
				at = r.Opening()
			}
		})
	default:
		at = r.Quoted()
	}
	return at
}

// AddID notes an id of the body.
func (r *Reader) AddID(path string, at Span) {
	if at.Found() {
		r.Body.IDs = append(r.Body.IDs, ID{path, at})
	}
}
