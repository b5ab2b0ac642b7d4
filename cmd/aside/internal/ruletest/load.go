package ruletest

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
)

// loaded is a compiled reminders node.
type loaded struct {
	set   *compile.Set
	diags grammar.Diagnostics
}

// loadKey is the key of a compilation: the same node with the same schema is compiled once.
type loadKey struct {
	node   *yaml.Node
	schema *fact.Schema
}

// load compiles the reminders of n, and adds their diagnostics to those of the file. It returns nil where one of them is an error.
func (r *reader) load(n *yaml.Node, schema *fact.Schema) *compile.Set {
	l := r.compile(n, schema)
	r.diags = append(r.diags, l.diags...)
	if l.diags.HasErrors() {
		return nil
	}
	return l.set
}

// compile compiles the reminders of n, a list of reminders, and of files or patterns of files, relative to the test file.
func (r *reader) compile(n *yaml.Node, schema *fact.Schema) loaded {
	key := loadKey{n, schema}
	if l, ok := r.loaded[key]; ok {
		return l
	}
	opts := compile.Options{Schema: schema}
	inline := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: n.Line, Column: n.Column, Style: n.Style}
	var sources []load.Source
	before := len(r.diags)
	for _, item := range r.list(n, "reminders") {
		switch item.Kind {
		case yaml.ScalarNode:
			sources = append(sources, r.paths(item)...)
		case yaml.MappingNode:
			inline.Content = append(inline.Content, item)
		default:
			r.fail(item, code.TestValue, "", "an item of reminders is a reminder or the path of a file of reminders")
		}
	}
	var all []compile.Source
	var diags grammar.Diagnostics
	diags = append(diags, r.diags[before:]...)
	r.diags = r.diags[:before]
	if len(sources) > 0 {
		res := load.Load(sources, load.Options{Options: opts})
		all = append(all, res.Reminders...)
		diags = append(diags, res.Diagnostics...)
		maps.Copy(r.sources, res.Files)
	}
	if len(inline.Content) > 0 {
		rs, ds := document.ReadList(r.file, inline, r.src)
		all = append(all, rs...)
		diags = append(diags, ds...)
	}
	set, ds := compile.FromFiles(all, opts)
	l := loaded{set: set, diags: sortUnique(append(diags, ds...))}
	r.loaded[key] = l
	return l
}

// paths returns the files that a pattern matches.
func (r *reader) paths(n *yaml.Node) []load.Source {
	pattern, ok := r.text(n, "the path of a file of reminders")
	if !ok {
		return nil
	}
	path := filepath.FromSlash(pattern)
	if !filepath.IsAbs(path) {
		dir := filepath.Dir(r.file)
		if strings.ContainsAny(pattern, `*?[`) {
			dir = literal(dir)
		}
		path = filepath.Join(dir, path)
	}
	sources, err := load.Paths(path)
	if err != nil {
		r.fail(n, code.TestFile, "paths are relative to the test file", "%v", err)
	}
	return sources
}

// literal returns a pattern that matches this directory alone.
func literal(dir string) string {
	if filepath.Separator == '\\' {
		return dir // on Windows a backslash in a pattern does not quote
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}

// placed gives diagnostics about a whole file a range: the beginning of the file. It writes to ds.
func placed(ds grammar.Diagnostics) grammar.Diagnostics {
	first := grammar.Position{Line: 1, Column: 1}
	for i := range ds {
		if ds[i].Range.Start.Line == 0 {
			ds[i].Range = grammar.Range{Start: first, End: first}
		}
	}
	return ds
}

// sortUnique sorts ds and drops duplicates.
func sortUnique(ds grammar.Diagnostics) grammar.Diagnostics {
	ds.Sort()
	return slices.CompactFunc(ds, func(a, b grammar.Diagnostic) bool {
		return a.File == b.File && a.Range == b.Range && a.Code == b.Code && a.Message == b.Message
	})
}

func isError(d grammar.Diagnostic) bool { return d.Severity == grammar.Error }
