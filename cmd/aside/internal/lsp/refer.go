package lsp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/document"
)

// mention is a place where a reminder is named.
type mention struct {
	path string
	text *text
	span
	own bool // the reminder itself is there, not a reference to it
}

func (m *mention) location(v *view) location {
	return location{v.uriOf(m.path), m.text.rangeOf(m.span, v.units)}
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
	for _, m := range s.declared(v, d, id) {
		places = append(places, m.location(v))
		if m.path != d.path || !m.touches(at) {
			others = append(others, m.location(v))
		}
	}
	if others != nil {
		return others, nil
	}
	return places, nil
}

// declared returns the places of the reminders of an id, first the one that counts.
func (s *Server) declared(v *view, d *doc, id string) []mention {
	var list []mention
	add := func(r *compile.Source) {
		if src, ok := s.source(v, r.File); ok {
			list = append(list, mention{r.File, newText(string(src)), spanIn(r.Place("id")), true})
		}
	}
	if s.kindOf(v, d.path, d.text.s) == ruleTest {
		for _, g := range ownID.FindAllStringSubmatchIndex(d.text.s, -1) {
			if d.text.s[g[2]:g[3]] == id {
				list = append(list, mention{d.path, d.text, span{g[2], g[3]}, true})
			}
		}
		for _, path := range s.testedFiles(d) {
			if src, ok := s.source(v, path); ok {
				rs, _ := document.Read(path, src)
				for i := range rs {
					if rs[i].ID == id {
						add(&rs[i])
					}
				}
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

func references(_ context.Context, s *Server, v *view, p *referenceParams) (any, error) {
	d, id, _, ok := s.idAt(v, &p.placeParams)
	if !ok {
		return nil, nil
	}
	places := []location{}
	for _, m := range s.mentions(v, d, id) {
		if !m.own || p.Context.IncludeDeclaration {
			places = append(places, m.location(v))
		}
	}
	return places, nil
}

var calledID = regexp.MustCompile(
	`(?:turns_since|output_tokens_since)\(\s*\\?["']([A-Za-z0-9][A-Za-z0-9._-]*)\\?["']`)

// mentions returns all places that name a reminder: those of declared, in triggers, and in rule tests.
func (s *Server) mentions(v *view, d *doc, id string) []mention {
	list := s.declared(v, d, id)
	for _, path := range s.speaking(v, d) {
		src, ok := s.source(v, path)
		if !ok || !strings.Contains(string(src), id) {
			continue
		}
		t := newText(string(src))
		add := func(at span) {
			known := slices.ContainsFunc(list, func(m mention) bool { return m.path == path && m.span == at })
			if t.s[at.from:at.to] == id && !known {
				list = append(list, mention{path, t, at, false})
			}
		}
		for _, g := range calledID.FindAllStringSubmatchIndex(t.s, -1) {
			add(span{g[2], g[3]})
		}
		if s.kindOf(v, path, t.s) == ruleTest {
			for _, at := range testMentions(path, t.s, id) {
				add(at)
			}
		}
	}
	return list
}

// speaking returns the files that may name reminders of a file: those that are loaded with it, rule tests
// beside them, and open rule tests.
func (s *Server) speaking(v *view, d *doc) []string {
	var paths []string
	add := func(path string) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	add(d.path)
	sc := s.scopeOf(v, d.path)
	if s.kindOf(v, d.path, d.text.s) == ruleTest {
		for _, f := range s.testedFiles(d) {
			add(f)
		}
	}
	for _, x := range s.ruleSet(v, sc).docs {
		add(x.Path)
	}
	for _, src := range sc.sources {
		if src.Project == "" || src.Path == dirOfDoc(d) {
			for _, f := range list(src) {
				if isTest(f.Path, string(f.Src)) {
					add(f.Path)
				}
			}
		}
	}
	for _, o := range v.docs {
		if s.kindOf(v, o.path, o.text.s) == ruleTest {
			add(o.path)
		}
	}
	slices.Sort(paths)
	return paths
}

func dirOfDoc(d *doc) string { return d.path[:max(strings.LastIndexAny(d.path, `/\`), 0)] }

// testMentions returns the places where a rule test names a reminder.
func testMentions(path, src, id string) []span {
	var list []span
	for at := 0; ; {
		i := strings.Index(src[at:], id)
		if i < 0 {
			return list
		}
		at += i
		end := at + len(id)
		within := func(c byte) bool { return cursor.IsWord(c) || c == '-' || c == '.' }
		whole := (at == 0 || !within(src[at-1])) && (end == len(src) || !within(src[end]))
		if e := entryAt(ruleTest, path, src, end); whole && e.namesID() {
			list = append(list, span{at, end})
		}
		at = end
	}
}

// namesID reports whether a word at a place of a rule test is the id of a reminder.
func (e *entry) namesID() bool {
	if e.cursor.Part == cursor.OnKey {
		return e.table.Names == cursor.NamesIDs
	}
	return e.takes() == cursor.TakesID ||
		e.takes() == cursor.TakesIDs && e.key.Name != "text" && e.key.Name != "fires_at"
}

// rename answers with an edit that changes the id of a reminder wherever that is named.
func rename(_ context.Context, s *Server, v *view, p *renameParams) (any, error) {
	d, id, _, ok := s.idAt(v, &p.placeParams)
	switch {
	case !ok:
		return nil, errors.New("there is no id of a reminder here")
	case !reminder.ValidID(p.NewName):
		return nil, fmt.Errorf("%q cannot be an id: it begins with a letter or digit and goes on with letters, "+
			"digits, . _ and -", p.NewName)
	case p.NewName != id && slices.ContainsFunc(s.candidates(v, d),
		func(r compile.Source) bool { return r.ID == p.NewName }):
		return nil, fmt.Errorf("there is a reminder %q already", p.NewName)
	}
	var changes []change
	for _, m := range s.mentions(v, d, id) {
		r := replacement{m.span, p.NewName}
		if m.own && m.text.s[m.from:m.to] != id { // the reminder has its id from the file's name
			key, ok := insertID(m, p.NewName)
			if !ok {
				return nil, fmt.Errorf("%s has its id from its name: rename the file, or give it a key id", m.path)
			}
			r = key
		}
		if i := slices.IndexFunc(changes, func(c change) bool { return c.path == m.path }); i >= 0 {
			changes[i].list = append(changes[i].list, r)
		} else {
			changes = append(changes, change{m.path, m.text, []replacement{r}})
		}
	}
	return v.workspaceEdit(changes...), nil
}

// insertID returns the insertion of a key id into a file whose reminder has its id from the file's name;
// false where that cannot be done.
func insertID(m mention, id string) (replacement, bool) {
	from, ok := cursor.KeysFrom(m.path, m.text.s)
	if !ok {
		return replacement{span{0, 0}, "---\nid: " + id + "\n---\n"}, strings.HasSuffix(m.path, ".md") &&
			!cursor.HasFront(m.text.s)
	}
	if strings.HasPrefix(m.text.s, "\uFEFF") && from == 0 {
		from = len("\uFEFF")
	}
	if strings.HasPrefix(strings.TrimLeft(m.text.s[from:], " \t\r\n"), "{") {
		return replacement{}, false
	}
	return replacement{span{from, from}, "id: " + id + "\n"}, true
}

// prepareRename answers which name can be renamed at a place: the range of an id, or nil.
func prepareRename(_ context.Context, s *Server, v *view, p *placeParams) (any, error) {
	d, id, at, ok := s.idAt(v, p)
	if !ok || d.text.s[at.from:at.to] != id {
		return nil, nil
	}
	return d.text.rangeOf(at, v.units), nil
}
