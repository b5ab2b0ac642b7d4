package main

import (
	"context"
	"os"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/evaljson"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/runs"
	"github.com/aside-go/aside/eval"
)

// evalCmd is "aside eval".
type evalCmd struct {
	rulesFlag
	projectFlag
	stateFlag
	Var varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable. Types: bool, int, ratio, duration, string, set; kinds: gauge, counter, event, attribute."`
}

// Help describes the protocol.
func (*evalCmd) Help() string {
	return `A line in, a line out, flushed each time. All members of a line in may be left out:

    {"facts":{"context_usage":0.8,"tools":["Edit"],"failed":[],"vars":{"n":1}},
     "key":"turn-1","remind":["id"],"at":"2026-01-01T09:30:00Z","run":"default"}

(on one line), and out comes:

    {"fired":[{"id":"…","text":"…","priority":0,"tier":"guidance","attach":"tail","keep":"turn","manual":false}],
     "kept":["id"],"errors":[]}

A line that is not understood is answered with {"fired":[],"kept":[],"errors":["…"]} and changes nothing. A
run that has a name is remembered when the co-process ends, and aside why and aside remind know it; lines that
name none are a run of this process alone, unless --state says where it is kept. Without --rules the rules of
your home directory are read, and those of a project only where --project names it and they are trusted.

Example:

    echo '{"facts":{"context_usage":0.8}}' | aside eval --rules .aside/reminders`
}

// Run serves until stdin ends.
func (c *evalCmd) Run(ctx context.Context, e *command.Env) error {
	r, err := rules.LoadNamed(e, rules.Request{Paths: c.Rules, Project: c.Project, Vars: c.Var})
	if err != nil {
		return err
	}
	bad := r.Complain(e)
	if r.Set.Len() == 0 {
		r.Nothing(e)
	}
	s := evaljson.Server{Schema: r.Set.Schema()}
	store, _, err := runs.Open(e, c.State)
	switch {
	case err == nil:
	case c.State == "" && e.Home == "": // without a home directory, runs are remembered for this process only
		if store, err = runs.Memory(); err != nil {
			return err
		}
	default:
		return err
	}
	s.Eval = eval.New(r.Set, eval.Options{Store: store})
	if c.State == "" {
		s.Unnamed = eval.New(r.Set, eval.Options{})
	}
	if command.Interactive() {
		e.Note("reading facts from the terminal, a JSON object a line; aside help eval says more")
	}
	if err := e.Out.Flush(); err != nil {
		return err
	}
	if err := s.Serve(ctx, e.In, os.Stdout); err != nil {
		return err
	}
	return command.Verdict(bad)
}
