package outline

import (
	"strings"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/mark"
)

// Edit is a change that puts texts into a list of messages. Message and Block are indexes into the list as it
// was before any edit.
type Edit struct {
	Op      Op
	Message int
	Block   int      // of Extend
	Role    string   // of InsertText and InsertBlocks
	Texts   []string // wrapped; of Extend one string, all that is appended
}

// Op is what an Edit does. Extend takes string content as its only text; Append turns string content into a
// first block.
type Op uint8

const (
	// Append puts a text block for each text behind the message's last block.
	Append Op = iota
	// Extend puts the text at the end of a text block, or of string content.
	Extend
	// Prepend puts the texts in front of the message's first block, or in front of string content, each with a
	// blank line behind it.
	Prepend
	// InsertText puts a new message before message Message, which may be one past the last. Its content is a
	// string: the texts, with blank lines between.
	InsertText
	// InsertBlocks is InsertText with a text block for each text.
	InsertBlocks
)

// Joined returns the texts as the string content of a message.
func (e Edit) Joined() string { return strings.Join(e.Texts, "\n\n") }

// add adds a wrapped text; "" says nothing and is left out.
func (e *Edit) add(text string) {
	if text != "" {
		e.Texts = append(e.Texts, text)
	}
}

// Plan returns the edits that put due before the model, wrapped by w, one for each place, in order; nil if
// there is nothing to put.
func Plan(ms []Message, due []reminder.Due, at Placement, w mark.Wrapper) []Edit {
	to := locate(ms, w.Marked())
	start := Edit{Op: Prepend, Message: to.first}
	if to.first < 0 {
		start = Edit{Op: InsertText, Message: 0, Role: roleSystem}
	}
	var tail, turn Edit
	for _, d := range due {
		switch {
		case d.Attach == reminder.RunStart:
			start.add(w.Tag(d.Text))
		case d.Attach == reminder.UserTurn && at != AsMessage && to.turn != to.tail:
			turn.add(w.Wrap(d.Text))
		default:
			tail.add(w.Wrap(d.Text))
		}
	}
	var edits []Edit
	if len(start.Texts) > 0 {
		edits = append(edits, start)
	}
	if len(turn.Texts) > 0 {
		edits = append(edits, attach(ms, to.turn, turn.Texts, at))
	}
	switch {
	case len(tail.Texts) == 0:
	case at == AsMessage:
		edits = append(edits, Edit{Op: InsertText, Message: to.system(ms), Role: roleSystem, Texts: tail.Texts})
	case to.tail >= 0:
		edits = append(edits, attach(ms, to.tail, tail.Texts, at))
	case at == AsText:
		edits = append(edits, Edit{Op: InsertText, Message: len(ms), Role: roleUser, Texts: tail.Texts})
	default:
		edits = append(edits, Edit{Op: InsertBlocks, Message: len(ms), Role: roleUser, Texts: tail.Texts})
	}
	return edits
}

// system returns before which message AsMessage puts its message.
func (t targets) system(ms []Message) int {
	switch {
	case t.user < 0:
		return len(ms)
	case ms[t.user].ToolResult:
		return t.user + 1
	default:
		return t.user
	}
}

// attach returns the edit that puts texts with message i. A text block of no bytes is not extended: what was
// added to it could not be told from a block of its own.
func attach(ms []Message, i int, texts []string, at Placement) Edit {
	if at != AsText {
		return Edit{Op: Append, Message: i, Texts: texts}
	}
	added := []string{"\n" + strings.Join(texts, "\n")}
	m := &ms[i]
	for j := len(m.Pieces) - 1; j >= 0; j-- {
		if p := m.Pieces[j]; p.Text && (!p.Empty || m.Form == StringContent) {
			return Edit{Op: Extend, Message: i, Block: j, Texts: added}
		}
	}
	return Edit{Op: Append, Message: i, Texts: added}
}
