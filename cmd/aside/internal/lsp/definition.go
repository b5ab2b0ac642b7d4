package lsp

import (
	"context"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

// declaration is the place of a reminder's id.
type declaration struct {
	path string
	text *text
	span
}

func (d *declaration) location(v *view) location {
	return location{v.uriOf(d.path), d.text.rangeOf(d.span, v.units)}
}

// idAt returns the id of the reminder that is named at a place, and the span there; ok is false where none
// is.
func (s *Server) idAt(v *view, p *placeParams) (d *doc, id string, at span, ok bool) {
	pl := s.placeOf(v, p)
	if pl == nil {
		return nil, "", span{}, false
	}
	at = pl.wordAt("-.")
	switch takes := pl.takes(); {
	case pl.cursor.Part == cursor.OnKey:
		if takes == cursor.TakesID || takes == cursor.TakesTrigger {
			if _, r := pl.reminder(); r != nil { // the keys id, when and the like stand for their reminder
				return pl.d, r.ID, at, true
			}
		}
		ok = pl.table.Names == cursor.NamesIDs
	case pl.cursor.Part != cursor.OnValue:
	case takes == cursor.TakesTrigger:
		before := pl.src[pl.cursor.From:max(at.from, pl.cursor.From)]
		ok = cursor.WantAt(before, pl.schema).What == cursor.WantID
	default:
		ok = takes == cursor.TakesID || takes == cursor.TakesIDs ||
			pl.key == nil && pl.table.Names == cursor.NamesIDs
	}
	id = pl.src[at.from:at.to]
	return pl.d, id, at, ok && reminder.ValidID(id)
}

// definition answers where the reminder is that a place names: the one that counts, then those that it
// overrides. The reminder at the place itself is left out, unless there is no other.
func definition(_ context.Context, s *Server, v *view, p *placeParams) (any, error) {
	d, id, at, ok := s.idAt(v, p)
	if !ok {
		return nil, nil
	}
	var places, others []location
	for _, r := range s.declared(v, d, id) {
		places = append(places, r.location(v))
		if r.path != d.path || !r.touches(at) {
			others = append(others, r.location(v))
		}
	}
	if others != nil {
		return others, nil
	}
	return places, nil
}

// declared returns the places of the reminders of an id, first the one that counts.
func (s *Server) declared(v *view, d *doc, id string) []declaration {
	var list []declaration
	add := func(r *compile.Source) {
		if src, ok := s.source(v, r.File); ok {
			list = append(list, declaration{r.File, newText(string(src)), spanIn(r.Place("id"))})
		}
	}
	if s.kindOf(v, d.path, d.text.s) == ruleTest {
		rs, own := s.tested(v, d)
		for _, at := range own {
			if d.text.s[at.from:at.to] == id {
				list = append(list, declaration{d.path, d.text, at})
			}
		}
		for i := range rs {
			if rs[i].ID == id {
				add(&rs[i])
			}
		}
		return list
	}
	rs := s.ruleSet(v, s.scopeOf(v, d.path)).sameID(id)
	for i := range rs {
		add(&rs[i])
	}
	return list
}
