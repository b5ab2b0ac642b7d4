package document

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

// Format gives a rule file with every trigger in canonical form: the words and, or, not, one blank between words, no needless
// parentheses, and quoted where YAML would read it as something else. Numbers of turns are written as triggers have them: 1 turn,
// 2 turns. All other bytes stay as they are, comments and the
// author's choice of quotes included; so do the lines of a trigger that is canonical but for being written over several.
// Formatting twice is formatting once, and what the file means does not change. If anything in the file is an error, src
// comes back as it is, with the diagnostics of Document and of the triggers' syntax.
func Format(file string, src []byte) ([]byte, grammar.Diagnostics) {
	rs, d := readDocument(file, src)
	var edits []rewrite
	for i := range rs {
		for _, s := range rs[i].Origin.(*origin).spots {
			if s.as != scalarSpot {
				continue
			}
			switch s.field {
			case "trigger":
				edits = d.canonical(edits, &rs[i], &s, rs[i].Trigger)
			case "rearm":
				edits = d.canonical(edits, &rs[i], &s, rs[i].Rearm)
			case "for", "cooldown", "keep":
				edits = d.written(edits, &s, s.value, canonicalSpan(s.value))
			}
		}
	}
	d.ds.Sort()
	if d.ds.HasErrors() || len(edits) == 0 {
		return src, d.ds
	}
	slices.SortFunc(edits, func(a, b rewrite) int { return cmp.Compare(a.from, b.from) })
	out := append(make([]byte, 0, len(src)+64), src[:d.page.mark]...)
	at := 0
	for _, e := range edits {
		out = append(append(out, d.page.text[at:e.from]...), e.text...)
		at = e.to
	}
	out = append(out, d.page.text[at:]...)
	if !sameMeaning(file, rs, out) {
		return src, d.ds
	}
	return out, d.ds
}

// rewrite is a stretch of a page's text and what is to stand there.
type rewrite struct {
	from, to int
	text     string
}

// canonical adds the rewrite, if any, that puts one trigger in canonical form.
func (d *decoder) canonical(edits []rewrite, r *compile.Source, s *spot, trigger string) []rewrite {
	tree, wrong := grammar.Parse(trigger)
	for _, x := range wrong {
		x.File = d.page.file
		x.Fix = r.Origin.Edit(s.field, x.Fix)
		x.Range = r.Origin.Place(s.field, x.Range)
		d.ds = append(d.ds, x)
	}
	if wrong.HasErrors() {
		return edits
	}
	return d.written(edits, s, trigger, grammar.Format(tree))
}

// written adds the rewrite, if any, that puts text in place of was, the value of s.
func (d *decoder) written(edits []rewrite, s *spot, was, text string) []rewrite {
	sc, ok := readScalar(d.page.text, s.from, s.value)
	if !ok || text == was || sc.lines && text == strings.Join(strings.Fields(was), " ") {
		return edits
	}
	if sc.style == '|' || sc.style == '>' {
		if odd(text) {
			return edits
		}
		return append(edits, rewrite{sc.inFrom, sc.inTo, text})
	}
	return append(edits, rewrite{sc.from, sc.to, writeScalar(text, sc.style, s.flow)})
}

// sameMeaning reports whether out says what rs says: the last word on every rewrite.
func sameMeaning(file string, rs []compile.Source, out []byte) bool {
	again, d := readDocument(file, out)
	if d.ds.HasErrors() {
		return false
	}
	return slices.EqualFunc(rs, again, func(a, b compile.Source) bool {
		return a.ID == b.ID && a.Text == b.Text && a.Mode == b.Mode && sameTrigger(a.Trigger, b.Trigger) && sameTrigger(a.Rearm, b.Rearm) &&
			a.For == b.For && a.Cooldown == b.Cooldown && a.Keep == b.Keep
	})
}

func sameTrigger(a, b string) bool {
	if a == b {
		return true
	}
	x, _ := grammar.Parse(a)
	y, _ := grammar.Parse(b)
	return grammar.Format(x) == grammar.Format(y)
}
