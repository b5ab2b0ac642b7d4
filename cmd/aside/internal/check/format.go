package check

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/document"
)

// FmtCmd is "aside fmt".
type FmtCmd struct {
	DryRun bool `short:"d" aliases:"diff" xor:"how" help:"Print what would change as a diff, and exit with 1 if anything would."`
	Write  bool `short:"w" xor:"how" help:"Rewrite the files."`
	List   bool `short:"l" help:"Print only the names of the files that would change."`
	program.StdinFlag
	Paths []string `arg:"" name:"path" help:"Files, directories or globs; - is stdin."`
}

// Run prints rule files in canonical form, or rewrites them.
func (c *FmtCmd) Run(e *command.Env) error {
	stdin, args, err := rules.Split(c.Paths, c.Name)
	if err != nil {
		return err
	}
	if stdin && c.Write {
		return command.Usage("-w cannot rewrite stdin")
	}
	fine := true
	if stdin {
		name, src, err := rules.ReadStdin(e, c.Name)
		if err != nil {
			return err
		}
		if fine, err = c.format(e, name, src); err != nil {
			return err
		}
	}
	if len(args) == 0 {
		return command.Verdict(!fine)
	}
	files, err := rules.Files(e, args)
	if err != nil {
		return err
	}
	for _, file := range files {
		name := file.Name
		if !load.IsRuleFile(name) {
			return command.Usage("%s: a rule file ends in .md, .yaml or .yml", name)
		}
		src, err := file.Read()
		if errors.Is(err, load.ErrLarge) || errors.Is(err, load.ErrOutside) {
			rules.Render(e, e.Err, load.Trouble(name, err), nil, false)
			fine = false
			continue
		}
		if err != nil {
			return err
		}
		ok, err := c.format(e, name, src)
		if err != nil {
			return err
		}
		fine = fine && ok
	}
	return command.Verdict(!fine)
}

// format formats a file, or stdin, and prints or writes it as the flags say. The file is fine unless it has
// errors, or would change with -d.
func (c *FmtCmd) format(e *command.Env, name string, src []byte) (fine bool, err error) {
	out, ds := document.Format(name, src)
	if document.IsTest(name, src, ds) {
		e.Note("%s is a rule test, which fmt leaves alone", name)
		return true, nil
	}
	if ds.HasErrors() {
		rules.Render(e, e.Err, ds, map[string][]byte{name: src}, false)
		return false, nil
	}
	same := bytes.Equal(out, src)
	if c.List && !same {
		fmt.Fprintln(e.Out, name)
	}
	switch {
	case (c.Write || c.DryRun) && same:
		return true, nil
	case c.Write:
		if !c.List {
			e.Note("%s", name)
		}
		err = review.Rewrite(e, name, src, out)
	case c.DryRun:
		_, err = e.Out.Write(diff.Diff(name+".orig", src, name, out))
	case !c.List:
		_, err = e.Out.Write(out)
	}
	return !c.DryRun, err
}
