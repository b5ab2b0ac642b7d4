package api

import (
	"bytes"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/outline"
)

// messages is the generic shape, of no vendor: {"messages":[{"role":…,"content":"…" or [blocks]}]} (WIRE.md
// §7).
//
// One request alone is planned by package outline, as Go values are (inject.Messages). Over a run, texts go
// behind the content of a message of a user or a tool, as blocks.
var messages = API{
	format: body.Format{
		Name:     Messages,
		Messages: "messages", Role: "role", Content: "content",
		Block:       [2]string{`{"type":"text","text":`, `}`},
		ToolText:    mark.InTool,
		Tools:       fact.Unknown, // a host may have another member for them than the vendors have
		ReadMessage: func(r *body.Reader, m *body.Message) { readChatMessage(r, m, false) },
		ReadBlock:   typedBlocks{texts: []string{"text"}}.read,
		ReadMember:  readGenericMember,
		Matters:     chatMatters,
		CacheMarks:  []string{"cache_control"},

		Splits:  func(m *body.Message) bool { return m.Class != body.System },
		Planner: generic{},

		Roles:  []string{"user", "system"},
		Places: []model.Place{model.Message},
		Round:  (*body.Draft).Round,
	},
}

func readGenericMember(r *body.Reader, name []byte) {
	d := r.Body
	switch string(name) {
	case "provider":
		d.Provider = r.Quoted()
	case "response_format":
		d.Schema = asksForSchema(r)
	default:
		readMember(r, name)
	}
}

// generic plans with package outline.
type generic struct{}

// Clear implements body.Planner.
func (generic) Clear(dr *body.Draft, due []reminder.Due) body.Splices {
	return removals(dr, outline.Clear(outlines(dr), due, dr.Options().Placement, dr.Wrap))
}

// Strip implements body.Planner.
func (generic) Strip(dr *body.Draft) body.Splices {
	return removals(dr, outline.Remove(outlines(dr), dr.Wrap))
}

// Put implements body.Planner.
func (generic) Put(dr *body.Draft, due []reminder.Due, s *body.Splices) bool {
	edits := outline.Plan(outlines(dr), due, dr.Options().Placement, dr.Wrap)
	var alone []byte // messages for a list that is empty
	for _, e := range edits {
		switch e.Op {
		case outline.Append:
			dr.Append(s, &dr.Messages[e.Message], e.Texts, nil)
		case outline.Extend:
			dr.Extend(s, dr.Blocks(&dr.Messages[e.Message])[e.Block], e.Texts[0])
		case outline.Prepend:
			dr.Prepend(s, &dr.Messages[e.Message], e.Texts)
		case outline.InsertText, outline.InsertBlocks:
			write := dr.Format.WriteMessage
			if e.Op == outline.InsertBlocks {
				write = dr.Format.WriteBlocks
			}
			if len(dr.Messages) > 0 {
				dr.InsertMessage(s, e.Message, write(nil, e.Role, false, e.Texts))
				continue
			}
			if alone != nil {
				alone = append(alone, ',')
			}
			alone = write(alone, e.Role, false, e.Texts)
		}
	}
	if alone != nil {
		dr.InsertMessage(s, 0, alone)
	}
	return edits != nil
}

// Forged implements body.Planner.
func (generic) Forged(dr *body.Draft, text string, t body.Text) []mark.Forged {
	return dr.Wrap.Forged(text, t.Place)
}

// removals returns the changes that make removals. They undo Put, to the byte.
func removals(dr *body.Draft, rs []outline.Removal) (s body.Splices) {
	messages := map[int]bool{}
	blocks := map[int]map[int]bool{}
	for _, r := range rs {
		m := &dr.Messages[r.Message]
		switch r.Kind {
		case outline.RemoveMessage:
			messages[r.Message] = true
		case outline.RemoveBlock:
			if blocks[r.Message] == nil {
				blocks[r.Message] = map[int]bool{}
			}
			blocks[r.Message][r.Block] = true
		case outline.CutHead:
			dr.CutHead(&s, dr.Blocks(m)[r.Block], r.At)
		case outline.CutTail:
			dr.CutTail(&s, dr.Blocks(m)[r.Block], r.At)
		}
	}
	for i := range dr.Messages {
		if gone := blocks[i]; gone != nil && !messages[i] {
			dr.RemoveBlocks(&s, &dr.Messages[i], gone)
		}
	}
	dr.RemoveMessages(&s, messages)
	return s
}

// outlines describes the messages to package outline.
func outlines(dr *body.Draft) []outline.Message {
	ours := bytes.Contains(dr.Bytes, []byte(mark.Name)) || bytes.Contains(dr.Bytes, []byte("SYSTEM REMINDER"))
	out := make([]outline.Message, len(dr.Messages))
	for i := range dr.Messages {
		m := &dr.Messages[i]
		role, blocks := dr.Says(m.Role), dr.Blocks(m)
		pieces := make([]outline.Piece, len(blocks))
		for j, b := range blocks {
			p := &pieces[j]
			p.Ours = mark.None()
			if b.IsText {
				p.Text, p.Empty = true, b.Text.From == b.Text.To
				if ours {
					p.Ours = dr.Wrap.Ours(dr.Says(b.Text), outline.PlaceOf(role, m.Form))
				}
			}
		}
		if role == "tool" && dr.WasString(m) && pieces[0].Ours.Block {
			pieces[0].Ours = mark.None() // the string that the tool said, although it looks like ours
		}
		out[i] = outline.Message{
			Role: role, Form: m.Form, ToolResult: m.ToolResult, Pieces: pieces,
			Theirs: m.Form == outline.BlockContent && (len(blocks) == 0 || dr.MarkedTheirs(m)),
			Auto:   role == "user" && automatic(dr, m, pieces),
		}
	}
	return out
}

// automatic reports whether nobody submitted a user message, as far as its form tells: it holds a tool
// result, or nothing but tags in which agents write. Pieces that are ours do not count.
func automatic(dr *body.Draft, m *body.Message, pieces []outline.Piece) bool {
	if m.ToolResult {
		return true
	}
	theirs := 0
	for j, b := range dr.Blocks(m) {
		ours := pieces[j].Ours
		switch {
		case ours.Block || ours.Added:
			continue
		case !b.IsText || !dr.IsHostTag(b.Text, ours.Tail):
			return false
		}
		theirs++
	}
	return theirs > 0
}
