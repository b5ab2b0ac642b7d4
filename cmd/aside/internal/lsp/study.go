package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/lint"
)

// study is the state of a scope at one moment: its files, with the editor's texts in place of those on the disk, and the result of
// loading them. It may be used concurrently.
type study struct {
	scope  scope
	of     string // identifies the files' state: equal for equal files
	docs   []load.Document
	result *load.Result

	mu    sync.Mutex
	found map[string]grammar.Diagnostics // by path: the results of wrong
}

// study returns the study of a scope. It makes a new one only where something has changed since the latest.
func (s *Server) study(v *view, sc scope) *study {
	s.studying.Lock()
	defer s.studying.Unlock()
	docs, of := s.gather(v, sc)
	s.mu.Lock()
	known := s.studies[sc.key]
	s.mu.Unlock()
	if known != nil && known.of == of {
		return known
	}
	st := &study{scope: sc, of: of, docs: docs, found: map[string]grammar.Diagnostics{}}
	st.result = load.Given(docs, load.Options{Options: s.compileOptions(v), Read: s.memo.read})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.studies[sc.key] = st
	return st
}

func (s *Server) compileOptions(v *view) compile.Options {
	return compile.Options{Schema: v.schema, Parse: s.memo.parse}
}

// gather returns the files of a scope without rule tests, lowest precedence first, and study.of.
func (s *Server) gather(v *view, sc scope) (docs []load.Document, of string) {
	var state strings.Builder
	fmt.Fprintf(&state, "%d ", v.settled)
	for _, src := range sc.sources {
		dir := src.Path // where the source is a file, its directory, as set below
		open := v.dirs[dir]
		if d := v.at(src.Path); d != nil {
			dir, open = filepath.Dir(src.Path), []*doc{d}
		}
		var files []saved
		var n int
		if src.Project == "" || len(v.dirs[dir]) > 0 {
			files, n = s.disk.list(src.Path)
		} else {
			files, n = s.disk.through(s.opts.Trusted, src)
		}
		fmt.Fprintf(&state, "%s %d\n", src.Path, n)
		first := len(docs)
		for _, f := range files {
			if v.at(f.path) == nil {
				docs = append(docs, load.Document{Path: f.path, Dir: dirOf(src, f.path), Src: f.src, Project: src.Project != ""})
			}
		}
		for _, d := range open {
			docs = append(docs, load.Document{Path: d.path, Dir: dirOf(src, d.path), Src: []byte(d.text.s), Project: src.Project != ""})
			fmt.Fprintf(&state, "%s %d\n", d.path, d.text.serial)
		}
		slices.SortFunc(docs[first:], func(a, b load.Document) int { return strings.Compare(a.Path, b.Path) })
	}
	docs = slices.DeleteFunc(docs, func(d load.Document) bool { return !strings.HasSuffix(d.Path, ".md") && isTest(d.Path, string(d.Src)) })
	return docs, state.String()
}

// dirOf returns the load.Document.Dir of a file of a source: the directory in which no two reminders may have the same id.
func dirOf(src load.Source, path string) string {
	if src.Path == path {
		return filepath.Dir(path)
	}
	return src.Path
}

// wrong returns all diagnostics of a file, those of reminders included that are overridden.
func (st *study) wrong(ctx context.Context, s *Server, v *view, path string) (grammar.Diagnostics, error) {
	st.mu.Lock()
	ds, ok := st.found[path]
	st.mu.Unlock()
	if ok {
		return ds, nil
	}
	for _, d := range st.result.Diagnostics {
		if d.File == path {
			ds = append(ds, d)
		}
	}
	ds = append(ds, st.hidden(s, v, path)...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts := v.lint
	opts.Only = map[string]bool{path: true}
	ds = lint.Run(st.result.Set, ds, st.result.Files, opts)
	ds = slices.DeleteFunc(ds, func(d grammar.Diagnostic) bool { return d.File != path })
	ds.Sort()
	ds = slices.CompactFunc(ds, func(a, b grammar.Diagnostic) bool {
		return a.Range == b.Range && a.Code == b.Code && a.Message == b.Message
	})
	st.mu.Lock()
	defer st.mu.Unlock()
	st.found[path] = ds
	return ds, nil
}

// hidden returns the diagnostics of compiling those reminders of a file that loading leaves out, since others override them.
func (st *study) hidden(s *Server, v *view, path string) grammar.Diagnostics {
	var rest []compile.Source
	for _, r := range st.reminders(s, path) {
		if !r.Faulty && !r.Disabled && !st.counts(&r) {
			rest = append(rest, r)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	var ds grammar.Diagnostics
	for i := range rest {
		all := []compile.Source{rest[i]}
		for _, r := range st.result.Reminders {
			if r.ID != rest[i].ID {
				all = append(all, compile.Source{Reminder: reminder.Reminder{ID: r.ID}, Faulty: true}) // its id can be referred to, and it is not compiled
			}
		}
		_, more := compile.FromFiles(all, s.compileOptions(v))
		ds = append(ds, more...)
	}
	return ds
}

// counts reports whether no other reminder of the same id overrides r.
func (st *study) counts(r *compile.Source) bool {
	i, ok := slices.BinarySearchFunc(st.result.Reminders, r.ID, func(x compile.Source, id string) int { return strings.Compare(x.ID, id) })
	if !ok {
		return false
	}
	top := &st.result.Reminders[i]
	return top.File == r.File && top.Place("id") == r.Place("id")
}

// reminders returns the reminders of a file. The caller must not write to them.
func (st *study) reminders(s *Server, path string) []compile.Source {
	for i := range st.docs {
		if d := &st.docs[i]; d.Path == path {
			rs, _ := s.memo.read(d.Path, d.Src)
			return rs
		}
	}
	return nil
}

// sameID returns the reminders of an id in all files: first the one that counts, then the others, highest precedence first.
func (st *study) sameID(s *Server, id string) []compile.Source {
	var list []compile.Source
	for i := len(st.docs) - 1; i >= 0; i-- {
		rs, _ := s.memo.read(st.docs[i].Path, st.docs[i].Src)
		for _, r := range rs {
			switch {
			case r.ID != id:
			case !r.Faulty && st.counts(&r):
				list = slices.Insert(list, 0, r)
			default:
				list = append(list, r)
			}
		}
	}
	return list
}
