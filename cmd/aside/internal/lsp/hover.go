package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/analysis"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/excerpt"
)

func hoverAt(ctx context.Context, s *Server, v *view, p *documentParams) (any, error) {
	at := s.placeOf(v, p)
	if at == nil {
		return nil, nil
	}
	h := &explainer{place: at}
	h.explain()
	h.wrong(ctx)
	if len(h.parts) == 0 {
		return nil, nil
	}
	out := hover{Contents: markup{"markdown", strings.Join(h.parts, "\n\n---\n\n")}}
	if h.at.from < h.at.to {
		r := h.d.text.rangeOf(h.at, v.units)
		out.Range = &r
	}
	return out, nil
}

// explainer collects the parts of a hover about a place.
type explainer struct {
	*place
	at    span     // the word that is explained
	parts []string // in Markdown
}

func (h *explainer) say(at span, format string, args ...any) {
	h.at = at
	h.parts = append(h.parts, fmt.Sprintf(format, args...))
}

func (h *explainer) explain() {
	if at, ok := h.idAt(); ok {
		h.id(at)
	}
	switch h.cursor.Part {
	case cursor.OnKey:
		h.explainKey()
	case cursor.OnValue:
		switch h.takes() {
		case cursor.TakesTrigger:
			h.trigger()
		case cursor.TakesID:
			h.loaded()
		default:
			if h.key == nil {
				break
			}
			at := h.wordAt("")
			if w := cursor.Find(h.src[at.from:at.to], h.key.Values); w != nil && w.Doc != "" {
				h.say(at, "`%s: %s`\n\n%s", h.key.Name, w.Name, w.Doc)
			}
		}
	case cursor.OnAction:
		h.action()
	case cursor.OnComment:
		at := h.wordAt("")
		if doc := codeDoc(h.src[at.from:at.to]); doc != "" {
			h.say(at, "%s", doc)
		}
	}
}

func (h *explainer) explainKey() {
	at := span{h.cursor.From, h.cursor.To}
	name := h.src[at.from:at.to]
	switch {
	case h.key != nil:
		h.say(at, "`%s`\n\n%s", h.key.Written(), h.key.Doc)
		if h.key.Takes == cursor.TakesTrigger && name != "rearm" && name != "expect" {
			h.analysed()
		}
		if h.key.Takes == cursor.TakesID {
			h.loaded()
		}
	case h.table.Names == cursor.NamesFacts:
		h.fact(at, name)
	}
}

// trigger explains a word of a trigger, and the trigger as a whole.
func (h *explainer) trigger() {
	at := h.wordAt(".")
	name := h.src[at.from:at.to]
	switch w := cursor.WantAt(h.src[h.cursor.From:max(at.from, h.cursor.From)], h.schema); w.What {
	case cursor.WantTool, cursor.WantLink:
		h.tool(h.wordAt("@-*"))
	case cursor.WantSubject:
		h.tool(span{h.cursor.From + w.From - 1 - len(w.Tool), h.cursor.From + w.From - 1})
	case cursor.WantThread, cursor.WantValue, cursor.WantID:
	default:
		words := cursor.Words()
		var called []cursor.Word
		switch behind := h.src[at.to:]; {
		case strings.HasPrefix(behind, "("):
			called = words.Functions
		case strings.HasPrefix(behind, ":"):
			called = words.Shorthands
		}
		if found := cursor.Find(name, called, words.Joins, words.Constants); found != nil {
			h.word(at, found)
		} else {
			h.fact(at, name)
		}
	}
	if key := h.cursor.Key(); key != "rearm" && key != "expect" {
		h.analysed()
	}
}

func (h *explainer) word(at span, w *cursor.Word) { h.say(at, "`%s`\n\n%s", w.Written(), w.Doc) }

func (h *explainer) fact(at span, name string) {
	switch name {
	case "tools":
		name = "tool_used"
	case "failed":
		name = "last_tool_call_failed"
	}
	f, ok := h.schema.Lookup(name)
	if !ok {
		return
	}
	kind := f.Type.String()
	if f.Unit != "" {
		kind += " (" + f.Unit + ")"
	}
	h.say(at, "`%s`: %s, %s\n\n%s\n\n*%s*", f.Name, kind, f.Kind, docOf(f),
		cursor.Find(f.Kind.String(), cursor.Words().Kinds).Doc)
}

func (h *explainer) action() {
	at := h.wordAt(".")
	name := h.src[at.from:at.to]
	if field, ok := strings.CutPrefix(name, "."); ok {
		h.fact(at, field)
	} else if w := cursor.Find(name, cursor.Words().Templates); w != nil {
		h.word(at, w)
	} else {
		h.fact(at, name) // known "…"
	}
}

// tool explains a class of tools, or the class that a tool is in.
func (h *explainer) tool(at span) {
	name := h.src[at.from:at.to]
	class := name
	if !strings.HasPrefix(name, "@") {
		class = "@" + string(agent.ClassOf(name))
	}
	w := cursor.Find(class, cursor.Words().Classes)
	if w == nil {
		return
	}
	if class != name {
		h.say(at, "`%s` is one of `%s`\n\n%s", name, class, w.Doc)
		return
	}
	h.say(at, "`%s`\n\n%s", class, w.Doc)
	var names []string
	for _, t := range agentTools(h.v.lint.Agent) {
		if "@"+string(agent.ClassOf(t.name)) == class {
			names = append(names, "`"+t.name+"` ("+t.of+")")
		}
	}
	if names != nil {
		h.parts = append(h.parts, "- "+strings.Join(names, "\n- "))
	}
}

// id explains the reminder whose id is at.
func (h *explainer) id(at span) {
	all := h.s.ofID(h.v, h.d, h.src[at.from:at.to])
	if len(all) == 0 {
		return
	}
	r := all[0]
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**", r.ID)
	if r.Description != "" {
		b.WriteString(" – " + plainMarkdown(r.Description))
	}
	if r.Trigger != "" {
		fmt.Fprintf(&b, "\n\n```yaml\n%s: %s\n```", r.Mode, oneLine(r.Trigger))
	}
	if r.Text != "" {
		fmt.Fprintf(&b, "\n\n%s", quoted(r.Text))
	}
	if r.File != "" && r.File != h.d.path {
		fmt.Fprintf(&b, "\n\n%s", plainMarkdown(h.short(r.File)))
	}
	h.say(at, "%s", b.String())
}

// loaded says which other files have a reminder of the same id, and which of them counts.
func (h *explainer) loaded() {
	set, r := h.reminder()
	if r == nil {
		return
	}
	var lines []string
	for _, other := range h.s.ofID(h.v, h.d, r.ID) {
		switch {
		case other.File == r.File:
		case set.counts(r):
			lines = append(lines, "It overrides "+plainMarkdown(h.short(other.File))+".")
		case set.counts(&other):
			lines = append(lines, "It is overridden by "+plainMarkdown(h.short(other.File))+".")
		}
	}
	if lines != nil {
		h.parts = append(h.parts, strings.Join(lines, "\n\n"))
	}
}

// analysed adds the analysis of the reminder's trigger.
func (h *explainer) analysed() {
	set, r := h.reminder()
	if r == nil || !set.counts(r) {
		return
	}
	i, ok := set.result.Set.Index(r.ID)
	if !ok {
		return
	}
	if lines := analysis.Describe(set.result.Set, i); len(lines) > 0 {
		for i := range lines {
			lines[i] = "- " + plainMarkdown(lines[i])
		}
		h.parts = append(h.parts, strings.Join(lines, "\n"))
	}
}

// wrong explains the codes of the diagnostics at the place.
func (h *explainer) wrong(ctx context.Context) {
	found, err := h.s.findings(ctx, h.v, h.d)
	if err != nil {
		return
	}
	var told []grammar.Code
	at := span{h.off, h.off}
	for _, d := range found {
		if spanIn(d.Range).touches(at) && !slices.Contains(told, d.Code) && d.Range != (grammar.Range{}) {
			told = append(told, d.Code)
			if doc := codeDoc(string(d.Code)); doc != "" {
				h.parts = append(h.parts, doc)
			}
		}
	}
}

// short returns a path in its shortest form for a person in the project.
func (h *explainer) short(path string) string {
	e := command.Env{Dir: h.s.project(h.v), Home: h.s.opts.Home}
	return e.Short(path)
}

// codeDoc explains the code of a diagnostic in Markdown; "" where there is no such code.
func codeDoc(id string) string {
	c, ok := code.Lookup(id)
	if !ok {
		return ""
	}
	return "**" + string(c.ID) + "** " + plainMarkdown(c.Title) + "\n\n" + c.Markdown()
}

// plainMarkdown returns Markdown that shows s as it is.
func plainMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|~&!", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		default:
			b.WriteString(terminal.Shown(string(r)))
		}
	}
	return b.String()
}

func oneLine(s string) string { return terminal.Shown(strings.Join(strings.Fields(s), " ")) }

// quoted returns the beginning of a text as a Markdown quotation.
func quoted(s string) string {
	shown := plainMarkdown(excerpt.Head(s, 400))
	if len(s) > 400 {
		shown += " …"
	}
	return "> " + strings.ReplaceAll(shown, "\n", "\n> ")
}
