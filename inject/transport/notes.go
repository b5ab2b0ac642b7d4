package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

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
	Keys   int    `json:"keys,omitempty"`   // how many messages had one
	Prompt string `json:"prompt,omitempty"` // wire.Request.PromptKey
	Window string `json:"window,omitempty"` // wire.Identity.Window
	Begun  string `json:"begun,omitempty"`  // the user turn in which a resume was told
	Usage  usage  `json:"usage,omitzero"`   // of its response; zero: not known, or told

	Summary bool   `json:"summary,omitempty"` // since then a summary was asked for
	Tools   bool   `json:"tools,omitempty"`   // a turn of the run has offered tools
	Refused string `json:"refused,omitempty"` // the model whose API takes no texts from us in this run
}

// usage is what a response said, as far as it was known.
type usage struct {
	Context  tokens `json:"context,omitzero"`
	Response tokens `json:"response,omitzero"`
}

func usageOf(u wire.Usage) usage { return usage{tokens(u.Context), tokens(u.Response)} }

// tokens is a number of tokens; zero, which is not written, is not known.
type tokens wire.Count

// MarshalJSON implements json.Marshaler.
func (t tokens) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, t.N, 10), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (t *tokens) UnmarshalJSON(b []byte) error {
	t.Known = string(b) != "null"
	return json.Unmarshal(b, &t.N)
}

// sheet is notes as the state of a run carries them. It is written as JSON where a store asks for bytes, and not before.
type sheet struct {
	notes
	place *atomic.Pointer[sheet] // on the desk
	once  sync.Once
	raw   []byte
	err   error
}

// MarshalJSON implements eval.Notes. What was written lies on the desk from then on.
func (s *sheet) MarshalJSON() ([]byte, error) {
	s.once.Do(func() {
		s.raw, s.err = json.Marshal(s.notes)
		s.place.Store(s)
	})
	return s.raw, s.err
}

// desk is where notes lie that were read or written as JSON a moment ago, so that they need not be read again. A notes is never
// written to, so it can be shared.
type desk struct{ places [256]atomic.Pointer[sheet] }

// place is where the notes of a run lie, if no others do.
func (d *desk) place(run string) *atomic.Pointer[sheet] {
	return &d.places[xxhash.Sum64String(run)%uint64(len(d.places))]
}

// read returns what the stored notes of a run say.
func (d *desk) read(run string, stored eval.Notes) (notes, error) {
	if s, ok := stored.(*sheet); ok {
		return s.notes, nil
	}
	raw, ok := stored.(json.RawMessage)
	if !ok {
		return notes{}, nil
	}
	at := d.place(run)
	if s := at.Load(); s != nil && bytes.Equal(s.raw, raw) {
		return s.notes, nil
	}
	s := &sheet{raw: raw}
	if err := json.Unmarshal(raw, &s.notes); err != nil {
		return notes{}, fmt.Errorf("notes of the run: %w", err)
	}
	at.Store(s)
	return s.notes, nil
}

// write returns n as the notes of a run.
func (d *desk) write(run string, n notes) eval.Notes { return &sheet{notes: n, place: d.place(run)} }

// continues reports whether a conversation holds the last message of the run's last turn.
func (n notes) continues(c *wire.Conversation) bool { return n.Last == "" || c.Has(n.Last) }

// shortened reports whether a conversation is the run's with something else in place of its beginning: it was compacted. The last
// messages may have been kept. Where no summary was seen being asked for, it must have become shorter by it.
func (n notes) shortened(c *wire.Conversation) bool {
	first, _ := c.Ends()
	return n.First != "" && first != "" && first != n.First && (n.Summary || c.Len() < n.Keys)
}

// turned returns the notes after a turn, but for the ledger.
func (n notes) turned(turn int, x *exchange) notes {
	q := x.q
	n.Turn, n.Head, n.Usage, n.Summary = turn, x.head, usage{}, false
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

// answered returns the notes after the response to the run's turn, which said u.
func (n notes) answered(turn int, u wire.Usage) notes {
	n.Ledger = n.Ledger.Accept(turn)
	if n.Turn != turn { // another turn was taken meanwhile
		return n
	}
	if known := usageOf(u); known != (usage{}) {
		n.Usage = known
	}
	return n
}
