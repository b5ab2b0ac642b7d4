package wire

import (
	"github.com/aside-go/aside/internal/outline"
)

// op is how a text is written into a body. There are no other ways.
type op uint8

const (
	opBlock   op = iota // as a block at the end of a content; a content that is a string becomes blocks
	opString            // at the end of a string
	opMessage           // as a message
	opMember            // as a member of the body: a system prompt where there is none
)

// site is the place where texts are written, and how.
type site struct {
	op     op
	into   *message // of opBlock and opString
	at     int      // of opMessage: the index of the message before which it goes
	role   string   // of opMessage
	lapses bool     // of opMessage: the API lets it lapse with the turn
	anchor anchor
}

// anchor is what texts at a site stand with. It becomes a Put, by which a later request finds the place again.
type anchor struct {
	shape   Shape
	message int // index of the message, -1 if there is none
	after   int // how many of the host's own messages stand between the message and ours
}

// choice is the Delivery that the options or the model's row choose.
type choice struct {
	Delivery
	system bool // the model takes system messages in mid-conversation, and the delivery may use them
}

// Why a text is held (Held.Why).
const (
	whyNone      = "the request has no message to which a text could be attached"
	whyAssistant = "the request ends with the model's own words, which it is to continue"
	whyAnswers   = "a tool call before the end of the request has no result yet"
	whyServer    = "a tool of the API's own has not ended, and only tool results may follow it"
	whyContent   = "the message at the end has no content that can carry a text"
	whyOther     = "the request ends with an item after which nothing can be put safely"
	whyNative    = "native: neither the API nor the model's row knows system messages that lapse with the turn; auto, anchored and tail can be used"
	whyBinds     = "tail: this model binds its thinking to every earlier byte, so a text that is gone from the next request makes it an error; use native or anchored"
	whyAnswered  = "run_start: this model binds its thinking to the system prompt, and has answered already"
	whyResult    = "this model forgets its thinking when anything but tool results follows, and the last result has no content that can carry a text"
	whyPrompt    = "the system prompt has a form that can carry no text"
	whyCached    = "the system prompt is kept by the server (cachedContent)"
)

// choose returns how texts are delivered, or why they are held. asked is Options.Delivery.
func (v *view) choose(asked Delivery) (c choice, hold string) {
	takes, lapses := v.system()
	c = choice{Delivery: asked, system: takes && asked != Tail}
	switch asked {
	case Native:
		if !lapses {
			return c, whyNative
		}
	case Tail:
		if v.model.Binds {
			return c, whyBinds
		}
	case Auto:
		c.Delivery = Anchored
		if lapses {
			c.Delivery = Native
		}
	}
	if v.head.stateful {
		c.Delivery = Stateful
	}
	return c, ""
}

// system reports whether the model takes system messages in mid-conversation, and whether they may lapse with the turn.
func (v *view) system() (takes, lapses bool) {
	platform := v.platform()
	for _, p := range v.model.System {
		takes = takes || v.f.anthropic && p == platform
	}
	return takes, takes && v.model.ClearAt != "" && platform == Direct
}

// platform returns where the model is reached, by the body alone: on Vertex and with InvokeModel the model is named in the URL,
// and anthropic_version in the body.
func (d *body) platform() Platform {
	switch s := d.head.version; {
	case s == "" || d.head.model != "":
		return Direct
	case len(s) >= 6 && s[:6] == "vertex":
		return Vertex
	case len(s) >= 7 && s[:7] == "bedrock":
		return Invoke
	default:
		return Unknown
	}
}

// site returns where texts go that belong to message i, the last one of a user or with tool results, or why they are held. In an
// API in which messages of any role may follow, that is the end of the request.
func (v *view) site(i int, c choice) (s site, hold string) {
	if v.listIsString {
		return site{op: opMessage, role: v.trailingRole(), anchor: anchor{shape: ShapeMessage}}, ""
	}
	if i < 0 {
		return s, whyNone
	}
	m := &v.messages[i]
	missing, server := v.toolRound(i)
	switch {
	case m.class == classAssistant:
		return s, whyAssistant
	case m.class == classOther || m.class == classSystem && !v.anyRole():
		return s, whyOther
	case missing:
		return s, whyAnswers
	}
	next := v.behind(i)
	if v.anyRole() {
		return v.messageSite(next, v.trailingRole(), false), ""
	}
	after := next
	for after < len(v.messages) && v.ours[after] {
		after++
	}
	follows := after == len(v.messages) || v.messages[after].class == classAssistant
	if follows && (next > i+1 || c.system) { // a system message of the client's own proves that the model takes one
		return v.messageSite(next, "system", c.Delivery == Native && c.system), ""
	}
	switch {
	case c.Delivery == Native:
		return s, whyNative
	case server:
		return s, whyServer
	case !v.carries(m):
		return s, whyContent
	case m.toolResult && v.f.promptParts != "":
		return v.messageSite(i+1, "user", false), ""
	case m.toolResult && v.intoResults():
		if r := v.result(m); r != nil {
			return v.end(r, anchor{shape: ShapeText, message: i}), ""
		}
		return s, whyResult
	}
	return site{op: opBlock, into: m, anchor: anchor{shape: ShapeBlock, message: i}}, ""
}

// carries reports whether a block can be put at the end of a message's content.
func (v *view) carries(m *message) bool {
	blocks := v.of(m)
	return m.form != outline.NoContent && len(blocks) > 0 && (m.form == outline.BlockContent || blocks[0].text.from < blocks[0].text.to)
}

// messageSite returns the site of a message of ours before message at, and anchors it.
func (v *view) messageSite(at int, role string, turn bool) site {
	s := site{op: opMessage, at: at, role: role, lapses: turn, anchor: anchor{shape: ShapeMessage, message: at - 1}}
	for ; s.anchor.message >= 0 && !v.speaks(&v.messages[s.anchor.message]); s.anchor.message-- {
		if v.messages[s.anchor.message].class == classSystem {
			s.anchor.after++
		}
	}
	return s
}

// isBound reports whether the model has answered behind message i, or behind the system prompt where i is -1, and binds its
// thinking to every byte before it. A text put there now would make the request an error.
func (v *view) isBound(i int) bool {
	if !v.model.Binds {
		return false
	}
	for _, m := range v.messages[i+1:] {
		if m.class == classAssistant {
			return true
		}
	}
	return false
}

// anyRole reports whether the API takes messages of any role in any order, so that texts always go into messages of their own.
func (v *view) anyRole() bool { return v.f.vendor && !v.f.anthropic && !v.f.keyed }

// trailingRole returns the role of a message of ours at the end of the request.
func (v *view) trailingRole() string {
	if v.model.Role != "" {
		return v.model.Role
	}
	return "user"
}

// intoResults reports whether texts go into tool results, because the model forgets its thinking when any other user content
// follows.
func (v *view) intoResults() bool { return v.model.Strips && v.head.thinking }

// end returns the site at the end of a content whose form is kept: a string is made longer.
func (v *view) end(m *message, at anchor) site {
	if m.form == outline.StringContent {
		return site{op: opString, into: m, anchor: at}
	}
	return site{op: opBlock, into: m, anchor: at}
}
