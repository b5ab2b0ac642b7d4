package lsp

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/document"
)

type kind uint8

const (
	foreign       kind = iota // not served
	rules                     // a rule file
	ruleTest                  // a file of `aside test`
	configuration             // served with diagnostics alone
)

// scope is the sources that a file is loaded with, lowest precedence first.
type scope struct {
	key     string // equal for equal scopes
	sources []load.Source
}

// remindersDir is the name of the directories that hold rules.
const remindersDir = "reminders"

// kindOf returns the kind of a file, by its path and text.
func (s *Server) kindOf(v *view, path, src string) kind {
	switch {
	case path == "" || !load.IsRuleFile(path):
		return foreign
	case s.opts.Findings != nil && (path == s.opts.Config ||
		strings.HasSuffix(filepath.ToSlash(path), "/.aside/config.yaml")):
		return configuration
	}
	md := strings.HasSuffix(path, ".md")
	src = src[:min(len(src), maxFile)]
	if !md && isTest(path, src) {
		return ruleTest
	}
	if _, named := s.named(v, path); named || standard(path) != "" {
		return rules
	}
	if filepath.Base(filepath.Dir(path)) != remindersDir {
		return foreign
	}
	if _, _, _, front := document.FrontMatter(src); md && !front {
		return foreign
	}
	return rules
}

// served returns an open text of rules or rule tests and its kind; nil for another one, or where it is longer
// than maxFile.
func (s *Server) served(v *view, uri string) (*doc, kind) {
	d := v.docs[uri]
	if d == nil || len(d.text.s) > maxFile {
		return nil, foreign
	}
	k := s.kindOf(v, d.path, d.text.s)
	if k == foreign || k == configuration {
		return nil, foreign
	}
	return d, k
}

// standard returns, for a file in a standard directory such as DIR/.aside/reminders, DIR; for any other file
// "".
func standard(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) != remindersDir {
		return ""
	}
	switch dir = filepath.Dir(dir); filepath.Base(dir) {
	case ".agents", ".claude", ".aside":
		return filepath.Dir(dir)
	}
	return ""
}

// named returns the scope of the rules that the editor's settings name, and whether path is among them.
func (s *Server) named(v *view, path string) (scope, bool) {
	var sc scope
	found := false
	for _, p := range v.rules {
		if !filepath.IsAbs(p) {
			p = filepath.Join(s.project(v), p)
		}
		sources, _ := load.Paths(s.opts.Home, p) // a path that does not exist has no files
		for _, src := range sources {
			found = found || src.Path == path || src.Path == filepath.Dir(path)
			if !slices.Contains(sc.sources, src) {
				sc.sources = append(sc.sources, src)
				sc.key += src.Path + "\x00"
			}
		}
	}
	return sc, found
}

// project returns the editor's project: its first folder, or else Options.Dir.
func (s *Server) project(v *view) string {
	if len(v.folders) > 0 {
		return v.folders[0]
	}
	return s.opts.Dir
}

func (s *Server) scopeOf(v *view, path string) scope {
	if sc, ok := s.named(v, path); ok {
		return sc
	}
	dir := filepath.Dir(path)
	root := standard(path)
	if root == "" {
		return scope{key: dir, sources: []load.Source{{Path: dir}}}
	}
	if root == s.opts.Home {
		if root = s.project(v); root == s.opts.Home {
			root = ""
		}
	}
	return scope{key: "standard\x00" + root, sources: load.Standard(s.opts.Home, root)}
}

// isTest reports whether a file is a rule test: by its name, and by its text, since other tests may have such
// names.
func isTest(path, src string) bool {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return strings.HasSuffix(name, "_test") && testsKey.MatchString(src) && testWords.MatchString(src)
}

var (
	testsKey  = regexp.MustCompile(`(?m)^tests:`)
	testWords = regexp.MustCompile(`(?m)(^|[\s{,-])(reminders|steps|series|trigger):`)
)

// maxFile is the length in bytes of the longest document that is served.
const maxFile = 256 << 10
