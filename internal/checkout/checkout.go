// Package checkout tells to which repository a directory belongs, and which branch is checked out there. It
// reads git's own files, and neither runs git nor looks at the environment.
//
// A repository is its common git directory, whatever number of checkouts it has. Whoever made a directory can
// write anything into it, a file .git too, which says that it is a checkout of somebody else's repository. So
// a linked worktree is believed only where both sides say the same: its .git names an entry of the common
// directory, and that entry names this .git. All else is a repository of its own: a directory .git, a
// submodule, a checkout whose git directory lies elsewhere, and a .git that is a link.
//
// The functions may be called concurrently.
package checkout

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Names in git directories (gitrepository-layout(5)).
const (
	gitName   = ".git"
	worktrees = "worktrees" // of a common directory: an entry for each linked worktree
	backName  = "gitdir"    // of an entry: the path of the worktree's .git
	commonDir = "commondir" // of an entry: the path of the common directory
)

const (
	maxText    = 8 << 10 // bytes of a file that holds a path
	maxEntries = 10_000  // linked worktrees that are looked at
)

// Checkout is a directory in which the files of a repository are checked out. The zero value is none.
type Checkout struct {
	Top    string // the directory with .git, without links
	Common string // the git directory that all checkouts of the repository share; "": nothing is known of it
	Linked bool   // a linked worktree, which Common lists
	Doubt  error  // why a .git that speaks of a linked worktree is not believed; else nil
}

// Of returns the checkout that a directory lies in: the nearest one upward, by a path without links.
func Of(dir string) Checkout {
	for {
		info, err := os.Lstat(filepath.Join(dir, gitName))
		switch up := filepath.Dir(dir); {
		case err == nil && info.IsDir():
			return Checkout{Top: dir, Common: filepath.Join(dir, gitName)}
		case err == nil && info.Mode().IsRegular():
			return linked(dir)
		case err == nil:
			return Checkout{Top: dir}
		case !errors.Is(err, fs.ErrNotExist) || up == dir:
			return Checkout{}
		default:
			dir = up
		}
	}
}

// linked returns the checkout at top, where .git is a file.
func linked(top string) Checkout {
	c := Checkout{Top: top}
	entry, err := named(filepath.Join(top, gitName), "gitdir: ")
	if err != nil {
		c.Doubt = err
		return c
	}
	if filepath.Base(filepath.Dir(entry)) != worktrees {
		return c
	}
	common := filepath.Dir(filepath.Dir(entry))
	shared, err := named(filepath.Join(entry, commonDir), "")
	if err == nil && shared != common {
		err = fmt.Errorf("%s is not an entry of %s", entry, shared)
	}
	if err == nil {
		err = lists(entry, top)
	}
	if err != nil {
		c.Doubt = err
		return c
	}
	c.Common, c.Linked = common, true
	return c
}

// lists returns why an entry of a common directory is not that of the worktree at top, nil if it is. The
// paths are compared, not the files: a second name of the same .git is another worktree.
func lists(entry, top string) error {
	info, err := os.Lstat(entry)
	if err != nil {
		return err
	}
	if Foreign(info) {
		return fmt.Errorf("%s belongs to somebody else", entry)
	}
	back, err := named(filepath.Join(entry, backName), "")
	if err == nil && back != filepath.Join(top, gitName) {
		err = fmt.Errorf("%s is the entry of %s", entry, filepath.Dir(back))
	}
	return err
}

// named returns the path without links that a file of git's holds behind prefix.
func named(file, prefix string) (string, error) {
	text, err := read(file)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(text, prefix)
	if path = filepath.FromSlash(strings.TrimRight(path, "\r\n")); !ok || path == "" {
		return "", fmt.Errorf("%s names no directory", file)
	}
	if !filepath.IsAbs(path) {
		// not joined: that would take "link/.." for nothing
		path = filepath.Dir(file) + string(filepath.Separator) + path
	}
	return filepath.EvalSymlinks(path)
}

// read returns the text of a small file of the user's own that has one name, and is not a link.
func read(file string) (string, error) {
	found, err := os.Lstat(file)
	if err != nil {
		return "", err
	}
	if err := mine(file, found); err != nil {
		return "", err
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // never waits, whatever it has become
	if err != nil {
		return "", err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !os.SameFile(found, opened) {
		return "", fmt.Errorf("%s changed while it was read", file)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(b) > maxText {
		err = fmt.Errorf("%s has more than %d bytes", file, maxText)
	}
	return string(b), err
}

func mine(file string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", file)
	case Links(info) > 1:
		return fmt.Errorf("%s has %d hard links", file, Links(info))
	case Foreign(info):
		return fmt.Errorf("%s belongs to somebody else", file)
	}
	return nil
}

// Place returns the path that a directory has in all checkouts of its repository: of one in a linked worktree
// the path in the main worktree, else the directory itself. A bare repository has no main worktree: then the
// path begins with its git directory and "/.", and is that of no directory, since paths without links have no
// ".": files in the git directory are not files of the repository. dir is a path without links.
func Place(dir string) string { return Of(dir).place(dir) }

func (c Checkout) place(dir string) string {
	below, err := filepath.Rel(c.Top, dir)
	if !c.Linked || err != nil {
		return dir
	}
	if filepath.Base(c.Common) == gitName {
		main := filepath.Join(filepath.Dir(c.Common), below)
		if Of(main).Common != c.Common {
			return dir // there, another repository lies at that path
		}
		return main
	}
	bare := Bare(c.Common)
	if below != "." {
		bare += string(filepath.Separator) + below
	}
	return bare
}

// Bare returns the Place that the top of each checkout of a bare repository has, by its git directory.
func Bare(common string) string { return common + string(filepath.Separator) + "." }

// Others returns the directories that have the Place of dir in the other checkouts of its repository. They
// need not exist.
func Others(dir string) []string {
	c := Of(dir)
	below, err := filepath.Rel(c.Top, dir)
	if c.Common == "" || err != nil {
		return nil
	}
	var tops []string
	if filepath.Base(c.Common) == gitName {
		tops = append(tops, filepath.Dir(c.Common))
	}
	at := filepath.Join(c.Common, worktrees)
	for _, name := range entries(at) {
		if back, err := named(filepath.Join(at, name, backName), ""); err == nil {
			tops = append(tops, filepath.Dir(back))
		}
	}
	place := c.place(dir)
	var others []string
	for _, top := range tops {
		other := filepath.Join(top, below)
		if o := Of(other); o.Top == top && o.Common == c.Common && o.place(other) == place && other != dir {
			others = append(others, other)
		}
	}
	slices.Sort(others)
	return slices.Compact(others)
}

func entries(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxEntries)
	return names
}
