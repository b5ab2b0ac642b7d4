package main

import (
	"context"
	"os"

	"github.com/aside-go/aside/cmd/aside/internal/coproc"
	"github.com/aside-go/aside/eval"
)

// evalCmd is "aside eval".
type evalCmd struct {
	rulesFlag
	State string   `default:"memory" placeholder:"DIR" help:"Where runs are remembered: a directory, or memory (the default: until stdin ends)."`
	Var   varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable. Types: bool, int, ratio, duration, string, set; kinds: gauge, counter, event, attribute."`
}

// Help describes the protocol.
func (*evalCmd) Help() string {
	return `A line in, a line out, flushed each time. All members of a line in may be left out:

    {"facts":{"context_usage":0.8,"tools":["Edit"],"failed":[],"vars":{"n":1}},
     "key":"turn-1","remind":["id"],"at":"2026-01-01T09:30:00Z","run":"default"}

(on one line), and out comes:

    {"fired":[{"id":"…","text":"…","priority":0,"tier":"guidance","attach":"tail","keep":"turn","manual":false}],
     "kept":["id"],"errors":[]}

A line that is not understood is answered with {"fired":[],"kept":[],"errors":["…"]} and changes nothing. Without --rules the rules of your home directory are read, never those of a project.

Example:

    echo '{"facts":{"context_usage":0.8}}' | aside eval --rules .aside/reminders`
}

// Run serves until stdin ends.
func (c *evalCmd) Run(ctx context.Context, e *env) error {
	schema, err := c.Var.schema()
	if err != nil {
		return err
	}
	r, err := e.load(c.rulesFlag, userOnly, schema)
	if err != nil {
		return err
	}
	bad := e.complain(r)
	if r.Set.Len() == 0 {
		e.nothing(r)
	}
	store, _, err := e.open(stateFlag{c.State})
	if err != nil {
		return err
	}
	if interactive() {
		e.note("reading facts from the terminal, a JSON object a line; aside help eval says more")
	}
	if err := e.out.Flush(); err != nil {
		return err
	}
	s := coproc.Server{Eval: eval.New(r.Set, eval.Options{Store: store}), Schema: schema}
	if err := s.Serve(ctx, e.in, os.Stdout); err != nil {
		return err
	}
	return verdict(bad)
}
