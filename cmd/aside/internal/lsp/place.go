package lsp

import (
	"strings"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
)

// place is a place in an open text that the editor asks about, with the key that is there or whose value is
// there.
type place struct {
	cursor cursor.Cursor
	table  cursor.Table // of the mapping that the key is in
	key    *cursor.Key  // nil: the table has no such key
	s      *Server
	v      *view
	d      *doc
	kind   kind
	src    string // the text
	off    int
	schema *fact.Schema
}

// placeOf returns the place of a request; nil where the text is not served.
func (s *Server) placeOf(v *view, p *documentParams) *place {
	d, k := s.served(v, p.TextDocument.URI)
	if d == nil {
		return nil
	}
	off := d.text.offset(p.Position, v.units)
	at := &place{cursor: cursor.At(d.path, d.text.s, off), s: s, v: v, d: d, kind: k, src: d.text.s, off: off,
		schema: s.factsOf(v, d)}
	above, name := at.cursor.Path, ""
	switch {
	case at.cursor.Part == cursor.OnKey:
		name = at.src[at.cursor.From:at.cursor.To]
	case at.cursor.Part == cursor.OnValue && len(above) > 0: // else the file is no mapping
		above, name = above[:len(above)-1], at.cursor.Key()
	default:
		return at
	}
	if k == ruleTest {
		at.table = cursor.RuleTestTable(above)
	} else {
		at.table = cursor.RuleTable(above, at.src)
	}
	at.key = cursor.FindKey(at.table.Keys, name)
	return at
}

// takes returns the kind of value that the key takes; TakesText where there is no key.
func (p *place) takes() cursor.Takes {
	if p.key == nil {
		return cursor.TakesText
	}
	return p.key.Takes
}

// wordAt returns the word at the place. more are characters that are part of a word besides letters, digits
// and _.
func (p *place) wordAt(more string) span {
	in := func(c byte) bool { return cursor.IsWord(c) || strings.IndexByte(more, c) >= 0 }
	at := span{p.wordStart(0, more), p.off}
	for at.to < len(p.src) && in(p.src[at.to]) {
		at.to++
	}
	return at
}

// wordStart returns where the word at the place begins, at least at first.
func (p *place) wordStart(first int, more string) int {
	from := p.off
	for from > first && (cursor.IsWord(p.src[from-1]) || strings.IndexByte(more, p.src[from-1]) >= 0) {
		from--
	}
	return from
}

// reminder returns the reminder that the place is in, and the rule set of its scope; nil where the file is no
// rule file, or has none.
func (p *place) reminder() (*ruleSet, *compile.Source) {
	if p.kind != rules {
		return nil, nil
	}
	set := p.s.ruleSet(p.v, p.s.scopeOf(p.v, p.d.path))
	var at *compile.Source
	rs := set.read[p.d.path].reminders
	for i := range rs {
		if at == nil || rs[i].Place("").Start.Offset <= p.off &&
			rs[i].Place("").Start.Offset > at.Place("").Start.Offset {
			at = &rs[i]
		}
	}
	return set, at
}
