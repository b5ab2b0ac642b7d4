package load

import (
	"errors"
	"io/fs"
	"iter"
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
	for at := range upward(at) {
		if isSame(at, home, own) {
			return ""
		}
		if isProject(at) {
			return at
		}
	}
	return ""
}

// upward goes from a path through the directories above it.
func upward(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(path) && filepath.Dir(path) != path {
			path = filepath.Dir(path)
		}
	}
}

// isSame reports whether a path leads to what another is, nil where that does not exist.
func isSame(path, other string, is fs.FileInfo) bool {
	if is == nil || path == other {
		return is != nil
	}
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, is)
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
	for at := range upward(abs) {
		if isConfig(filepath.Base(at)) {
			return at
		}
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
		if isSame(root, home, own) {
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
	for at := range upward(path) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
	return path
}

// remindersAbove returns the standard directory that path is or lies in, under its usual name.
func remindersAbove(path string) (dir string, ok bool) {
	for at := range upward(path) {
		up := filepath.Dir(at)
		if !strings.EqualFold(filepath.Base(at), remindersDir) || !isConfig(filepath.Base(up)) {
			continue
		}
		usual := filepath.Join(filepath.Dir(up), strings.ToLower(filepath.Base(up)), remindersDir)
		if info, err := os.Stat(usual); usual == at || err == nil && isSame(at, usual, info) {
			return usual, true // where case makes no difference they are one
		}
	}
	return "", false
}

// everywhere is the directory above all others.
func everywhere(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }
