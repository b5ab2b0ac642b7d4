package body

import "slices"

// Insertion is the texts that were put at one place of a request. Later requests must hold them there again.
// It survives a round trip through JSON.
type Insertion struct {
	API Name `json:"api"`
	// Anchor is the key of the message that the texts stand with, or of the server's response that they follow;
	// "": the beginning.
	Anchor string `json:"anchor,omitempty"`
	// Says is a digest of what that message says, without ids; 0: not known.
	Says uint64 `json:"says,omitempty"`
	// how many system messages of the client's own stand between the anchor and ours
	After  int      `json:"after,omitempty"`
	Shape  Shape    `json:"shape"`
	Role   string   `json:"role,omitempty"`   // of ShapeMessage
	Lapses bool     `json:"lapses,omitempty"` // of ShapeMessage: the API lets it lapse with the turn
	Texts  []string `json:"texts"`            // wrapped, as they stand in the body
	IDs    []string `json:"ids"`              // ids of the reminders, one for each text
	// models whose API has refused a request that held nothing but texts of earlier requests, these among them
	Refused []string `json:"refused,omitempty"`
	// Other says that another message has the key Anchor in this request.
	Other bool `json:"-"`
}

// Shape is the form in which texts stand in a request, apart from how the API writes it.
type Shape string

// The shapes. How a shape is written depends on the client's own content there: a block behind string
// content turns the string into a block; a result or a prompt that is a string is made longer.
const (
	ShapeBlock   Shape = "block"   // blocks at the end of a message's content
	ShapeText    Shape = "text"    // at the end of the last tool result in a message, or of a user's text
	ShapeMessage Shape = "message" // a message of its own
	ShapePrompt  Shape = "prompt"  // at the end of the system prompt
)

// Gone says that an Insertion cannot be repeated, and why.
type Gone struct {
	Index int    // of the Insertion in the list of those that were to be repeated
	Why   string // in one line
	// The message that it stood with is not there. Else it is, or another API has it, and takes no such text
	// now.
	Away bool
}

// Why an Insertion is not repeated (Gone.Why).
const (
	whyAPI     = "it was put into a request of another API"
	whyGone    = "the message that it stood with is not there any more"
	whyShape   = "it has a shape that this API does not have"
	whySystem  = "this model takes no system messages in mid-conversation"
	whyLapses  = "this model takes no system messages that lapse with the turn"
	whyFollows = "a system message may stand only at the end or before an answer, and something " +
		"else follows here"
	whyBetween   = "it would come between a tool call and its result"
	whyRefusedIt = "the API of this model has refused it"
	whyCarry     = "the message that it stood with has no content that can carry a text"
)

// repeat returns a group for each of past that can be repeated, at the place where it stood, and the others
// as gone. Those whose message the server keeps are neither.
func (c *Conversation) repeat(dr *Draft, past []Insertion) (groups []group, gone []Gone) {
	for n := range past {
		p := &past[n]
		if len(p.Texts) == 0 {
			continue
		}
		i, why := c.anchorOf(p)
		if dr.Stateful && (why == whyGone || p.Shape == ShapePrompt && dr.Cached) {
			continue
		}
		var t Target
		switch {
		case why == "" && slices.Contains(p.Refused, dr.model):
			why = whyRefusedIt
		case why == "":
			t, why = dr.restore(p, i)
		}
		if why != "" {
			gone = append(gone, Gone{n, why, why == whyGone})
			continue
		}
		t.anchor, t.shape = i, p.Shape
		groups = append(groups, group{Target: t, texts: p.Texts, ids: p.IDs})
	}
	return groups, gone
}

// anchorOf returns the message that an Insertion stands with, -1 for the beginning of the conversation. why
// is why there is none, "" if there is one.
func (c *Conversation) anchorOf(p *Insertion) (i int, why string) {
	d := c.body
	switch {
	case p.API != d.Format.Name:
		return 0, whyAPI
	case p.Other:
		return 0, whyGone
	case p.Anchor != "" && p.Anchor == c.response():
		return -1, ""
	case p.Anchor == "" && (p.Shape == ShapePrompt || p.Shape == ShapeMessage && d.Format.OwnMessages &&
		!d.Stateful):
		return -1, ""
	case p.Anchor == "" && d.Stateful:
		return 0, whyGone // the server has it: it stood at the beginning of an earlier request
	case p.Anchor == "":
		return 0, whyShape
	}
	i, _, ok := c.At(p.Anchor)
	if !ok {
		return 0, whyGone
	}
	return i, ""
}

// response returns the key of the response, kept by the server, that the body goes on from, "" if there is
// none. A body that names only the conversation has none: the next body may name the same one and go on from
// another place.
func (c *Conversation) response() string {
	if !c.body.Previous.Found() {
		return ""
	}
	return spell(c.body.server)
}

// restore returns the target of an Insertion that stands with message i, or why it cannot be repeated. It
// applies the rules that target applies to a new text.
func (dr *Draft) restore(p *Insertion, i int) (t Target, why string) {
	switch {
	case p.Shape == ShapePrompt:
		return dr.promptTarget()
	case dr.ListIsContent && p.Shape == ShapeMessage && slices.Contains(dr.Format.Roles, p.Role) &&
		!dr.Format.NoStrings:
		return Target{way: asMessage, at: 1, role: p.Role}, ""
	case dr.ListIsContent && p.Shape != ShapeText:
		return t, whyShape
	case p.Shape == ShapeMessage:
		return dr.restoreMessage(p, i)
	case i < 0 || dr.Format.OwnMessages && p.Shape != ShapeText ||
		dr.Messages[i].Class != User && dr.Messages[i].Class != Tool:
		return t, whyShape
	}
	m := &dr.Messages[i]
	missing, server := dr.Format.Round(dr, i)
	switch {
	case missing:
		return t, whyBetween
	case server:
		return t, whyServer
	case p.Shape == ShapeText && (dr.hasResult(m) || dr.Format.OwnMessages):
		return dr.inText(i, whyCarry)
	case p.Shape != ShapeBlock:
		return t, whyShape
	case !dr.carries(m):
		return t, whyCarry
	}
	return dr.InContent(i), ""
}

// restoreMessage returns the target of an Insertion of ShapeMessage that stands with message i: behind
// p.After of the host's messages that follow message i, or behind as many as there are.
func (dr *Draft) restoreMessage(p *Insertion, i int) (t Target, why string) {
	t = Target{way: asMessage, at: i + 1, role: p.Role, lapses: p.Lapses}
	hosts := 0
	for j := i + 1; j < len(dr.Messages) && hosts < p.After && !dr.speaks(&dr.Messages[j]); j++ {
		if dr.Messages[j].Class == System {
			hosts, t.at = hosts+1, j+1
		}
	}
	if !slices.Contains(dr.Format.Roles, p.Role) || p.Lapses && dr.Format.Lapse == "" {
		return t, whyShape
	}
	if missing, _ := dr.Format.Round(dr, t.at-1); missing {
		return t, whyBetween
	}
	any := dr.Format.OwnMessages
	switch {
	case any && p.Role != "user" && dr.trailingRole() == "user":
		return t, whySystem
	case any && t.at == len(dr.Messages) && t.at > 0 && dr.Messages[t.at-1].Class == Assistant:
		return t, whyAssistant
	case any || p.Role == "user":
		return t, ""
	}
	takes, lapses := dr.system()
	end := t.at
	for end < len(dr.Messages) && dr.Messages[end].Class == System {
		end++
	}
	switch {
	case p.Lapses && !lapses:
		return t, whyLapses
	case !takes && hosts == 0:
		return t, whySystem
	case end < len(dr.Messages) && dr.Messages[end].Class != Assistant:
		return t, whyFollows
	case dr.Messages[i].Class != User:
		return t, whyFollows
	}
	return t, ""
}
