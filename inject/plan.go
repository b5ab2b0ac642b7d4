package inject

import (
	"strings"

	"github.com/aside-go/aside/compile/reminder"
)

// Edit is a change that puts texts into a list of messages. Message and Block are indexes into the list as it was before any
// edit.
type Edit struct {
	Op      Op
	Message int
	Block   int      // of Extend
	Role    string   // of InsertText and InsertBlocks
	Texts   []string // wrapped; of Extend one string, all that is appended
}

// Op is what an Edit does. Extend takes string content as its only text; Append turns string content into a first block.
type Op uint8

const (
	// Append puts a text block for each text behind the message's last block.
	Append Op = iota
	// Extend puts the text at the end of a text block, or of string content.
	Extend
	// Prepend puts the texts in front of the message's first block, or in front of string content, each with a blank line behind
	// it.
	Prepend
	// InsertText puts a new message before message Message, which may be one past the last. Its content is a string: the texts,
	// with blank lines between.
	InsertText
	// InsertBlocks is InsertText with a text block for each text.
	InsertBlocks
)

// Joined returns the texts as the string content of a message.
func (e Edit) Joined() string { return strings.Join(e.Texts, blankLine) }

// Plan returns the edits that put due before the model, one for each place, in order; nil if there is nothing to put.
func Plan(ms []Outline, due []reminder.Due, opts Options) []Edit {
	seal := opts.Seal()
	s := locate(ms, opts.Mark != "")
	start := Edit{Op: Prepend, Message: s.first}
	if s.first < 0 {
		start = Edit{Op: InsertText, Message: 0, Role: roleSystem}
	}
	var tail, turn []string
	for _, d := range due {
		body := seal.body(d.Text)
		switch {
		case body == "":
		case d.Attach == reminder.RunStart:
			start.Texts = append(start.Texts, seal.tag(body))
		case d.Attach == reminder.UserTurn && opts.Placement != PlaceSystem && s.turn != s.tail:
			turn = append(turn, seal.wrap(body))
		default:
			tail = append(tail, seal.wrap(body))
		}
	}
	var edits []Edit
	if len(start.Texts) > 0 {
		edits = append(edits, start)
	}
	if len(turn) > 0 {
		edits = append(edits, attach(ms, s.turn, turn, opts))
	}
	switch {
	case len(tail) == 0:
	case opts.Placement == PlaceSystem:
		edits = append(edits, Edit{Op: InsertText, Message: s.system(ms), Role: roleSystem, Texts: tail})
	case s.tail >= 0:
		edits = append(edits, attach(ms, s.tail, tail, opts))
	case opts.Placement == PlaceText:
		edits = append(edits, Edit{Op: InsertText, Message: len(ms), Role: roleUser, Texts: tail})
	default:
		edits = append(edits, Edit{Op: InsertBlocks, Message: len(ms), Role: roleUser, Texts: tail})
	}
	return edits
}

// system returns before which message PlaceSystem puts its message.
func (s sites) system(ms []Outline) int {
	switch {
	case s.user < 0:
		return len(ms)
	case ms[s.user].ToolResult:
		return s.user + 1
	default:
		return s.user
	}
}

// attach returns the edit that puts texts with message i. A text block of no bytes is not extended: what was added to it could
// not be told from a block of its own.
func attach(ms []Outline, i int, texts []string, opts Options) Edit {
	if opts.Placement != PlaceText {
		return Edit{Op: Append, Message: i, Texts: texts}
	}
	added := []string{"\n" + strings.Join(texts, "\n")}
	m := &ms[i]
	for j := len(m.Pieces) - 1; j >= 0; j-- {
		if p := m.Pieces[j]; p.Text && (!p.Empty || m.Form == FormText) {
			return Edit{Op: Extend, Message: i, Block: j, Texts: added}
		}
	}
	return Edit{Op: Append, Message: i, Texts: added}
}
