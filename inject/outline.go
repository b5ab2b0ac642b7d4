package inject

// Outline is what placing and stripping need to know of a message, whatever format it is in. Package inject/wire makes
// outlines from bytes, Messages and Strip from Go values.
type Outline struct {
	Role       string
	Auto       bool // a user message that no person submitted
	ToolResult bool // a block of it is a tool_result
	Theirs     bool // surely no message that Plan has added, even if all its blocks are ours
	Form       Form
	Pieces     []Piece // the blocks; of FormText one piece, the text
}

// Form says what the content of a message is.
type Form uint8

const (
	// FormNone is a content that can carry no text: missing, null, or something else.
	FormNone Form = iota
	// FormText is a string.
	FormText
	// FormBlocks is a list of blocks.
	FormBlocks
)

// Piece is a text block, or another block, which is the zero Piece.
type Piece struct {
	Text  bool
	Empty bool // a text of no bytes
	Own   Own  // of a text, as Seal.Own says; of an empty text NoOwn
}

// whole reports whether all of the message is ours.
func (m *Outline) whole() bool {
	switch m.Form {
	case FormText:
		return (m.Role == roleSystem || m.Role == roleUser) && m.Pieces[0].Own.Whole
	case FormBlocks:
		return m.Role == roleUser && !m.Theirs && len(m.Pieces) > 0 && m.trailing() == 0
	default:
		return false
	}
}

// trailing returns where the blocks begin that are ours up to the end.
func (m *Outline) trailing() int {
	n := len(m.Pieces)
	for n > 0 && m.Pieces[n-1].Own.Block {
		n--
	}
	return n
}

// leading returns how many blocks from the beginning are ours.
func (m *Outline) leading() int {
	n := 0
	for n < len(m.Pieces) && m.Pieces[n].Own.Block {
		n++
	}
	return n
}

// carrier reports whether texts can be attached to the message. An empty one that might be ours is left alone: with texts
// of ours in it, it could not be told from one that Plan has added.
func (m *Outline) carrier() bool {
	switch m.Role {
	case roleUser:
		return m.Form == FormText || m.Form == FormBlocks && (len(m.Pieces) > 0 || m.Theirs)
	case roleTool:
		return m.Form != FormNone
	default:
		return false
	}
}

// sites are the messages to which texts go. Messages that are ours are not counted: they are nobody's turn.
type sites struct {
	first int    // the system prompt, -1 if the first message is none
	user  int    // the last user message, -1 if none
	tail  int    // the last user or tool message that can carry a text, -1 if none
	turn  int    // the last message that a person submitted; tail if none
	added []bool // for each message, whether all of it is ours: a message that Plan has put there
}

// locate finds the sites. Where our own messages are known by a mark, all of them are passed over; where they are bare,
// only a last user message without which there would be none, for that is the only user message that Plan adds.
func locate(ms []Outline, marked bool) sites {
	s := sites{first: -1, user: -1, tail: -1, turn: -1, added: make([]bool, len(ms))}
	carriers := 0
	for i := range ms {
		m := &ms[i]
		if s.added[i] = m.whole(); m.carrier() && !s.added[i] {
			carriers++
		}
	}
	for i := range ms {
		m := &ms[i]
		if s.added[i] && (marked || m.Role == roleUser && carriers == 0 && i == len(ms)-1) {
			continue
		}
		if m.Role == roleUser {
			s.user = i
		}
		if m.carrier() {
			s.tail = i
			if m.Role == roleUser && !m.Auto && !m.onlyToolResults() {
				s.turn = i
			}
		}
	}
	if len(ms) > 0 && ms[0].Role == roleSystem && ms[0].Form != FormNone && !s.added[0] {
		s.first = 0
	}
	if s.turn < 0 {
		s.turn = s.tail
	}
	return s
}

// onlyToolResults reports a message that answers tool calls and says nothing of its own.
func (m *Outline) onlyToolResults() bool {
	if !m.ToolResult {
		return false
	}
	for _, p := range m.Pieces {
		if p.Text && !p.Own.Block && !p.Own.Added {
			return false
		}
	}
	return true
}
