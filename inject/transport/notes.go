package transport

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/ledger"
	"github.com/aside-go/aside/inject/wire"
)

// notes are what a Transport keeps with a run, in the run's snapshot.
type notes struct {
	Ledger ledger.Ledger `json:"ledger"`

	// Of the last turn.
	Turn   int    `json:"turn,omitempty"`
	Head   string `json:"head,omitempty"`   // wire.Conversation.Head
	First  string `json:"first,omitempty"`  // the keys of the first and the last message
	Last   string `json:"last,omitempty"`   //
	Prompt string `json:"prompt,omitempty"` // wire.Request.PromptKey
	Window string `json:"window,omitempty"` // wire.Identity.Window
	Begun  string `json:"begun,omitempty"`  // the user turn in which a resume was told
	Usage  *usage `json:"usage,omitempty"`  // of its response; nil: not known, or told

	Tools   bool   `json:"tools,omitempty"`   // a turn of the run has offered tools
	Refused string `json:"refused,omitempty"` // the model whose API takes no texts from us in this run
}

// usage is what a response said, as far as it was known.
type usage struct {
	Context  *int64 `json:"context,omitempty"`  // tokens
	Response *int64 `json:"response,omitempty"` // tokens
}

func readNotes(raw eval.Notes) (n notes, err error) {
	if raw == nil {
		return n, nil
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return n, fmt.Errorf("notes of the run: %w", err)
	}
	return n, nil
}

func (n notes) write() eval.Notes {
	raw, err := json.Marshal(n)
	if err != nil { // strings, numbers and booleans
		panic(err)
	}
	return raw
}

// continues reports whether a conversation holds the last message of the run's last turn.
func (n notes) continues(keys []string) bool {
	return n.Last == "" || slices.Contains(keys, n.Last)
}

// turned returns the notes after a turn, but for the ledger.
func (n notes) turned(turn int, q *wire.Request, c *wire.Conversation) notes {
	n.Turn, n.Head, n.Usage = turn, c.Head(), nil
	if keys := c.Keys(); len(keys) > 0 {
		n.First, n.Last = keys[0], keys[len(keys)-1]
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

// answered returns the notes after the response to the run's turn, which said u.
func (n notes) answered(turn int, u wire.Usage) notes {
	n.Ledger = n.Ledger.Accept(turn)
	if n.Turn != turn { // another turn was taken meanwhile
		return n
	}
	var known usage
	if u.Context.Known {
		known.Context = &u.Context.N
	}
	if u.Response.Known {
		known.Response = &u.Response.N
	}
	if known != (usage{}) {
		n.Usage = &known
	}
	return n
}
