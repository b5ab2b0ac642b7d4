package lsp

import (
	"context"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile/reminder"
)

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
	for _, r := range s.ofID(v, d, id) {
		src, ok := s.source(v, r.File)
		if !ok {
			continue
		}
		named := spanIn(r.Place("id"))
		place := location{v.uriOf(r.File), newText(string(src)).rangeOf(named, v.units)}
		places = append(places, place)
		if r.File != d.path || !named.touches(at) {
			others = append(others, place)
		}
	}
	if others != nil {
		return others, nil
	}
	return places, nil
}
