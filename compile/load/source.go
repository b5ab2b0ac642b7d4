package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Source is where reminders come from: a file, or a directory, which is not searched for further directories.
type Source struct {
	Path    string
	Project string // the project that it belongs to, a directory above it, and is read only as far as that is trusted; "": none
}

// Standard gives the standard directories, lowest precedence first: three under home, then the same three under project. Both
// are directories; an empty one has none. They need not exist.
func Standard(home, project string) []Source {
	var sources []Source
	for _, root := range []Source{{Path: home}, {Path: project, Project: project}} {
		if root.Path == "" {
			continue
		}
		for _, dir := range []string{".agents", ".claude", ".aside"} {
			sources = append(sources, Source{Path: filepath.Join(root.Path, dir, "reminders"), Project: root.Project})
		}
	}
	return sources
}

// Paths gives the sources that patterns name, in the order given, later ones overriding: files, directories, and patterns as
// of path/filepath.Match, whose matches are in name order. A file that is named twice counts where it is named first. A
// pattern that matches nothing is an error that wraps fs.ErrNotExist.
func Paths(patterns ...string) ([]Source, error) {
	var sources []Source
	var errs []error
	seen := make(map[string]bool)
	add := func(path string) {
		if path = filepath.Clean(path); !seen[path] {
			seen[path] = true
			sources = append(sources, Source{Path: path})
		}
	}
	for _, p := range patterns {
		if _, err := os.Lstat(p); err == nil {
			add(p)
			continue
		} else if !errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(p, `*?[`) {
			errs = append(errs, fmt.Errorf("rules %q: %w", p, err))
			continue
		}
		matches, err := filepath.Glob(p)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("rules %q: %w", p, err))
		case len(matches) == 0:
			errs = append(errs, fmt.Errorf("rules %q: %w", p, fs.ErrNotExist))
		}
		for _, m := range matches {
			if IsRuleFile(m) || isDirectory(m) {
				add(m)
			}
		}
		if len(matches) > 0 && !anyRule(matches) {
			errs = append(errs, fmt.Errorf("rules %q matches no rule file: %w", p, fs.ErrNotExist))
		}
	}
	return sources, errors.Join(errs...)
}

func anyRule(paths []string) bool {
	for _, p := range paths {
		if IsRuleFile(p) || isDirectory(p) {
			return true
		}
	}
	return false
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// IsRuleFile reports whether a file is one of rules by its name: .md, .yaml, .yml. Names that begin with a dot are editors' own.
func IsRuleFile(path string) bool {
	name := filepath.Base(path)
	if strings.HasPrefix(name, ".") {
		return false
	}
	switch filepath.Ext(name) {
	case ".md", ".yaml", ".yml":
		return true
	}
	return false
}
