package body

import (
	"cmp"
	"slices"

	"github.com/aside-go/aside/internal/model"
)

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
	whyResult   = "this model takes a text inside the tool result alone here, and the last result has no " +
		"content that can carry one"
	whyPlace   = "this model takes no text here"
	whyRefused = "the API has refused texts at each place where this model is known to take them"
	whyPrompt  = "the system prompt has a form that can carry no text"
	whyCached  = "the system prompt is kept by the server"
)

// delivery returns how texts at a target are delivered.
func (dr *Draft) delivery(t *Target) Delivery {
	switch {
	case t.lapses:
		return Native
	case dr.Stateful:
		return Stateful
	// inside what may be cached, a text has to stay
	case dr.opts.Delivery == Tail && t.shape != ShapeText:
		return Tail
	}
	return Anchored
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
// they are held: the best of the model's places that can be used there and where the API has not refused any.
func (dr *Draft) target(i int) (t Target, hold string) {
	switch _, lapses := dr.system(); {
	case dr.opts.Delivery == Native && !lapses:
		return t, whyNative
	case dr.opts.Delivery == Tail && dr.Takes.Binds:
		return t, whyBinds
	case i < 0:
		return t, whyNone
	}
	missing, server := dr.Format.Round(dr, i)
	switch class := dr.Messages[i].Class; {
	case class == Assistant:
		return t, whyAssistant
	case class == OtherClass || class == System && !dr.Format.OwnMessages:
		return t, whyOther
	case missing:
		return t, whyAnswers
	}
	switch m := &dr.Messages[i]; {
	case !dr.Format.Fixed:
	case dr.opts.Place == InText && m.Form == StringContent:
		return dr.end(m, Target{shape: ShapeText, anchor: i}), ""
	case dr.opts.Place == InSystem:
		return dr.InMessage(dr.beforeUser(), "system", false), ""
	}
	places := dr.places()
	next := dr.Behind(i)
	theirs := !dr.Format.OwnMessages && next > i+1 && dr.follows(next)
	if theirs { // a system message of the client's own proves that the model takes one
		places = append([]model.Place{model.Native, model.Message}, places...)
	}
	for _, p := range places {
		t, why := dr.at(p, i, theirs)
		switch {
		case why == "" && dr.opts.Refused != nil && dr.opts.Refused(dr.model, dr.placement(&t)):
			hold = whyRefused
		case why == "" && server && t.way != asMessage:
			hold = cmp.Or(hold, whyServer)
		case why == "":
			return t, ""
		case why != whyPlace:
			hold = cmp.Or(hold, why)
		}
	}
	return t, cmp.Or(hold, whyPlace)
}

// beforeUser returns before which message a text with the Place InSystem goes.
func (dr *Draft) beforeUser() int {
	for i, m := range slices.Backward(dr.Messages) {
		switch {
		case m.Class != User:
		case m.ToolResult:
			return i + 1
		default:
			return i
		}
	}
	return len(dr.Messages)
}

// besideUser returns the messages where a text with the Place InSystem may stand already, in a body of the
// generic shape.
func (dr *Draft) besideUser() (list []int) {
	if !dr.Format.Fixed {
		return nil
	}
	at := dr.beforeUser()
	for _, i := range []int{at - 1, at} {
		if i >= 0 && i < len(dr.Messages) && dr.Messages[i].Class == System {
			list = append(list, i)
		}
	}
	return list
}

// at returns the target at a place behind message i. why is why there is none. theirs says that a system
// message of the client's stands there, too.
func (dr *Draft) at(p model.Place, i int, theirs bool) (t Target, why string) {
	next, asked := dr.Behind(i), dr.opts.Delivery
	takes, lapses := dr.system()
	if asked == Native && p != model.Native {
		return t, whyNative
	}
	switch p {
	case model.Native:
		if lapses && (asked == Native || asked == Auto) && dr.follows(next) {
			return dr.InMessage(next, "system", true), ""
		}
		if asked == Native {
			return t, whyNative
		}
		return t, whyPlace
	case model.Message:
		switch {
		case dr.ListIsContent && dr.Format.NoStrings:
			return t, whyContent
		case dr.Format.OwnMessages:
			return dr.InMessage(next, dr.trailingRole(), false), ""
		case theirs || takes && asked != Tail && dr.follows(next):
			return dr.InMessage(next, "system", false), ""
		case dr.Format.OwnRole != "":
			return dr.InMessage(i+1, dr.Format.OwnRole, false), ""
		case !dr.carries(&dr.Messages[i]):
			return t, whyContent
		}
		return dr.InContent(i), ""
	}
	m := &dr.Messages[i]
	switch tool := dr.hasResult(m); {
	case tool != (p == model.Result):
		return t, whyPlace
	case !tool && m.Class != User:
		return t, whyOther
	case !tool && !dr.carries(m):
		return t, whyContent
	case !tool && !dr.Format.OwnMessages:
		return dr.InContent(i), ""
	}
	return dr.inText(i, whyResult)
}

// follows reports whether a system message may stand before message at: nothing but ours and the model's own
// words follow.
func (dr *Draft) follows(at int) bool {
	for at < len(dr.Messages) && dr.ourMessages[at] {
		at++
	}
	return at == len(dr.Messages) || dr.Messages[at].Class == Assistant
}

// placement returns where the texts of a target stand.
func (dr *Draft) placement(t *Target) Placement {
	p := Placement{Place: model.User, Tool: t.anchor >= 0 && dr.hasResult(&dr.Messages[t.anchor])}
	switch {
	case t.lapses:
		p.Place = model.Native
	case t.shape == ShapeMessage:
		p.Place = model.Message
	case t.shape == ShapeText && p.Tool:
		p.Place = model.Result
	}
	return p
}

// hasResult reports whether a message holds the result of a call, or is one.
func (dr *Draft) hasResult(m *Message) bool { return m.Class == Tool || m.ToolResult }

// carries reports whether a block can be put at the end of a message's content.
func (dr *Draft) carries(m *Message) bool {
	blocks := dr.Blocks(m)
	return len(blocks) > 0 && (m.Form == BlockContent || blocks[0].Text.From < blocks[0].Text.To)
}

// InContent returns the target at the end of the content of message i.
func (dr *Draft) InContent(i int) Target {
	return Target{way: asBlock, into: &dr.Messages[i], shape: ShapeBlock, anchor: i}
}

// inText returns the target at the end of the last tool result of message i, or, where it has none, of its
// text; if that can carry no text, why is none.
func (dr *Draft) inText(i int, none string) (t Target, why string) {
	m := &dr.Messages[i]
	if dr.hasResult(m) {
		m = dr.result(m)
	}
	if m == nil {
		return t, none
	}
	return dr.end(m, Target{shape: ShapeText, anchor: i}), ""
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
	return cmp.Or(dr.Format.OwnRole, dr.Takes.Role, "user")
}

// end returns t as the target at the end of a content whose form is kept: a string is made longer.
func (dr *Draft) end(m *Message, t Target) Target {
	t.way, t.into = asBlock, m
	if m.Form == StringContent {
		t.way = asString
	}
	return t
}

// result returns the content of the last tool result in a message, nil if there is none that can carry a
// text.
func (dr *Draft) result(m *Message) *Message {
	var last *Call
	for c := range dr.Calls(m) {
		if c.Kind == Answered {
			last = c
		}
	}
	if last == nil {
		return nil
	}
	return dr.reread(last.Output, Tool)
}

// reread reads the content at a span again, as that of a message of class c: a tool result or the system
// prompt. It returns nil if that can carry no text.
func (d *Body) reread(at Span, c Class) *Message {
	if at.From == at.To {
		return nil
	}
	texts := len(d.Texts)
	r := &Reader{Scanner: scan(d.Bytes[:at.To], at.From), Body: d, again: true}
	m := &Message{Span: at, Class: c}
	r.ReadContent(m)
	d.Texts = d.Texts[:texts]
	if r.Bad() || m.blocks.From == m.blocks.To {
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
	if m.blocks.From == m.blocks.To {
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
