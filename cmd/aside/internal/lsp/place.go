package lsp

import (
	"strings"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
)

// entry is a place in a file, with the key that is there or whose value is there.
type entry struct {
	cursor cursor.Cursor
	table  cursor.Table // of the mapping that the key is in
	key    *cursor.Key  // nil: the table has no such key
}

// entryAt returns the entry at an offset of a file.
func entryAt(k kind, path, src string, off int) entry {
	e := entry{cursor: cursor.At(path, src, off)}
	above, name := e.cursor.Path, ""
	switch e.cursor.Part {
	case cursor.OnKey:
		name = src[e.cursor.From:e.cursor.To]
	case cursor.OnValue:
		if len(above) == 0 { // the file is no mapping
			return e
		}
		above, name = above[:len(above)-1], e.cursor.Key()
	default:
		return e
	}
	if k == ruleTest {
		e.table = cursor.RuleTestTable(above)
	} else {
		e.table = cursor.RuleTable(above, src)
	}
	e.key = cursor.FindKey(e.table.Keys, name)
	return e
}

// takes returns the kind of value that the key takes; TakesText where there is no key.
func (e *entry) takes() cursor.Takes {
	if e.key == nil {
		return cursor.TakesText
	}
	return e.key.Takes
}

// place is a place in an open text that the editor asks about.
type place struct {
	entry
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
	return &place{entry: entryAt(k, d.path, d.text.s, off), s: s, v: v, d: d, kind: k, src: d.text.s, off: off,
		schema: s.factsOf(v, d)}
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
