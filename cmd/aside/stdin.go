package main

import (
	"fmt"
	"io"
)

// stdinFlag is the flag of commands that read rule files, of which one may be stdin: the path -.
type stdinFlag struct {
	Name *string `placeholder:"FILE" help:"What stdin would be called; the extension says how it is read."`
}

// read returns what stdin holds and what it would be called, if it is to be read.
func (f stdinFlag) read(e *env, stdin bool) (name string, src []byte, err error) {
	name = "stdin.md"
	if f.Name != nil {
		name = *f.Name
	}
	switch {
	case !stdin && f.Name != nil: // a file has a name of its own: whoever gives it another waits for something that does not come
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

// split takes "-" out of args.
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
