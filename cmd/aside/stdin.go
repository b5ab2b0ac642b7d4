package main

import (
	"fmt"
	"io"
)

// stdinFlag is the flag --name of commands that read rule files, one of which may be stdin, named -.
type stdinFlag struct {
	Name *string `placeholder:"FILE" help:"What stdin would be called; the extension says how it is read."`
}

// read reads stdin, where stdin is true, and returns its text and the name that it is given.
func (f stdinFlag) read(e *env, stdin bool) (name string, src []byte, err error) {
	name = "stdin.md"
	if f.Name != nil {
		name = *f.Name
	}
	switch {
	case !stdin && f.Name != nil: // a file has a name already, so the user expects something that --name does not do
		return "", nil, usage("--name goes with -: it is what stdin would be called")
	case !stdin:
		return "", nil, nil
	case !isRuleFile(name):
		return "", nil, usage("--name %q: a rule file ends in .md, .yaml or .yml", name)
	}
	if src, err = io.ReadAll(io.LimitReader(e.in, maxFile)); err != nil {
		return "", nil, fmt.Errorf("stdin: %w", err)
	}
	return name, src, nil
}

// split returns args without "-", and whether that was among them.
func split(args []string) (stdin bool, rest []string) {
	for _, a := range args {
		if a == "-" {
			stdin = true
		} else {
			rest = append(rest, a)
		}
	}
	return stdin, rest
}
