package wire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/reminder"

	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// group is the texts that go to one site.
type group struct {
	site
	texts []string // wrapped
	ids   []string // of the reminders, one for each text
}

// add adds a wrapped text; "" says nothing and is left out.
func (g *group) add(text, id string) {
	if text != "" {
		g.texts, g.ids = append(g.texts, text), append(g.ids, id)
	}
}

// anchor returns the message to which texts at the end of the request belong, -1 if there is none.
func (v *view) anchor() int {
	i := v.last
	for !v.anyRole() && i >= 0 && (v.ours[i] || v.messages[i].class == classSystem) {
		i--
	}
	return i
}

// byTurn reports whether a text goes with the last message that a person submitted. With the delivery Tail none does: a text that
// is gone from the next request goes behind everything that is cached.
func (o Options) byTurn(d reminder.Due) bool {
	return d.Attach == reminder.UserTurn && o.Delivery != Tail
}

// plan returns what goes where, and notes in report what cannot go anywhere.
func (v *view) plan(due []reminder.Due, report *Report) (groups []group) {
	var start, turn, tail group
	last := v.anchor()
	for _, d := range due {
		switch {
		case d.Attach == reminder.RunStart:
			start.add(v.seal.Tag(d.Text), d.ID)
		case v.opts.byTurn(d) && v.turn >= 0 && v.turn != last:
			turn.add(v.seal.Wrap(d.Text), d.ID)
		default:
			tail.add(v.seal.Wrap(d.Text), d.ID)
		}
	}
	if len(start.texts) > 0 {
		why := whyAnswered
		if !v.isBound(-1) {
			start.site, why = v.prompt()
		}
		groups = start.settle(groups, why, report)
	}
	c, hold := v.choose(v.opts.Delivery)
	groups = v.assign(groups, turn, v.turn, c, hold, report)
	return v.assign(groups, tail, last, c, hold, report)
}

// assign appends group g, whose texts belong to message i, with its site. hold is why it is held already, "" if it is not.
func (v *view) assign(groups []group, g group, i int, c choice, hold string, report *Report) []group {
	if len(g.texts) == 0 {
		return groups
	}
	if hold == "" {
		g.site, hold = v.site(i, c)
	}
	if hold == "" {
		if report.Delivery = c.Delivery; g.lapses {
			report.Beta = v.model.ClearAt
		}
		if c.Delivery == Tail && g.anchor.shape == ShapeText { // inside a tool result, and so within what is cached: it has to stay
			report.Delivery = Anchored
		}
	}
	return g.settle(groups, hold, report)
}

// settle appends g to groups, or notes in report that it is held, if hold says why.
func (g group) settle(groups []group, hold string, report *Report) []group {
	if hold != "" {
		report.Held = append(report.Held, Held{len(g.texts), hold})
		return groups
	}
	return append(groups, g)
}

// samePlace reports whether the texts of two groups go to one place, so that they are written as one.
func (g *group) samePlace(o *group) bool {
	switch {
	case g.op != o.op:
		return false
	case g.op == opMessage: // messages stay apart, but for the system prompt: some servers take only one
		return g.anchor.shape == ShapePrompt && o.anchor.shape == ShapePrompt
	case g.op == opMember:
		return true
	}
	return g.into.content == o.into.content
}

// joined returns the groups with those for the same place joined, in their order.
func joined(groups []group) []group {
	if len(groups) < 2 {
		return groups
	}
	out := make([]group, 0, len(groups))
next:
	for _, g := range groups {
		for i := len(out) - 1; i >= 0; i-- {
			if out[i].samePlace(&g) {
				out[i].texts = append(out[i].texts[:len(out[i].texts):len(out[i].texts)], g.texts...)
				continue next
			}
		}
		out = append(out, g)
	}
	return out
}

// insert turns groups into splices. Messages for the same place stand there in the order of the groups.
func (v *view) insert(s *splices, groups []group) {
	groups = joined(groups)
	var messages []group
	for _, g := range groups {
		switch g.op {
		case opString:
			s.insert(v.of(g.into)[0].text.to, escape(nil, "\n"+strings.Join(g.texts, "\n"))...)
		case opBlock:
			v.attach(s, g.into, g.texts)
		case opMessage:
			messages = append(messages, g)
		}
	}
	slices.SortStableFunc(messages, func(x, y group) int { return cmp.Compare(x.at, y.at) })
	for i := 0; i < len(messages); {
		var b []byte
		at := messages[i].at
		for ; i < len(messages) && messages[i].at == at; i++ {
			if b != nil {
				b = append(b, ',')
			}
			b = v.message(slices.Grow(b, messages[i].sizeHint()), &messages[i])
		}
		v.insertMessages(s, at, b)
	}
	for _, g := range groups { // last, because it may stand where the list of messages ends
		if g.op == opMember {
			dst := append(quote([]byte{','}, v.f.promptKeys[0]), ':')
			s.insert(v.list.to, v.member(dst, strings.Join(g.texts, "\n\n"), g.texts)...)
		}
	}
}

// sizeHint returns about how many bytes a message with the texts takes.
func (g *group) sizeHint() int {
	n := 96
	for _, t := range g.texts {
		n += len(t) + len(t)/8 + 48
	}
	return n
}

// message appends the texts of a group as a message.
func (v *view) message(dst []byte, g *group) []byte {
	dst = v.f.open(dst, g.role, g.lapses)
	if v.f.keyed {
		return append(v.f.blocks(append(dst, '['), g.texts), "]}"...)
	}
	return append(quote(dst, strings.Join(g.texts, "\n\n")), '}')
}

// member appends the value of a new system prompt: joined where that is a string, else a block for each of texts.
func (v *view) member(dst []byte, joined string, texts []string) []byte {
	switch {
	case v.f.promptIsString:
		return quote(dst, joined)
	case v.f.promptParts != "":
		dst = append(quote(append(dst, '{'), v.f.promptParts), ":["...)
		return append(v.f.blocks(dst, texts), "]}"...)
	default:
		return append(v.f.blocks(append(dst, '['), texts), ']')
	}
}

// insertMessages puts m, one message or several with commas between, before message at. A list that is a string becomes a list of
// messages, with the string as the first. Where the client's own list looks as if it had come from a string that way, a blank
// behind ours tells the two apart.
func (v *view) insertMessages(s *splices, at int, m []byte) {
	switch {
	case v.listIsString:
		s.insert(v.list.from, append([]byte{'['}, v.f.open(nil, "user", false)...)...)
		s.insert(v.list.to, append(append([]byte("},"), m...), ']')...)
		return
	case at == len(v.messages) && v.f.items && v.likeString(0):
		m = append(m, ' ')
	}
	insertElement(s, v.list, v.messages, at, m)
}

// likeString reports whether the list, without the more messages of ours at its end, looks like what insertMessages makes of a
// string.
func (v *view) likeString(more int) bool {
	if len(v.messages) != 1+more {
		return false
	}
	m := &v.messages[0]
	return m.form == outline.StringContent && m.from == v.list.from+1 && m.content.to+1 == m.to &&
		string(v.b[m.from:m.content.from]) == string(v.f.open(nil, "user", false))
}

// attach puts blocks at the end of a content. Where the client's last block looks like ours, the comma between is followed by a
// blank.
func (v *view) attach(s *splices, m *message, texts []string) {
	blocks := v.of(m)
	if m.form == outline.BlockContent && len(blocks) > 0 && v.likeOurs(m, blocks[len(blocks)-1]) {
		added := append([]byte(", "), v.f.blocks(nil, texts)...)
		if v.likeWritten(m, len(blocks)) {
			added = append(added, ' ')
		}
		s.insert(blocks[len(blocks)-1].to, added...)
		return
	}
	v.append(s, m, texts)
}

// likeOurs reports whether a block of the client's looks just like one of ours, and stays as it is.
func (v *view) likeOurs(m *message, b block) bool {
	if !b.isText || !v.body.asWritten(b) || !mayBeginWrapped(b.text.of(v.b)) {
		return false
	}
	text := v.says(b.text)
	if !v.seal.Any().Ours(text, mark.InBlock).Block {
		return false
	}
	return v.opts.KeepForged || m.class == classSystem || len(v.forgeries(text, foreignText{stand: mark.InBlock, inResult: m.class == classTool})) == 0
}
