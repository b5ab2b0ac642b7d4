package lsp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/lint"
)

// view is the state of the session, as the editor's notifications have made it. It is immutable.
type view struct {
	docs    map[string]*doc // the open texts, by URI as the editor writes it
	folders []string        // paths of the workspace
	units   units
	caps    capabilities
	// that configuration files declare for the project, and the settings of the editor; schema has both
	declared, vars []fact.Fact
	schema         *fact.Schema
	rules          []string
	lint           lint.Options
	settled        int // is incremented when schema, rules or lint change
	made           *madeTexts
}

// doc is an open text. It is immutable.
type doc struct {
	uri     string
	path    string // "": the URI is not that of a file
	version int
	text    *text
}

func (s *Server) view() *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// tell replaces the view by a copy that change has changed, and has diagnostics published.
func (s *Server) tell(change func(*view)) {
	s.replace(change)
	s.publisher.wake()
}

func (s *Server) replace(change func(*view)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := *s.now
	change(&v)
	s.now = &v
}

// put replaces a doc of the view, or removes it where d is nil.
func (v *view) put(uri string, d *doc) {
	v.docs = maps.Clone(v.docs)
	if v.docs[uri] = d; d == nil {
		delete(v.docs, uri)
	}
}

// open returns the open rule files and rule tests of a directory, by name.
func (v *view) open(dir string) []*doc {
	var list []*doc
	for _, d := range v.docs {
		if load.IsRuleFile(d.path) && filepath.Dir(d.path) == dir {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *doc) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.uri, b.uri))
	})
	return list
}

// at returns the open rule file at a path, nil where it is not open.
func (v *view) at(path string) *doc {
	for _, d := range v.open(filepath.Dir(path)) {
		if d.path == path {
			return d
		}
	}
	return nil
}

func didOpen(_ context.Context, s *Server, p *documentParams) error {
	o := &p.TextDocument
	d := &doc{uri: o.URI, path: pathOf(o.URI), version: o.Version, text: newText(o.Text)}
	s.tell(func(v *view) { v.put(o.URI, d) })
	return nil
}

func didChange(_ context.Context, s *Server, p *documentParams) error {
	v := s.view()
	old := v.docs[p.TextDocument.URI]
	if old == nil {
		return fmt.Errorf("%s was never opened", p.TextDocument.URI)
	}
	d := *old
	d.version = p.TextDocument.Version
	for _, c := range p.ContentChanges {
		t, err := d.text.change(c, v.units)
		if err != nil {
			return err
		}
		d.text = t
	}
	s.tell(func(v *view) { v.put(d.uri, &d) })
	return nil
}

// lookAgain handles a notification that a file may have changed on the disk.
func lookAgain(_ context.Context, s *Server, _ *struct{}) error {
	s.tell(s.declare)
	return nil
}

// declare reads again which facts configuration files declare.
func (s *Server) declare(v *view) {
	if s.opts.Declared == nil {
		return
	}
	if facts := s.opts.Declared(s.project(v)); !reflect.DeepEqual(facts, v.declared) {
		v.declared = facts
		v.settle()
	}
}

// settle makes the schema anew of the facts that are declared. A setting of the editor goes over a file.
func (v *view) settle() {
	facts := slices.Clone(v.vars)
	for _, f := range v.declared {
		if !slices.ContainsFunc(facts, func(x fact.Fact) bool { return x.Name == f.Name }) {
			facts = append(facts, f)
		}
	}
	v.settled++
	v.schema, _ = fact.NewSchema(facts...) // each was accepted by itself, and their names differ
}

// didSave tells whoever keeps trust that a text of the server's own making was saved.
func didSave(ctx context.Context, s *Server, p *documentParams) error {
	if d := s.view().docs[p.TextDocument.URI]; d != nil && d.path != "" && s.opts.Saved != nil {
		if from, ok := s.view().made.origin(d.path, d.text.s); ok {
			s.opts.Saved(d.path, []byte(from), []byte(d.text.s))
		}
	}
	return lookAgain(ctx, s, nil)
}

func didClose(_ context.Context, s *Server, p *documentParams) error {
	s.tell(func(v *view) { v.put(p.TextDocument.URI, nil) })
	return nil
}

func didChangeWorkspaceFolders(_ context.Context, s *Server, p *foldersParams) error {
	s.tell(func(v *view) {
		v.folders = slices.DeleteFunc(slices.Clone(v.folders), func(path string) bool {
			return slices.ContainsFunc(p.Event.Removed, func(f workspaceFolder) bool { return pathOf(f.URI) == path })
		})
		v.folders = append(v.folders, paths(p.Event.Added)...)
		s.declare(v)
	})
	return nil
}

func paths(folders []workspaceFolder) []string {
	var list []string
	for _, f := range folders {
		if p := pathOf(f.URI); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// pathOf returns the path of a file's URI, "" for any other URI.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		if len(path) >= 3 && path[0] == '/' && path[2] == ':' {
			path = strings.ToUpper(path[1:2]) + path[2:]
		} else if u.Host != "" {
			path = "//" + u.Host + path
		}
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf returns the URI of a file: for an open file as the editor writes it.
func (v *view) uriOf(path string) string {
	if d := v.at(path); d != nil {
		return d.uri
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
