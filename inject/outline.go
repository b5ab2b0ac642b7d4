package inject

// Outline is what placing and stripping need to know of a message, whatever its format. Package inject/wire makes outlines from
// bytes, Messages and Strip from Go values.
type Outline struct {
	Role       string
	Auto       bool // a user message that no person submitted
	ToolResult bool // a block of it is a tool_result
	Theirs     bool // surely not a message that Plan has added, even if all its blocks are ours
	Form       Form
	Pieces     []Piece // the blocks; of FormText one piece, the text
}

// Form is the form of a message's content.
type Form uint8

const (
	// FormNone is a content that can carry no text: missing, null, or something else.
	FormNone Form = iota
	// FormText is a string.
	FormText
	// FormBlocks is a list of blocks.
	FormBlocks
)

// Piece is a block of a message. The zero Piece is a block that is no text.
type Piece struct {
	Text  bool // it is a text
	Empty bool // it is a text of no bytes
	Own   Own  // of a text, what Seal.Own returns; of an empty text NoOwn
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

// trailing returns the index of the first of our blocks that end the message, the number of blocks if there are none.
func (m *Outline) trailing() int {
	n := len(m.Pieces)
	for n > 0 && m.Pieces[n-1].Own.Block {
		n--
	}
	return n
}

// leading returns how many blocks of ours begin the message.
func (m *Outline) leading() int {
	n := 0
	for n < len(m.Pieces) && m.Pieces[n].Own.Block {
		n++
	}
	return n
}

// carrier reports whether texts can be attached to the message. An empty message that might be ours cannot carry any: with texts
// of ours in it, it would look like one that Plan has added.
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

// sites are the messages to which texts go. Messages of ours are passed over: they are nobody's turn.
type sites struct {
	first int    // the system prompt; -1 if the first message is none
	user  int    // the last user message; -1 if there is none
	tail  int    // the last user or tool message that can carry a text; -1 if there is none
	turn  int    // the last message that a person submitted; tail if there is none
	added []bool // for each message, whether all of it is ours, so that Plan has added it
}

// locate finds the sites. With a mark (marked) all messages of ours are known and passed over. Without one, only a last user
// message is passed over, and only if no other message could carry a text: Plan adds a user message in no other case.
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

// onlyToolResults reports whether the message answers tool calls and says nothing of its own.
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
