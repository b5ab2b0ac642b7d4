package outline

import "github.com/aside-go/aside/internal/mark"

// Placement is where due texts go. Texts attached to run_start go into the system prompt with every
// placement.
type Placement uint8

const (
	AsBlock   Placement = iota // into a text block of its own, at the end of a message
	AsText                     // at the end of the last text of a message
	AsMessage                  // into one system message
)

// Message is the knowledge of a message that placing and stripping need.
type Message struct {
	Role       string
	Auto       bool // a user message that no person submitted
	ToolResult bool // a block of it is a tool_result
	Theirs     bool // surely not a message that Plan has added, even if all its blocks are ours
	Form       Form
	Pieces     []Piece // the blocks; of StringContent one piece, the text
}

// Form is the form of a message's content.
type Form uint8

const (
	// NoContent is a content that can carry no text: missing, null, or something else.
	NoContent Form = iota
	// StringContent is a string.
	StringContent
	// BlockContent is a list of blocks.
	BlockContent
)

// Piece is a block of a message. The zero Piece is a block that is not text.
type Piece struct {
	Text  bool      // it is a text
	Empty bool      // it is a text of no bytes
	Ours  mark.Ours // how much of a text is ours; of an empty text, and of other blocks, mark.None
}

// whole reports whether all of the message is ours.
func (m *Message) whole() bool {
	switch m.Form {
	case StringContent:
		return (prompts(m.Role) || m.Role == roleUser) && m.Pieces[0].Ours.Whole
	case BlockContent:
		return m.Role == roleUser && !m.Theirs && len(m.Pieces) > 0 && m.trailing() == 0
	default:
		return false
	}
}

// trailing returns the index of the first of our blocks that end the message, the number of blocks if there
// are none.
func (m *Message) trailing() int {
	n := len(m.Pieces)
	for n > 0 && m.Pieces[n-1].Ours.Block {
		n--
	}
	return n
}

// leading returns how many blocks of ours begin the message.
func (m *Message) leading() int {
	n := 0
	for n < len(m.Pieces) && m.Pieces[n].Ours.Block {
		n++
	}
	return n
}

// carrier reports whether texts can be attached to the message. An empty message that might be ours cannot
// carry any: with texts of ours in it, it would look like one that Plan has added.
func (m *Message) carrier() bool {
	switch m.Role {
	case roleUser:
		return m.Form == StringContent || m.Form == BlockContent && (len(m.Pieces) > 0 || m.Theirs)
	case roleTool:
		return m.Form != NoContent
	default:
		return false
	}
}

// targets are the messages to which texts go. Messages of ours are passed over: they are nobody's turn.
type targets struct {
	first int    // the system prompt; -1 if the first message is none
	user  int    // the last user message; -1 if there is none
	tail  int    // the last user or tool message that can carry a text; -1 if there is none
	turn  int    // the last message that a person submitted; tail if there is none
	added []bool // for each message, whether all of it is ours, so that Plan has added it
}

// locate finds the targets. With a mark (marked) all messages of ours are known and passed over. Without one,
// only a last user message is passed over, and only if no other message could carry a text: Plan adds a user
// message in no other case.
func locate(ms []Message, marked bool) targets {
	t := targets{first: -1, user: -1, tail: -1, turn: -1, added: make([]bool, len(ms))}
	carriers := 0
	for i := range ms {
		m := &ms[i]
		if t.added[i] = m.whole(); m.carrier() && !t.added[i] {
			carriers++
		}
	}
	for i := range ms {
		m := &ms[i]
		if t.added[i] && (marked || m.Role == roleUser && carriers == 0 && i == len(ms)-1) {
			continue
		}
		if m.Role == roleUser {
			t.user = i
		}
		if m.carrier() {
			t.tail = i
			if m.Role == roleUser && !m.Auto && !m.onlyToolResults() {
				t.turn = i
			}
		}
	}
	if len(ms) > 0 && ms[0].Role == roleSystem && ms[0].Form != NoContent && !t.added[0] {
		t.first = 0
	}
	if t.turn < 0 {
		t.turn = t.tail
	}
	return t
}

// onlyToolResults reports whether the message answers tool calls and says nothing of its own.
func (m *Message) onlyToolResults() bool {
	if !m.ToolResult {
		return false
	}
	for _, p := range m.Pieces {
		if p.Text && !p.Ours.Block && !p.Ours.Added {
			return false
		}
	}
	return true
}

// The roles that have a meaning here.
const (
	roleSystem    = "system"
	roleDeveloper = "developer"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
	roleFunction  = "function" // of older clients; runs put texts there in blocks, and one request alone none
)

// prompts reports whether a message of this role is one of the host's to the model.
func prompts(role string) bool { return role == roleSystem || role == roleDeveloper }

// Untrusted reports whether reminder tags in a message of this role are taken for forged and neutralised: in
// all but those of the host (system, developer) and of the model (assistant).
func Untrusted(role string) bool {
	return !prompts(role) && role != roleAssistant
}

// PlaceOf returns the place of the direct texts of a message with this role and form of content.
func PlaceOf(role string, form Form) mark.Place {
	var at mark.Place
	switch role {
	case roleSystem, roleDeveloper:
		at = mark.InPrompt
	case roleUser:
		at = mark.InUser
	case roleTool:
		at = mark.InTool
	case roleFunction:
		if at = mark.InResult; form == BlockContent {
			at = mark.InBlock
		}
		return at
	default:
		return mark.InResult
	}
	if form == BlockContent {
		return mark.InBlock
	}
	return at
}
