package document

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// span is a stretch of a page's text.
type span struct{ from, to int }

// noBody is the text of a reminder that has no Markdown body.
var noBody = span{-1, -1}

// An item is one reminder while it is read.
type item struct {
	d      *decoder
	id     string // the default
	text   span   // a Markdown body
	front  bool   // there is a front matter
	inList bool   // one of several in a file: it needs an id

	root *yaml.Node
	keys map[string]pair
	r    compile.Source
	o    *origin
}

// alone reads the only reminder of a file.
func (it *item) alone(root *yaml.Node) []compile.Source {
	if r, ok := it.read(root); ok {
		return []compile.Source{r}
	}
	return nil
}

// read reads one reminder from its keys; root is nil where there are none. ok is false if not even its id can
// be read.
func (it *item) read(root *yaml.Node) (r compile.Source, ok bool) {
	d := it.d
	before := len(d.ds)
	if root != nil && root.Kind == yaml.ScalarNode && root.Tag == "!!null" && !it.inList && d.unnamed(root, "") {
		root = nil
	}
	it.o = &origin{page: d.page, spots: make([]spot, 0, 6)}
	if root != nil {
		if !d.unnamed(root, "") {
			return r, false
		}
		if root.Kind != yaml.MappingNode {
			if root.Kind == yaml.ScalarNode && d.hazards() {
				return r, false
			}
			x := d.add(code.YAMLShape, d.where(root), "a reminder is written as keys and values",
				"write `when: TRIGGER` and the like, each key on a line of its own")
			if from := d.start(root); root.Kind == yaml.SequenceNode && root.Style&yaml.FlowStyle == 0 && !it.inList &&
				it.text == noBody {
				line, _ := d.page.line(from)
				x.Hint, x.Fix = "write `reminders:` above the list", d.edit(line, line, "reminders:\n")
			}
			return r, false
		}
		if d.crowded(root, "a reminder") {
			return r, false
		}
		flow := d.flow
		d.flow = flow || root.Style&yaml.FlowStyle != 0
		defer func() { d.flow = flow }()
		it.keys = d.pairs(root, keyNames, "a reminder")
		if len(root.Content) > 0 {
			it.o.from, it.o.to = d.extent(root.Content[0])
		}
	} else if it.front {
		it.o.to = len(fence)
	}
	it.root = root
	it.r.File = d.page.file
	it.identity()
	it.condition()
	it.terms()
	it.content()
	it.r.Origin = it.o
	it.r.Faulty = grammar.Diagnostics(d.ds[before:]).HasErrors()
	return it.r, it.r.ID != ""
}

func (it *item) has(k string) bool { return it.keys[k].key != nil }

// spot notes where the value of p stands as a field of the reminder, the first skip bytes of it left out.
func (it *item) spot(field string, p pair, skip int) {
	it.o.spots = append(it.o.spots,
		spot{field: field, as: scalarSpot, from: it.d.start(p.value), value: p.value.Value, skip: skip,
			flow: it.d.flow})
}

func (it *item) identity() {
	d, p := it.d, it.keys["id"]
	if it.has("description") {
		if s, ok := d.scalar("description", it.keys["description"]); ok {
			it.r.Description = strings.Join(strings.Fields(s), " ") // one line
			it.spot("description", it.keys["description"], 0)
		}
	}
	if p.key != nil {
		s, ok := d.scalar("id", p)
		switch {
		case !ok:
		case s == "":
			d.add(code.BadIDInFile, d.value(p), "the id is empty", "write `id: NAME`, or leave the key out")
		case !reminder.ValidID(s):
			it.badID(s, d.value(p), true)
		default:
			it.r.ID = s
			it.spot("id", p, 0)
		}
		return
	}
	at := d.page.between(it.o.from, it.o.to)
	switch {
	case it.inList:
		d.add(code.BadIDInFile, at, "a reminder in a list needs an id", "write `id: NAME`")
	case !reminder.ValidID(it.id):
		it.badID(it.id, at, false)
	default:
		it.r.ID = it.id
		it.o.spots = append(it.o.spots, spot{field: "id", from: it.o.from, to: it.o.to})
	}
}

// badID reports an id that cannot be. It comes from the file's name if it is not written in the file.
func (it *item) badID(id string, at grammar.Range, written bool) {
	d := it.d
	what := fmt.Sprintf("the id %q holds what an id cannot hold", clip(id))
	if !written {
		what = fmt.Sprintf("the file's name gives no id: %q holds what an id cannot hold", clip(id))
	}
	near := cmp.Or(nearID(id), "reminder")
	x := d.add(code.BadIDInFile, at, what, fmt.Sprintf("an id is letters, digits, `.`, `_` and `-`, "+
		"and begins with a letter or digit: write `id: %s`", near))
	if x.Fix = (&grammar.Edit{Range: at, Text: near}); !written {
		first := it.o.from
		if it.root != nil && len(it.root.Content) == 0 { // {}
			first = min(d.start(it.root)+1, d.to)
		}
		x.Fix = d.insert(first, "id: "+near)
	}
}

// insert is the edit that puts a line before the first key of a reminder, which stands at first.
func (d *decoder) insert(first int, line string) *grammar.Edit {
	text, eol := d.page.text, d.page.lineEnd()
	from, _ := d.page.line(first)
	switch {
	case d.to == 0 && syntaxOf(d.page.file) == ".md": // no front matter
		return d.edit(0, 0, fence+eol+line+eol+fence+eol)
	case first < d.from: // an empty one
		return d.edit(d.from, d.from, line+eol)
	case strings.LastIndexByte(text[:first], '{') >= from:
		return d.edit(first, first, line+", ")
	}
	return d.edit(first, first, line+eol+strings.Repeat(" ", first-from))
}

// nearID returns s with dashes for the characters that an id cannot hold; "" if nothing is left.
func nearID(s string) string {
	s = strings.Map(func(r rune) rune {
		if reminder.ValidID("x" + string(r)) {
			return r
		}
		return '-'
	}, clip(s))
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	return strings.TrimRight(strings.TrimLeft(s, "-._"), "-")
}

// condition reads when, trigger, while and schedule, of which one may be given, and rearm.
func (it *item) condition() {
	d := it.d
	var first pair
	for _, k := range []string{"when", "trigger", "while", "schedule"} {
		p := it.keys[k]
		if p.key == nil {
			continue
		}
		if first.key != nil {
			a, b := first.key, p.key
			if d.start(b) < d.start(a) {
				a, b = b, a
			}
			d.add(code.SeveralTriggers, d.where(b), fmt.Sprintf("%s and %s cannot stand together", a.Value, b.Value),
				"keep one of them: `when` fires on edges, `while` on every turn")
			continue
		}
		first = p
		from, to := d.extent(p.key)
		it.o.spots = append(it.o.spots, spot{field: "mode", from: from, to: to})
		switch k {
		case "schedule":
			before := len(d.ds)
			if it.schedule(p); grammar.Diagnostics(d.ds[before:]).HasErrors() {
				it.r.Trigger = "" // half a schedule is no trigger
			}
		default:
			it.r.Trigger = it.trigger("trigger", p)
			if k == "while" {
				it.r.Mode = reminder.While
			}
		}
	}
	if first.key == nil {
		it.r.Trigger = "always"
	}
	if it.has("rearm") {
		it.r.Rearm = it.trigger("rearm", it.keys["rearm"])
	}
	if it.has("expect") {
		it.r.Expect = it.trigger("expect", it.keys["expect"])
	}
}

const blanks = " \t\r\n"

// trigger reads a trigger, "" where there is none; field is its field of the reminder.
func (it *item) trigger(field string, p pair) string {
	d := it.d
	s, ok := d.scalar(p.key.Value, p)
	if !ok {
		return ""
	}
	trimmed := strings.Trim(s, blanks)
	if trimmed == "" {
		hint := "write `always`, or remove the key"
		if field == "rearm" || field == "expect" {
			hint = "write a trigger, or remove the key"
		}
		x := d.add(code.TriggerWithoutValue, d.value(p), fmt.Sprintf("%s is empty", p.key.Value), hint)
		if from, to := d.extent(p.value); from < to && d.page.text[from:to] != "" && (p.key.Value == "when" ||
			p.key.Value == "trigger") {
			x.Fix = d.edit(from, to, "always")
		}
		return ""
	}
	it.spot(field, p, len(s)-len(strings.TrimLeft(s, blanks)))
	if d.comment(p, trimmed) {
		return ""
	}
	return trimmed
}

// comment reports a comment behind an unquoted trigger: it may be the rest of it. cut reports that it surely
// is.
func (d *decoder) comment(p pair, trigger string) (cut bool) {
	n := p.value
	if n.Style != 0 {
		return false
	}
	sc, ok := scalarExtent(d.page.text[:d.to], d.start(n), n.Value)
	if !ok {
		return false
	}
	rest := d.page.text[sc.to:d.to]
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	behind := strings.TrimLeft(rest, " \t")
	if behind == "" || behind[0] != '#' || len(behind) == len(rest) ||
		strings.HasPrefix(strings.TrimLeft(behind, "# "), "aside:") {
		return false
	}
	to := sc.to + len(strings.TrimRight(rest, " \t"))
	x := d.add(code.CommentAfterTrigger, d.page.between(sc.to+len(rest)-len(behind), to),
		"YAML takes this for a comment, not for a part of the trigger", "quote the trigger")
	_, wrong := grammar.Parse(trigger)
	if cut = wrong.HasErrors(); !cut {
		x.Severity, to = grammar.Warning, sc.to // whole without it: a comment indeed
	}
	if !d.flow && !sc.lines {
		x.Fix = d.edit(sc.from, to, quoteYAML(d.page.text[sc.from:to]))
	}
	return cut
}

// terms reads all that limits and places a reminder.
func (it *item) terms() {
	worded(it, "for", code.BadSpan, &it.r.For, parseSpan)
	worded(it, "cooldown", code.BadSpan, &it.r.Cooldown, parseSpan)
	if it.r.For.UserTurns > 0 {
		it.d.add(code.BadSpan, it.d.value(it.keys["for"]), "for counts turns or time, not user turns",
			"write a number of turns such as `3 turns`, or a time such as `2m`")
	}
	it.flag("pause", &it.r.Pause)
	worded(it, "within", code.BadSpan, &it.r.Within, parseWithin)
	worded(it, "holdout", code.BadShare, &it.r.Holdout, parseShare)
	it.whole("max_ignored", &it.r.MaxIgnored, 0)
	worded(it, "keep", code.BadSpan, &it.r.Keep, parseKeep)
	it.whole("max_fires", &it.r.MaxFires, 0)
	it.whole("priority", &it.r.Priority, -limitWholeValue-1)
	it.r.Tier = reminder.Tier(it.oneOf("tier", "guidance", "correctness", "safety"))
	it.r.Attach = reminder.Attach(it.oneOf("attach", "tail", "user_turn", "run_start"))
	on := true
	it.flag("enabled", &on)
	it.r.Disabled = !on
}

// worded reads the value of a key by parse.
func worded[T any](it *item, name string, id grammar.Code, to *T, parse func(string) (T, *fault)) {
	p := it.keys[name]
	if p.key == nil {
		return
	}
	if text, ok := it.d.scalar(name, p); ok {
		v, f := parse(text)
		if *to = v; f != nil {
			it.d.faulty(id, p, name, f)
		}
		it.spot(name, p, 0)
	}
}

// whole reads the value of a key that is a whole number.
func (it *item) whole(name string, to *int, least int) {
	if p := it.keys[name]; p.key != nil {
		*to, _ = it.d.whole(name, p, least)
		it.spot(name, p, 0)
	}
}

// flag reads the value of a key that is true or false. Any other value changes nothing.
func (it *item) flag(name string, to *bool) {
	if p := it.keys[name]; p.key != nil {
		if on, ok := it.d.flag(name, p); ok {
			*to = on
		}
		it.spot(name, p, 0)
	}
}

// oneOf reads the value of a key that is one of some words, and returns which; 0 for any other.
func (it *item) oneOf(name string, words ...string) (i int) {
	if p := it.keys[name]; p.key != nil {
		i, _ = it.d.oneOf(code.UnknownWord, name, p, words...)
		it.spot(name, p, 0)
	}
	return i
}

// content reads the text: a Markdown body, else the value of content.
func (it *item) content() {
	d, p := it.d, it.keys["content"]
	if it.text != noBody {
		from, to := trimText(d.page.text, it.text.from, it.text.to)
		if from < to {
			it.r.Text = strings.ReplaceAll(d.page.text[from:to], "\r\n", "\n")
			it.o.spots = append(it.o.spots, spot{field: "text", as: body, from: from, to: to})
			if p.key != nil {
				x := d.add(code.TwoTexts, d.where(p.key), "content is not read: the file has a body", "remove the key")
				x.Severity = grammar.Warning
			}
			return
		}
		if p.key == nil && it.r.Disabled {
			return
		}
		if p.key == nil {
			at := len(d.page.text)
			d.add(code.NoText, d.page.between(at, at), "the reminder has no text", "write it below the front matter")
			return
		}
	}
	if p.key == nil {
		if !it.r.Disabled {
			d.add(code.NoText, d.page.between(it.o.from, it.o.to), "the reminder has no text",
				"write it as `content: TEXT`")
		}
		return
	}
	s, ok := d.scalar("content", p)
	if !ok {
		return
	}
	from, to := trimText(s, 0, len(s))
	if from == to && !it.r.Disabled {
		d.add(code.NoText, d.value(p), "the reminder has no text", "write it as `content: TEXT`")
		return
	}
	it.r.Text = s[from:to]
	it.spot("text", p, from)
}

// trimText leaves out blank lines at the front of text[from:to] and white space at its end.
func trimText(text string, from, to int) (int, int) {
	to = from + len(strings.TrimRightFunc(text[from:to], unicode.IsSpace))
	first := to - len(strings.TrimLeftFunc(text[from:to], unicode.IsSpace))
	if i := strings.LastIndexAny(text[from:first], "\r\n"); i >= 0 {
		return from + i + 1, to
	}
	return from, to
}
