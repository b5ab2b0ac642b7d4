package transport

import (
	"encoding/json"
	"strconv"

	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/inject/wire"
)

// notes are what a Transport keeps with a run, in the run's snapshot.
type notes struct {
	Ledger ledger.Ledger `json:"ledger"`

	// Of the last turn.
	Turn   int      `json:"turn,omitempty"`
	API    wire.API `json:"api,omitempty"`    // "": of an older version, which did not note it
	Head   string   `json:"head,omitempty"`   // wire.Conversation.Head
	First  string   `json:"first,omitempty"`  // the key of the first message that had one
	Last   string   `json:"last,omitempty"`   // the key of the last one
	Keys   int      `json:"keys,omitempty"`   // how many messages had a key
	Prompt string   `json:"prompt,omitempty"` // wire.Request.PromptKey
	Window string   `json:"window,omitempty"` // wire.Identity.Window
	Begun  string   `json:"begun,omitempty"`  // the user turn in which a resume was told
	Usage  usage    `json:"usage,omitzero"`   // of its response; zero: not known

	Summary bool   `json:"summary,omitempty"` // since that turn the client has asked for a summary
	Tools   bool   `json:"tools,omitempty"`   // some turn of the run has offered tools
	Refused string `json:"refused,omitempty"` // the model whose API has refused a request of this run for its reminders
}

// usage is what a response said of tokens, as far as it did.
type usage struct {
	Context  tokens `json:"context,omitzero"`
	Response tokens `json:"response,omitzero"`
}

func usageOf(u wire.Usage) usage { return usage{tokens(u.Context), tokens(u.Response)} }

// tokens is a number of tokens, or not known, which is the zero value and is not written.
type tokens wire.Count

// MarshalJSON implements json.Marshaler.
func (t tokens) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, t.N, 10), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (t *tokens) UnmarshalJSON(b []byte) error {
	t.Known = string(b) != "null"
	return json.Unmarshal(b, &t.N)
}

// asked reports whether the run's last turn asked for the next message of this very conversation. One that only begins with the same
// words at another API is another conversation.
func (n notes) asked(x *exchange) bool { return n.Head == x.head && (n.API == "" || n.API == x.API) }

// continues reports whether a conversation holds the last message of the run's last turn.
func (n notes) continues(c *wire.Conversation) bool { return n.Last == "" || c.Has(n.Last) }

// shortened reports whether a conversation was compacted: it is the run's, but begins otherwise. Its last messages may be the same.
// Unless the client was seen to ask for a summary, it must also hold fewer messages than before.
func (n notes) shortened(c *wire.Conversation) bool {
	first, _ := c.Ends()
	return n.First != "" && first != "" && first != n.First && (n.Summary || c.Len() < n.Keys)
}

// turned returns the notes as they are after a turn. The ledger is left to the caller.
func (n notes) turned(turn int, x *exchange) notes {
	q := x.q
	n.Turn, n.API, n.Head, n.Usage, n.Summary = turn, x.API, x.head, usage{}, false
	if first, last := x.conv.Ends(); first != "" {
		n.First, n.Last, n.Keys = first, last, x.conv.Len()
	}
	n.Tools = n.Tools || offers(q)
	if q.PromptKey != "" {
		n.Prompt = q.PromptKey
	}
	if q.Thread.Window != "" {
		n.Window = q.Thread.Window
	}
	if q.Thread.Begun != "" {
		n.Begun = q.Thread.Turn
	}
	return n
}

// answered returns the notes as they are after the response to a turn of the run, which reported u.
func (n notes) answered(turn int, u wire.Usage) notes {
	n.Ledger = n.Ledger.Accept(turn)
	if n.Turn != turn { // the run has gone on meanwhile
		return n
	}
	if known := usageOf(u); known != (usage{}) {
		n.Usage = known
	}
	return n
}
