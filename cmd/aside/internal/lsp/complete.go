package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/words"
)

func completion(ctx context.Context, s *Server, v *view, p *documentParams) (any, error) {
	at := s.placeOf(v, p)
	if at == nil {
		return nil, nil
	}
	c := &completer{place: at}
	switch c.cursor.Part {
	case cursor.OnKey:
		c.keys()
	case cursor.OnValue:
		c.value()
	case cursor.OnAction:
		c.action()
	case cursor.OnComment:
		c.found, _ = s.findings(ctx, v, c.d)
		c.comment()
	}
	return completionList{Items: c.items}, nil
}

// completer collects the completion items for a place.
type completer struct {
	*place

	from  int // where the text begins that an item replaces; it ends at off
	items []completionItem
	found grammar.Diagnostics // for a comment: the diagnostics of the file
}

// offer adds an item. Items of a lower rank come first.
func (c *completer) offer(rank int, kind int, w cursor.Word, detail string) {
	text := cmp.Or(w.Insert, w.Name)
	if c.cursor.Style == '"' && c.cursor.Part != cursor.OnKey {
		text = strings.ReplaceAll(text, `"`, `\"`)
	}
	format := 0
	if strings.Contains(text, "$") {
		if c.v.caps.TextDocument.Completion.CompletionItem.SnippetSupport {
			format = 2
			if c.cursor.Style == '"' {
				text = strings.ReplaceAll(text, `\"`, `\\"`) // the snippet syntax takes one of the two backslashes
			}
		} else {
			text = unsnip(text)
		}
	}
	item := completionItem{Label: w.Name, Kind: kind, Detail: detail, SortText: fmt.Sprintf("%02d%03d", rank,
		len(c.items)), InsertTextFormat: format,
		TextEdit: &textEdit{c.d.text.rangeOf(span{c.from, c.off}, c.v.units), text}}
	if w.Doc != "" {
		item.Documentation = &markup{"markdown", w.Doc}
	}
	c.items = append(c.items, item)
}

// placeholder matches a placeholder of a snippet: ${1:text} or $1.
var placeholder = regexp.MustCompile(`\$\{\d+:([^}]*)\}|\$\d+`)

func unsnip(s string) string { return placeholder.ReplaceAllString(s, "$1") }

func (c *completer) keys() {
	c.from = c.cursor.From
	switch t := c.table; t.Names {
	case cursor.NamesFacts:
		for _, f := range c.facts() {
			switch f.Name {
			case "command", "path", "output":
				continue // calls tells them
			case "calls":
				c.offer(0, kindProperty, cursor.Word{Name: "calls", Doc: docOf(f),
					Insert: "calls: [{tool: $1}]"}, f.Type.String())
				continue
			case "tool_used":
				c.offer(0, kindProperty, cursor.Word{Name: "tools",
					Doc:    "The tools that were called in the previous turn.",
					Insert: "tools: [$1]"}, "tool_used")
				c.offer(0, kindProperty, cursor.Word{Name: "failed", Doc: "Those of the tools that failed.",
					Insert: "failed: [$1]"}, "last_tool_call_failed")
				continue
			}
			c.offer(0, kindProperty, cursor.Word{Name: f.Name, Doc: docOf(f), Insert: f.Name + ": "}, f.Type.String())
		}
	case cursor.NamesIDs:
		c.ids(": ")
	default:
		if len(c.cursor.Path)+len(c.cursor.Used) == 0 && strings.TrimSpace(c.line()) == "" && !c.cursor.Flow &&
			!strings.HasSuffix(c.d.path, ".md") && c.kind == rules {
			t.Keys = slices.Concat(t.Keys, cursor.Words().Tables["reminders"])
		}
		triggers := []string{"when", "while", "trigger", "schedule"}
		has := slices.ContainsFunc(c.cursor.Used, func(k string) bool { return slices.Contains(triggers, k) })
		for i := range t.Keys {
			k := &t.Keys[i]
			if slices.Contains(c.cursor.Used, k.Name) || has && slices.Contains(triggers, k.Name) ||
				k.Name == "content" && strings.HasSuffix(c.d.path, ".md") {
				continue
			}
			w := k.Word
			if strings.Contains(c.line(), ":") || c.cursor.Flow && strings.Contains(w.Insert, "\n") {
				w.Insert = k.Name // keep the text behind the key
			} else if strings.Contains(w.Insert, "\n") {
				w.Insert = strings.ReplaceAll(w.Insert, "\n", "\n"+c.indent())
			}
			c.offer(i/10, kindProperty, w, k.Written())
		}
	}
}

// line returns the rest of the line after the key at the place, "" within [ ] or { }.
func (c *completer) line() string {
	if c.cursor.Flow {
		return ""
	}
	_, to := c.d.text.line(c.d.text.lineOf(c.off))
	return c.src[c.cursor.To:max(to, c.cursor.To)]
}

// indent returns as many blanks as there are columns before the key, dashes included.
func (c *completer) indent() string {
	from, _ := c.d.text.line(c.d.text.lineOf(c.cursor.From))
	return strings.Repeat(" ", c.cursor.From-from)
}

func (c *completer) value() {
	c.from = c.cursor.From
	if c.table.Names == cursor.NamesFacts {
		c.factValue()
		return
	}
	switch c.takes() {
	case cursor.TakesTrigger:
		c.trigger()
	case cursor.TakesWords, cursor.TakesSpan:
		if c.key.Takes == cursor.TakesWords {
			c.from = c.wordStart(c.cursor.From, "-.")
		}
		for _, w := range c.key.Values {
			c.offer(0, kindEnum, w, "")
		}
	case cursor.TakesIDs:
		c.from = c.wordStart(c.cursor.From, "-.")
		c.ids("")
	case cursor.TakesKeys:
		if c.key.Name == "reminders" && c.kind == ruleTest {
			c.files()
		}
	}
}

// factValue offers values of a fact in a rule test.
func (c *completer) factValue() {
	c.from = c.wordStart(c.cursor.From, "-.")
	name := c.cursor.Key()
	if name == "tools" || name == "failed" {
		c.toolNames()
		return
	}
	f, _ := c.schema.Lookup(name)
	c.values(f)
	c.offer(1, kindValue, cursor.Word{Name: "unknown", Doc: "Nobody has told it."}, "")
}

func (c *completer) fact(f fact.Fact) {
	c.offer(0, kindVariable, cursor.Word{Name: f.Name, Doc: docOf(f)}, f.Type.String())
}

// trigger offers the words that may stand in a trigger.
func (c *completer) trigger() {
	before := c.src[c.cursor.From:c.off]
	c.meant(before)
	w := cursor.WantAt(before, c.schema)
	c.from = c.cursor.From + w.From
	switch w.What {
	case cursor.WantOperand:
		c.operands(strings.TrimSpace(before[:w.From]) == "")
	case cursor.WantOperator:
		c.operators(w)
	case cursor.WantValue:
		if w.Fact.Name == "tool_used" {
			c.tools()
			break
		}
		c.values(w.Fact)
	case cursor.WantJoin:
		c.joins(0)
	case cursor.WantSubject:
		c.subjects(w.Tool)
	case cursor.WantLink:
		c.toolNames()
	case cursor.WantUnit:
		c.offer(0, kindKeyword, cursor.Word{Name: "turns", Doc: "Calls of the model."}, "")
		c.offer(0, kindKeyword, cursor.Word{Name: "user turns", Doc: "Messages that a person submits."}, "")
	case cursor.WantTool:
		c.tools()
	case cursor.WantThread:
		thread, _ := c.schema.Lookup("thread_type")
		c.values(thread)
	case cursor.WantID:
		c.ids("")
	case cursor.WantSet:
		for _, f := range c.facts() {
			if f.Type == fact.Set || f.Type == fact.Calls {
				c.fact(f)
			}
		}
	}
}

// meant offers what words that the language does not have may mean, in place of their condition.
func (c *completer) meant(before string) {
	from, _ := words.Clause(before, len(before))
	typed := strings.TrimLeft(before[from:], " ")
	c.from = c.off - len(typed)
	compiles := func(line string) bool {
		_, ds := trigger.Compile(line, c.schema)
		return !ds.HasErrors()
	}
	for _, line := range words.Lines(typed, compiles).Lines {
		if !strings.HasPrefix(line, typed) {
			c.offer(9, kindValue, cursor.Word{Name: line}, "")
			c.items[len(c.items)-1].FilterText = typed // an editor drops what does not begin as the words do
		}
	}
}

// operands offers the words that a condition may begin with.
func (c *completer) operands(first bool) {
	for _, f := range c.facts() {
		c.offer(0, kindVariable, cursor.Word{Name: f.Name, Doc: docOf(f)}, f.Type.String()+", "+f.Kind.String())
	}
	for _, w := range cursor.Words().Shorthands {
		c.offer(1, kindSnippet, w, w.Form)
	}
	for _, w := range cursor.Words().Functions {
		c.offer(2, kindFunction, w, w.Form)
	}
	c.offer(3, kindKeyword, *cursor.Find("not", cursor.Words().Joins), "not A")
	c.offer(3, kindSnippet, *cursor.Find("every", cursor.Words().Constants), "every N turns")
	if first {
		c.offer(3, kindKeyword, *cursor.Find("stopping", cursor.Words().Constants), "")
		for _, name := range []string{"always", "never", "manual"} {
			c.offer(4, kindKeyword, *cursor.Find(name, cursor.Words().Constants), "")
		}
	}
	for _, name := range []string{"any", "all", "none", "one", "count", "len", "lower", "upper"} {
		w := *cursor.Find(name, cursor.Words().Joins)
		c.offer(5, kindFunction, w, w.Form)
	}
}

func (c *completer) facts() []fact.Fact {
	list := make([]fact.Fact, c.schema.Len())
	for i := range list {
		list[i] = c.schema.Fact(fact.ID(i))
	}
	return list
}

func (c *completer) operators(w cursor.Want) {
	ops := []string{"==", "!=", "in", "not in"}
	switch {
	case w.Fact.Type.Numeric() && w.Fact.Type != fact.Bool:
		ops = []string{">", "<", ">=", "<=", "==", "!="}
	case w.Fact.Type == fact.Bool || w.Fact.Type == fact.Calls:
		ops = nil
	}
	for _, op := range ops {
		text := op + " "
		if strings.HasSuffix(op, "in") {
			text = op + " [$1]"
		}
		c.offer(0, kindKeyword, cursor.Word{Name: op, Insert: text}, "")
	}
	if w.Fact.Type == fact.String || w.Fact.Type == fact.Set && w.Fact.Name != "tool_used" {
		for _, name := range []string{"matches", "contains", "startsWith", "endsWith"} {
			op := *cursor.Find(name, cursor.Words().Joins)
			op.Insert = name + ` "$1"`
			c.offer(1, kindKeyword, op, op.Form)
		}
	}
	if w.Done {
		c.joins(1)
	}
}

// joins offers the words that may follow a condition.
func (c *completer) joins(rank int) {
	c.offer(rank, kindKeyword, *cursor.Find("and", cursor.Words().Joins), "")
	c.offer(rank, kindKeyword, *cursor.Find("or", cursor.Words().Joins), "")
}

// values offers values of a fact: all that it has, or examples.
func (c *completer) values(f fact.Fact) {
	words := cursor.Words().Examples[f.Name]
	if words == nil {
		words = cursor.Words().Examples[f.Type.String()]
	}
	for _, w := range words {
		c.offer(0, kindValue, w, "")
	}
}

// tools offers call patterns: names of tools, and their classes.
func (c *completer) tools() {
	c.toolNames()
	for _, w := range cursor.Words().Classes {
		if c.bare() {
			w.Insert = `"` + w.Name + `"` // only a shorthand and a string take @
		}
		c.offer(1, kindValue, w, "a class of tools")
	}
}

// bare reports whether the word at the place stands outside quotes and shorthands.
func (c *completer) bare() bool {
	before := strings.TrimRight(c.src[c.cursor.From:c.from], " ")
	return strings.HasSuffix(before, "=") || strings.HasSuffix(before, "[") ||
		strings.HasSuffix(before, ",") && strings.LastIndexByte(before, '[') > strings.LastIndexByte(before, ':')
}

// subjects offers the texts that a call pattern of a tool or a class may compare: first those in rules, then
// examples.
func (c *completer) subjects(name string) {
	class, isClass := strings.CutPrefix(name, "@")
	if !isClass {
		class = string(agent.ClassOf(name))
	}
	typed := c.src[c.from:c.off]
	for _, g := range subjectOf.FindAllStringSubmatch(c.s.triggersSeen(c.v, c.d), -1) {
		if g[1] == name && !strings.HasPrefix(typed, g[2]) {
			c.offer(0, kindRefer, cursor.Word{Name: g[2]}, "in rules here")
		}
	}
	for _, w := range cursor.Words().Subjects {
		if w.Name == class {
			c.offer(1, kindValue, cursor.Word{Name: w.Form}, "an example")
		}
	}
}

// toolNames offers names of tools: first those in rules, then those of agents.
func (c *completer) toolNames() {
	seen := map[string]bool{}
	for _, name := range c.s.toolsSeen(c.v, c.d) {
		if !seen[name] && name != c.src[c.from:c.off] {
			seen[name] = true
			c.offer(0, kindRefer, cursor.Word{Name: name}, "in rules here")
		}
	}
	for _, t := range agentTools(c.v.lint.Agent) {
		if !seen[t.name] {
			seen[t.name] = true
			c.offer(1, kindValue, cursor.Word{Name: t.name}, t.of)
		}
	}
}

// ids offers the ids of reminders. behind is inserted after an id.
func (c *completer) ids(behind string) {
	all := c.s.known(c.v, c.d)
	slices.SortStableFunc(all, func(a, b compile.Source) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range slices.CompactFunc(all, func(a, b compile.Source) bool { return a.ID == b.ID }) {
		detail := r.Trigger
		if detail != "" {
			detail = r.Mode.String() + ": " + detail
		}
		c.offer(0, kindRefer, cursor.Word{Name: r.ID, Doc: r.Description, Insert: r.ID + behind}, detail)
	}
}

// files offers the rule files that a rule test could name.
func (c *completer) files() {
	dir := filepath.Dir(c.d.path)
	typed := strings.Trim(c.src[c.cursor.From:c.off], `"'`)
	at, _ := filepath.Split(filepath.FromSlash(typed))
	of := load.Source{Path: filepath.Join(dir, at), Below: load.Bounds(dir, c.s.opts.Home)}
	for _, f := range load.Files(of) {
		if name := filepath.Base(f.Path); !isTest(f.Path, string(f.Src)) {
			c.offer(0, kindRefer, cursor.Word{Name: filepath.ToSlash(at) + name}, "")
		}
	}
}

// action offers the words that may stand in {{ }}.
func (c *completer) action() {
	c.from = c.wordStart(c.cursor.From, ".")
	before := c.src[c.cursor.From:c.from]
	if strings.HasSuffix(before, `"`) && strings.Count(before, `"`)%2 == 1 { // known "…"
		for _, f := range c.facts() {
			c.fact(f)
		}
		return
	}
	for _, f := range c.facts() {
		c.offer(0, kindField, cursor.Word{Name: "." + f.Name, Doc: docOf(f)}, f.Type.String())
	}
	if strings.HasPrefix(c.src[c.from:c.off], ".") {
		return
	}
	for _, w := range cursor.Words().Templates {
		c.offer(1, kindFunction, w, w.Form)
	}
}

// comment offers the comment that silences a diagnostic, and the codes in it.
func (c *completer) comment() {
	text := c.src[c.cursor.From:c.off]
	if strings.HasPrefix(text, "# aside: allow ") { // the codes of the file's diagnostics
		c.from = c.wordStart(c.cursor.From, "-.")
		for _, x := range c.found {
			if x.Severity != grammar.Error && !slices.ContainsFunc(c.items,
				func(i completionItem) bool { return i.Label == string(x.Code) }) {
				c.offer(0, kindValue, cursor.Word{Name: string(x.Code), Doc: codeDoc(string(x.Code))}, oneLine(x.Message))
			}
		}
		return
	}
	if !strings.HasPrefix("# aside: allow ", text) {
		return
	}
	c.from = c.cursor.From
	c.offer(0, kindKeyword, cursor.Word{Name: "# aside: allow",
		Doc: "Silences a finding of this reminder, by its code: `# aside: allow R1004 because " +
			"…`", Insert: "# aside: allow "}, "")
}
