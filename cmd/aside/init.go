package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aside-go/aside/cmd/aside/internal/starter"
)

// initCmd is "aside init".
type initCmd struct {
	Dir   string `arg:"" optional:"" default:"." help:"The project; by default the current directory."`
	Force bool   `help:"Overwrite files that are there."`
}

// Help says what is written.
func (*initCmd) Help() string {
	return `Writes a handful of reminders to .aside/reminders and a rule test beside it. Files that are there already stay as they are.

Examples:

    aside init
    aside init ~                     # for all your projects`
}

// Run writes the starter rules.
func (c *initCmd) Run(e *env) error {
	fi, err := os.Stat(c.Dir)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return no("%s is not a directory", c.Dir)
	}
	root := filepath.Join(c.Dir, ".aside")
	var written []starter.File
	kept := 0
	for _, f := range starter.Files() {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		switch err := place(name, f.Text, c.Force); {
		case errors.Is(err, fs.ErrExist):
			e.note("kept   %s", name)
			kept++
		case err != nil:
			return err
		default:
			fmt.Fprintf(e.out, "wrote  %s\n", name)
			written = append(written, f)
		}
	}
	e.trustWritten(c.Dir, written)
	if kept > 0 {
		e.note("%s already there (--force overwrites)", map[bool]string{true: "one file was", false: fmt.Sprintf("%d files were", kept)}[kept == 1])
	}
	e.note("\nNext:\n  aside replay        what they would have done in your newest session\n"+
		"  aside test %s\n  aside list\n  aside help triggers", filepath.Join(root, starter.Test))
	return nil
}

// place writes a new file; one that is there is replaced only by force.
func place(name string, text []byte, force bool) error {
	if force {
		if fi, err := os.Stat(name); err == nil {
			return writeFile(name, text, fi.Mode())
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(name)
	}
	return err
}
