package check

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/internal/document"
)

// FormatOptions are the flags of fmt.
type FormatOptions struct {
	Paths []string // files, directories and globs; - is stdin
	Name  *string  // the name of stdin; nil: the usual one
	Diff  bool     // print the changes
	Write bool     // rewrite the files
	List  bool     // print the names of the files that would change
}

// Format prints rule files in canonical form, or rewrites them.
func Format(e *command.Env, c FormatOptions) error {
	stdin, args, err := rules.Split(c.Paths, c.Name)
	if err != nil {
		return err
	}
	if stdin && c.Write {
		return command.Usage("-w cannot rewrite stdin")
	}
	var called string
	var typed []byte
	if stdin {
		if called, typed, err = rules.ReadStdin(e, c.Name); err != nil {
			return err
		}
	}
	var files []string
	if len(args) > 0 {
		if files, err = rules.Files(args); err != nil {
			return err
		}
	}
	fine := true
	if stdin {
		ok, err := c.format(e, page{name: called, src: typed})
		if err != nil {
			return err
		}
		fine = ok
	}
	for _, name := range files {
		ok, err := c.file(e, name)
		if err != nil {
			return err
		}
		fine = fine && ok
	}
	return command.Verdict(!fine)
}

// page is a rule file, or stdin, that is being formatted.
type page struct {
	name     string
	src, out []byte
}

// file formats a file.
func (c *FormatOptions) file(e *command.Env, name string) (fine bool, err error) {
	src, err := rules.ReadFile(name)
	if err != nil {
		return false, err
	}
	if !load.IsRuleFile(name) {
		return false, command.Usage("%s: a rule file ends in .md, .yaml or .yml", name)
	}
	return c.format(e, page{name: name, src: src})
}

// format formats a page, and prints or writes it as the flags say. The page is fine unless it has errors, or
// would change with -d.
func (c *FormatOptions) format(e *command.Env, p page) (fine bool, err error) {
	out, ds := document.Format(p.name, p.src)
	if document.IsTest(p.name, p.src, ds) {
		e.Note("%s is a rule test, which fmt leaves alone", p.name)
		return true, nil
	}
	if ds.HasErrors() {
		rules.Render(e, e.Err, ds, map[string][]byte{p.name: p.src}, false)
		return false, nil
	}
	p.out = out
	same := bytes.Equal(out, p.src)
	if c.List && !same {
		fmt.Fprintln(e.Out, p.name)
	}
	if (c.Write || c.Diff) && same {
		return true, nil
	}
	return !c.Diff, c.put(e, p)
}

// put prints or writes a formatted page.
func (c *FormatOptions) put(e *command.Env, p page) error {
	switch {
	case c.Write:
		if !c.List {
			e.Note("%s", p.name)
		}
		return atomicfile.Write(p.name, p.out, 0o644)
	case c.Diff:
		_, err := e.Out.Write(diff.Diff(p.name+".orig", p.src, p.name, p.out))
		return err
	case c.List:
		return nil
	default:
		_, err := e.Out.Write(p.out)
		return err
	}
}
