package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// completion answers a completion request.
func completion(ctx context.Context, s *Server, v *view, p *placeParams) (any, error) {
	d, k := s.served(v, p.TextDocument.URI)
	if d == nil {
		return nil, nil
	}
	c := &completer{s: s, v: v, d: d, kind: k, off: d.text.offset(p.Position, v.units)}
	c.cursor = cursorAt(d.path, d.text.s, c.off)
	c.schema = s.factsOf(v, d)
	switch c.cursor.part {
	case onKey:
		c.keys()
	case onValue:
		c.value()
	case onAction:
		c.action()
	case onComment:
		c.found, _ = s.findings(ctx, v, d)
		c.comment()
	}
	return completionList{Items: c.items}, nil
}

// completer collects the completion items for a place.
type completer struct {
	s      *Server
	v      *view
	d      *doc
	kind   kind
	off    int
	cursor cursor
	schema *fact.Schema

	from  int // where the text begins that an item replaces; it ends at off
	items []completionItem
	found grammar.Diagnostics // for a comment: the diagnostics of the file
}

// offer adds an item. Items of a lower rank come first.
func (c *completer) offer(rank int, kind int, w word, detail string) {
	text := w.insert
	if text == "" {
		text = w.name
	}
	if c.cursor.style == '"' && c.cursor.part != onKey {
		text = strings.ReplaceAll(text, `"`, `\"`)
	}
	format := 0
	if strings.Contains(text, "$") {
		if c.v.caps.TextDocument.Completion.CompletionItem.SnippetSupport {
			format = 2
			if c.cursor.style == '"' {
				text = strings.ReplaceAll(text, `\"`, `\\"`) // the snippet syntax takes one of the two backslashes
			}
		} else {
			text = unsnip(text)
		}
	}
	item := completionItem{Label: w.name, Kind: kind, Detail: detail, SortText: fmt.Sprintf("%02d%03d", rank,
		len(c.items)), InsertTextFormat: format,
		TextEdit: &textEdit{c.d.text.rangeOf(span{c.from, c.off}, c.v.units), text}}
	if w.doc != "" {
		item.Documentation = &markup{"markdown", w.doc}
	}
	c.items = append(c.items, item)
}

// placeholder matches a placeholder of a snippet: ${1:text} or $1.
var placeholder = regexp.MustCompile(`\$\{\d+:([^}]*)\}|\$\d+`)

// unsnip returns a snippet with its placeholders replaced by their texts.
func unsnip(s string) string { return placeholder.ReplaceAllString(s, "$1") }

// keys offers the names of keys.
func (c *completer) keys() {
	c.from = c.cursor.from
	switch t := tableOf(c.kind, c.cursor.path, c.d.text.s); t.names {
	case namesFacts:
		for _, f := range c.facts() {
			if f.Name == "tool_used" {
				c.offer(0, kindProperty, word{name: "tools", doc: "The tools that were called in the previous turn.",
					insert: "tools: [$1]"}, "tool_used")
				c.offer(0, kindProperty, word{name: "failed", doc: "Those of the tools that failed.",
					insert: "failed: [$1]"}, "last_tool_call_failed")
				continue
			}
			c.offer(0, kindProperty, word{name: f.Name, doc: docOf(f), insert: f.Name + ": "}, f.Type.String())
		}
	case namesIDs:
		c.ids(": ")
	default:
		if len(c.cursor.path)+len(c.cursor.used) == 0 && strings.TrimSpace(c.line()) == "" && !c.cursor.flow &&
			!strings.HasSuffix(c.d.path, ".md") && c.kind == rules {
			t.keys = slices.Concat(t.keys, words().Reminders)
		}
		trigger := slices.ContainsFunc(c.cursor.used, func(k string) bool {
			return k == "when" || k == "while" || k == "trigger" || k == "schedule"
		})
		for i := range t.keys {
			k := &t.keys[i]
			if slices.Contains(c.cursor.used, k.name) || trigger && (k.name == "when" || k.name == "while" ||
				k.name == "trigger" || k.name == "schedule") ||
				k.name == "content" && strings.HasSuffix(c.d.path, ".md") {
				continue
			}
			w := k.word
			if strings.Contains(c.line(), ":") || c.cursor.flow && strings.Contains(w.insert, "\n") {
				w.insert = k.name // keep what follows the key
			} else if strings.Contains(w.insert, "\n") {
				w.insert = strings.ReplaceAll(w.insert, "\n", "\n"+c.indent())
			}
			c.offer(i/10, kindProperty, w, k.written())
		}
	}
}

// line returns the rest of the line after the key at the place, "" within [ ] or { }.
func (c *completer) line() string {
	if c.cursor.flow {
		return ""
	}
	_, to := c.d.text.line(c.d.text.lineOf(c.off))
	return c.d.text.s[c.cursor.to:max(to, c.cursor.to)]
}

// indent returns as many blanks as there are columns before the key, dashes included.
func (c *completer) indent() string {
	from, _ := c.d.text.line(c.d.text.lineOf(c.cursor.from))
	return strings.Repeat(" ", c.cursor.from-from)
}

// value offers values of a key.
func (c *completer) value() {
	c.from = c.cursor.from
	k := tableOf(c.kind, c.cursor.path[:len(c.cursor.path)-1], c.d.text.s)
	key := findKey(k.keys, c.cursor.key())
	switch {
	case k.names == namesFacts:
		c.factValue()
		return
	case key == nil:
		return
	}
	switch key.takes {
	case takesTrigger:
		c.trigger()
	case takesWords, takesSpan:
		c.from = c.wordStart()
		if key.takes == takesSpan {
			c.from = c.cursor.from
		}
		for _, w := range key.values {
			c.offer(0, kindEnum, w, "")
		}
	case takesIDs:
		c.from = c.wordStart()
		c.ids("")
	case takesKeys:
		if key.name == "reminders" && c.kind == ruleTest {
			c.files()
		}
	}
}

// wordStart returns where the word at the place begins, within its value.
func (c *completer) wordStart() int {
	from := c.off
	for from > c.cursor.from && (isWord(c.d.text.s[from-1]) || c.d.text.s[from-1] == '-' ||
		c.d.text.s[from-1] == '.') {
		from--
	}
	return from
}

// factValue offers values of a fact in a rule test.
func (c *completer) factValue() {
	c.from = c.wordStart()
	switch name := c.cursor.key(); name {
	case "tools", "failed":
		c.tools()
	case "thread_type":
		c.threads()
	default:
		c.offer(1, kindValue, word{name: "unknown", doc: "Nobody has told it."}, "")
		if f, ok := c.schema.Lookup(name); ok && f.Type == fact.Bool {
			c.offer(0, kindValue, word{name: "true"}, "")
			c.offer(0, kindValue, word{name: "false"}, "")
		}
	}
}

// trigger offers what may stand in a trigger.
func (c *completer) trigger() {
	before := c.d.text.s[c.cursor.from:c.off]
	w := wantAt(before, c.schema)
	c.from = c.cursor.from + w.from
	switch w.what {
	case wantOperand:
		c.operands(strings.TrimSpace(before[:w.from]) == "")
	case wantOperator:
		c.operators(w)
	case wantValue:
		c.values(w)
	case wantJoin:
		c.joins(0)
	case wantUnit:
		c.offer(0, kindKeyword, word{name: "turns", doc: "Calls of the model."}, "")
		c.offer(0, kindKeyword, word{name: "user turns", doc: "Messages that a person submits."}, "")
	case wantTool:
		c.tools()
	case wantThread:
		c.threads()
	case wantID:
		c.ids("")
	case wantSet:
		for _, f := range c.facts() {
			if f.Type == fact.Set {
				c.offer(0, kindVariable, word{name: f.Name, doc: docOf(f)}, f.Type.String())
			}
		}
	}
}

// operands offers what a condition may begin with.
func (c *completer) operands(first bool) {
	for _, f := range c.facts() {
		c.offer(0, kindVariable, word{name: f.Name, doc: docOf(f)}, f.Type.String()+", "+f.Kind.String())
	}
	for _, w := range words().Shorthands {
		c.offer(1, kindSnippet, w, w.form)
	}
	for _, w := range words().Functions {
		c.offer(2, kindFunction, w, w.form)
	}
	c.offer(3, kindKeyword, *find(words().Joins, "not"), "not A")
	c.offer(3, kindSnippet, *find(words().Constants, "every"), "every N turns")
	if first {
		for _, name := range []string{"always", "never", "manual"} {
			c.offer(4, kindKeyword, *find(words().Constants, name), "")
		}
	}
	for _, name := range []string{"any", "all", "none", "one", "count", "len", "lower", "upper"} {
		w := *find(words().Joins, name)
		c.offer(5, kindFunction, w, w.form)
	}
}

// facts returns all facts of the schema.
func (c *completer) facts() []fact.Fact {
	list := make([]fact.Fact, c.schema.Len())
	for i := range list {
		list[i] = c.schema.Fact(fact.ID(i))
	}
	return list
}

// operators offers the operators for a fact.
func (c *completer) operators(w want) {
	ops := []string{"==", "!=", "in"}
	switch {
	case w.fact.Type.Numeric() && w.fact.Type != fact.Bool:
		ops = []string{">", "<", ">=", "<=", "==", "!="}
	case w.fact.Type == fact.Bool:
		ops = nil
	}
	for _, op := range ops {
		text := op + " "
		if op == "in" {
			text = "in [$1]"
		}
		c.offer(0, kindKeyword, word{name: op, insert: text}, "")
	}
	if w.fact.Type == fact.String {
		for _, name := range []string{"matches", "contains", "startsWith", "endsWith"} {
			op := *find(words().Joins, name)
			op.insert = name + ` "$1"`
			c.offer(1, kindKeyword, op, op.form)
		}
	}
	if w.done {
		c.joins(1)
	}
}

// joins offers what may follow a condition.
func (c *completer) joins(rank int) {
	c.offer(rank, kindKeyword, *find(words().Joins, "and"), "")
	c.offer(rank, kindKeyword, *find(words().Joins, "or"), "")
}

// values offers values to compare a fact with.
func (c *completer) values(w want) {
	switch {
	case w.fact.Name == "tool_used":
		c.tools()
	case w.fact.Name == "thread_type":
		c.threads()
	case w.fact.Type == fact.Bool:
		c.offer(0, kindValue, word{name: "true"}, "")
		c.offer(0, kindValue, word{name: "false"}, "")
	case w.fact.Type == fact.Ratio:
		for _, n := range []string{"75%", "50%", "60%", "80%", "90%"} {
			c.offer(0, kindValue, word{name: n}, "")
		}
	}
}

func (c *completer) threads() {
	for _, w := range []word{{name: "root", doc: "The main conversation."}, {name: "plan"}, {name: "learn"},
		{name: "fast"}} {
		c.offer(0, kindValue, w, "")
	}
}

// tools offers names of tools: first those in rules, then those of agents.
func (c *completer) tools() {
	seen := map[string]bool{}
	for _, name := range c.s.toolsSeen(c.v, c.d) {
		if !seen[name] && name != c.d.text.s[c.from:c.off] {
			seen[name] = true
			c.offer(0, kindRefer, word{name: name}, "in rules here")
		}
	}
	for _, t := range agentTools(c.v.lint.Agent) {
		if !seen[t.name] {
			seen[t.name] = true
			c.offer(1, kindValue, word{name: t.name}, t.of)
		}
	}
}

// ids offers the ids of reminders. behind is what is inserted after an id.
func (c *completer) ids(behind string) {
	for _, r := range c.s.candidates(c.v, c.d) {
		detail := r.Trigger
		if detail != "" {
			detail = r.Mode.String() + ": " + detail
		}
		c.offer(0, kindRefer, word{name: r.ID, doc: r.Description, insert: r.ID + behind}, detail)
	}
}

// files offers the rule files that a rule test could name.
func (c *completer) files() {
	dir := filepath.Dir(c.d.path)
	typed := strings.Trim(c.d.text.s[c.cursor.from:c.off], `"'`)
	at, _ := filepath.Split(filepath.FromSlash(typed))
	files, _ := c.s.disk.list(filepath.Join(dir, at))
	for _, f := range files {
		if name := filepath.Base(f.path); !isTest(f.path, string(f.src)) {
			c.offer(0, kindRefer, word{name: filepath.ToSlash(at) + name}, "")
		}
	}
}

// action offers what may stand in {{ }}.
func (c *completer) action() {
	c.from = c.off
	for c.from > c.cursor.from && (isWord(c.d.text.s[c.from-1]) || c.d.text.s[c.from-1] == '.') {
		c.from--
	}
	before := c.d.text.s[c.cursor.from:c.from]
	if strings.HasSuffix(before, `"`) && strings.Count(before, `"`)%2 == 1 { // known "…"
		for _, f := range c.facts() {
			c.offer(0, kindVariable, word{name: f.Name, doc: docOf(f)}, f.Type.String())
		}
		return
	}
	for _, f := range c.facts() {
		c.offer(0, kindField, word{name: "." + f.Name, doc: docOf(f)}, f.Type.String())
	}
	if strings.HasPrefix(c.d.text.s[c.from:c.off], ".") {
		return
	}
	for _, w := range words().Templates {
		c.offer(1, kindFunction, w, w.form)
	}
}

// comment offers the comment that silences a diagnostic, and the codes in it.
func (c *completer) comment() {
	text := c.d.text.s[c.cursor.from:c.off]
	if strings.HasPrefix(text, "# aside: allow ") { // the codes of what is found in the file
		c.from = c.wordStart()
		for _, x := range c.found {
			if x.Severity != grammar.Error && !slices.ContainsFunc(c.items,
				func(i completionItem) bool { return i.Label == string(x.Code) }) {
				c.offer(0, kindValue, word{name: string(x.Code), doc: codeDoc(string(x.Code))}, oneLine(x.Message))
			}
		}
		return
	}
	if !strings.HasPrefix("# aside: allow ", text) {
		return
	}
	c.from = c.cursor.from
	c.offer(0, kindKeyword, word{name: "# aside: allow",
		doc: "Silences a finding of this reminder, by its code: `# aside: allow R1004 because " +
			"…`", insert: "# aside: allow "}, "")
}
