package api

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/model"
)

// messages is the generic shape, of no vendor: {"messages":[{"role":…,"content":"…" or [blocks]}]} (WIRE.md
// §7). Hosts have their messages in it before a library makes a request of them, so the members of a message
// are those of Chat, and no path leads to it.
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

// readGenericMember reads a member of the body. Hosts that speak to several vendors say in "provider" whose
// model it is, which becomes the fact of that name. All else that counts, such as the model and the tools,
// has the name that it has in Chat.
func readGenericMember(r *body.Reader, name []byte) {
	if string(name) == "provider" {
		r.Body.Provider = r.Quoted()
		return
	}
	readChatMember(r, name)
}
