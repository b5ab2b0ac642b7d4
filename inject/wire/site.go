package wire

import (
	"github.com/aside-go/aside/inject"
)

// op is how a text goes into a body. There are no others.
type op uint8

const (
	opBlock   op = iota // a block at the end of a content; a string becomes blocks
	opString            // at the end of a string
	opMessage           // a message of its own
	opMember            // a member of the body, for a system prompt that is not there
)

// site is where texts go.
type site struct {
	op     op
	into   *message // of shapeBlock and shapeText
	at     int      // of shapeMessage: before which message
	role   string
	lapses bool // of shapeMessage: the API lets it lapse with the turn
	anchor anchor
}

// anchor is with what texts at a site stand, for a later request to find the place again.
type anchor struct {
	shape   Shape
	message int // the message, -1 if there is none
	after   int // so many of the host's own messages behind it
}

// choice is how texts are delivered: what was asked for, or what the model's row says.
type choice struct {
	Delivery
	system bool // in system messages of mid-conversation
}

// Why nothing is put. They end "…: held".
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

// choose decides on the delivery. The API's own rules come first, then the model's row.
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

// system reports whether the model takes system messages in mid-conversation, and such that lapse with the turn.
func (v *view) system() (takes, lapses bool) {
	platform := v.platform()
	for _, p := range v.model.System {
		takes = takes || v.f.anthropic && p == platform
	}
	return takes, takes && v.model.ClearAt != "" && platform == Direct
}

// platform tells where the model is reached, from the body alone: Vertex and InvokeModel have the model in the URL.
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

// site returns where texts go that belong to message i, the last one of a user or with tool results; ends is whether it is
// the end of the request, apart from system messages.
func (v *view) site(i int, c choice) (s site, hold string) {
	if v.listIsString {
		return site{op: opMessage, role: v.trailingRole(), anchor: anchor{shape: ShapeMessage}}, ""
	}
	if i < 0 {
		return s, whyNone
	}
	m := &v.messages[i]
	missing, server, _ := v.toolRound(i)
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
	if follows && (next > i+1 || c.system) { // the client's own system message is proof that the model takes it
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
	return m.form != inject.FormNone && len(blocks) > 0 && (m.form == inject.FormBlocks || blocks[0].text.from < blocks[0].text.to)
}

// messageSite returns the site of a message of its own before message at.
func (v *view) messageSite(at int, role string, turn bool) site {
	s := site{op: opMessage, at: at, role: role, lapses: turn, anchor: anchor{shape: ShapeMessage, message: at - 1}}
	for ; s.anchor.message >= 0 && !v.speaks(&v.messages[s.anchor.message]); s.anchor.message-- {
		if v.messages[s.anchor.message].class == classSystem {
			s.anchor.after++
		}
	}
	return s
}

// isBound reports whether the model has thought behind message i, or behind the system prompt where i is -1, in a way that
// binds it to every byte before: a text put there now would make an error of the request.
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

// anyRole reports whether messages of any role may be put at the end.
func (v *view) anyRole() bool { return v.f.vendor && !v.f.anthropic && !v.f.keyed }

// trailingRole returns the role of a message at the end.
func (v *view) trailingRole() string {
	if v.model.Role != "" {
		return v.model.Role
	}
	return "user"
}

// intoResults reports whether texts go into tool results: the model forgets its thinking otherwise.
func (v *view) intoResults() bool { return v.model.Strips && v.head.thinking }

// end returns where texts go at the end of a content that is never made of a string into blocks.
func (v *view) end(m *message, at anchor) site {
	if m.form == inject.FormText {
		return site{op: opString, into: m, anchor: at}
	}
	return site{op: opBlock, into: m, anchor: at}
}
