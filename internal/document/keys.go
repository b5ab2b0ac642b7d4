package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/excerpt"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/vocabulary"
	"github.com/aside-go/aside/internal/words"
)

// keyNames are the keys of a reminder (LANGUAGE.md §3).
var keyNames = []string{
	"id", "description", "when", "trigger", "while", "rearm", "for", "keep", "cooldown", "max_fires",
	"priority", "tier", "attach", "pause", "expect", "within", "holdout", "max_ignored",
	"enabled", "content", "schedule",
}

func isKey(name string) bool { return slices.Contains(keyNames, name) }

// A pair is a key and its value as they stand in the file; both are nil where the key is not given.
type pair struct{ key, value *yaml.Node }

// pairs returns the pairs of a mapping by their keys, in linear time, and reports keys that are unknown or
// given twice.
func (d *decoder) pairs(n *yaml.Node, names []string, of string) map[string]pair {
	ps := make(map[string]pair, len(n.Content)/2)
	if d.crowded(n, of) {
		return ps
	}
	var others map[string]*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Tag == "!!merge" || k.Kind == yaml.AliasNode {
			d.add(code.YAMLAlias, d.where(k), "merge keys and aliases are not read in rule files",
				"write the keys out")
			continue
		}
		if k.Kind != yaml.ScalarNode {
			d.add(code.YAMLShape, d.where(k), "a key must be a word", keysHint(names))
			continue
		}
		if !d.unnamed(k, "") {
			continue
		}
		if slices.Contains(names, k.Value) {
			if before := ps[k.Value].key; before != nil {
				d.twice(k, before)
			} else {
				ps[k.Value] = pair{k, v}
			}
			continue
		}
		if before := others[k.Value]; before != nil {
			d.twice(k, before)
			continue
		}
		if others == nil {
			others = make(map[string]*yaml.Node)
		}
		others[k.Value] = k
		d.unknown(k, v, names, of)
	}
	return ps
}

// crowded reports a mapping that has too many keys to say of each that it is unknown.
func (d *decoder) crowded(n *yaml.Node, of string) bool {
	if len(n.Content) <= 2*limitKeys {
		return false
	}
	d.add(code.LargeYAML, d.where(n.Content[2*limitKeys]), fmt.Sprintf("more than %d keys in %s", limitKeys, of),
		"remove those that do not belong there, or split the file")
	return true
}

func (d *decoder) twice(k, before *yaml.Node) {
	line := d.page.at(d.start(before)).Line
	d.add(code.RepeatedKey, d.where(k), fmt.Sprintf("duplicate key %q, given before in line %d", k.Value, line),
		"remove one of the two")
}

func (d *decoder) unknown(k, v *yaml.Node, names []string, of string) {
	at := d.where(k)
	x := d.add(code.UnknownKey, at, fmt.Sprintf("unknown key %q in %s", clip(k.Value), of), keysHint(names))
	to := ""
	if len(k.Value) <= 64 {
		if s := near.Names(k.Value, names); len(s) > 0 {
			to = s[0]
		} else if m := words.Of(words.Key, k.Value); slices.Contains(names, m) {
			to = m
		}
	}
	switch {
	case strings.EqualFold(k.Value, "disabled") && to == "enabled": // which says the contrary
		x.Hint = "did you mean `enabled: false`?"
	case to == "":
		x.Hint = cmp.Or(conditionHint(k.Value, v.Value), words.Of(words.Foreign, k.Value),
			words.Of(words.Unseen, k.Value), x.Hint)
	default:
		x.Hint = fmt.Sprintf("did you mean `%s`?", to)
		x.Fix = &grammar.Edit{Range: at, Text: to}
	}
}

// conditionHint says where a fact or a shorthand stands that is the key of a value; "" of any other key.
func conditionHint(key, value string) string {
	shorthand := vocabulary.Find(vocabulary.Shorthands(), key)
	if words.Of(words.Fact, key) != key && shorthand == nil {
		return ""
	}
	lines := words.Lines(key+" "+value, nil).Lines
	if shorthand != nil && value == "" {
		lines = []string{shorthand.Example}
	}
	if len(lines) == 0 {
		return ""
	}
	return "a condition stands in the trigger, as in `when: " + lines[0] + "`"
}

func keysHint(names []string) string {
	if len(names) == 1 {
		return "the only key is `" + names[0] + "`"
	}
	return "the keys are " + strings.Join(names, ", ")
}

// clip shortens a quotation in a message.
func clip(s string) string { return excerpt.Of(s, 60) }

// unnamed reports whether n, the value of key, has no tag, no anchor, and is no alias, and says so if not.
func (d *decoder) unnamed(n *yaml.Node, key string) bool {
	from := d.start(n)
	switch {
	case n.Kind == yaml.AliasNode:
		d.add(code.YAMLAlias, d.page.between(from, d.word(from)), "aliases are not read in rule files",
			"write the value out, or quote it if it is text")
	case n.Anchor != "":
		to := d.word(from)
		x := d.add(code.YAMLAlias, d.page.between(from, to), "anchors are not read in rule files",
			"remove the anchor, or quote the value if it is text")
		if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 {
			x.Fix = &grammar.Edit{Range: x.Range, Text: quoteYAML(d.page.text[from:to])}
		} else if n.Kind == yaml.ScalarNode && isTrigger(key) && to < d.to && d.page.text[to] == ' ' {
			x.Fix = d.edit(from, to+1, "")
		}
	case from < d.to && d.page.text[from] == '!':
		_, to := d.page.line(from)
		to = d.valueEnd(from, min(to, d.to))
		if d.flow {
			to = d.word(from)
		}
		d.tag(from, to, isTrigger(key))
	default:
		return true
	}
	return false
}

// scalar reads a scalar as text, whatever its YAML type. Nothing at all (also null and ~) is "".
func (d *decoder) scalar(name string, p pair) (string, bool) {
	if !d.unnamed(p.value, name) {
		return "", false
	}
	n := p.value
	if n.Kind == yaml.ScalarNode {
		if n.Tag == "!!null" {
			return "", true
		}
		return n.Value, true
	}
	what := "keys"
	if n.Kind == yaml.SequenceNode {
		what = "a list"
	}
	line := ""
	if isTrigger(name) {
		line = joined(n, "or")
	}
	if p, ds := trigger.Compile(line, nil); p == nil || len(ds) > 0 || len(line) > 100 {
		line = ""
	} else if t, _ := grammar.Parse(line); t != nil {
		line = grammar.Format(t)
	}
	hint := "write " + line
	if n.Kind == yaml.SequenceNode {
		hint = "join the conditions with `and` or `or`: " + hint
	}
	if n.Style&yaml.FlowStyle == 0 || d.flow {
		x := d.add(code.ValueType, d.where(n), fmt.Sprintf("%s takes one value, not %s", name, what),
			oneValueHint(name))
		if line != "" {
			x.Hint = hint
		}
		return "", false
	}
	from := d.start(n)
	_, to := d.page.line(from)
	to = d.valueEnd(from, min(to, d.to))
	if end := d.closing(from, to); end != to {
		d.add(code.EatenByYAML, d.page.between(from, from+1), fmt.Sprintf("YAML reads this as %s", what),
			"quote the value")
		return "", false
	}
	x := d.eaten(from, to, to, fmt.Sprintf("YAML reads this as %s", what))
	if isTrigger(name) {
		x.Hint, x.Fix = oneValueHint(name), nil
		if n.Kind == yaml.MappingNode && len(n.Content) == 2 { // {tool: Bash}
			if lines := words.Lines(n.Content[0].Value+" "+n.Content[1].Value, nil).Lines; len(lines) > 0 {
				x.Hint = "write a condition, as in `" + name + ": " + lines[0] + "`"
			}
		}
	}
	if line != "" {
		x.Hint, x.Fix = hint, d.edit(from, to, writeScalar(line, 0, false))
		x.Fix.Unsafe = true
	}
	return "", false
}

// joined returns the conditions of a list, which one of these words joins, or of keys that are such words, on
// one line; "" where it is anything else.
func joined(n *yaml.Node, with string) string {
	switch n.Kind {
	case yaml.ScalarNode:
		if strings.ContainsAny(n.Value, "#\n") || strings.Contains(n.Value, ": ") {
			return ""
		}
		return n.Value
	case yaml.MappingNode:
		if len(n.Content) != 2 {
			return ""
		}
		key, of := n.Content[0].Value, n.Content[1]
		switch join := words.JoinOf(key); {
		case join != "":
			return joined(of, join)
		case key == "not" || key == "none":
			return "not (" + joined(of, "or") + ")"
		}
		return ""
	}
	var list []string
	for _, c := range n.Content {
		line := joined(c, with)
		if c.Kind != yaml.ScalarNode && len(n.Content) > 1 && strings.Contains(line, " ") {
			line = "(" + line + ")"
		}
		list = append(list, line)
	}
	return strings.Join(list, " "+with+" ")
}

// oneValueHint says what to write in place of keys or of a list.
func oneValueHint(key string) string {
	if isTrigger(key) {
		return "write the conditions on one line, joined by `and` or `or`"
	}
	return "write the value behind the colon"
}

// value is where the value of p stands; where there is none, its key.
func (d *decoder) value(p pair) grammar.Range {
	if from, to := d.extent(p.value); from < to {
		return d.page.between(from, to)
	}
	return d.where(p.key)
}

// countIn reads a number that somebody wrote in words, or with words behind it: once, low, 3 times, 10.5.
func countIn(name, s string) (int, bool) {
	if n := words.Of(words.Number, s); n != "" {
		return parseWhole(n)
	}
	if n := words.Of(words.ValueOf(name), s); n != "" {
		return parseWhole(n)
	}
	if whole, _, ok := strings.Cut(s, "."); ok {
		return parseWhole(whole)
	}
	num, unit := splitNumber(s)
	if strings.Trim(unit, " /abcdefghijklmnopqrstuvwxyz") != "" || unit == "" {
		return 0, false
	}
	return parseWhole(num)
}

// whole reads a whole number of at least least.
func (d *decoder) whole(name string, p pair, least int) (int, bool) {
	s, ok := d.scalar(name, p)
	if !ok {
		return 0, false
	}
	at := d.value(p)
	n, ok := parseWhole(s)
	switch quoted := p.value.Style != 0; {
	case s == "":
		d.add(code.ValueType, at, name+" is empty",
			fmt.Sprintf("write `%s: %d`, or remove the key", name, max(least, 1)))
	case !ok && strings.Trim(s, "+-0123456789") == "" && strings.Trim(s, "+-0") != "" &&
		len(strings.TrimLeft(s, "+-0")) > 9:
		d.add(code.NumberOutOfRange, at, fmt.Sprintf("%s is out of range: %s", name, clip(s)),
			fmt.Sprintf("write at most %d", limitWholeValue))
	case !ok:
		x := d.add(code.ValueType, at, fmt.Sprintf("%s takes a whole number, not %q", name, clip(s)),
			fmt.Sprintf("write a whole number, as in `%s: %d`", name, max(least, 1)))
		if n, ok := countIn(name, s); ok && n >= least {
			x.Hint = fmt.Sprintf("write `%s: %d`", name, n)
			x.Fix = &grammar.Edit{Range: at, Text: fmt.Sprint(n)}
		}
	case quoted:
		d.add(code.ValueType, at, fmt.Sprintf("%s takes a number, and this is quoted text", name),
			fmt.Sprintf("write `%s: %d`", name, n)).Fix = &grammar.Edit{Range: at, Text: fmt.Sprint(n)}
	case n < least:
		d.add(code.NumberOutOfRange, at, fmt.Sprintf("%s must be at least %d, not %d", name, least, n),
			fmt.Sprintf("write `%s: %d`", name, least)).
			Fix = &grammar.Edit{Range: at, Text: fmt.Sprint(least)}
	default:
		return n, true
	}
	return 0, false
}

// flag reads true or false.
func (d *decoder) flag(name string, p pair) (value, ok bool) {
	s, ok := d.scalar(name, p)
	if !ok {
		return false, false
	}
	if p.value.Style == 0 && (s == "true" || s == "false") {
		return s == "true", true
	}
	at := d.value(p)
	if s == "" {
		d.add(code.ValueType, at, name+" is empty",
			fmt.Sprintf("write `%s: true` or `%s: false`, or remove the key", name, name))
		return false, false
	}
	x := d.add(code.ValueType, at, fmt.Sprintf("%s takes true or false, not %q", name, clip(s)),
		fmt.Sprintf("write `%s: true` or `%s: false`", name, name))
	want := words.Of(words.Truth, s)
	if want != "" {
		x.Hint = fmt.Sprintf("write `%s: %s`", name, want)
		x.Fix = &grammar.Edit{Range: at, Text: want}
	}
	return false, false
}

// oneOf reads one of several words and gives its index.
func (d *decoder) oneOf(id grammar.Code, name string, p pair, values ...string) (int, bool) {
	s, ok := d.scalar(name, p)
	if !ok {
		return 0, false
	}
	if i := slices.Index(values, s); i >= 0 {
		return i, true
	}
	at := d.value(p)
	if s == "" {
		d.add(id, at, name+" is empty", "write one of "+strings.Join(values, ", "))
		return 0, false
	}
	x := d.add(id, at, fmt.Sprintf("%s cannot be %q", name, clip(s)), "write one of "+strings.Join(values, ", "))
	if len(s) <= 64 {
		near := near.Names(s, values)
		if to := words.Of(words.ValueOf(name), s); to != "" {
			near = []string{to}
		}
		if len(near) > 0 {
			x.Hint = fmt.Sprintf("did you mean `%s`?", near[0])
			x.Fix = &grammar.Edit{Range: at, Text: near[0]}
		}
	}
	return 0, false
}
