package checkout

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Branch returns the git branch that is checked out in a directory; "" outside a repository, and where no
// branch is checked out.
func Branch(dir string) string {
	for dir != "" {
		if git := gitDir(filepath.Join(dir, gitName)); git != "" {
			return headOf(filepath.Join(git, "HEAD"))
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// gitDir returns the directory that .git is, or that the file .git of a worktree or a submodule names.
func gitDir(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return path
	}
	named, ok := strings.CutPrefix(firstLine(path), "gitdir:")
	if named = strings.TrimSpace(named); !ok || named == "" {
		return ""
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(filepath.Dir(path), named)
	}
	return named
}

// headOf returns the branch that a file HEAD names.
func headOf(path string) string {
	ref, _ := strings.CutPrefix(firstLine(path), "ref:")
	name, ok := strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
	if !ok || name == ".invalid" { // with reftables, HEAD does not tell
		return ""
	}
	return name
}

// firstLine returns the first line of a regular file, "" for one that cannot be read.
func firstLine(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSuffix(line, "\r")
}
