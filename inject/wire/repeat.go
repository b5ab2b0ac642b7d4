package wire

import "slices"

// Why a Put is not repeated (Gone.Why).
const (
	whyAPI     = "it was put into a request of another API"
	whyGone    = "the message that it stood with is not there any more"
	whyShape   = "it has a shape that this API does not have"
	whySystem  = "this model takes no system messages in mid-conversation"
	whyLapses  = "this model takes no system messages that lapse with the turn"
	whyFollows = "a system message may stand only at the end or before an answer, and something else follows here"
	whyBetween = "it would come between a tool call and its result"
	whyCarry   = "the message that it stood with has no content that can carry a text"
	whyPlain   = "the generic shape repeats nothing"
)

// repeat returns a group for each of past that can be repeated, at the place where it stood, and the others as gone. Those whose
// message the server keeps are neither.
func (c *Conversation) repeat(v *view, past []Put) (groups []group, gone []Gone) {
	for n := range past {
		p := &past[n]
		if len(p.Texts) == 0 {
			continue
		}
		i, why := c.anchor(v, p)
		if why == whyGone && v.head.stateful {
			continue
		}
		var s site
		if why == "" {
			s, why = v.place(p, i)
		}
		if why != "" {
			gone = append(gone, Gone{n, why})
			continue
		}
		groups = append(groups, group{site: s, texts: p.Texts})
	}
	return groups, gone
}

// anchor returns the message that a Put stands with, -1 for the beginning of the conversation. why is why there is none, "" if
// there is one.
func (c *Conversation) anchor(v *view, p *Put) (i int, why string) {
	api := p.API
	if api == "" {
		api = Messages
	}
	switch {
	case api != c.opts.API:
		return 0, whyAPI
	case !v.f.vendor:
		return 0, whyPlain
	case p.Anchor != "" && p.Anchor == c.response():
		return -1, ""
	case p.Anchor == "" && (p.Shape == ShapePrompt || p.Shape == ShapeMessage && v.anyRole() && !v.head.stateful):
		return -1, ""
	case p.Anchor == "" && v.head.stateful:
		return 0, whyGone // the server has it: the Put stood at the beginning of an earlier request
	case p.Anchor == "":
		return 0, whyShape
	}
	k, ok := c.find(p.Anchor)
	if !ok {
		return 0, whyGone
	}
	return k.message, ""
}

// response returns the key of the response, kept by the server, that the body goes on from, "" if there is none. A body that
// names only the conversation has none: the next body may name the same one and go on from another place.
func (c *Conversation) response() string {
	if c.body.head.previous.to == 0 {
		return ""
	}
	return spell((&keyer{body: c.body}).server())
}

// place returns the site of a Put that stands with message i, or why it cannot be repeated. It asks of the place what site asks
// of the place of a new text.
func (v *view) place(p *Put, i int) (s site, why string) {
	if p.Shape == ShapePrompt {
		return v.prompt()
	}
	if v.listIsString {
		if p.Shape != ShapeMessage || !slices.Contains(v.f.addedRoles, p.Role) {
			return s, whyShape
		}
		return site{op: opMessage, role: p.Role}, ""
	}
	if p.Shape == ShapeMessage {
		return v.restore(p, i)
	}
	if i < 0 {
		return s, whyShape
	}
	m := &v.messages[i]
	if m.class != classUser || v.anyRole() {
		return s, whyShape
	}
	missing, server := v.toolRound(i)
	switch {
	case missing:
		return s, whyBetween
	case server:
		return s, whyServer
	case p.Shape == ShapeText && v.f.promptParts == "":
		if r := v.result(m); r != nil {
			return v.end(r, anchor{}), ""
		}
		return s, whyCarry
	case p.Shape != ShapeBlock || m.toolResult && v.f.promptParts != "":
		return s, whyShape
	case !v.carries(m):
		return s, whyCarry
	}
	return site{op: opBlock, into: m}, ""
}

// restore returns the site of a Put of ShapeMessage that stands with message i: behind p.After of the host's messages that follow
// message i, or behind as many as there are.
func (v *view) restore(p *Put, i int) (s site, why string) {
	s = site{op: opMessage, at: i + 1, role: p.Role, lapses: p.Lapses}
	hosts := 0
	for j := i + 1; j < len(v.messages) && hosts < p.After && !v.speaks(&v.messages[j]); j++ {
		if v.messages[j].class == classSystem {
			hosts, s.at = hosts+1, j+1
		}
	}
	if !slices.Contains(v.f.addedRoles, p.Role) || p.Lapses && !v.f.anthropic {
		return s, whyShape
	}
	if missing, _ := v.toolRound(s.at - 1); missing {
		return s, whyBetween
	}
	switch {
	case v.anyRole() && p.Role != "user" && v.trailingRole() == "user":
		return s, whySystem
	case v.anyRole() && s.at == len(v.messages) && s.at > 0 && v.messages[s.at-1].class == classAssistant:
		return s, whyAssistant
	case v.anyRole() || v.f.promptParts != "":
		return s, ""
	}
	takes, lapses := v.system()
	end := s.at
	for end < len(v.messages) && v.messages[end].class == classSystem {
		end++
	}
	switch {
	case p.Lapses && !lapses:
		return s, whyLapses
	case !takes && hosts == 0:
		return s, whySystem
	case end < len(v.messages) && v.messages[end].class != classAssistant:
		return s, whyFollows
	case v.messages[i].class != classUser:
		return s, whyFollows
	}
	return s, ""
}

// since returns from which byte of the body on forged tags are neutralised, len(v.b) if nowhere, and the next request's since.
// put is whether this request puts in a text.
//
// What the model has answered has been sent as it was, and must stay so. So neutralising begins with the first text that is put,
// at the first message behind the model's last answer, and in later requests goes on from the same message. Where that message is
// gone, everything is neutralised, unless that would change bytes that the model's thinking is bound to: then it begins anew.
func (c *Conversation) since(v *view, since string, put bool) (from int, next string) {
	list := c.messageKeys()
	if since == "" && !put {
		return len(v.b), ""
	}
	if since != "" {
		if k, ok := c.find(since); ok {
			return v.begins(k.message), since
		}
		if since == always || !v.isBound(-1) {
			if len(list) == 0 {
				return 0, always
			}
			return 0, spell(list[0].key)
		}
	}
	last := v.lastAnswer()
	n := slices.IndexFunc(list, func(k messageKey) bool { return k.message > last })
	switch {
	case n >= 0:
	case len(list) == 0:
		return 0, always
	default:
		n = len(list) - 1
	}
	return v.begins(list[n].message), spell(list[n].key)
}

// always is a since that names no message: everything is neutralised.
const always = "always"

// begins returns where message i begins in the body.
func (v *view) begins(i int) int {
	if v.listIsString {
		return v.list.from
	}
	return v.messages[i].from
}

// dropTextsBefore drops the texts that stand before a byte.
func (d *body) dropTextsBefore(from int) {
	n := len(d.texts)
	for n > 0 && d.texts[n-1].from >= from {
		n--
	}
	d.texts = d.texts[n:]
}
