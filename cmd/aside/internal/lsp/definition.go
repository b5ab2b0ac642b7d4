package lsp

import (
	"context"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile/reminder"
)

// idAt returns where the id of a reminder stands at the place; ok is false where none does.
func (p *place) idAt() (at span, ok bool) {
	at = p.wordAt("-.")
	switch takes := p.takes(); {
	case p.cursor.Part == cursor.OnKey:
		ok = p.table.Names == cursor.NamesIDs
	case p.cursor.Part != cursor.OnValue:
	case takes == cursor.TakesTrigger:
		before := p.src[p.cursor.From:max(at.from, p.cursor.From)]
		ok = cursor.WantAt(before, p.schema).What == cursor.WantID
	default:
		ok = takes == cursor.TakesID || takes == cursor.TakesIDs ||
			p.key == nil && p.table.Names == cursor.NamesIDs
	}
	return at, ok && reminder.ValidID(p.src[at.from:at.to])
}

// definition answers where the reminder is that a place names: the one that counts, then those that it
// overrides. The reminder at the place itself is left out, unless there is no other.
func definition(_ context.Context, s *Server, v *view, p *documentParams) (any, error) {
	pl := s.placeOf(v, p)
	if pl == nil {
		return nil, nil
	}
	at, ok := pl.idAt()
	id := pl.src[at.from:at.to]
	if takes := pl.takes(); pl.cursor.Part == cursor.OnKey && (takes == cursor.TakesID ||
		takes == cursor.TakesTrigger) { // the keys id, when and the like stand for their reminder
		if _, r := pl.reminder(); r != nil {
			id, ok = r.ID, true
		}
	}
	if !ok {
		return nil, nil
	}
	var places, others []location
	for _, r := range s.ofID(v, pl.d, id) {
		src, ok := s.source(v, r.File)
		if !ok {
			continue
		}
		named := spanIn(r.Place("id"))
		place := location{v.uriOf(r.File), newText(string(src)).rangeOf(named, v.units)}
		places = append(places, place)
		if r.File != pl.d.path || !named.touches(at) {
			others = append(others, place)
		}
	}
	if others != nil {
		return others, nil
	}
	return places, nil
}
