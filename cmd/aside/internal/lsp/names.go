package lsp

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/vocabulary"
)

// tool is the name of a tool, and the agents that have it.
type tool struct{ name, of string }

// agentTools returns the tools of an agent, or of all known agents where that agent's tools are not known.
func agentTools(name string) []tool {
	agents := agent.WithHooks()
	if a, ok := agent.Host(name); ok && a.AllTools {
		agents = []*agent.Agent{a}
	}
	var list []tool
	for _, a := range agents {
		for _, name := range a.ToolNames() {
			if i := slices.IndexFunc(list, func(t tool) bool { return t.name == name }); i >= 0 {
				list[i].of += ", " + a.Name
			} else {
				list = append(list, tool{name, a.Name})
			}
		}
	}
	return list
}

// known returns the reminders that a file may refer to: for a rule file those that it is loaded with, for a
// rule test those that are written in it, and those of the files that it names. Of an id the one that counts
// comes first, then the others, the highest precedence first. A rule test is searched by patterns: while
// somebody types, it is seldom valid YAML.
func (s *Server) known(v *view, d *doc) (rs []compile.Source) {
	if s.kindOf(v, d.path, d.text.s) != ruleTest {
		set := s.ruleSet(v, s.scopeOf(v, d.path))
		for _, doc := range slices.Backward(set.docs) {
			rs = append(rs, set.read[doc.Path].reminders...)
		}
		slices.SortStableFunc(rs, func(a, b compile.Source) int { return first(set.counts(&a), set.counts(&b)) })
		return rs
	}
	for _, g := range ownID.FindAllStringSubmatchIndex(d.text.s, -1) {
		rs = append(rs, compile.Source{Reminder: reminder.Reminder{ID: d.text.s[g[2]:g[3]]}, File: d.path,
			Origin: span{g[2], g[3]}})
	}
	for _, path := range s.testedFiles(d) {
		if src, ok := s.source(v, path); ok {
			read, _ := document.Read(path, src)
			rs = append(rs, read...)
		}
	}
	return rs
}

// ofID returns the reminders of an id among those that known returns.
func (s *Server) ofID(v *view, d *doc, id string) []compile.Source {
	return slices.DeleteFunc(s.known(v, d), func(r compile.Source) bool { return r.ID != id })
}

// Place implements compile.Origin, for a reminder of which only the place of the id is known.
func (s span) Place(string, grammar.Range) grammar.Range {
	return grammar.Range{Start: grammar.Position{Offset: s.from}, End: grammar.Position{Offset: s.to}}
}

// Edit implements compile.Origin.
func (s span) Edit(string, *grammar.Edit) *grammar.Edit { return nil }

var (
	ownID    = regexp.MustCompile(`(?m)(?:^|[{,\s])id:[ \t]*["']?([A-Za-z0-9][A-Za-z0-9._-]*)`)
	ruleFile = regexp.MustCompile(`[^\s"'\[\],{}]+\.(?:md|yaml|yml)\b`)
	ownVars  = regexp.MustCompile(`(?m)(?:^|[{,\s])vars:[ \t]*(\{[^}]*\}|(?:\r?\n[ \t]+[^\n]*)+)`)
	ownVar   = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*):[ \t]*(?:\{[ \t]*type:[ \t]*)?` +
		`(bool|int|number|ratio|dollars|duration|string|set)\b`)
)

// testedFiles returns the rule files that a rule test names.
func (s *Server) testedFiles(d *doc) []string {
	var files []string
	for _, pattern := range ruleFile.FindAllString(d.text.s, 100) {
		path := filepath.FromSlash(pattern)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(d.path), path)
		}
		bounds := load.Bounds(filepath.Dir(d.path), s.opts.Home)
		if rel, err := filepath.Rel(bounds, path); err != nil || !filepath.IsLocal(rel) {
			continue // a test names no file out there
		}
		sources, _ := load.Paths(s.opts.Home, path)
		for _, src := range sources {
			if load.IsRuleFile(src.Path) && !slices.Contains(files, src.Path) {
				files = append(files, src.Path)
			}
		}
	}
	return files
}

// source returns the text of a file: the editor's if the file is open, else that on the disk. ok is false
// where there is none.
func (s *Server) source(v *view, path string) ([]byte, bool) {
	if d := v.at(path); d != nil {
		return []byte(d.text.s), true
	}
	src, err := load.ReadFile(load.Bounds(filepath.Dir(path), s.opts.Home), path, 0)
	return src, err == nil
}

// factsOf returns the facts that a file may read, with those that a rule test declares itself.
func (s *Server) factsOf(v *view, d *doc) *fact.Schema {
	if s.kindOf(v, d.path, d.text.s) != ruleTest {
		return v.schema
	}
	var vars []fact.Fact
	for _, g := range ownVars.FindAllStringSubmatch(d.text.s, -1) {
		for _, f := range ownVar.FindAllStringSubmatch(g[1], -1) {
			typ, _ := fact.ParseType(f[2])
			name := "vars." + f[1]
			if !slices.ContainsFunc(vars, func(x fact.Fact) bool { return x.Name == name }) {
				vars = append(vars, fact.Fact{Name: name, Type: typ, Doc: "declared in this file"})
			}
		}
	}
	if own, err := fact.NewSchema(vars...); err == nil && len(vars) > 0 {
		return own
	}
	return v.schema
}

// toolNames matches the names of tools in triggers and in the facts of rule tests.
var toolNames = regexp.MustCompile(`(?:` + ofPatterns(vocabulary.Shorthands()) + `):[ \t]*([A-Za-z0-9_.*,: -]+)|` +
	`(?:` + ofPatterns(vocabulary.Functions()) + `)\(\\?["']([^"'\\(]+)|` +
	`tool_used[ \t]*(?:==|!=|in)[ \t]*\[?([A-Za-z0-9_.*:, -]+)|tools:[ \t]*\[([^\]]*)\]`)

// ofPatterns returns the words that take call patterns, as alternatives of a regular expression.
func ofPatterns(words []vocabulary.Word) string {
	var names []string
	for _, w := range words {
		if w.Takes == vocabulary.CallPattern {
			names = append(names, w.Name)
		}
	}
	return strings.Join(names, "|")
}

// subjectOf matches the call patterns with a subject: the tool or the class, and the subject.
var subjectOf = regexp.MustCompile(`(@?[A-Za-z0-9_.*-]+)\(([^()"'\\\n]+)\)`)

// triggersSeen returns the text of a file, and the triggers of the reminders that it is loaded with.
func (s *Server) triggersSeen(v *view, d *doc) string {
	texts := []string{d.text.s}
	if s.kindOf(v, d.path, d.text.s) == rules {
		for _, r := range s.ruleSet(v, s.scopeOf(v, d.path)).result.Reminders {
			texts = append(texts, r.Trigger, r.Rearm, r.Expect)
		}
	}
	return strings.Join(texts, "\n")
}

// toolsSeen returns the names of tools in a file, and in the triggers of the reminders that it is loaded
// with.
func (s *Server) toolsSeen(v *view, d *doc) []string {
	var names []string
	for _, g := range toolNames.FindAllStringSubmatch(s.triggersSeen(v, d), -1) {
		for name := range strings.SplitSeq(g[1]+","+g[2]+","+g[3]+","+g[4], ",") {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			if len(name) > 1 && !strings.HasSuffix(name, ":") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func docOf(f fact.Fact) string {
	if w := cursor.Find(f.Name, cursor.Words().Facts); w != nil {
		return w.Doc
	}
	return f.Doc
}
