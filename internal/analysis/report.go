package analysis

import (
	"fmt"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

// reporter puts findings in the places of a reminder's file.
type reporter struct {
	r     *compile.Source
	trees map[string]*grammar.Trigger // by field, read when the first finding asks
	ds    grammar.Diagnostics
}

// source is what the reminder says in a field that holds a trigger.
func (rp *reporter) source(field string) string {
	if field == "rearm" {
		return rp.r.Rearm
	}
	return rp.r.Trigger
}

func (rp *reporter) tree(field string) *grammar.Trigger {
	if t := rp.trees[field]; t != nil {
		return t
	}
	t, _ := grammar.Parse(rp.source(field))
	if rp.trees == nil {
		rp.trees = map[string]*grammar.Trigger{}
	}
	rp.trees[field] = t
	return t
}

// add makes a diagnostic of a finding.
func (rp *reporter) add(f finding) {
	d := grammar.Diagnostic{Code: f.code, Severity: f.severity, File: rp.r.File, Message: f.message, Hint: f.hint}
	trigger := f.field == "trigger" || f.field == "rearm"
	if trigger && rp.source(f.field) != "" {
		t := rp.tree(f.field)
		if f.from != (place{}) {
			d.Range = rangeOf(t, f.from, f.to)
		}
		switch {
		case f.drop:
			d.Fix = without(t, f.from)
		case f.either:
			d.Fix = either(t, f.from, f.to)
		case f.instead != "":
			d.Fix = &grammar.Edit{Range: whole(t), Text: f.instead}
		}
		if d.Range == (grammar.Range{}) {
			d.Range = whole(t)
		}
	}
	switch o := rp.r.Origin; {
	case o != nil:
		d.Fix = o.Edit(f.field, d.Fix)
		d.Range = o.Place(f.field, d.Range)
	case d.File == "":
		d.Message = fmt.Sprintf("reminder %q: %s", rp.r.ID, d.Message)
	}
	rp.ds = append(rp.ds, d)
}

// whole is the range of all that is written in a trigger.
func whole(t *grammar.Trigger) grammar.Range {
	return between(t.Source, 0, len(t.Source))
}

// parts lists the parts of a trigger in the order in which forms count them.
func parts(x grammar.Expr, out []grammar.Expr) []grammar.Expr {
	out = append(out, x)
	switch x := x.(type) {
	case *grammar.And:
		for _, k := range x.Terms {
			out = parts(k, out)
		}
	case *grammar.Or:
		for _, k := range x.Terms {
			out = parts(k, out)
		}
	case *grammar.Not:
		out = parts(x.X, out)
	}
	return out
}

// part is what stands at a place.
func part(t *grammar.Trigger, p place) grammar.Expr {
	all := parts(t.Root, nil)
	if p.ord < 1 || p.ord > len(all) {
		return t.Root
	}
	x := all[p.ord-1]
	if p.member > 0 {
		if m := memberOf(x, p.member-1); m != nil {
			return m
		}
	}
	return x
}

// rangeOf is the stretch from one part to another, parentheses around them left out.
func rangeOf(t *grammar.Trigger, from, to place) grammar.Range {
	r := part(t, from).Span()
	if end := part(t, to).Span().End; end.Offset > r.End.Offset {
		r.End = end
	}
	return r
}
