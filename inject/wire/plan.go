package wire

import (
	"strings"

	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/inject"
)

// group is texts that go to one site.
type group struct {
	site
	texts []string // wrapped
}

// anchor returns the message to which texts at the end belong, -1 if there is none.
func (v *view) anchor() int {
	i := v.last
	for !v.free() && i >= 0 && (v.ours[i] || v.messages[i].class == classSystem) {
		i--
	}
	return i
}

// byTurn reports whether a text goes with the last message that a person submitted: not one that goes out this once, which
// stands behind whatever is cached.
func (o Options) byTurn(d terms.Due) bool { return d.Attach == terms.UserTurn && o.Delivery != Tail }

// plan says what goes where, and what cannot go anywhere.
func (v *view) plan(due []terms.Due, report *Report) (groups []group) {
	var start, turn, tail []string
	last := v.anchor()
	for _, d := range due {
		switch {
		case inject.Blank(d.Text):
		case d.Attach == terms.RunStart:
			start = append(start, v.seal.Tag(d.Text))
		case v.opts.byTurn(d) && v.turn >= 0 && v.turn != last:
			turn = append(turn, v.seal.Wrap(d.Text))
		default:
			tail = append(tail, v.seal.Wrap(d.Text))
		}
	}
	add := func(texts []string, s site, hold string) {
		switch {
		case len(texts) == 0:
		case hold != "":
			report.Held = append(report.Held, Held{len(texts), hold})
		default:
			groups = append(groups, group{s, texts})
		}
	}
	c, hold := v.choose(v.opts.Delivery)
	if len(start) > 0 {
		s, hold := v.prompt()
		if v.bound(-1) {
			hold = whyAnswered
		}
		add(start, s, hold)
	}
	for _, at := range []struct {
		i     int
		texts []string
	}{{v.turn, turn}, {last, tail}} {
		if len(at.texts) == 0 {
			continue
		}
		s, why := site{}, hold
		if why == "" {
			s, why = v.site(at.i, c)
		}
		if add(at.texts, s, why); why == "" {
			if report.Delivery = c.Delivery; s.turn {
				report.Beta = v.model.ClearAt
			}
		}
	}
	return groups
}

// insert turns groups into splices.
func (v *view) insert(s *splices, groups []group) {
	for _, g := range groups {
		joined := strings.Join(g.texts, "\n\n")
		switch g.shape {
		case shapeText:
			s.insert(v.of(g.into)[0].text.to, escape(nil, "\n"+strings.Join(g.texts, "\n"))...)
		case shapeBlock:
			v.attach(s, g.into, g.texts)
		case shapeMessage:
			m := v.f.open(nil, g.role, g.turn)
			if v.f.keyed {
				m = append(v.f.blocks(append(m, '['), g.texts), "]}"...)
			} else {
				m = append(quote(m, joined), '}')
			}
			v.amid(s, g.at, m)
		}
	}
	for _, g := range groups { // behind the list, and so behind what ends it
		if g.shape == shapeMember {
			dst := append(quote([]byte{','}, v.f.prompt[0]), ':')
			s.insert(v.list.to, v.member(dst, strings.Join(g.texts, "\n\n"), g.texts)...)
		}
	}
}

// member appends the value of a system prompt.
func (v *view) member(dst []byte, joined string, texts []string) []byte {
	switch {
	case v.f.quoted:
		return quote(dst, joined)
	case v.f.parts != "":
		dst = append(quote(append(dst, '{'), v.f.parts), ":["...)
		return append(v.f.blocks(dst, texts), "]}"...)
	default:
		return append(v.f.blocks(append(dst, '['), texts), ']')
	}
}

// amid puts a message before message at. A string that is the whole list becomes a message in front of it; a blank behind
// ours says that it was a list already, where it looks as if we had made it of a string.
func (v *view) amid(s *splices, at int, m []byte) {
	switch {
	case v.isLone:
		s.insert(v.list.from, append([]byte{'['}, v.f.open(nil, "user", false)...)...)
		s.insert(v.list.to, append(append([]byte("},"), m...), ']')...)
		return
	case at == len(v.messages) && v.f.items && v.likeLone(0):
		m = append(m, ' ')
	}
	into(s, v.list, v.messages, at, m)
}

// likeLone reports whether the first message and nothing before it looks like what we make of a string.
func (v *view) likeLone(more int) bool {
	if len(v.messages) != 1+more {
		return false
	}
	m := &v.messages[0]
	return m.form == inject.FormText && m.from == v.list.from+1 && m.content.to+1 == m.to &&
		string(v.b[m.from:m.content.from]) == string(v.f.open(nil, "user", false))
}

// attach puts blocks at the end of a content.
func (v *view) attach(s *splices, m *message, texts []string) {
	blocks := v.of(m)
	if m.form == inject.FormBlocks && len(blocks) > 0 && v.likeOurs(m, blocks[len(blocks)-1]) {
		added := append([]byte(", "), v.f.blocks(nil, texts)...)
		if v.twin(m, len(blocks)) {
			added = append(added, ' ')
		}
		s.insert(blocks[len(blocks)-1].to, added...)
		return
	}
	v.append(s, m, texts)
}

// likeOurs reports whether a block of the client's has just the form of ours, and keeps it.
func (v *view) likeOurs(m *message, b block) bool {
	if !b.isText || !v.body.ours(b) {
		return false
	}
	text := v.says(b.text)
	if !v.seal.Any().Own(text, inject.StandBlock).Block {
		return false
	}
	return v.opts.KeepForged || m.class == classSystem || len(v.forgeries(text, place{stand: inject.StandBlock, inner: m.class == classTool})) == 0
}
