package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// configs are the directories of a project or a home that may have a directory reminders, in order of
// precedence, the lowest first.
var configs = []string{".agents", ".claude", ".aside"}

const remindersDir = "reminders"

// Project returns the project that a directory belongs to: the nearest directory upward, dir itself included,
// that holds .agents/reminders, .claude/reminders, .aside/reminders or .git; "" if there is none. The home
// directory is not a project, since the reminders in it are the user's own, and neither is anything above it.
func Project(dir, home string) string {
	if dir == "" {
		return ""
	}
	at, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	own, _ := os.Stat(home) // home may be "", which does not exist
	for {
		if isHome(at, home, own) {
			return ""
		}
		if isProject(at) {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			return ""
		}
		at = up
	}
}

func isHome(path, home string, own fs.FileInfo) bool {
	if own == nil {
		return false
	}
	if path == home {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, own)
}

func isProject(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil { // a directory, or the file of a worktree
		return true
	}
	for _, c := range configs {
		if _, err := os.Lstat(filepath.Join(dir, c, remindersDir)); err == nil {
			return true
		}
	}
	return false
}

// Bounds returns the directory out of which a rule test in dir may name no file: the .aside, .claude or
// .agents directory that dir lies in, else its project, else dir itself.
func Bounds(dir, home string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for at := abs; ; {
		if isConfig(filepath.Base(at)) {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	if p := Project(abs, home); p != "" {
		return p
	}
	return dir
}

func isConfig(name string) bool {
	for _, c := range configs {
		if strings.EqualFold(name, c) {
			return true
		}
	}
	return false
}

// Gated returns sources, with those that are a project's reminders, or lead to them, marked as such: only
// what is trusted is read there. The directories of home stay the user's own.
func Gated(home string, sources []Source) []Source {
	own, _ := os.Stat(home)
	marked := make([]Source, len(sources))
	for i, s := range sources {
		if marked[i] = s; s.Project == "" && s.Path != "" {
			marked[i] = gated(s, home, own)
		}
	}
	return marked
}

// gated looks at the path as it was named, and at the one that it leads to.
func gated(s Source, home string, own fs.FileInfo) Source {
	abs, err := filepath.Abs(s.Path)
	if err != nil {
		return s
	}
	paths := []string{abs}
	if real := existing(abs); real != abs {
		paths = append(paths, real)
	}
	for _, path := range paths {
		dir, ok := remindersAbove(path)
		if !ok {
			continue
		}
		root := filepath.Dir(filepath.Dir(dir))
		if isHome(root, home, own) {
			s.Below = everywhere(root)
			continue // a link in a home may still lead to a project
		}
		s.Path, s.Project, s.Below = path, root, ""
		if filepath.Dir(path) == dir && !isDirectory(path) {
			s.Path, s.Only = dir, filepath.Base(path)
		}
		return s
	}
	return s
}

// existing returns path without links, as far as it exists.
func existing(path string) string {
	rest := ""
	for at := path; ; {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(at)
		if up == at || !errors.Is(err, fs.ErrNotExist) {
			return path
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}

// remindersAbove returns the standard directory that path is or lies in, under its usual name.
func remindersAbove(path string) (dir string, ok bool) {
	for at := path; ; {
		up := filepath.Dir(at)
		if up == at {
			return "", false
		}
		if strings.EqualFold(filepath.Base(at), remindersDir) && isConfig(filepath.Base(up)) {
			usual := filepath.Join(filepath.Dir(up), strings.ToLower(filepath.Base(up)), remindersDir)
			if usual == at || sameFile(usual, at) {
				return usual, true
			}
		}
		at = up
	}
}

// sameFile reports whether two paths lead to one file, as they do where case makes no difference.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// everywhere is the directory above all others.
func everywhere(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }
