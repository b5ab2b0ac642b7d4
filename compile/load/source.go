package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/internal/document"
)

// Source is a file with reminders, or a directory with such files. Directories within it are not searched.
type Source struct {
	Path string
	// if it belongs to a project, the directory of that: only files that are trusted are read then
	Project string
	Only    string // of a project's directory, the one file that is read; "": all
	// the directory out of which no link is followed; "": Path, or the directory of a file
	Below string
	// where the rule files are gone that Watch has read, or those of Options.Good, they count as they were, and
	// a diagnostic says so
	Keep bool
}

// Standard returns the standard directories in order of precedence, the lowest first: .agents/reminders,
// .claude/reminders and .aside/reminders in home, and then those in project. If home or project is "", there
// are none in it. They need not exist. Links in home are followed wherever they lead.
func Standard(home, project string) []Source {
	var sources []Source
	for _, root := range []Source{{Path: home, Below: everywhere(home)}, {Path: project, Project: project}} {
		if root.Path == "" {
			continue
		}
		for _, dir := range configs {
			sources = append(sources, Source{Path: filepath.Join(root.Path, dir, remindersDir),
				Project: root.Project, Below: root.Below})
		}
	}
	return sources
}

// Paths returns the sources that patterns name, in the same order. A pattern is a file, a directory, or a
// pattern of filepath.Match, whose matches are sorted by name. A file that is named twice counts where it is
// named first. A pattern that matches nothing is an error that wraps fs.ErrNotExist; the sources of the
// others are returned beside it. home is the user's home directory.
//
// No link is followed out of the directory that was named, nor out of a project if that directory itself is a
// link in it.
func Paths(home string, patterns ...string) ([]Source, error) {
	var sources []Source
	var errs []error
	seen := make(map[string]bool)
	add := func(path, below string) {
		if path = filepath.Clean(path); !seen[path] {
			seen[path] = true
			sources = append(sources, Source{Path: path, Below: below})
		}
	}
	for _, p := range patterns {
		if _, err := os.Lstat(p); err == nil {
			add(p, Below(home, p))
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
		below := Below(home, p)
		for _, m := range matches {
			if IsRuleFile(m) || isDirectory(m) {
				add(m, below)
			}
		}
		if len(matches) > 0 && !anyRule(matches) {
			errs = append(errs, fmt.Errorf("rules %q matches no rule file: %w", p, fs.ErrNotExist))
		}
	}
	return sources, errors.Join(errs...)
}

// Below returns the directory out of which no link is followed where a person has named a file, a directory
// or a pattern; "" is the directory itself, or that of the file. For a pattern it is the part before its
// first sign. Where a link leads out of the project that it lies in, it is the project.
func Below(home, name string) string {
	dir := name
	if _, err := os.Lstat(name); err != nil {
		for strings.ContainsAny(dir, `*?[`) {
			dir = filepath.Dir(dir)
		}
	}
	if project := left(dir, home); project != "" {
		return project
	}
	if dir != name {
		return dir
	}
	return ""
}

// left returns the project that a directory or file belongs to by its path, if the directory does not lie in
// it: a link leads out. Otherwise it returns "".
func left(path, home string) string {
	dir, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	if !isDirectory(dir) {
		dir = filepath.Dir(dir)
	}
	project := Project(dir, home)
	if up := filepath.Dir(dir); project == dir && up != dir {
		// a link to another project belongs to the one that it lies in
		if project = Project(up, home); project == "" {
			return ""
		}
	}
	if project == "" || within(existing(dir), existing(project)) {
		return ""
	}
	return project
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

// IsRuleFile reports whether path has the name of a rule file: it ends in .md, .yaml or .yml and does not
// begin with a dot, as the names of editors' temporary files do.
func IsRuleFile(path string) bool { return document.IsRuleFile(filepath.Base(path)) }

// Gate reads the rule files of projects, and only files that a person has approved. It reads each once, and
// Load parses exactly the bytes that it returns. trust.Store is the implementation for people's machines.
// The methods must be safe for concurrent use.
type Gate interface {
	// Covers reports whether any file of a project's source may be read. It opens no file of the project.
	Covers(s Source) bool
	// Approvals returns the path of the file that holds the approvals of a project's source, for Watch: a change
	// of it can change the other answers. "" is none.
	Approvals(s Source) string
	// Read returns the rule files of a project's source in the order of their names, including those that it
	// refuses to read.
	Read(s Source) []File
}

// File is a rule file of a project.
type File struct {
	Path string
	Src  []byte // its bytes, if they are approved
	Err  error  // why it is not used, in which case Src is nil; an Unread is no refusal
}

// Untrusted is a rule file of a project that is not used.
type Untrusted struct {
	Path    string
	Project string
	Why     error
}

// through reads a project's source through the gate.
func through(gate Gate, s Source) []file {
	if gate == nil {
		return nil
	}
	var files []file
	for _, f := range gate.Read(s) {
		if s.Only != "" && f.Path != s.Path && filepath.Base(f.Path) != s.Only {
			continue
		}
		one := file{path: f.Path, dir: s.Path, src: f.Src, project: s.Project, refused: f.Err}
		if why, is := errors.AsType[Unread](f.Err); is {
			one.refused, one.ds = nil, unread(f.Path, why)
		}
		files = append(files, one)
	}
	return files
}
