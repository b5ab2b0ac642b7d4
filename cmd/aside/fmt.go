package main

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/compile/document"
)

// fmtCmd is "aside fmt".
type fmtCmd struct {
	Diff  bool `short:"d" xor:"how" help:"Print what would change as a diff, and exit with 1 if anything would."`
	Write bool `short:"w" xor:"how" help:"Rewrite the files."`
	List  bool `short:"l" help:"Print only the names of the files that would change."`
	stdinFlag
	Paths []string `arg:"" name:"path" help:"Files, directories or globs; - is stdin."`
}

// Help shows examples.
func (*fmtCmd) Help() string {
	return `Triggers are written with "and", "or" and "not", and quoted where YAML needs it; turns as "1 turn" and "2 turns"; comments stay. A file with errors is left alone, and so is a rule test.

Examples:

    aside fmt reminders/edit.md      # print it
    aside fmt -l .aside/reminders    # which files would change
    aside fmt -d .aside/reminders    # how, and exit with 1 if any would
    aside fmt -w .aside/reminders    # change it`
}

// Run formats.
func (c *fmtCmd) Run(e *env) error {
	stdin, args := split(c.Paths)
	if stdin && c.Write {
		return usage("-w cannot rewrite stdin")
	}
	called, typed, err := c.read(e, stdin)
	if err != nil {
		return err
	}
	var files []string
	if len(args) > 0 {
		if files, err = ruleFiles(args); err != nil {
			return err
		}
	}
	failed, changed := false, 0
	one := func(name string, src []byte, write func([]byte) error) error {
		out, ds := document.Format(name, src)
		if _, tests := apart(ds); len(tests) > 0 {
			e.note("%s is a rule test, which fmt leaves alone", name)
			return nil
		}
		if ds.HasErrors() {
			e.render(e.err, ds, map[string][]byte{name: src}, false)
			failed = true
			return nil
		}
		same := bytes.Equal(out, src)
		if !same {
			changed++
		}
		if c.List && !same {
			fmt.Fprintln(e.out, name)
		}
		switch {
		case c.Write && !same:
			if !c.List {
				e.note("%s", name)
			}
			return write(out)
		case c.Write || c.Diff && same:
			return nil
		case c.Diff:
			failed = true
			_, err := e.out.Write(diff.Diff(name+".orig", src, name, out))
			return err
		case c.List:
			return nil
		default:
			_, err := e.out.Write(out)
			return err
		}
	}
	if stdin {
		if err := one(called, typed, nil); err != nil {
			return err
		}
	}
	for _, name := range files {
		src, mode, err := readFile(name)
		if err != nil {
			return err
		}
		if !isRuleFile(name) {
			return usage("%s: a rule file ends in .md, .yaml or .yml", name)
		}
		if err := one(name, src, func(b []byte) error { return writeFile(name, b, mode) }); err != nil {
			return err
		}
	}
	return verdict(failed)
}
