package lsp

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// ruleSet is the state of a scope at one moment: its files, with the editor's texts in place of those on the
// disk, and the result of loading them. It may be used concurrently.
type ruleSet struct {
	settled int // as in the view
	docs    []load.Document
	result  *load.Result

	read map[string]reading // by path, of all docs

	mu    sync.Mutex                     // guards found, and read while it is filled
	found map[string]grammar.Diagnostics // by path: the results of diagnose
}

// reading is the result of reading a file: its reminders, those that are not loaded included.
type reading struct {
	src       []byte
	reminders []compile.Source
	ds        grammar.Diagnostics
}

// ruleSet returns the rule set of a scope. It makes a new one only where something has changed since the
// latest.
func (s *Server) ruleSet(v *view, sc scope) *ruleSet {
	s.loading.Lock()
	defer s.loading.Unlock()
	docs := s.gather(v, sc)
	s.mu.Lock()
	latest := s.sets[sc.key]
	s.mu.Unlock()
	if latest != nil && latest.settled == v.settled && slices.EqualFunc(latest.docs, docs, sameDocument) {
		return latest
	}
	rs := &ruleSet{settled: v.settled, docs: docs, read: make(map[string]reading, len(docs)),
		found: map[string]grammar.Diagnostics{}}
	var old map[string]reading
	if latest != nil {
		old = latest.read
	}
	rs.result = load.Given(docs, load.Options{
		Options: compile.Options{Schema: v.schema},
		Read: func(path string, src []byte) ([]compile.Source, grammar.Diagnostics) {
			r, ok := old[path]
			if !ok || !bytes.Equal(r.src, src) {
				r.src = src
				r.reminders, r.ds = document.Read(path, src)
			}
			rs.mu.Lock()
			defer rs.mu.Unlock()
			rs.read[path] = r
			return slices.Clone(r.reminders), slices.Clone(r.ds)
		},
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sets[sc.key] = rs
	return rs
}

func sameDocument(a, b load.Document) bool {
	return a.Path == b.Path && a.Dir == b.Dir && a.Project == b.Project && bytes.Equal(a.Src, b.Src)
}

// gather returns the files of a scope without rule tests, lowest precedence first.
func (s *Server) gather(v *view, sc scope) (docs []load.Document) {
	for _, src := range sc.sources {
		dir := src.Path // where the source is a file, its directory, as set below
		open := v.open(dir)
		if d := v.at(src.Path); d != nil {
			dir, open = filepath.Dir(src.Path), []*doc{d}
		}
		var files []load.File
		if src.Project == "" || len(v.open(dir)) > 0 {
			files = load.Files(src)
		} else if s.opts.Trusted != nil {
			files = slices.DeleteFunc(s.opts.Trusted.Read(src), func(f load.File) bool { return f.Err != nil })
		}
		files = slices.DeleteFunc(files, func(f load.File) bool { return v.at(f.Path) != nil })
		for _, d := range open {
			files = append(files, load.File{Path: d.path, Src: []byte(d.text.s)})
		}
		slices.SortFunc(files, func(a, b load.File) int { return strings.Compare(a.Path, b.Path) })
		for _, f := range files {
			docs = append(docs, load.Document{Path: f.Path, Dir: dirOf(src, f.Path), Src: f.Src,
				Project: src.Project != ""})
		}
	}
	return slices.DeleteFunc(docs, func(d load.Document) bool {
		return !strings.HasSuffix(d.Path, ".md") && isTest(d.Path, string(d.Src))
	})
}

// dirOf returns the load.Document.Dir of a file of a source: the directory in which no two reminders may have
// the same id.
func dirOf(src load.Source, path string) string {
	if src.Path == path {
		return filepath.Dir(path)
	}
	return src.Path
}

// diagnose returns all diagnostics of a file, those of reminders included that are overridden.
func (rs *ruleSet) diagnose(ctx context.Context, v *view, path string) (grammar.Diagnostics, error) {
	rs.mu.Lock()
	ds, ok := rs.found[path]
	rs.mu.Unlock()
	if ok {
		return ds, nil
	}
	other := func(d grammar.Diagnostic) bool { return d.File != path }
	ds = slices.DeleteFunc(slices.Clone(rs.result.Diagnostics), other)
	ds = append(ds, rs.hidden(v, path)...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts := v.lint
	opts.Only = map[string]bool{path: true}
	ds = lint.Run(rs.result.Set, ds, rs.result.Files, opts)
	ds = lint.Unique(slices.DeleteFunc(ds, other))
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.found[path] = ds
	return ds, nil
}

// hidden returns the diagnostics of compiling those reminders of a file that loading leaves out, since others
// override them.
func (rs *ruleSet) hidden(v *view, path string) grammar.Diagnostics {
	var ds grammar.Diagnostics
	for _, r := range rs.read[path].reminders {
		if r.Faulty || r.Disabled || rs.counts(&r) {
			continue
		}
		all := []compile.Source{r}
		for _, other := range rs.result.Reminders {
			if other.ID != r.ID { // its id can be referred to, and it is not compiled
				all = append(all, compile.Source{Reminder: reminder.Reminder{ID: other.ID}, Faulty: true})
			}
		}
		_, more := compile.FromFiles(all, compile.Options{Schema: v.schema})
		ds = append(ds, more...)
	}
	return ds
}

// counts reports whether no other reminder of the same id overrides r.
func (rs *ruleSet) counts(r *compile.Source) bool {
	i, ok := slices.BinarySearchFunc(rs.result.Reminders, r.ID, func(x compile.Source, id string) int {
		return strings.Compare(x.ID, id)
	})
	if !ok || r.Faulty {
		return false
	}
	top := &rs.result.Reminders[i]
	return top.File == r.File && top.Place("id") == r.Place("id")
}
