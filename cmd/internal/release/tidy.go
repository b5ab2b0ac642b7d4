package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	xmod "golang.org/x/mod/module"
)

type tidyCmd struct {
	Check bool `help:"Write nothing; fail with the difference where a module is not tidy."`
}

// Run tidies the modules.
func (c *tidyCmd) Run(t *tree) error {
	var untidy error
	for _, m := range t.modules {
		mod, sum, err := t.tidied(m)
		if err != nil {
			return err
		}
		put := t.put
		if c.Check {
			put = t.compare
		}
		untidy = errors.Join(untidy, put(m.file("go.mod"), mod), put(m.file("go.sum"), sum))
	}
	return untidy
}

// tidied returns go.mod and go.sum of a module as go mod tidy writes them. It reads the other modules from
// the tree, not from a proxy. It keeps the sums of published modules, which prepare writes.
func (t *tree) tidied(m module) (mod, sum []byte, err error) {
	f, err := t.goMod(m)
	if err != nil {
		return nil, nil, err
	}
	for _, other := range t.modules {
		if other != m {
			_ = f.AddReplace(other.path, "", t.at(other.dir), "") // it never fails
		}
	}
	scratch, err := os.MkdirTemp("", "tidy")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(scratch)
	modFile, sumFile := filepath.Join(scratch, "go.mod"), filepath.Join(scratch, "go.sum")
	old, err := readSums(t.at(m.file("go.sum")))
	if err == nil {
		err = errors.Join(os.WriteFile(modFile, modfile.Format(f.Syntax), 0o600),
			os.WriteFile(sumFile, old.bytes(), 0o600))
	}
	if err == nil {
		_, err = run(t.at(m.dir), []string{"GOWORK=off", "GOFLAGS=-mod=mod"},
			"go", "mod", "tidy", "-modfile="+modFile)
	}
	if err == nil {
		f, err = readMod(modFile)
	}
	if err != nil {
		return nil, nil, err
	}
	version, err := t.version()
	if err != nil {
		return nil, nil, err
	}
	for _, other := range t.modules {
		_ = f.DropReplace(other.path, "") // it never fails
	}
	for _, r := range f.Require {
		if t.owns(r.Mod.Path) && xmod.IsZeroPseudoVersion(r.Mod.Version) { // it is new here
			_ = f.AddRequire(r.Mod.Path, version) // it never fails
		}
	}
	f.Cleanup()
	tidy, err := readSums(sumFile)
	if err != nil {
		return nil, nil, err
	}
	for v, hash := range old {
		if t.owns(v.Path) {
			tidy[v] = hash
		}
	}
	return modfile.Format(f.Syntax), tidy.bytes(), nil
}

// compare returns the difference between a file of the tree and what it should be, as an error.
func (t *tree) compare(name string, want []byte) error {
	have, err := os.ReadFile(t.at(name))
	if bytes.Equal(have, want) && (err == nil || os.IsNotExist(err)) {
		return nil
	}
	dir, err := os.MkdirTemp("", "tidy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tidy := filepath.Join(dir, "tidy")
	if err := os.WriteFile(tidy, want, 0o600); err != nil {
		return err
	}
	diff, _ := run(t.root, nil, "git", "diff", "--no-index", "--", name, tidy) // it fails where there is one
	return fmt.Errorf("%s is not tidy:\n%s", name, diff)
}
