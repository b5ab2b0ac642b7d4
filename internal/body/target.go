package body

import "github.com/aside-go/aside/internal/outline"

// way is how a text is written into a body. There are no other ways.
type way uint8

const (
	asBlock   way = iota // a block at the end of a content; a content that is a string becomes blocks
	asString             // at the end of a string
	asMessage            // a message
	asMember             // a member of the body: a system prompt where there is none
)

// Target is where texts are written, and how, and the message that they stand with: their anchor. A later
// request finds the place again by the anchor.
type Target struct {
	way    way
	into   *Message // of asBlock and asString
	at     int      // of asMessage: the index of the message before which it goes
	role   string   // of asMessage
	lapses bool     // of asMessage: the API lets it lapse with the turn

	shape  Shape
	anchor int // index of the message, -1 if there is none
	after  int // how many of the host's own messages stand between the anchor and ours
}

// Choice is the delivery that the options or the model's row choose.
type Choice struct {
	Delivery
	System bool // the model takes system messages in mid-conversation, and the delivery may use them
}

// Why texts are held (Held.Why).
const (
	whyNone      = "the request has no message to which a text could be attached"
	whyAssistant = "the request ends with the model's own words, which it is to continue"
	whyAnswers   = "a tool call before the end of the request has no result yet"
	whyServer    = "a tool of the API's own has not ended, and only tool results may follow it"
	whyContent   = "the message at the end has no content that can carry a text"
	whyOther     = "the request ends with an item after which nothing can be put safely"
	whyNative    = "native: neither the API nor the model's row knows system messages that lapse with the " +
		"turn; auto, anchored and tail can be used"
	whyBinds = "tail: this model binds its thinking to every earlier byte, so a text that is gone from the " +
		"next request makes it an error; use native or anchored"
	whyAnswered = "run_start: this model binds its thinking to the system prompt, and has answered already"
	whyResult   = "this model forgets its thinking when anything but tool results follows, and the last " +
		"result has no content that can carry a text"
	whyPrompt  = "the system prompt has a form that can carry no text"
	whyUnfound = "the model binds its thinking to the text, and this place is not found again where the " +
		"client sends the whole conversation"
	whyCached = "the system prompt is kept by the server"
)

// choose returns how texts are delivered, or why they are held.
func (dr *Draft) choose() (c Choice, hold string) {
	asked := dr.opts.Delivery
	takes, lapses := dr.system()
	c = Choice{Delivery: asked, System: takes && asked != Tail}
	switch asked {
	case Native:
		if !lapses {
			return c, whyNative
		}
	case Tail:
		if dr.Takes.Binds {
			return c, whyBinds
		}
	case Auto:
		c.Delivery = Anchored
		if lapses {
			c.Delivery = Native
		}
	}
	if dr.Stateful && c.Delivery != Native {
		c.Delivery = Stateful
	}
	return c, ""
}

// system reports whether the model takes system messages in mid-conversation, and whether they may lapse with
// the turn.
func (dr *Draft) system() (takes, lapses bool) {
	if dr.Format.System == nil {
		return false, false
	}
	return dr.Format.System(dr)
}

// target returns where texts go that belong to message i, the last one of a user or with tool results, or why
// they are held.
func (dr *Draft) target(i int, c Choice) (t Target, hold string) {
	if i < 0 {
		return t, whyNone
	}
	if dr.Stateful && dr.Takes.Binds && !dr.Format.OwnMessages && !dr.findable(i) {
		return t, whyUnfound
	}
	missing, server := dr.Format.Round(dr, i)
	switch class := dr.Messages[i].Class; {
	case class == Assistant:
		return t, whyAssistant
	case class == OtherClass || class == System && !dr.Format.OwnMessages:
		return t, whyOther
	case missing:
		return t, whyAnswers
	case dr.Format.OwnMessages:
		return dr.InMessage(dr.Behind(i), dr.trailingRole(), false), ""
	}
	next := dr.Behind(i)
	after := next
	for after < len(dr.Messages) && dr.ourMessages[after] {
		after++
	}
	follows := after == len(dr.Messages) || dr.Messages[after].Class == Assistant
	switch {
	case follows && (next > i+1 ||
		c.System): // a system message of the client's own proves that the model takes one
		return dr.InMessage(next, "system", c.Delivery == Native && c.System), ""
	case c.Delivery == Native:
		return t, whyNative
	case server:
		return t, whyServer
	case !dr.carries(&dr.Messages[i]):
		return t, whyContent
	}
	return dr.Format.Target(dr, i)
}

// findable reports whether a later body finds message i in the whole of the conversation, where this one has
// only the end of it: by an id that does not depend on what stands before. A client may send all of it again.
func (dr *Draft) findable(i int) bool {
	k := keyer{Body: dr.Body}
	return k.hashIDs(&dr.Messages[i]) && k.random()
}

// carries reports whether a block can be put at the end of a message's content.
func (dr *Draft) carries(m *Message) bool {
	blocks := dr.Blocks(m)
	return m.Form != outline.NoContent && len(blocks) > 0 &&
		(m.Form == outline.BlockContent || blocks[0].Text.From < blocks[0].Text.To)
}

// InContent returns the target at the end of the content of message i.
func (dr *Draft) InContent(i int) Target {
	return Target{way: asBlock, into: &dr.Messages[i], shape: ShapeBlock, anchor: i}
}

// InContentOrResult is InContent, but for a message with results, and a model that forgets its thinking when
// anything else follows them: then it returns the target in the last result, or why the texts are held.
func (dr *Draft) InContentOrResult(i int) (t Target, hold string) {
	m := &dr.Messages[i]
	if !m.ToolResult || !dr.intoResults() {
		return dr.InContent(i), ""
	}
	t, ok := dr.inResult(m)
	if !ok {
		return t, whyResult
	}
	t.anchor = i
	return t, ""
}

// inResult returns the target in the last tool result of a message; ok is false if there is none that can
// carry a text.
func (dr *Draft) inResult(m *Message) (t Target, ok bool) {
	r := dr.result(m)
	if r == nil {
		return t, false
	}
	return dr.end(r, Target{shape: ShapeText}), true
}

// InMessage returns the target of a message of ours before message at.
func (dr *Draft) InMessage(at int, role string, lapses bool) Target {
	t := Target{way: asMessage, at: at, role: role, lapses: lapses, shape: ShapeMessage, anchor: at - 1}
	for ; t.anchor >= 0 && !dr.speaks(&dr.Messages[t.anchor]); t.anchor-- {
		if dr.Messages[t.anchor].Class == System {
			t.after++
		}
	}
	return t
}

// trailingRole returns the role of a message of ours at the end of the request.
func (dr *Draft) trailingRole() string {
	if dr.Takes.Role != "" {
		return dr.Takes.Role
	}
	return "user"
}

// end returns t as the target at the end of a content whose form is kept: a string is made longer.
func (dr *Draft) end(m *Message, t Target) Target {
	t.way, t.into = asBlock, m
	if m.Form == outline.StringContent {
		t.way = asString
	}
	return t
}

// result returns the content of the last tool result in a message, nil if there is none that can carry a
// text.
func (dr *Draft) result(m *Message) *Message {
	blocks := dr.Blocks(m)
	for j := len(blocks) - 1; j >= 0; j-- {
		if b := &blocks[j]; b.Kind == Answered {
			return dr.reread(b.Content, Tool)
		}
	}
	return nil
}

// reread reads the content at a span again, as that of a message of class c: a tool result or the system
// prompt. It returns nil if that can carry no text.
func (d *Body) reread(at Span, c Class) *Message {
	if at.From == at.To {
		return nil
	}
	texts := len(d.Texts)
	r := &Reader{Scanner: scan(d.Bytes[:at.To], at.From), Body: d}
	m := &Message{Span: at, Class: c}
	r.ReadContent(m)
	d.Texts = d.Texts[:texts]
	if r.Bad() || m.Form == outline.NoContent || m.Form == outline.BlockContent &&
		m.blocks.From == m.blocks.To {
		return nil
	}
	return m
}

// promptTarget returns the target of texts attached to run_start, or why they are held. They go behind the
// client's own system prompt, so that the beginning of the request that is cached stays as it was.
func (dr *Draft) promptTarget() (t Target, hold string) {
	start := Target{shape: ShapePrompt, anchor: -1}
	switch {
	case dr.Format.Prompt.Members == nil:
		return dr.promptMessage(start)
	case dr.Cached:
		return t, whyCached
	case !dr.Prompt.Found():
		start.way = asMember
		return start, ""
	}
	if m := dr.promptContent(); m != nil {
		return dr.end(m, start), ""
	}
	return t, whyPrompt
}

// promptMessage is promptTarget where the system prompt is the messages of the host's that begin the list.
func (dr *Draft) promptMessage(start Target) (t Target, hold string) {
	at := -1
	for i := range dr.Messages {
		if dr.ourMessages[i] {
			continue
		}
		if dr.Messages[i].Class != System {
			break
		}
		at = i
	}
	if at < 0 {
		if start.way, start.role = asMessage, "system"; dr.Takes.Role == "developer" {
			start.role = "developer"
		}
		return start, ""
	}
	m := &dr.Messages[at]
	if m.Form == outline.NoContent || m.Form == outline.BlockContent && m.blocks.From == m.blocks.To {
		return t, whyPrompt
	}
	return dr.end(m, start), ""
}

// promptContent returns the content of the system prompt that is a member of the body, nil if it can carry no
// text.
func (d *Body) promptContent() *Message {
	at, parts := d.Prompt, d.Format.Prompt.Parts
	if !at.Found() {
		return nil
	}
	if parts == "" {
		return d.reread(at, System)
	}
	s := scan(d.Bytes[:at.To], at.From)
	var inside Span
	s.EachMember(func(name []byte) {
		if value := s.Span(); string(name) == parts {
			inside = value
		}
	})
	return d.reread(inside, System)
}
