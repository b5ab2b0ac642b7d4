package api

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/model"
)

// messages is the generic shape, of no vendor: {"messages":[{"role":…,"content":"…" or [blocks]}]} (WIRE.md
// §7).
var messages = API{
	format: body.Format{
		Name:     Messages,
		Messages: "messages", Role: "role", Content: "content",
		Block:       [2]string{`{"type":"text","text":`, `}`},
		ToolText:    body.OfTool,
		Tools:       fact.Unknown, // a host may have another member for them than the vendors have
		ReadMessage: func(r *body.Reader, m *body.Message) { readChatMessage(r, m, false) },
		ReadBlock:   typedBlocks{texts: []string{"text"}}.read,
		ReadMember:  readGenericMember,

		Splits: func(m *body.Message) bool { return m.Class != body.System },
		Roles:  []string{"user", "system", "developer"},
		Places: []model.Place{model.Message},
		Fixed:  true,
		Round:  (*body.Draft).Round,
	},
}

func readGenericMember(r *body.Reader, name []byte) {
	if string(name) == "provider" {
		r.Body.Provider = r.Quoted()
		return
	}
	readChatMember(r, name)
}
