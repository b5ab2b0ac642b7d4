package document

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

// Format gives a rule file with every trigger in canonical form: the words and, or, not, one blank between
// words, no needless parentheses, and quoted where YAML would read it as something else. Numbers of turns are
// written as triggers have them: 1 turn, 2 turns. All other bytes stay as they are, comments and the author's
// choice of quotes included; so do the lines of a trigger that is canonical but for being written over
// several. Formatting twice is formatting once, and does not change the meaning of the file. If anything in
// the file is an error, src comes back as it is, with the diagnostics of Document and of the triggers'
// syntax.
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
			case "expect":
				edits = d.canonical(edits, &rs[i], &s, rs[i].Expect)
			case "keep":
				if keep, wrong := parseKeep(s.value); wrong == nil {
					edits = d.written(edits, &s, s.value, keep.String())
				}
			case "for", "cooldown", "within":
				// a time stays as its author wrote it: 90s may say more than 1m30s
				if span, wrong := parseSpan(s.value); wrong == nil && span.Time == 0 {
					edits = d.written(edits, &s, s.value, span.String())
				}
			}
		}
	}
	d.ds.Sort()
	if d.ds.HasErrors() || len(edits) == 0 {
		return src, d.ds
	}
	slices.SortStableFunc(edits, func(a, b rewrite) int { return cmp.Compare(a.from, b.from) })
	out := append(make([]byte, 0, len(src)+64), src[:d.page.mark]...)
	at := 0
	for _, e := range edits {
		out = append(append(out, d.page.text[at:e.from]...), e.text...)
		at = e.to
	}
	out = append(out, d.page.text[at:]...)
	if !d.sameMeaning(rs, out) {
		return src, d.ds
	}
	return out, d.ds
}

// rewrite is a stretch of a page's text and the text that replaces it.
type rewrite struct {
	from, to int
	text     string
}

// canonical adds the rewrite, if any, that puts one trigger in canonical form.
func (d *decoder) canonical(edits []rewrite, r *compile.Source, s *spot, trigger string) []rewrite {
	tree, wrong := grammar.Parse(trigger)
	for _, x := range wrong {
		d.ds = append(d.ds, compile.Placed(r, s.field, x))
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

// sameMeaning reports whether out means the same as rs, with no error where it had none. Every rewrite is
// checked by it.
func (d *decoder) sameMeaning(rs []compile.Source, out []byte) bool {
	again, after := readDocument(d.page.file, out)
	return (d.ds.HasErrors() || !after.ds.HasErrors()) && slices.EqualFunc(rs, again,
		func(a, b compile.Source) bool { return reflect.DeepEqual(meaning(a), meaning(b)) })
}

// meaning is a reminder without its place, its triggers in canonical form.
func meaning(r compile.Source) compile.Source {
	r.Origin = nil
	for _, trigger := range []*string{&r.Trigger, &r.Rearm, &r.Expect} {
		if tree, wrong := grammar.Parse(*trigger); !wrong.HasErrors() {
			*trigger = grammar.Format(tree)
		}
	}
	return r
}

// Comment is a comment of a rule file's YAML.
type Comment struct {
	Range     grammar.Range
	Text      string   // from its # on
	From, To  int      // the lines of its reminder, or of the whole file
	Reminders []string // the ids of its reminders; nil where the file cannot be read
}

// Comments returns the comments of a rule file, in order. In a list a comment belongs to the item around
// it, one directly above an item to that, one above the list to all. A text that only looks like a comment
// is none.
func Comments(file string, src []byte) []Comment {
	rs, d := readDocument(file, src)
	if d.to <= d.from || d.to-d.from > limitFile {
		return nil
	}
	var found []Comment
	bare := []byte(d.page.text[d.from:d.to])
	d.blank(d.root, 0, bare)
	for from := d.from; from < d.to; from++ {
		if bare[from-d.from] != '#' || from > d.from && strings.IndexByte(blanks, d.page.text[from-1]) < 0 {
			continue
		}
		_, end := d.page.line(from)
		to := from + len(strings.TrimRight(d.page.text[from:min(end, d.to)], blanks))
		found = append(found, Comment{Range: d.page.between(from, to), Text: d.page.text[from:to]})
		from = end
	}
	inOrder(rs)
	last := d.page.at(len(d.page.text)).Line
	for i := range found {
		c := &found[i]
		c.From, c.To = 1, last
		if k := d.holder(rs, c.Range.Start); k >= 0 {
			c.From, c.Reminders = min(rs[k].Place("").Start.Line, c.Range.Start.Line), []string{rs[k].ID}
			if k+1 < len(rs) {
				c.To = rs[k+1].Place("").Start.Line - 1
			}
			continue
		}
		for _, r := range rs {
			c.Reminders = append(c.Reminders, r.ID)
		}
	}
	return found
}

// holder is the index of the reminder that a comment at p stands in; -1 if that is the whole file.
func (d *decoder) holder(rs []compile.Source, p grammar.Position) int {
	k := -1
	for i := range rs {
		first := rs[i].Place("").Start
		if first.Line <= p.Line {
			k = i
			continue
		}
		if first.Column > p.Column && d.onlyComments(p.Line, first.Line) {
			return i
		}
		break
	}
	if len(rs) == 1 {
		return -1
	}
	return k
}

// onlyComments reports whether between two lines, the first included, stands nothing but comments.
func (d *decoder) onlyComments(from, to int) bool {
	for line := from; line < to; line++ {
		a, b := d.page.line(d.page.index().Starts()[line-1])
		if s := strings.TrimSpace(d.page.text[a:b]); s != "" && s[0] != '#' {
			return false
		}
	}
	return true
}

// InsertComment is the edit that puts a comment into the reminder that holds a line of a file; nil where none
// can be put.
func InsertComment(file string, src []byte, line int, comment string) *grammar.Edit {
	rs, d := readDocument(file, src)
	switch len(rs) {
	case 0:
		return nil
	case 1:
		return d.insert(-1, comment)
	}
	inOrder(rs)
	r := rs[0]
	for _, next := range rs[1:] {
		if next.Place("").Start.Line > line {
			break
		}
		r = next
	}
	first := r.Place("").Start.Offset - d.page.mark
	from, _ := d.page.line(first)
	lead := d.page.text[from:first]
	if strings.Trim(lead, " -") != "" { // not on a line of its own
		return nil
	}
	return d.edit(from, from, lead[:len(lead)-len(strings.TrimLeft(lead, " "))]+comment+d.page.lineEnd())
}

// inOrder sorts reminders by their places.
func inOrder(rs []compile.Source) {
	slices.SortStableFunc(rs, func(a, b compile.Source) int {
		return cmp.Compare(a.Place("").Start.Offset, b.Place("").Start.Offset)
	})
}
