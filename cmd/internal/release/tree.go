package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// tree is the repository, or a copy of it.
type tree struct {
	root       string
	files      []string // as git lists them, those that nobody has added yet too
	workspaces []string // the go.work files among them
	modules    []module // those that the workspaces use
}

// module is a module of a tree.
type module struct {
	path  string
	dir   string // its folder in the tree, "." for the root
	tests bool   // it has tests alone, and is never published
}

// readTree reads which files and modules a git repository has.
func readTree(root string) (*tree, error) {
	list, err := run(root, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	t := &tree{root: root}
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if _, err := os.Lstat(t.at(name)); err != nil {
			continue // removed, which git has not been told
		}
		t.files = append(t.files, name)
		if path.Base(name) == "go.work" && !strings.Contains(name, "testdata/") {
			t.workspaces = append(t.workspaces, name)
		}
	}
	for _, name := range t.workspaces {
		work, err := t.workspace(name)
		if err != nil {
			return nil, err
		}
		for _, use := range work.Use {
			m := module{dir: path.Join(path.Dir(name), use.Path)}
			f, err := t.goMod(m)
			if err != nil {
				return nil, err
			}
			m.path, m.tests = f.Module.Mod.Path, true
			t.modules = append(t.modules, m)
		}
	}
	for i, m := range t.modules {
		t.modules[i].tests = !slices.ContainsFunc(t.filesOf(m), func(name string) bool {
			return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		})
	}
	return t, nil
}

// at returns where a file of the tree lies.
func (t *tree) at(name string) string { return filepath.Join(t.root, filepath.FromSlash(name)) }

// filesOf returns the files below the folder of a module, without those in folders of other modules.
func (t *tree) filesOf(m module) []string {
	var all []string
	for _, name := range t.files {
		owner := m
		for _, other := range t.modules {
			if other.holds(name) && len(other.dir) > len(owner.dir) {
				owner = other
			}
		}
		if owner == m && m.holds(name) {
			all = append(all, name)
		}
	}
	return all
}

// holds reports whether a file lies below the folder of the module.
func (m module) holds(name string) bool { return m.dir == "." || strings.HasPrefix(name, m.dir+"/") }

// owns reports whether a path is that of a module of the tree.
func (t *tree) owns(path string) bool {
	return slices.ContainsFunc(t.modules, func(m module) bool { return m.path == path })
}

// file returns the name of a file in the folder of the module.
func (m module) file(name string) string { return path.Join(m.dir, name) }

func (t *tree) goMod(m module) (*modfile.File, error) { return readMod(t.at(m.file("go.mod"))) }

func readMod(file string) (*modfile.File, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(file, b, nil)
}

func (t *tree) workspace(name string) (*modfile.WorkFile, error) {
	b, err := os.ReadFile(t.at(name))
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork(t.at(name), b, nil)
}

// version returns the version at which the modules of the tree require each other.
func (t *tree) version() (string, error) {
	newest := ""
	for _, m := range t.modules {
		f, err := t.goMod(m)
		if err != nil {
			return "", err
		}
		for _, r := range f.Require {
			if t.owns(r.Mod.Path) && semver.Compare(r.Mod.Version, newest) > 0 {
				newest = r.Mod.Version
			}
		}
	}
	return newest, nil
}

// ordered returns the modules, each behind those of the tree that it requires.
func (t *tree) ordered() ([]module, error) {
	var order []module
	var visit func(m module, above []string) error
	visit = func(m module, above []string) error {
		if slices.Contains(order, m) {
			return nil
		}
		if at := slices.Index(above, m.path); at >= 0 {
			return fmt.Errorf("these modules require each other, so that none can have the sum of the other: %s",
				strings.Join(above[at:], ", "))
		}
		f, err := t.goMod(m)
		if err != nil {
			return err
		}
		for _, other := range t.modules {
			if slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == other.path }) {
				if err := visit(other, append(above, m.path)); err != nil {
					return err
				}
			}
		}
		order = append(order, m)
		return nil
	}
	for _, m := range t.modules {
		if err := visit(m, nil); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// copied copies the tree into a directory.
func (t *tree) copied(dir string) (*tree, error) {
	c := *t
	c.root = dir
	for _, name := range t.files {
		info, err := os.Lstat(t.at(name))
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() { // which no module has
			continue
		}
		b, err := os.ReadFile(t.at(name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(c.at(name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(c.at(name), b, info.Mode().Perm())
		}
		if err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// put writes a file of the tree, unless it is so already.
func (t *tree) put(name string, b []byte) error {
	if old, err := os.ReadFile(t.at(name)); err == nil && bytes.Equal(old, b) {
		return nil
	}
	return os.WriteFile(t.at(name), b, 0o644)
}
